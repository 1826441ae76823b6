import CGStreamer
import CGstCheck
import CHDRTap
import GstBridge
import Synchronization
import Testing

/// An `hdrtap` in a harness, for video.
final class VideoTapHarness: ElementHarness, @unchecked Sendable {
    private(set) var info = GstVideoInfo()
    /// Frames that were pushed.
    private var count = 0

    init(_ caps: String? = nil) throws {
        try super.init(element: "hdrtap")
        if let caps { try start(caps) }
    }

    /// Caps and a segment.
    func start(_ caps: String) throws {
        let parsed = try #require(gst_caps_from_string(caps))
        defer { gst_caps_unref(parsed) }
        try #require(gst_video_info_from_caps(&info, parsed) != 0)
        gst_harness_set_src_caps(harness, gst_caps_ref(parsed))
    }

    /// A frame whose bytes are all the same; stamped at 25 Hz.
    func frame(_ value: UInt8, flags: UInt32 = 0) -> UnsafeMutablePointer<GstBuffer>? {
        let buffer = gst_buffer_new_allocate(nil, info.size, nil)
        gst_buffer_memset(buffer, 0, value, info.size)
        buffer?.pointee.pts = GstClockTime(count * 40_000_000)
        buffer?.pointee.duration = 40_000_000
        buffer?.pointee.mini_object.flags |= flags
        count += 1
        return buffer
    }

    @discardableResult func push(_ value: UInt8, flags: UInt32 = 0) -> GstFlowReturn {
        gst_harness_push(harness, frame(value, flags: flags))
    }

    func pull() -> [UInt8]? {
        guard let buffer = gst_harness_try_pull(harness) else { return nil }
        defer { gst_buffer_unref(buffer) }
        return bytes(of: buffer)
    }

    /// The first byte of each frame that has come out.
    func pullAll() -> [UInt8] {
        var values: [UInt8] = []
        while let bytes = pull() { values.append(bytes.first ?? 0) }
        return values
    }

    /// The caps that have arrived downstream.
    var outputCaps: String {
        guard let caps = gst_pad_get_current_caps(harness.pointee.sinkpad) else { return "" }
        defer { gst_caps_unref(caps) }
        guard let text = gst_caps_to_string(caps) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    func messages() -> [String] { posted().map(\.text) }

    /// Sets a number of an effect, such as `effect::stops`.
    func setChild(_ name: String, _ number: Double) {
        var value = GValue()
        g_value_init(&value, GTypes.double)
        g_value_set_double(&value, number)
        gst_child_proxy_set_property(OpaquePointer(element), name, &value)
    }
}

func bytes(of buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
    bytes.withUnsafeMutableBytes { _ = gst_buffer_extract(buffer, 0, $0.baseAddress, gsize($0.count)) }
    return bytes
}

/// Attaches callbacks for audio, which have nothing to do on video.
func attachForAudio(to element: UnsafeMutablePointer<GstElement>) -> Bool {
    var callbacks = GstHdrTapAudioCallbacks()
    callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
    callbacks.process = { _, _, _, _, _, _ in }
    return gst_hdr_tap_set_audio_callbacks(element, &callbacks, nil, nil, nil) != 0
}

/// Callbacks for video in C's terms that check the order of their calls.
final class VideoWitness: @unchecked Sendable {
    enum State: Int { case fresh, initialized, prepared, finalized }
    struct Record {
        var state = State.fresh
        var violations: [String] = []
        var calls: [String] = []
        var processed = 0
        var starts = 0
        var streamTimes: [UInt64] = []
        var streamingThread: UInt = 0
        var notified = 0
        /// The address of the first plane, and the buffer, of each frame.
        var seen: [UInt] = []
        var peak: UInt32?
        var light: UInt16?
    }
    let record = Mutex(Record())
    var outcome: TapOutcome {
        record.withLock { record in
            TapOutcome(
                violations: record.violations, isFinalized: record.state == .finalized, notified: record.notified,
                processed: record.processed)
        }
    }
    let access: GstHdrTapAccess
    let view: GstHdrTapView
    let space: GstHdrTapColorSpace
    /// What process does; the default leaves the frame as it is.
    let body: @Sendable (UnsafeMutablePointer<GstHdrTapVideoFrame>, inout String?) -> GstHdrTapFrameResult
    /// Why prepare refuses.
    let refusal: String?

    init(
        _ access: GstHdrTapAccess = GST_HDR_TAP_READ, view: GstHdrTapView = GST_HDR_TAP_PLANES,
        space: GstHdrTapColorSpace = GST_HDR_TAP_COLOR_SPACE_DEFAULT, refusal: String? = nil,
        _ body: @escaping @Sendable (UnsafeMutablePointer<GstHdrTapVideoFrame>, inout String?) -> GstHdrTapFrameResult =
            { _, _ in GST_HDR_TAP_FRAME_OK }
    ) {
        self.access = access
        self.view = view
        self.space = space
        self.refusal = refusal
        self.body = body
    }

    /// Writes a byte over each of the first plane.
    static func filling(_ value: UInt8) -> VideoWitness {
        VideoWitness(GST_HDR_TAP_CHANGE) { frame, _ in
            guard let planes = frame.pointee.planes, let data = planes.pointee.data.0 else {
                return GST_HDR_TAP_FRAME_FAILED
            }
            memset(data, Int32(value), Int(planes.pointee.info.stride.0) * Int(frame.pointee.height))
            return GST_HDR_TAP_FRAME_OK
        }
    }

    private static func of(_ tap: UnsafeMutablePointer<GstHdrVideoTap>?) -> VideoWitness {
        Unmanaged<VideoWitness>.fromOpaque(tap!.pointee.user_data).takeUnretainedValue()
    }

    private func step(_ what: String, from allowed: [State], to state: State, _ body: (inout Record) -> Void = { _ in })
    {
        record.withLock { record in
            if !allowed.contains(record.state) { record.violations.append("\(what) while \(record.state)") }
            record.state = state
            if record.calls.last != what { record.calls.append(what) }
            body(&record)
        }
    }

    static let callbacks: GstHdrTapVideoCallbacks = {
        var callbacks = GstHdrTapVideoCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrTapVideoCallbacks>.size)
        callbacks.`init` = { tap, _ in
            of(tap).step("init", from: [.fresh], to: .initialized)
        }
        callbacks.finalize = { tap in
            of(tap).step("finalize", from: [.initialized], to: .finalized) { record in
                if record.streamingThread == UInt(pthread_self()) {
                    record.violations.append("finalize on the streaming thread")
                }
            }
        }
        callbacks.prepare = { tap, format, error in
            let witness = of(tap)
            if let refusal = witness.refusal {
                if !refusal.isEmpty {
                    error?.pointee = g_error_new_literal(
                        gst_stream_error_quark(), gint(GST_STREAM_ERROR_FORMAT.rawValue), refusal)
                }
                return 0
            }
            witness.step("prepare", from: [.initialized], to: .prepared) { record in
                if tap?.pointee.access != GST_HDR_TAP_READ || tap?.pointee.view != GST_HDR_TAP_PLANES {
                    record.violations.append("view and access are not 0")
                }
                record.peak = format?.pointee.mastering_display?.pointee.max_display_mastering_luminance
                record.light = format?.pointee.content_light_level?.pointee.max_content_light_level
            }
            tap?.pointee.access = witness.access
            tap?.pointee.view = witness.view
            tap?.pointee.color_space = witness.space
            return 1
        }
        callbacks.unprepare = { tap in of(tap).step("unprepare", from: [.prepared], to: .initialized) }
        callbacks.process = { tap, frame, times, error in
            guard let frame, let times else { return GST_HDR_TAP_FRAME_FAILED }
            let witness = of(tap)
            witness.step("process", from: [.prepared], to: .prepared) { record in
                record.processed += 1
                record.streamingThread = UInt(pthread_self())
                if times.pointee.flags & GST_HDR_TAP_START_OF_STREAM.rawValue != 0 { record.starts += 1 }
                record.streamTimes.append(UInt64(times.pointee.stream_time))
                if record.seen.count < 16 {
                    record.seen.append(UInt(bitPattern: frame.pointee.planes?.pointee.data.0))
                }
            }
            var text: String?
            let result = witness.body(frame, &text)
            if let text {
                error?.pointee = g_error_new_literal(
                    gst_stream_error_quark(), gint(GST_STREAM_ERROR_FAILED.rawValue), text)
            }
            return result
        }
        return callbacks
    }()

    /// Attaches; the element's reference to this object is given back by the destroy notify.
    @discardableResult func attach(to element: UnsafeMutablePointer<GstElement>) -> Bool {
        var callbacks = Self.callbacks
        let data = Unmanaged.passRetained(self).toOpaque()
        return gst_hdr_tap_set_video_callbacks(
            element, &callbacks, data,
            { data in
                let witness = Unmanaged<VideoWitness>.fromOpaque(data!).takeRetainedValue()
                witness.record.withLock { record in
                    record.notified += 1
                    if record.state != .finalized { record.violations.append("notified while \(record.state)") }
                }
            }, nil) != 0
    }

    var calls: [String] { record.withLock { $0.calls } }
    var processed: Int { record.withLock { $0.processed } }
    var violations: [String] { record.withLock { $0.violations } }
}

/// A meta that has to survive what an element does to a buffer.
func addReferenceTimestamp(to buffer: UnsafeMutablePointer<GstBuffer>) {
    let reference = gst_caps_new_empty_simple("timestamp/x-test")
    gst_buffer_add_reference_timestamp_meta(buffer, reference, 7, 8)
    gst_caps_unref(reference)
}
