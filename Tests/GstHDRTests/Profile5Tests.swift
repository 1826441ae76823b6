import CGStreamer
import CGstCheck
import CHDRTap
import Glibc
import GstBridge
import HDRBitstream
import HDRColor
import HDRTap
import Synchronization
import TestSupport
import Testing

/// Frames of Dolby Vision's profile 5, which are no pictures before their metadata are applied, where applications and
/// effects are to see light.
@Suite(Samples.areThere, .quiet, .serialized) struct Profile5Tests {
    private static let (width, height) = (64, 32)
    /// The components of the base layer, in codes of 10 bits.
    private static let codes = SIMD3<Double>(500, 540, 490)
    /// The caps that decoders output for such streams.
    private static let stream = caps("I420_10LE", "bt709", width, height)

    private let payload: [UInt8]
    /// The picture's PQ signal in BT.2020.
    private let signal: SIMD3<Double>

    init() throws {
        var rpu = try #require(try DolbyVisionRPUFile.rpus(in: try Samples.bytes("rpu/profile5.bin")).first)
        // The sample's own mapping makes black of everything.
        rpu.removeMapping()
        payload = try rpu.payload()
        let reshaping = try #require(Reshaping(rpu))
        signal = reshaping(Self.codes / 1023)
    }

    /// - Parameter isDescribed: whether it has its RPU.
    private func fill(_ buffer: UnsafeMutablePointer<GstBuffer>?, isDescribed: Bool = true) {
        let luma = Self.width * Self.height
        let words = (0..<luma * 3 / 2).map { index in
            UInt16(index < luma ? Self.codes.x : index < luma * 5 / 4 ? Self.codes.y : Self.codes.z)
        }
        words.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
        guard isDescribed else { return }
        let data = payload.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(data) }
        _ = gst_hdr_buffer_set_dynamic_metadata(buffer, GST_HDR_DOLBY_VISION, data, 0)
    }

    // MARK: Conversion

    /// A base layer that was converted to RGB or grey as if it were a picture is refused.
    @Test(arguments: ["RGBA64_LE", "GRAY16_LE"]) func convertedBaseLayersAreRefused(_ format: String) throws {
        let harness = try Harness([:])
        try #require(
            harness.negotiate(caps(format, "bt2100-pq", Self.width, Self.height), to: want("NV12", "bt709")))
        let size = Self.width * Self.height * (format == "GRAY16_LE" ? 2 : 8)
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil)
        _ = gst_buffer_memset(buffer, 0, 0x80, gsize(size))
        buffer?.pointee.pts = 0
        let data = payload.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(data) }
        _ = gst_hdr_buffer_set_dynamic_metadata(buffer, GST_HDR_DOLBY_VISION, data, 0)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_ERROR)
        #expect(harness.posted().contains { $0.text.contains("converted it to RGB or grey") })
    }

    // MARK: Video outputs

    /// Light, and codes of the stream's own format, are those of the picture; also of one whose RPU was lost.
    @Test(arguments: ["rgba32f", ""]) func videoOutputsGivePictures(_ format: String) throws {
        let harness = try VideoTapHarness.onTestClock(Self.stream)
        let settings =
            format.isEmpty
            ? VideoOutput.Settings(primaries: "bt2020", transfer: "pq", matrix: "bt2020")
            : VideoOutput.Settings(format: format, primaries: "bt2020")
        let output = try VideoOutput(of: harness.element, settings)
        for isDescribed in [true, false] {
            let buffer = harness.frame(0)
            fill(buffer, isDescribed: isDescribed)
            #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        }
        for time in [0, 40 * millisecond] {
            let frame = try #require(output.copyFrame(at: time))
            if format.isEmpty {
                #expect(frame.text("format") == "I420_10LE" && frame.text("colorimetry") == "bt2100-pq")
                let first = try #require(frame.withBytes { $0.loadUnaligned(as: UInt16.self) })
                let luma = 64 + 876 * (0.2627 * signal.x + 0.678 * signal.y + 0.0593 * signal.z)
                #expect(abs(Double(first) - luma) < 1, "\(first) for \(luma)")
            } else {
                let pixel = frame.withBytes { bytes in
                    (0..<3).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
                }
                expectLight(try #require(pixel))
            }
        }
        #expect(harness.messages() == [])
    }

    /// Expects light within the precision of a ten-bit signal.
    private func expectLight(_ pixel: [Float]) {
        for c in 0..<3 {
            let wanted = PQ.eotf(signal[c]) / BT2408.referenceWhite
            #expect(abs(Double(pixel[c]) - wanted) < 0.02 * wanted, "\(pixel) for \(wanted)")
        }
    }

    /// Without settings frames come as they are.
    @Test func videoOutputsGiveTheStreamsOwn() throws {
        let harness = try VideoTapHarness.onTestClock(Self.stream)
        let output = try VideoOutput(of: harness.element)
        let buffer = harness.frame(0)
        fill(buffer)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        let frame = try #require(output.copyFrame(at: 0))
        #expect(frame.withBytes { $0.loadUnaligned(as: UInt16.self) } == UInt16(Self.codes.x))
    }

    // MARK: Compositors

    @Test(.enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
    func compositorsGetPictures() throws {
        let harness = try CompositingHarness()
        let seen = Mutex<[Float]>([])
        let witness = CompositorWitness(
            {
                $0.supports_hdr_source_frames = 1
                $0.source_view = GST_HDR_TAP_LIGHT_FLOAT
                $0.color_space = GST_HDR_TAP_COLOR_SPACE_BT2020
            },
            { request in
                if let light = request.pointee.sources[0]?.pointee.light {
                    seen.withLock { $0 = (0..<3).map { light.load(fromByteOffset: 4 * $0, as: Float.self) } }
                }
                CompositorWitness.fill(request, 0)
            })
        witness.attach(to: harness.element)
        let source = try harness.source(Self.stream)
        let buffer = source.frame(0)
        fill(buffer)
        gst_pad_push(source.pad, buffer)
        source.end()
        #expect(harness.pull() != nil)
        harness.stop()
        let pixel = seen.withLock { $0 }
        try #require(pixel.count == 3)
        expectLight(pixel)
    }

    // MARK: hdrtap

    /// Effects that see light end the stream with the remedy, and those that see none pass it.
    @Test(arguments: [("effect=sepia", false), ("effect=statistics", false), ("effect=exposure", true)])
    func effectsSayWhatIsMissing(_ setting: String, passes: Bool) throws {
        let harness = try VideoTapHarness(Self.stream)
        let parts = setting.split(separator: "=").map(String.init)
        harness.set(parts[0], parts[1])
        let buffer = harness.frame(0)
        fill(buffer)
        #expect(gst_harness_push(harness.harness, buffer) == (passes ? GST_FLOW_OK : GST_FLOW_ERROR))
        let messages = harness.messages()
        #expect(passes ? messages.isEmpty : messages.count == 1 && messages[0].contains("profile 5"), "\(messages)")
    }

    /// Callbacks see the stream's own planes, and no light of what is none.
    @Test(arguments: [GST_HDR_TAP_PLANES, GST_HDR_TAP_LIGHT_FLOAT]) func callbacksSeeNoFalseLight(_ view: GstHdrTapView)
        throws
    {
        let harness = try VideoTapHarness(Self.stream)
        let witness = VideoWitness(view: view)
        witness.attach(to: harness.element)
        let buffer = harness.frame(0)
        fill(buffer)
        let isPlanes = view == GST_HDR_TAP_PLANES
        #expect(gst_harness_push(harness.harness, buffer) == (isPlanes ? GST_FLOW_OK : GST_FLOW_ERROR))
        #expect(witness.record.withLock { $0.processed } == (isPlanes ? 1 : 0))
        #expect(harness.messages().allSatisfy { $0.contains("hdrconvert") })
    }
}
