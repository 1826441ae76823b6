import CGStreamer
import CGstCheck
import CGstHDR
import TestSupport
import Testing

/// `hdrcompositor` in process: pads and caps that change while pictures flow.
@Suite(.quiet) struct CompositorTests {
    private static let formats = ["I420_10LE", "NV12", "RGBA", "Y444_16LE", "A420_10LE", "GRAY8", "v210"]
    private static let colors = ["bt2100-pq", "bt2100-hlg", "bt709", "sRGB"]

    private static func caps(_ random: inout SeededGenerator) -> String {
        let format = formats[random.below(formats.count)]
        let isRGB = format == "RGBA"
        let color = isRGB ? "sRGB" : format == "GRAY8" ? "1:3:5:1" : colors[random.below(3)]
        return "video/x-raw,format=\(format),width=\(1 + random.below(80)),height=\(1 + random.below(60)),"
            + "framerate=25/1,colorimetry=(string)\(color)"
    }

    /// A pad with a harness of its own.
    private final class Input {
        let harness: UnsafeMutablePointer<GstHarness>
        private var info = GstVideoInfo()
        private let index: Int

        init(_ element: UnsafeMutablePointer<GstElement>, _ index: Int) throws {
            self.index = index
            harness = try #require(gst_harness_new_with_element(element, "sink_\(index)", nil))
        }

        deinit { gst_harness_teardown(harness) }

        func set(_ caps: String) throws {
            gst_harness_set_src_caps_str(harness, caps)
            let parsed = try #require(gst_caps_from_string(caps))
            defer { gst_caps_unref(parsed) }
            try #require(gst_video_info_from_caps(&info, parsed) != 0)
        }

        func push(_ frame: Int, isShort: Bool) {
            let size = isShort ? gsize(info.size / 2) : gsize(info.size)
            guard let buffer = gst_buffer_new_allocate(nil, size, nil) else { return }
            gst_buffer_memset(buffer, 0, UInt8(truncatingIfNeeded: frame * 37 + index), size)
            buffer.pointee.pts = GstClockTime(frame) * 40_000_000
            buffer.pointee.duration = 40_000_000
            gst_harness_push(harness, buffer)
        }

        func setPad(_ name: String, _ value: String, _ element: UnsafeMutablePointer<GstElement>) {
            guard let pad = gst_element_get_static_pad(element, "sink_\(index)") else { return }
            gst_util_set_object_arg(UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), name, value)
            gst_object_unref(pad)
        }
    }

    /// Pads come and go, properties and caps change, and buffers are too short: what comes out are pictures of the
    /// canvas's caps.
    @Test(arguments: 0..<6) func anythingMayChangeWhilePicturesFlow(_ seed: Int) throws {
        GStreamer.started
        var random = SeededGenerator(seed: UInt64(seed) &+ 900)
        let element = try #require(gst_element_factory_make("hdrcompositor", nil))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let output = try #require(gst_harness_new_with_element(element, nil, "src"))
        defer { gst_harness_teardown(output) }
        gst_harness_play(output)
        var inputs: [Int: Input] = [:]
        var next = 0
        var pictures = 0
        for frame in 0..<GStreamer.scaled(60, least: 12) {
            if inputs.isEmpty || (random.below(5) == 0 && inputs.count < 5) {
                let input = try Input(element, next)
                try input.set(Self.caps(&random))
                gst_harness_play(input.harness)
                inputs[next] = input
                next += 1
            } else if inputs.count > 1, random.below(9) == 0, let gone = inputs.keys.sorted().first {
                inputs[gone] = nil
            }
            for (_, input) in inputs.sorted(by: { $0.key < $1.key }) {
                if random.below(12) == 0 { try input.set(Self.caps(&random)) }
                if random.below(4) == 0 {
                    input.setPad("xpos", "\(random.below(300) - 150)", element)
                    input.setPad("width", "\(random.below(200) - 1)", element)
                    input.setPad("alpha", "\(Double(random.below(11)) / 10)", element)
                    input.setPad("operator", ["source", "over", "add"][random.below(3)], element)
                    input.setPad("crop-left", "\(random.below(90))", element)
                    input.setPad("sizing-policy", ["none", "keep-aspect-ratio"][random.below(2)], element)
                }
                input.push(frame, isShort: random.below(40) == 0)
            }
            while let buffer = gst_harness_try_pull(output) {
                pictures += 1
                #expect(gst_buffer_get_size(buffer) > 0)
                gst_buffer_unref(buffer)
            }
        }
        inputs.removeAll()
        // Pads that have just come have no picture of the first times; some come out all the same.
        #expect(pictures > 0 || next == 1)
    }
}
