import CGStreamer
import CGstFormat
import CGstCheck
import CGstHDR
import CHDRTap
import GstBridge
import TestSupport
import Testing

/// An `hdrtap` in a harness. Buffers are given and taken as bytes.
final class TapHarness: ElementHarness, @unchecked Sendable {
    private(set) var info = GstAudioInfo()
    /// Frames that were pushed with time stamps.
    private var position = 0

    init(effect: String? = nil) throws {
        try super.init(element: "hdrtap")
        if let effect { set("effect", effect) }
    }

    convenience init(effect: String? = nil, _ caps: String) throws {
        try self.init(effect: effect)
        try start(caps)
    }

    /// The child "effect"; the harness keeps it alive.
    var effect: UnsafeMutablePointer<GObject>? {
        let child = gst_child_proxy_get_child_by_name(OpaquePointer(element), "effect")
        if let child { g_object_unref(child) }
        return child
    }

    func setEffect(_ name: String, _ value: Double) {
        var number = GValue()
        g_value_init(&number, GTypes.double)
        g_value_set_double(&number, value)
        g_object_set_property(effect, name, &number)
    }

    /// Linear interpolation between points of an effect's property, in ns.
    func control(_ name: String, _ points: [(time: UInt64, value: Double)]) throws {
        let source = try #require(gst_interpolation_control_source_new())
        defer { gst_object_unref(source) }
        gst_util_set_object_arg(UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self), "mode", "linear")
        let timed = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstTimedValueControlSource.self)
        for point in points { gst_timed_value_control_source_set(timed, GstClockTime(point.time), point.value) }
        let child = UnsafeMutableRawPointer(try #require(effect)).assumingMemoryBound(to: GstObject.self)
        gst_object_add_control_binding(child, gst_direct_control_binding_new_absolute(child, name, source))
    }

    // MARK: The stream

    func start(_ caps: String) throws {
        let parsed = try #require(gst_caps_from_string(caps))
        defer { gst_caps_unref(parsed) }
        try #require(gst_audio_info_from_caps(&info, parsed) != 0)
        gst_harness_set_src_caps(harness, gst_caps_ref(parsed))
    }

    var isPlanar: Bool { info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED }
    var frameBytes: Int { Int(info.bpf) }

    /// A buffer of these bytes; planar ones plane after plane.
    func buffer(_ bytes: [UInt8], at frame: Int?, flags: UInt32 = 0) -> UnsafeMutablePointer<GstBuffer>? {
        let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil)
        bytes.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize(bytes.count)) }
        if isPlanar { gst_buffer_add_audio_meta(buffer, &info, gsize(bytes.count / frameBytes), nil) }
        if let frame {
            buffer?.pointee.pts = GstClockTime(frame * 1_000_000_000 / Int(info.rate))
            buffer?.pointee.duration = GstClockTime(bytes.count / frameBytes * 1_000_000_000 / Int(info.rate))
        }
        buffer?.pointee.mini_object.flags |= flags
        return buffer
    }

    @discardableResult
    func push(_ bytes: [UInt8], flags: UInt32 = 0) -> GstFlowReturn {
        defer { position += bytes.count / frameBytes }
        return gst_harness_push(harness, buffer(bytes, at: position, flags: flags))
    }

    func seek(to frame: Int) { position = frame }

    /// The bytes of what has come out; planes of a buffer one after the other.
    func pull() -> [UInt8]? {
        guard let buffer = gst_harness_try_pull(harness) else { return nil }
        defer { gst_buffer_unref(buffer) }
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
        bytes.withUnsafeMutableBytes { _ = gst_buffer_extract(buffer, 0, $0.baseAddress, gsize($0.count)) }
        return bytes
    }

    /// All output, interleaved.
    func pullAll() -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = pull() { all += isPlanar ? interleaved(bytes) : bytes }
        return all
    }

    func interleaved(_ planar: [UInt8]) -> [UInt8] {
        Self.transposed(planar, Int(info.channels), sampleBytes, toPlanar: false)
    }
    func planar(_ interleaved: [UInt8]) -> [UInt8] {
        Self.transposed(interleaved, Int(info.channels), sampleBytes, toPlanar: true)
    }
    var sampleBytes: Int { Int(info.bpf / info.channels) }

    static func transposed(_ bytes: [UInt8], _ channels: Int, _ width: Int, toPlanar: Bool) -> [UInt8] {
        let frames = bytes.count / (channels * width)
        var result = bytes
        for frame in 0..<frames {
            for channel in 0..<channels {
                let interleaved = (frame * channels + channel) * width
                let planar = (channel * frames + frame) * width
                for byte in 0..<width {
                    if toPlanar {
                        result[planar + byte] = bytes[interleaved + byte]
                    } else {
                        result[interleaved + byte] = bytes[planar + byte]
                    }
                }
            }
        }
        return result
    }

    /// Errors and warnings since the last call.
    func messages() -> [String] { posted().map(\.text) }
}

/// Caps of raw audio.
func audioCaps(_ format: String, channels: Int = 2, rate: Int = 48_000, planar: Bool = false) -> String {
    "audio/x-raw,format=\(format),layout=\(planar ? "non-interleaved" : "interleaved"),"
        + "channels=\(channels),rate=\(rate)"
        + (channels > 2 ? ",channel-mask=(bitmask)0" : "")
}

/// Noise as samples of a format.
func noise(_ format: String, samples: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let details = gst_audio_format_get_info(hdr_audio_format_from_string(format)).pointee
    let width = Int(details.width) / 8
    if details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_FLOAT.rawValue == 0 {
        // Samples that leave bits unused have them in the sign's place.
        let depth = Int(details.depth)
        let isSigned = details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_SIGNED.rawValue != 0
        return (0..<samples).flatMap { _ -> [UInt8] in
            var value = Int64(bitPattern: generator.next()) >> (64 - Int64(depth))
            if !isSigned { value += 1 << Int64(depth - 1) }
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
            return details.endianness == 4321 ? bytes.reversed() : bytes
        }
    }
    return (0..<samples).flatMap { _ -> [UInt8] in
        let value = Double.random(in: -0.9...0.9, using: &generator)
        let bits = width == 4 ? UInt64(Float(value).bitPattern) : value.bitPattern
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
        return details.endianness == 4321 ? bytes.reversed() : bytes
    }
}
