import Foundation
import PluginSupport
import TestSupport
import Testing

/// The treatment of single pictures by `hdrx265enc`: metadata, requested key frames, times, and a bit rate that
/// changes. The program x265_pictures.c reports each coded picture.
@Suite struct HDRX265EncPictureTests {
    let folder: TemporaryFolder
    let program: String

    init() throws {
        folder = try TemporaryFolder()
        let source = try String(
            contentsOfFile: Repository.path("Tests/Elements/Programs/x265_pictures.c"), encoding: .utf8)
        program = try folder.compile(
            source, as: "x265_pictures", packages: ["gstreamer-video-1.0"],
            flags: ["-I", Repository.path("Sources/CHDRTap/include")])
    }

    /// A line of the report.
    struct Picture {
        let index, isKey, sets, rpu, message, metas, size, dts, inputs: Int

        init?(_ line: Substring) {
            let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
            guard line.hasPrefix("au "), numbers.count == 9 else { return nil }
            (index, isKey, sets, rpu, message) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
            (metas, size, dts, inputs) = (numbers[5], numbers[6], numbers[7], numbers[8])
        }
    }

    /// The duration of a picture in ns.
    static let duration = 40_000_000

    func encode(
        _ properties: String, _ actions: [String] = [], frames: Int = 60, pattern: String = "ball", behind: String = ""
    ) throws -> (pictures: [Picture], output: String) {
        let line = """
            videotestsrc num-buffers=\(frames) pattern=\(pattern) motion=sweep ! \
            video/x-raw,format=I420_10LE,width=256,height=144,framerate=25/1,colorimetry=bt2100-hlg ! \
            hdrx265enc name=e tune=none \(properties) \(behind) ! fakesink
            """
        let outcome = try GstTool.run(program, [line] + actions, timeout: 120)
        expectClean(outcome)
        #expect(outcome.output.hasSuffix("eos\n"), "\(outcome.output.suffix(200))")
        return (outcome.output.split(separator: "\n").compactMap { Picture($0) }, outcome.output)
    }

    @Test(arguments: [
        "speed-preset=fast", "speed-preset=ultrafast", "tune=zerolatency", "speed-preset=slow option-string=bframes=8",
        "option-string=bframes=0", "option-string=aud=1:hrd=1:vbv-maxrate=900:vbv-bufsize=900:hash=1",
        "speed-preset=fast option-string=temporal-layers=1:frame-threads=3",
    ])
    func eachPictureHasItsOwnMetadata(_ properties: String) throws {
        let pictures = try encode(properties, ["metadata"]).pictures
        #expect(pictures.map(\.index).sorted() == Array(0..<60))
        for picture in pictures {
            let (index, hasMetadata, isStale) = (picture.index, picture.index % 5 != 4, picture.index % 7 == 6)
            let expected = hasMetadata && !isStale ? index : -1
            #expect(picture.rpu == expected, "picture \(index)")
            #expect(picture.message == expected, "picture \(index)")
            // Metadata that are in the stream are not on the buffer, while stale ones still are.
            #expect(picture.metas == (hasMetadata && isStale ? 2 : 0), "picture \(index)")
        }
    }

    @Test func metadataThatAreIgnoredStayOnTheBuffers() throws {
        for picture in try encode("speed-preset=ultrafast dynamic-metadata=ignore", ["metadata"]).pictures {
            #expect(picture.rpu == -1 && picture.message == -1)
            #expect(picture.metas == (picture.index % 5 != 4 ? 2 : 0))
        }
    }

    /// Metadata stay with their pictures where some are left out before the encoder.
    @Test func metadataFollowPicturesThroughARateChange() throws {
        let line = """
            videotestsrc num-buffers=60 ! video/x-raw,format=I420_10LE,width=256,height=144,framerate=25/1 ! \
            hdrx265enc name=e speed-preset=ultrafast ! h265parse ! fakesink
            """
        let outcome = try GstTool.run(program, [line, "metadata"], timeout: 60)
        #expect(outcome.output.hasSuffix("eos\n"), "\(outcome)")
    }

    @Test(arguments: ["up=33", "down=33"], ["", "option-string=repeat-headers=1", "option-string=aud=1"])
    func keyFramesThatAreAskedFor(_ action: String, _ options: String) throws {
        let pictures = try encode("speed-preset=fast key-int-max=1000 \(options)", [action]).pictures
        #expect(pictures.filter { $0.isKey == 1 }.map(\.index) == [0, 33])
        for picture in pictures { #expect(picture.sets == (picture.isKey == 1 ? 3 : 0), "picture \(picture.index)") }
    }

    @Test(arguments: [
        "", "speed-preset=ultrafast", "tune=zerolatency", "option-string=bframes=16:rc-lookahead=30",
        "option-string=bframes=1", "option-string=bframes=0", "option-string=frame-threads=4",
    ])
    func timesAreInOrderAndLatencyIsEnough(_ properties: String) throws {
        let (pictures, output) = try encode(properties, frames: 120)
        #expect(pictures.map(\.index).sorted() == Array(0..<120))
        for (earlier, later) in zip(pictures, pictures.dropFirst()) { #expect(earlier.dts < later.dts) }
        for picture in pictures { #expect(picture.dts <= picture.index * Self.duration) }
        let latency = try #require(output.matches(of: /latency (\d+)/).compactMap { Int($0.1) }.max())
        let behind = try #require(pictures.map { $0.inputs - $0.index - 1 }.filter { $0 >= 0 }.max())
        #expect(latency >= behind * Self.duration, "\(behind) pictures, and \(latency) ns are said")
        // The latency must not be much more than is needed, because live sinks wait that long.
        #expect(latency <= (behind + 4) * Self.duration, "\(behind) pictures, and \(latency) ns are said")
    }

    @Test(arguments: ["", "option-string=vbv-maxrate=16000:vbv-bufsize=8000"])
    func theBitRateChangesWhilePlaying(_ options: String) throws {
        let (pictures, output) = try encode(
            "speed-preset=ultrafast bitrate=12000 \(options)", ["bitrate=100:5000"], frames: 250, pattern: "snow")
        #expect(!output.contains("warning"))
        #expect(pictures.map(\.index).sorted() == Array(0..<250))
        for (earlier, later) in zip(pictures, pictures.dropFirst()) { #expect(earlier.dts < later.dts) }
        #expect(pictures.contains { $0.index == 100 && $0.isKey == 1 && $0.sets == 3 })
        // In kbit/s, away from the change and from the start.
        func rate(_ range: Range<Int>) -> Double {
            let bytes = pictures.filter { range.contains($0.index) }.map(\.size).reduce(0, +)
            return Double(bytes) * 8 * 25 / Double(range.count) / 1000
        }
        let (before, after) = (rate(25..<100), rate(150..<250))
        #expect(after < before * 0.7, "\(before) and \(after) kbit/s")
    }

    @Test func aBitRateThatCannotChangeIsAWarning() throws {
        let (pictures, output) = try encode("speed-preset=ultrafast option-string=crf=30", ["bitrate=20:600"])
        #expect(pictures.count == 60)
        #expect(output.contains("warning The bit rate cannot be changed"))
    }

    /// A Dolby Vision level has a highest rate; libx265 keeps it where the decoder's buffer is limited.
    @Test func dolbyVisionLimitsTheRate() throws {
        func log(_ properties: String, _ actions: [String]) throws -> String {
            let line = """
                videotestsrc num-buffers=5 ! video/x-raw,format=I420_10LE,width=256,height=144,framerate=25/1 !
                hdrx265enc name=e log-level=info \(properties) ! fakesink
                """
            return try GstTool.run(program, [line] + actions).errors
        }
        let limit = /VBV\/HRD buffer \/ max-rate \/ init +: (\d+) \/ (\d+)/
        #expect(try log("", []).firstMatch(of: limit) == nil)
        let found = try #require(try log("", ["metadata"]).firstMatch(of: limit))
        #expect(found.1 == "20000" && found.2 == "20000")
        let own = "option-string=vbv-maxrate=900:vbv-bufsize=800"
        let kept = try #require(try log(own, ["metadata"]).firstMatch(of: limit))
        #expect(kept.1 == "800" && kept.2 == "900")
        #expect(try log("dynamic-metadata=ignore", ["metadata"]).firstMatch(of: limit) == nil)
    }

    /// Pictures with Dolby Vision, options, and the tier and the level: the limits are the main tier's.
    @Test(arguments: [
        (256, 144, 25, "", "Level-4.1 (Main tier)"), (1280, 720, 30, "", "Level-4.1 (Main tier)"),
        (1920, 1080, 60, "", "Level-4.1 (Main tier)"), (3840, 2160, 24, "", "Level-5 (Main tier)"),
        (256, 144, 25, "bitrate=24000", "Level-5 (Main tier)"),
        (256, 144, 25, "option-string=high-tier=1", "Level-4 (High tier)"),
        (256, 144, 25, "option-string=vbv-maxrate=900:vbv-bufsize=800", "Level-2 (Main tier)"),
    ])
    func dolbyVisionIsOfTheMainTier(
        _ width: Int, _ height: Int, _ rate: Int, _ properties: String, _ level: String
    ) throws {
        let line = """
            videotestsrc num-buffers=1 !
            video/x-raw,format=I420_10LE,width=\(width),height=\(height),framerate=\(rate)/1 !
            hdrx265enc name=e log-level=info speed-preset=ultrafast bitrate=500 \(properties) ! fakesink
            """
        let output = try GstTool.run(program, [line, "metadata"]).errors
        #expect(output.contains(level), "\(output)")
    }
}
