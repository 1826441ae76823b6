import CGStreamer
import CGstCheck
import Glibc
import GstBridge
import HDRColor
import HDRTap
import TestSupport
import Testing

/// The form in which video outputs give frames.
@Suite(.quiet, .serialized) struct VideoOutputColorTests {
    /// A stream of one colour in R'G'B' codes of 16 bits, and how that colour is to be seen.
    private struct Clip {
        let caps: String
        let transfer: Transfer
        let primaries: Primaries
        let codes: SIMD3<Double>

        /// Light in `primaries`, 1.0 being reference white.
        var light: SIMD3<Double> {
            let signal = codes / 65535
            if transfer == .hlg { return HLG<Double>(peak: 1000).toDisplay(signal) / 203 }
            let components = (0..<3).map { transfer.eotf(signal[$0], white: 203.0) / 203 }
            return SIMD3(components[0], components[1], components[2])
        }

        /// The bytes of a frame of 32 by 16 pixels.
        var bytes: [UInt8] {
            let pixel = [codes.x, codes.y, codes.z, 65535].flatMap { code -> [UInt8] in
                [UInt8(Int(code) & 255), UInt8(Int(code) >> 8)]
            }
            return (0..<32 * 16).flatMap { _ in pixel }
        }
    }

    private static func clip(
        _ colorimetry: String, _ transfer: Transfer, _ primaries: Primaries, _ codes: SIMD3<Double>
    ) -> Clip {
        Clip(caps: caps("RGBA64_LE", colorimetry, 32, 16), transfer: transfer, primaries: primaries, codes: codes)
    }

    /// A playlist: the colour of the stream changes with each clip, and twice with highlights far above white.
    private static let playlist = [
        clip("sRGB", .sRGB, .bt709, [52000, 30000, 9000]),
        clip("1:1:14:7", .pq, .bt2020, [45000, 38000, 20000]),
        clip("1:1:15:7", .hlg, .bt2020, [50000, 41000, 20000]),
        clip("1:1:5:1", .bt1886, .bt709, [20000, 60000, 65535]),
        clip("1:1:14:7", .pq, .bt2020, [52000, 51000, 50000]),
        clip("1:1:7:11", .sRGB, .displayP3, [65535, 2000, 30000]),
    ]

    @discardableResult
    private func push(_ bytes: [UInt8], _ harness: VideoTapHarness) -> GstFlowReturn {
        let buffer = harness.frame(0)
        bytes.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
        return gst_harness_push(harness.harness, buffer)
    }

    /// The newest frame.
    private func newest(_ output: VideoOutput) throws -> VideoOutput.Frame {
        try #require(output.copyFrame(at: .max - 1))
    }

    // MARK: Light

    /// Floats are the light that the colorimetry of each clip says, in the primaries that were asked for, whatever
    /// clip comes next, and while frames of the clip before are still there.
    @Test(arguments: ["rgba32f", "rgba16f"], [Primaries.bt2020, .displayP3])
    func lightIsRightAcrossAPlaylist(format: String, primaries: Primaries) throws {
        let harness = try VideoTapHarness.onTestClock(Self.playlist[0].caps)
        let name = primaries == .bt2020 ? "bt2020" : "display-p3"
        let output = try VideoOutput(of: harness.element, .init(format: format, primaries: name))
        for clip in Self.playlist {
            try harness.start(clip.caps)
            #expect(push(clip.bytes, harness) == GST_FLOW_OK)
        }
        for (index, clip) in Self.playlist.enumerated() {
            let frame = try #require(output.copyFrame(at: UInt64(index) * 40 * millisecond))
            #expect(frame.displayTime == UInt64(index) * 40 * millisecond)
            let size = format == "rgba32f" ? 4 : 2
            #expect(frame.text("format") == (size == 4 ? "RGBA_F32LE" : "RGBA_F16LE"))
            #expect(frame.number("width") == 32 && frame.number("height") == 16 && frame.number("stride") == 128 * size)
            #expect(frame.text("colorimetry") == (primaries == .bt2020 ? "1:1:1:7" : "1:1:1:11"), "\(clip.caps)")
            let expected = clip.primaries.matrix(to: primaries) * clip.light
            let pixels = frame.withBytes { Self.floats($0, size: size) } ?? []
            #expect(pixels.count == 32 * 16 * 4)
            let tolerance = size == 4 ? 2e-4 : 1.2e-3
            for pixel in [0, 17, 511] {
                for c in 0..<3 {
                    let value = Double(pixels[4 * pixel + c])
                    #expect(abs(value - expected[c]) < tolerance * max(1, abs(expected[c])), "\(clip.caps) \(c)")
                }
                #expect(pixels[4 * pixel + 3] == 1)
            }
        }
        #expect(harness.messages() == [])
    }

    private static func floats(_ bytes: UnsafeRawBufferPointer, size: Int) -> [Float] {
        if size == 4 { return Array(bytes.bindMemory(to: Float.self)) }
        return bytes.bindMemory(to: UInt16.self).map { bits in
            if bits & 0x7FFF == 0 { return 0 }
            // Subnormal numbers do not occur in what is compared.
            let magnitude = UInt32(bits & 0x7FFF) << 13 &+ (127 - 15) << 23
            return Float(bitPattern: magnitude | UInt32(bits & 0x8000) << 16)
        }
    }

    /// Without primaries light is in those of the stream, which the caps say.
    @Test func lightIsInTheStreamsPrimaries() throws {
        for clip in Self.playlist {
            let harness = try VideoTapHarness.onTestClock(clip.caps)
            let output = try VideoOutput(of: harness.element, .init(format: "rgba32f"))
            push(clip.bytes, harness)
            let frame = try newest(output)
            let pixels = frame.withBytes { Self.floats($0, size: 4) } ?? []
            for c in 0..<3 { #expect(abs(Double(pixels[c]) - clip.light[c]) < 2e-4 * max(1, clip.light[c])) }
            #expect(frame.text("colorimetry")?.hasPrefix("1:1:1:") == true)
        }
    }

    /// Light of those that take no wide colour is that of SDR: 0 to 1 in BT.709, and SDR as it is.
    @Test func narrowLightIsSDR() throws {
        for clip in Self.playlist {
            let harness = try VideoTapHarness.onTestClock(clip.caps)
            let output = try VideoOutput(of: harness.element, .init(format: "rgba32f", allowsWideColor: false))
            push(clip.bytes, harness)
            let frame = try newest(output)
            let pixels = frame.withBytes { Self.floats($0, size: 4) } ?? []
            #expect(pixels.allSatisfy { $0 >= 0 && $0 <= 1.0001 }, "\(clip.caps) \(pixels.prefix(4))")
            #expect(frame.text("colorimetry") == "1:1:1:1", "\(clip.caps)")
            guard clip.primaries == .bt709 else { continue }
            for c in 0..<3 { #expect(abs(Double(pixels[c]) - clip.light[c]) < 2e-4) }
        }
    }

    /// Luma above white has light above 1 only where that is taken.
    @Test(arguments: [true, false]) func lightAboveWhiteIsCutWhereNoneIsTaken(_ allowsWideColor: Bool) throws {
        let harness = try VideoTapHarness.onTestClock(caps("GRAY8", "bt709", 32, 16))
        let output = try VideoOutput(of: harness.element, .init(format: "rgba32f", allowsWideColor: allowsWideColor))
        push([UInt8](repeating: 250, count: 32 * 16), harness)
        let found = try newest(output).withBytes { Self.floats($0, size: 4) }?.first ?? 0
        #expect(allowsWideColor ? abs(Double(found) - pow(234.0 / 219, 2.4)) < 2e-3 : found == 1, "\(found)")
    }

    // MARK: Raw formats

    /// Raw frames are what hdrconvert makes of them, to a code.
    @Test(arguments: [
        VideoOutput.Settings(format: "NV12", primaries: "bt709", transfer: "bt709", matrix: "bt709"),
        .init(format: "RGBA"), .init(format: "P010_10LE", primaries: "bt2020", transfer: "pq"),
        .init(transfer: "hlg"), .init(format: "Y444_10LE", matrix: "bt2020"), .init(allowsWideColor: false),
    ])
    func rawFramesAreThoseOfHDRConvert(_ settings: VideoOutput.Settings) throws {
        for color in ["bt2100-pq", "bt709", "bt2100-hlg"] {
            for more in ["", "interlace-mode=interleaved"] {
                let source = caps("P010_10LE", color, site: "mpeg2", 66, 34, more: more)
                let harness = try VideoTapHarness.onTestClock(source)
                let output = try VideoOutput(of: harness.element, settings)
                var generator = SeededGenerator(seed: 7)
                let bytes = (0..<Int(harness.info.size) / 2).flatMap { _ -> [UInt8] in
                    let code = UInt16.random(in: 300...700, using: &generator) << 6
                    return [UInt8(code & 255), UInt8(code >> 8)]
                }
                push(bytes, harness)
                let frame = try newest(output)
                let text = gst_sample_get_caps(frame.sample).flatMap { gst_caps_to_string($0) }
                defer { g_free(text) }
                let target = text.map { String(cString: $0) } ?? ""
                for (field, value) in [("format", settings.format)] where value != nil {
                    #expect(frame.text(field) == value)
                }
                let buffer = try #require(gst_sample_get_buffer(frame.sample))
                let converter = try Harness(source, to: target, ["peak-detection": "off"])
                let input = try #require(gst_buffer_new_allocate(nil, harness.info.size, nil))
                bytes.withUnsafeBytes { _ = gst_buffer_fill(input, 0, $0.baseAddress, gsize($0.count)) }
                let flow = gst_harness_push(converter.harness, input)
                #expect(flow == GST_FLOW_OK, "\(target)")
                let converted = try #require(gst_harness_try_pull(converter.harness))
                defer { gst_buffer_unref(converted) }
                #expect(Self.distance(buffer, converted, try converter.outputInfo()) <= 1, "\(color) \(more) \(target)")
                #expect(harness.messages() == [])
            }
        }
    }

    /// The largest difference between two pictures, in codes of eight bits where it unpacks to these, else of sixteen
    /// with those of the format's own depth as 1.
    private static func distance(
        _ one: UnsafeMutablePointer<GstBuffer>, _ other: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo
    ) -> Int {
        func samples(_ buffer: UnsafeMutablePointer<GstBuffer>) -> [Int] {
            var info = info
            var frame = GstVideoFrame()
            guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else { return [] }
            defer { gst_video_frame_unmap(&frame) }
            guard let details = info.finfo?.pointee, let unpack = details.unpack_func else { return [] }
            let isDeep = gst_video_format_get_info(details.unpack_format).pointee.bits > 8
            let shift = isDeep ? 16 - Int(details.depth.0) : 0
            var row = [UInt16](repeating: 0, count: Int(info.width) * 4)
            var all: [Int] = []
            for y in 0..<info.height {
                row.withUnsafeMutableBytes { row in
                    withUnsafePointer(to: &frame.data.0) { data in
                        withUnsafePointer(to: &frame.info.stride.0) { stride in
                            unpack(
                                info.finfo, GST_VIDEO_PACK_FLAG_NONE, row.baseAddress, data, stride, 0, y, info.width)
                        }
                    }
                }
                all +=
                    isDeep
                    ? row.map { Int($0) >> shift }
                    : row.prefix(Int(info.width) * 2).flatMap { [Int($0 & 255), Int($0 >> 8)] }
            }
            return all
        }
        let (left, right) = (samples(one), samples(other))
        guard left.count == right.count, !left.isEmpty else { return .max }
        return zip(left, right).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    // MARK: References and copies

    /// Without settings, and with settings that are the stream's, it is the very buffer. A converted frame is made
    /// once; what was handed out does not change when settings do.
    @Test func referencesAndCopies() throws {
        let harness = try VideoTapHarness.onTestClock(Self.playlist[0].caps)
        let output = try VideoOutput(of: harness.element)
        let buffer = try #require(harness.frame(9))
        gst_buffer_ref(buffer)
        defer { gst_buffer_unref(buffer) }
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        func current() throws -> UnsafeMutablePointer<GstBuffer>? { gst_sample_get_buffer(try newest(output).sample) }
        #expect(try current() == buffer)
        for settings in [
            VideoOutput.Settings(format: "RGBA64_LE"), .init(transfer: "srgb"), .init(allowsWideColor: false),
            .init(format: "RGBA64_LE", primaries: "bt709"),
        ] {
            output.settings = settings
            #expect(try current() == buffer, "\(settings)")
        }
        output.settings = .init(format: "RGBA")
        let first = try newest(output)
        let again = try newest(output)
        #expect(gst_sample_get_buffer(first.sample) == gst_sample_get_buffer(again.sample))
        #expect(gst_mini_object_is_writable(try #require(gst_sample_get_buffer(first.sample)).asMiniObject) == 0)
        let bytes = first.withBytes { Array($0) }
        output.settings = .init(format: "GRAY8")
        push(Self.playlist[0].bytes, harness)
        #expect(try newest(output).withBytes { $0.count } == 32 * 16)
        #expect(first.withBytes { Array($0) } == bytes && bytes?.count == 32 * 16 * 4)
        // Times and metas come with it.
        let source = try #require(harness.frame(1))
        addReferenceTimestamp(to: source)
        let time = source.pointee.pts
        #expect(gst_harness_push(harness.harness, source) == GST_FLOW_OK)
        let copy = try #require(try current())
        #expect(copy.pointee.pts == time && copy.pointee.duration == 40_000_000)
        #expect(gst_buffer_get_meta(copy, gst_reference_timestamp_meta_api_get_type()) != nil)
    }

    /// What cannot be had is said, once, and changes nothing; what is in the way of a conversion gives no frame.
    @Test func whatCannotBeHadIsSaid() throws {
        let harness = try VideoTapHarness.onTestClock(Self.playlist[0].caps)
        let output = try VideoOutput(of: harness.element, .init(format: "rgba16"))
        #expect(harness.messages().first?.contains("rgba16f") == true)
        push(Self.playlist[0].bytes, harness)
        #expect(try newest(output).text("format") == "RGBA64_LE")
        for settings in [
            VideoOutput.Settings(primaries: "dci"), .init(transfer: "gamma"), .init(matrix: "ictcp"),
        ] {
            output.settings = settings
            #expect(harness.messages().count == 1)
            #expect(try newest(output).text("format") == "RGBA64_LE")
        }
        output.settings = .init(format: "rgba32f", transfer: "pq")
        #expect(output.copyFrame(at: .max - 1) == nil && output.copyFrame(at: .max - 1) == nil)
        #expect(harness.messages().count == 1)
        output.settings = .init(format: "rgba32f")
        #expect(try newest(output).text("format") == "RGBA_F32LE")
        // A stream that is not converted, and a buffer that is no picture of its caps.
        try harness.start(caps("RGBA64_LE", "1:1:9:1", 32, 16))
        push(Self.playlist[0].bytes, harness)
        #expect(output.copyFrame(at: .max - 1) == nil)
        #expect(harness.messages().first?.contains("log100") == true)
        try harness.start(Self.playlist[0].caps)
        let short = gst_buffer_new_allocate(nil, 100, nil)
        short?.pointee.pts = GstClockTime(10_000_000_000 % 900_000_000)
        #expect(gst_harness_push(harness.harness, short) == GST_FLOW_OK)
        #expect(output.copyFrame(at: .max - 1) == nil)
        #expect(harness.messages().count == 1)
    }
}
