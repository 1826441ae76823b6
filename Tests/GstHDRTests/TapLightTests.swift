import CGStreamer
import CGstCheck
import CHDRTap
import GstBridge
import HDRColor
import Synchronization
import TestSupport
import Testing

/// Callbacks that see video as linear light.
@Suite(.quiet, .serialized) struct TapLightTests {
    /// Calls `body` with each pixel of a frame's light, which is single floats.
    static func eachPixel(
        _ frame: UnsafeMutablePointer<GstHdrTapVideoFrame>, _ body: (UnsafeMutablePointer<Float>) -> Void
    ) {
        guard let light = frame.pointee.light else { return }
        for y in 0..<Int(frame.pointee.height) {
            let row = (light + y * Int(frame.pointee.light_stride)).assumingMemoryBound(to: Float.self)
            for x in 0..<Int(frame.pointee.width) { body(row + 4 * x) }
        }
    }

    /// Records the first pixel of each frame, in half or single floats.
    final class Reader: @unchecked Sendable {
        var pixels: [[Float]] = []
        var spaces: [UInt32] = []

        func witness(_ view: GstHdrTapView, _ space: GstHdrTapColorSpace = GST_HDR_TAP_COLOR_SPACE_DEFAULT)
            -> VideoWitness
        {
            VideoWitness(view: view, space: space) { [self] frame, _ in
                guard let light = frame.pointee.light, frame.pointee.planes == nil else {
                    return GST_HDR_TAP_FRAME_FAILED
                }
                spaces.append(frame.pointee.color_space.rawValue)
                if view == GST_HDR_TAP_LIGHT_HALF {
                    let halves = light.assumingMemoryBound(to: UInt16.self)
                    pixels.append((0..<4).map { Self.single(halves[$0]) })
                } else {
                    let singles = light.assumingMemoryBound(to: Float.self)
                    pixels.append((0..<4).map { singles[$0] })
                }
                return GST_HDR_TAP_FRAME_OK
            }
        }

        /// A normal half float, which x86-64 has no type for in Swift.
        private static func single(_ bits: UInt16) -> Float {
            if bits & 0x7FFF == 0 { return 0 }
            let magnitude = UInt32(bits & 0x7FFF) << 13 &+ (127 - 15) << 23
            return Float(bitPattern: magnitude | UInt32(bits & 0x8000) << 16)
        }
    }

    /// A grey frame with this 10-bit luma in limited range.
    private func push(_ harness: VideoTapHarness, luma: UInt16) throws {
        let buffer = try #require(harness.frame(0))
        var info = harness.info
        var frame = GstVideoFrame()
        #expect(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE) != 0)
        let words = try #require(frame.data.0).assumingMemoryBound(to: UInt16.self)
        for y in 0..<Int(info.height) {
            for x in 0..<Int(info.width) { words[y * Int(info.stride.0) / 2 + x] = luma << 6 }
        }
        let chroma = try #require(frame.data.1).assumingMemoryBound(to: UInt16.self)
        for y in 0..<(Int(info.height) / 2) {
            for x in 0..<Int(info.width) { chroma[y * Int(info.stride.1) / 2 + x] = 512 << 6 }
        }
        gst_video_frame_unmap(&frame)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
    }

    /// Reference white is 1.0 whatever clip comes next; a playlist of PQ, HLG and SDR.
    @Test(arguments: [GST_HDR_TAP_LIGHT_HALF, GST_HDR_TAP_LIGHT_FLOAT])
    func whiteIsOneInEachClip(view: GstHdrTapView) throws {
        let harness = try VideoTapHarness()
        let reader = Reader()
        let witness = reader.witness(view)
        witness.attach(to: harness.element)
        for (color, white) in [("bt2100-pq", 573), ("bt709", 940), ("bt2100-hlg", 721), ("bt2100-pq", 573)] {
            try harness.start(caps("P010_10LE", color, 64, 16))
            try push(harness, luma: UInt16(white))
        }
        // 573 and 721 are the nearest codes to 203 cd/m².
        for pixel in reader.pixels {
            for component in pixel { #expect(abs(component - 1) < 0.005, "\(reader.pixels)") }
        }
        #expect(reader.pixels.count == 4 && witness.violations == [] && harness.messages() == [])
        #expect(witness.calls.filter { $0 == "prepare" }.count == 4)
    }

    /// Above white and beyond the color space nothing is cut.
    @Test func theRangeIsExtended() throws {
        let harness = try VideoTapHarness(caps("P010_10LE", "bt2100-pq", 64, 16))
        let reader = Reader()
        reader.witness(GST_HDR_TAP_LIGHT_FLOAT).attach(to: harness.element)
        try push(harness, luma: 940)
        // BT.2020's green is outside of Display P3.
        try harness.start(caps("RGBA", "1:1:14:7", 64, 16))
        let green = try #require(gst_buffer_new_allocate(nil, harness.info.size, nil))
        let rows = [UInt8]((0..<1024).flatMap { _ in [0, 200, 0, 255] as [UInt8] })
        rows.withUnsafeBytes { _ = gst_buffer_fill(green, 0, $0.baseAddress, gsize($0.count)) }
        #expect(gst_harness_push(harness.harness, green) == GST_FLOW_OK)
        #expect(abs(reader.pixels[0][0] - 10_000 / 203) < 0.01)
        #expect(reader.pixels[1][0] < -0.1 && reader.pixels[1][1] > 0.9)
    }

    /// A callback that changes nothing gives back the codes, all of them.
    @Test(arguments: ["I420", "P010_10LE", "Y444_10LE", "I422_10LE", "v210", "RGBA", "GRAY8", "Y210"])
    func unchangedLightKeepsTheCodes(format: String) throws {
        for color in ["bt2100-pq", "bt2100-hlg", "bt709"] {
            for more in ["", "interlace-mode=interleaved"] {
                let isRGB = format == "RGBA"
                let harness = try VideoTapHarness(caps(format, isRGB ? "sRGB" : color, 66, 18, more: more))
                VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_HALF).attach(to: harness.element)
                var generator = SeededGenerator(seed: 5)
                // Bits that no sample uses are 0.
                let mask: UInt32 =
                    switch format {
                    case "v210": 0x3FFF_FFFF
                    case "P010_10LE", "Y210": 0xFFC0_FFC0
                    default: format.hasSuffix("_10LE") ? 0x03FF_03FF : .max
                    }
                let codes = (0..<(Int(harness.info.size) / 4)).map { _ in
                    UInt32.random(in: 0...UInt32.max, using: &generator) & mask
                }
                let buffer = try #require(gst_buffer_new_allocate(nil, harness.info.size, nil))
                codes.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
                buffer.pointee.pts = 0
                addReferenceTimestamp(to: buffer)
                gst_buffer_ref(buffer)
                #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
                let output = try #require(gst_harness_try_pull(harness.harness))
                #expect(output != buffer && output.pointee.pts == 0)
                #expect(gst_buffer_get_meta(output, gst_reference_timestamp_meta_api_get_type()) != nil)
                #expect(Self.samples(output, harness.info) == Self.samples(buffer, harness.info), "\(color) \(more)")
                gst_buffer_unref(output)
                gst_buffer_unref(buffer)
            }
        }
    }

    /// The samples of a frame, without padding and bits that no sample uses.
    private static func samples(_ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo) -> [[Int32]] {
        var info = info
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else { return [] }
        defer { gst_video_frame_unmap(&frame) }
        guard let details = info.finfo?.pointee, let unpack = details.unpack_func else { return [] }
        let unpacked = gst_video_format_get_info(details.unpack_format).pointee
        let bytes = Int(unpacked.pixel_stride.0) * Int(info.width)
        var data = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
        var strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3]
        return (0..<Int(info.height)).map { row in
            var line = [UInt8](repeating: 0, count: bytes + 64)
            // Chroma as it is, without interpolation.
            line.withUnsafeMutableBytes {
                unpack(
                    info.finfo, GST_VIDEO_PACK_FLAG_NONE, $0.baseAddress, &data, &strides, 0, gint(row),
                    gint(info.width))
            }
            return line.map { Int32($0) }
        }
    }

    /// Light doubles: 100 cd/m² become 200, within half a code.
    @Test func exposure() throws {
        let harness = try VideoTapHarness(
            caps("P010_10LE", "bt2100-pq", 64, 16, light: "1000:400"))
        VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_FLOAT) { frame, _ in
            Self.eachPixel(frame) { for component in 0..<3 { $0[component] *= 2 } }
            return GST_HDR_TAP_FRAME_OK
        }.attach(to: harness.element)
        func code(_ light: Double) -> Double { 64 + 876 * PQ.inverseEOTF(light) }
        let input = code(100).rounded()
        try push(harness, luma: UInt16(input))
        let output = try #require(harness.pull())
        let made = Double(UInt16(output[0]) | UInt16(output[1]) << 8) / 64
        let expected = code(2 * PQ.eotf((input - 64) / 876))
        #expect(abs(made - expected) <= 1, "\(made) and not \(expected)")
        #expect(!harness.outputCaps.contains("content-light-level"))
    }

    /// A NaN becomes black, an infinite value becomes the signal's limit, and the stream goes on.
    @Test(arguments: [(Float.nan, 64), (-.infinity, 64), (.infinity, 940), (-5, 64)] as [(Float, UInt16)])
    func numbersThatAreNone(number: Float, luma: UInt16) throws {
        let harness = try VideoTapHarness(caps("P010_10LE", "bt2100-pq", 64, 16))
        VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_FLOAT) { frame, _ in
            Self.eachPixel(frame) { for component in 0..<3 { $0[component] = number } }
            return GST_HDR_TAP_FRAME_OK
        }.attach(to: harness.element)
        try push(harness, luma: 400)
        let output = try #require(harness.pull())
        let made = (UInt16(output[0]) | UInt16(output[1]) << 8) >> 6
        #expect(made == luma)
        #expect(harness.messages() == [])
    }

    @Test func framesThatStayAsTheyAreKeepTheirBuffer() throws {
        let harness = try VideoTapHarness(caps("P010_10LE", "bt2100-pq", 64, 16, light: "1000:400"))
        for witness in [
            VideoWitness(view: GST_HDR_TAP_LIGHT_HALF),
            VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_HALF) { frame, _ in
                memset(frame.pointee.light, 0, Int(frame.pointee.light_stride))
                return GST_HDR_TAP_FRAME_NOT_THIS_ONE
            },
        ] {
            witness.attach(to: harness.element)
            let buffer = try #require(harness.frame(9))
            #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
            let output = try #require(gst_harness_try_pull(harness.harness))
            #expect(output == buffer && bytes(of: output).allSatisfy { $0 == 9 })
            gst_buffer_unref(output)
            #expect(witness.processed == 1)
        }
    }

    // MARK: Color spaces

    /// The property acts at the next frame, without another prepare; a callback's own choice stays.
    @Test func colorSpaces() throws {
        let harness = try VideoTapHarness(caps("RGBA", "sRGB", 64, 16))
        let reader = Reader()
        let witness = reader.witness(GST_HDR_TAP_LIGHT_FLOAT)
        witness.attach(to: harness.element)
        let red = [UInt8]((0..<1024).flatMap { _ in [255, 0, 0, 255] as [UInt8] })
        func pushRed() {
            let buffer = gst_buffer_new_allocate(nil, harness.info.size, nil)
            red.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
            #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        }
        pushRed()
        for space in ["bt2020", "bt709", "display-p3"] {
            harness.set("color-space", space)
            pushRed()
        }
        #expect(reader.spaces == [1, 2, 3, 1])
        // The red of BT.709 in these primaries.
        let expected: [SIMD3<Float>] = [
            [0.8225, 0.0332, 0.0171], [0.6274, 0.0691, 0.0164], [1, 0, 0], [0.8225, 0.0332, 0.0171],
        ]
        for (pixel, wanted) in zip(reader.pixels, expected) {
            for component in 0..<3 { #expect(abs(pixel[component] - wanted[component]) < 2e-4, "\(pixel)") }
        }
        #expect(witness.calls == ["init", "prepare", "process"])
        reader.witness(GST_HDR_TAP_LIGHT_FLOAT, GST_HDR_TAP_COLOR_SPACE_BT2020).attach(to: harness.element)
        pushRed()
        #expect(reader.spaces.last == 2)
    }

    // MARK: What cannot be

    @Test func coloursWithoutLight() throws {
        let harness = try VideoTapHarness()
        let witness = VideoWitness(view: GST_HDR_TAP_LIGHT_HALF)
        witness.attach(to: harness.element)
        // The logarithmic transfer function.
        try harness.start(caps("I420", "2:3:9:1", 64, 16))
        #expect(harness.push(1) == GST_FLOW_NOT_NEGOTIATED)
        let messages = harness.messages()
        #expect(messages.count == 1 && messages[0].contains("log100"), "\(messages)")
        #expect(witness.violations == [] && witness.calls == ["init", "prepare", "unprepare"])
        // The next clip is one that can be.
        try harness.start(caps("I420", "bt709", 64, 16))
        #expect(harness.push(1) == GST_FLOW_OK)
        #expect(witness.processed == 1)
    }

    @Test func viewsAndSpacesThatThereAreNot() throws {
        for (view, space, text) in [(9, 0, "view to 9"), (1, 9, "color_space to 9")] as [(UInt32, UInt32, String)] {
            let harness = try VideoTapHarness(caps("I420", "bt709", 64, 16))
            let witness = VideoWitness(
                view: GstHdrTapView(rawValue: view), space: GstHdrTapColorSpace(rawValue: space))
            witness.attach(to: harness.element)
            #expect(harness.push(1) == GST_FLOW_NOT_NEGOTIATED)
            #expect(harness.messages().contains { $0.contains(text) })
            #expect(witness.violations == [] && witness.calls == ["init", "prepare", "unprepare"])
        }
    }
}
