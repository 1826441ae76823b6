import Foundation
import HDRBitstream
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// The output of `hdrconvert` for pictures with dynamic metadata.
@Suite(Samples.areThere) struct DynamicMetadataUseTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The samples of the first picture, 16 bits each, plane after plane.
    private func picture(_ source: String, _ filters: String, _ caps: String) throws -> [UInt16] {
        // A file for each picture: a decoder may hand out some more behind the end.
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max))")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(source) ! decodebin ! video/x-raw ! \(filters) ! video/x-raw,\(caps) ! "
                    + "identity eos-after=2 ! multifilesink location=\(path)-%d.raw", timeout: 60))
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)-0.raw"))
        return data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    }

    private func rpu(_ source: String) throws -> DolbyVisionRPU {
        let lines = try HDRMetaParseTests.lines(
            "filesrc location=\(source) ! decodebin ! video/x-raw ! fakesink name=out"
        ).lines
        let text = Array(try #require(lines.first).bytes.utf8)
        let bytes = stride(from: 0, to: text.count - 1, by: 2).compactMap {
            UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return try DolbyVisionRPU(payload: bytes)
    }

    /// A clip of profile 5: any picture is the base layer of one.
    private func profile5() throws -> String {
        try clip([UInt8](Data(contentsOf: Samples.folder.appendingPathComponent("rpu/profile5.bin"))))
    }

    /// A clip of profile 8.1, brighter than the sample, which is black.
    private func profile81() throws -> String {
        let path = scratch.path("81.bin")
        let made = try HDRCommand.run(["rpu", "extract", Samples.path("dolby-vision-8.1-hdr10.mkv"), "-o", path])
        #expect(made.status == 0, "\(made)")
        return try clip([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), ",colorimetry=bt2100-pq")
    }

    /// A clip of colour bars with some of a file's RPUs.
    private func clip(_ all: [UInt8], _ caps: String = "") throws -> String {
        let plain = scratch.path("plain.mkv")
        let path = scratch.path("clip.mkv")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=4 pattern=smpte ! video/x-raw,format=I420_10LE,width=256,height=144,"
                    + "framerate=25/1\(caps) ! x265enc speed-preset=ultrafast ! h265parse ! matroskamux ! "
                    + "filesink location=\(plain)", timeout: 60))
        let rpus = try DolbyVisionRPUFile.rpus(in: all)
        let some = (0..<4).map { rpus[$0 % rpus.count] }
        try Data(DolbyVisionRPUFile.bytes(of: some)).write(to: scratch.url("four.bin"))
        let made = try HDRCommand.run(["rpu", "inject", plain, "--rpu", scratch.path("four.bin"), "-o", path])
        #expect(made.status == 0, "\(made)")
        return path
    }

    /// The definition in double precision, for pictures without subsampling.
    @Test(arguments: ["8.4", "5"]) func baseLayersBecomePictures(_ profile: String) throws {
        let source = try profile == "5" ? profile5() : Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let reshaping = try #require(Reshaping(try rpu(source)))
        #expect(!reshaping.isIdentity)
        let colorimetry = profile == "5" ? "" : ",colorimetry=bt2100-hlg"
        // A base layer stays one while only its form changes.
        let planar = profile == "5" ? "dynamic-metadata=ignore" : ""
        let base = try picture(
            source, profile == "5" ? "videoconvert" : "hdrconvert \(planar)", "format=Y444_10LE\(colorimetry)")
        let shown = try picture(
            source,
            (profile == "5" ? "videoconvert" : "hdrconvert")
                + " ! video/x-raw,format=Y444_10LE\(colorimetry) ! hdrconvert quality=reference",
            "format=GBR_12LE,colorimetry=(string)1:1:14:7")
        #expect(base.count == shown.count && base.count % 3 == 0)
        let count = base.count / 3
        var largest = 0.0
        for index in stride(from: 0, to: count, by: 37) {
            let codes = SIMD3(Double(base[index]), Double(base[count + index]), Double(base[2 * count + index]))
            let wanted = reshaping(codes / 1023)
            let found = SIMD3(
                Double(shown[2 * count + index]), Double(shown[index]), Double(shown[count + index]))
            for component in 0..<3 {
                let code = min(max(wanted[component], 0), 1) * 4095
                largest = max(largest, abs(code - found[component]))
            }
        }
        #expect(largest <= 1.01, "\(largest) codes of 12 bits from the definition")
    }

    @Test func whatIsIgnoredIsPlain() throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let target = "format=GBR_12LE,colorimetry=(string)1:1:14:7"
        let ignored = try picture(source, "hdrconvert dynamic-metadata=ignore", target)
        let without = try picture(source, "hdrtap effect=exposure effect::stops=0.0 ! hdrconvert", target)
        #expect(without != ignored)
        // Stale ones are never applied.
        let graded = "hdrtap effect=exposure effect::stops=1 ! hdrconvert"
        #expect(
            try picture(source, graded, target) == picture(source, "\(graded) dynamic-metadata=ignore", target))
    }

    /// Level 1 is the light of a scene that was measured.
    @Test func level1DrivesTheToneCurve() throws {
        let source = try profile81()
        let target = "format=I420,colorimetry=bt709"
        let level1 = try #require(try rpu(source).displayManagement?.level1)
        func light(_ code: UInt16) -> Double { PQ.eotf(Double(code) / 4095) }
        func picture(_ filters: String) throws -> [UInt16] { try self.picture(source, filters, target) }
        let applied = try picture("hdrconvert")
        let given = "0:\(light(level1.maximumPQ)):\(light(level1.averagePQ))"
        #expect(applied == (try picture("hdrconvert dynamic-metadata=ignore scene-light=\(given)")))
        #expect(applied != (try picture("hdrconvert dynamic-metadata=ignore peak-detection=off")))
        // A property goes before them.
        #expect(
            try picture("hdrconvert source-peak=600")
                == picture("hdrconvert source-peak=600 dynamic-metadata=ignore"))
    }

    @Test func hdr10PlusDrivesTheToneCurve() throws {
        let source = Samples.path("hdr10-plus-no-colr.mp4")
        let target = "format=I420,colorimetry=bt709"
        let applied = try picture(source, "hdrconvert", target)
        #expect(applied != (try picture(source, "hdrconvert dynamic-metadata=ignore peak-detection=off", target)))
    }

    /// A still of the display's sink is what `hdrconvert` makes.
    @Test(arguments: ["", "dynamic-metadata=ignore"]) func theDisplayGetsTheSame(_ property: String) throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let program = """
            import gi, sys
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            pipeline = Gst.parse_launch("filesrc location=\(source) ! decodebin ! video/x-raw ! "
                                        "edrsink name=s presenter=offscreen peak-detection=off \(property)")
            pipeline.set_state(Gst.State.PAUSED)
            assert pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
            sink = pipeline.get_by_name("s")
            assert sink.emit("save-frame", sys.argv[1])
            pipeline.set_state(Gst.State.NULL)
            """
        let path = scratch.path("still.sdr.png")
        expectClean(try GstTool.run("/usr/bin/python3", ["-B", "-c", program, path], timeout: 60))
        expectClean(
            try GstTool.launch(
                "filesrc location=\(path) ! pngdec ! video/x-raw,format=RGB ! filesink "
                    + "location=\(scratch.path("still.raw"))", timeout: 60))
        let still = [UInt8](try scratch.data("still.raw"))
        let converted = try picture(
            source, "hdrconvert peak-detection=off \(property)", "format=RGB,colorimetry=sRGB"
        ).withUnsafeBytes { Array($0) }
        // The sample lies on its side, and stills are upright: sums of columns are sums of rows.
        #expect(still.count == converted.count)
        for component in 0..<3 {
            func mean(_ bytes: [UInt8]) -> Double {
                let own = stride(from: component, to: bytes.count, by: 3).map { Double(bytes[$0]) }
                return own.reduce(0, +) / Double(max(own.count, 1))
            }
            #expect(abs(mean(still) - mean(converted)) < 0.2, "\(component): \(mean(still)), \(mean(converted))")
        }
    }

    @Test func profile5IsRefusedWithoutItsMetadata() throws {
        let outcome = try GstTool.launch(
            "filesrc location=\(try profile5()) ! decodebin ! hdrconvert dynamic-metadata=ignore ! "
                + "video/x-raw,format=RGB ! fakesink", timeout: 60)
        #expect(outcome.status != 0 && outcome.errors.contains("Dolby Vision profile 5"), "\(outcome)")
        #expect(outcome.errors.contains("dynamic-metadata=auto"), "\(outcome)")
    }
}
