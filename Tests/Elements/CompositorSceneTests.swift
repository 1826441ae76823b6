import Foundation
import HDRBitstream
import PluginSupport
import TestSupport
import Testing

/// The light that tones of `hdrcompositor`'s pads are mapped for: that of their scenes, and of their dynamic metadata,
/// as `hdrconvert` has it.
@Suite struct CompositorSceneTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The output of a line, in which OUT stands for a file.
    private func output(_ line: String) throws -> [UInt16] {
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max)).raw")
        expectClean(try GstTool.launch(line.replacing("OUT", with: "filesink location=\(path)"), timeout: 60))
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    }

    /// Scenes of several peaks, with a cut between each two.
    private func scenes(_ color: String, _ format: String = "Y444_10LE", count: Int = 4) -> String {
        let clips = ["0xff606060", "0xff909090", "0xffc0c0c0", "0xff505050"].map {
            "videotestsrc num-buffers=\(count) pattern=gradient foreground-color=\($0) ! video/x-raw,format=\(format),"
                + "width=64,height=48,framerate=25/1,colorimetry=\(color) ! k."
        }
        return "concat name=k \(clips.joined(separator: " ")) k."
    }

    private static func most(_ some: [UInt16], _ others: [UInt16]) -> Int {
        guard some.count == others.count else { return .max }
        return zip(some, others).map { abs(Int($0) - Int($1)) }.max() ?? .max
    }

    /// R'G'B' of a canvas in 16 bits are the codes of the conversion.
    private static let canvas = "video/x-raw,format=RGBA64_LE,colorimetry=sRGB"

    /// `concat` does not say whether its streams are live, and those of a list of files are not: a cut is right from
    /// its first picture on.
    @Test func listsOfClipsAreLookedAheadIn() throws {
        let tail = "hdrconvert ! \(Self.canvas) ! OUT"
        let made = try output("\(scenes("bt2100-pq", count: 12)) ! \(tail)")
        let size = 4 * 64 * 48
        try #require(made.count == 48 * size)
        for scene in 0..<4 {
            let first = made[scene * 12 * size..<(scene * 12 + 1) * size]
            let last = made[(scene * 12 + 11) * size..<(scene + 1) * 12 * size]
            let isSame = first.elementsEqual(last)
            #expect(isSame, "\(scene)")
        }
    }

    @Test(arguments: ["bt2100-pq", "bt2100-hlg"]) func scenesAreMappedAsInConversion(_ color: String) throws {
        let source = scenes(color)
        let made = try output("\(source) ! hdrcompositor ! \(Self.canvas) ! OUT")
        let expected = try output("\(source) ! hdrconvert look-ahead=0 ! \(Self.canvas) ! OUT")
        #expect(Self.most(made, expected) == 0)
        let fixed = try output("\(source) ! hdrcompositor sink_0::peak-detection=off ! \(Self.canvas) ! OUT")
        let plain = try output("\(source) ! hdrconvert peak-detection=off ! \(Self.canvas) ! OUT")
        #expect(Self.most(fixed, plain) == 0 && Self.most(fixed, made) > 256)
    }

    /// Scenes of brighter PQ are mapped to a canvas in HLG in the same way.
    @Test func scenesAreMappedToHLG() throws {
        let display = "mastering-display-info=(string)34000:16000:13250:34500:7500:3000:15635:16450:100000000:50"
        let source = scenes("bt2100-pq") + " ! capssetter caps=\"video/x-raw,\(display)\""
        let canvas = "video/x-raw,format=Y444_10LE,colorimetry=bt2100-hlg"
        let made = try output("\(source) ! hdrcompositor ! \(canvas) ! OUT")
        let expected = try output("\(source) ! hdrconvert look-ahead=0 tone-mapping=bt2390 ! \(canvas) ! OUT")
        #expect(Self.most(made, expected) <= 2)
        let fixed = try output("\(source) ! hdrcompositor sink_0::peak-detection=off ! \(canvas) ! OUT")
        #expect(Self.most(made, fixed) > 8)
    }

    /// The share of highlights that `inverse-tone-mapping=auto` expands is the scene's.
    @Test func scenesAreExpandedAsInConversion() throws {
        let source = scenes("bt709")
        let canvas = "video/x-raw,format=Y444_10LE,colorimetry=bt2100-pq"
        let made = try output("\(source) ! hdrcompositor sink_0::inverse-tone-mapping=auto ! \(canvas) ! OUT")
        let expected = try output("\(source) ! hdrconvert look-ahead=0 inverse-tone-mapping=auto ! \(canvas) ! OUT")
        #expect(Self.most(made, expected) <= 3)
    }

    /// A picture that is composed twice is measured once.
    @Test func picturesThatAreRepeatedAreNoOthers() throws {
        let source = scenes("bt2100-pq")
        let size = 4 * 64 * 48
        let single = try output("\(source) ! hdrcompositor ! \(Self.canvas) ! OUT")
        let double = try output("\(source) ! hdrcompositor ! \(Self.canvas),framerate=50/1 ! OUT")
        try #require(double.count == 2 * single.count)
        for picture in 0..<double.count / size {
            let own = double[picture * size..<(picture + 1) * size]
            let isSame = own.elementsEqual(single[picture / 2 * size..<(picture / 2 + 1) * size])
            #expect(isSame, "\(picture)")
        }
    }

    /// Threads share out the measuring.
    @Test func threadsMakeNoDifference() throws {
        let source = scenes("bt2100-pq", "I420_10LE")
        let one = try output("\(source) ! hdrcompositor n-threads=1 ! \(Self.canvas) ! OUT")
        let three = try output("\(source) ! hdrcompositor n-threads=3 ! \(Self.canvas) ! OUT")
        #expect(Self.most(one, three) == 0)
    }

    @Test(
        Samples.areThere,
        arguments: ["hdr10-plus-no-colr.mp4", "dolby-vision-8.1-hdr10.mkv", "iphone-dolby-vision-8.4-hlg.mov"],
        ["", "dynamic-metadata=ignore"])
    func dynamicMetadataAreApplied(_ name: String, _ property: String) throws {
        let source = "filesrc location=\(Samples.path(name)) ! decodebin ! video/x-raw"
        let pad = property.isEmpty ? "" : "sink_0::\(property)"
        let end = "\(Self.canvas) ! identity eos-after=2"
        let made = try output("\(source) ! hdrcompositor \(pad) ! \(end) ! OUT")
        let expected = try output("\(source) ! hdrconvert look-ahead=0 \(property) ! \(end) ! OUT")
        let count = min(made.count, expected.count)
        #expect(count > 0 && Self.most(Array(made.prefix(count)), Array(expected.prefix(count))) == 0)
    }

    /// Profile 5 is no picture without its metadata, on a canvas that could hold its light too.
    @Test(Samples.areThere) func profile5BecomesAPicture() throws {
        let plain = scratch.path("plain.mkv")
        let clip = scratch.path("clip.mkv")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=4 pattern=smpte ! video/x-raw,format=I420_10LE,width=256,height=144,"
                    + "framerate=25/1 ! x265enc speed-preset=ultrafast ! h265parse ! matroskamux ! "
                    + "filesink location=\(plain)", timeout: 60))
        let all = try Data(contentsOf: Samples.folder.appendingPathComponent("rpu/profile5.bin"))
        let rpus = try DolbyVisionRPUFile.rpus(in: [UInt8](all))
        let some = (0..<4).map { rpus[$0 % rpus.count] }
        try Data(DolbyVisionRPUFile.bytes(of: some)).write(to: scratch.url("four.bin"))
        let injected = try HDRCommand.run(["rpu", "inject", plain, "--rpu", scratch.path("four.bin"), "-o", clip])
        try #require(injected.status == 0, "\(injected)")
        let source = "filesrc location=\(clip) ! decodebin ! video/x-raw"
        let canvas = "video/x-raw,format=RGBA64_LE,colorimetry=(string)1:1:14:7 ! identity eos-after=2"
        let made = try output("\(source) ! hdrcompositor ! \(canvas) ! OUT")
        let expected = try output("\(source) ! hdrconvert ! \(canvas) ! OUT")
        // Light in single precision lies between both.
        #expect(Self.most(Array(made.prefix(expected.count)), Array(expected.prefix(made.count))) <= 2)
        let ignored = try GstTool.launch(
            "\(source) ! hdrcompositor sink_0::dynamic-metadata=ignore ! fakesink", options: [], timeout: 60)
        #expect(ignored.status == 0 && (ignored.output + ignored.errors).contains("Dolby Vision profile 5"))
    }
}
