import Foundation
import PluginSupport
import Testing
import TestSupport

/// Launch lines as users paste them, checked in the file that they write.
@Suite struct LaunchTests {
    static let signals = ["bt2100-pq", "bt2100-hlg", "bt709"]

    /// Converts a grey from one file to another and gives the codes of the result.
    private func convert(
        _ code: Int, _ source: String, _ from: String, to target: String, _ colorimetry: String,
        _ properties: String = "", width: Int = 16, height: Int = 16
    ) throws -> (luma: ClosedRange<Int>, chroma: ClosedRange<Int>) {
        let scratch = try TemporaryFolder()
        let input = RawPicture(source, width: width, height: height)
        let output = RawPicture(target, width: width, height: height)
        try input.bytes(luma: code).write(to: scratch.url("in.yuv"))
        expectClean(
            try GstTool.launch(
                """
                filesrc location=\(scratch.path("in.yuv")) !
                rawvideoparse format=\(input.layout.parserName) width=\(width) height=\(height) !
                capssetter caps=video/x-raw,colorimetry=\(from) ! hdrconvert \(properties) !
                video/x-raw,format=\(target),colorimetry=\(colorimetry) ! filesink location=\(scratch.path("out.yuv"))
                """))
        return try output.codes(in: try scratch.data("out.yuv"))
    }

    private func expectEqual(_ data: Data, _ expected: Data) throws {
        try #require(!expected.isEmpty)
        try #require(data.count == expected.count)
        let different = zip(data, expected).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        #expect(different.isEmpty, "\(different.count) of \(data.count) bytes, the first at \(different.first ?? 0)")
    }

    /// BT.2408: SDR white is 203 cd/m², which is 58 % PQ (code 573 of 10 bits) and 75 % HLG (code 721).
    static let whites = [
        ("bt2100-pq", 573, "none", "bt709", 940), ("bt2100-pq", 573, "clip", "bt709", 940),
        ("bt2100-hlg", 721, "clip", "bt709", 940), ("bt2100-hlg", 721, "none", "bt709", 940),
        ("bt709", 940, "auto", "bt2100-pq", 573), ("bt709", 940, "auto", "bt2100-hlg", 721),
        ("bt2100-pq", 573, "auto", "bt2100-hlg", 721), ("bt2100-hlg", 721, "auto", "bt2100-pq", 573),
        ("bt2100-pq", 64, "auto", "bt709", 64), ("bt2100-hlg", 64, "auto", "bt709", 64),
        ("bt709", 64, "auto", "bt2100-pq", 64), ("bt709", 64, "auto", "bt2100-hlg", 64),
        ("bt2100-pq", 64, "auto", "bt2100-hlg", 64), ("bt2100-hlg", 64, "auto", "bt2100-pq", 64),
    ]

    @Test(arguments: whites.indices, ["balanced", "reference"])
    func whiteAndBlackLandWhereTheStandardSays(index: Int, quality: String) throws {
        let (from, code, curve, to, expected) = Self.whites[index]
        let properties = "tone-mapping=\(curve) quality=\(quality)"
        let result = try convert(code, "Y444_10LE", from, to: "Y444_10LE", to, properties)
        #expect(result.luma.lowerBound >= expected - 1 && result.luma.upperBound <= expected + 1, "\(result.luma)")
        #expect(result.chroma.lowerBound >= 511 && result.chroma.upperBound <= 513, "\(result.chroma)")
    }

    @Test(arguments: signals, signals)
    func everyDirectionWorks(from: String, to: String) throws {
        let scratch = try TemporaryFolder()
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=2 ! video/x-raw,format=I420_10LE,width=64,height=48,colorimetry=\(from) !
                hdrconvert ! video/x-raw,format=P010_10LE,colorimetry=\(to) ! filesink location=\(scratch.path("out"))
                """))
        let data = try scratch.data("out")
        #expect(data.count == 2 * 64 * 48 * 3)
        // The bars of the test picture: not one flat colour.
        #expect(Set(data.prefix(128)).count > 8)
    }

    static let sizes = [(1, 1), (2, 2), (3, 5), (1919, 1079)]

    @Test(arguments: sizes.indices, [("I420_10LE", "I420"), ("Y444_10LE", "NV12"), ("I422_10LE", "Y42B")])
    func oddSizesComeOutWhole(index: Int, formats: (String, String)) throws {
        let (width, height) = Self.sizes[index]
        let result = try convert(
            573, formats.0, "bt2100-pq", to: formats.1, "bt709", "tone-mapping=none dither=none", width: width,
            height: height)
        #expect(result.luma == 235...235)
        #expect(result.chroma == 128...128)
    }

    @Test(arguments: signals)
    func theSameCapsPassThrough(signal: String) throws {
        let scratch = try TemporaryFolder()
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=3 pattern=snow !
                video/x-raw,format=I420_10LE,width=67,height=35,colorimetry=\(signal) ! tee name=t
                t. ! queue ! filesink location=\(scratch.path("before"))
                t. ! queue ! hdrconvert tone-mapping=hable ! filesink location=\(scratch.path("after"))
                """))
        try expectEqual(try scratch.data("after"), try scratch.data("before"))
    }

    @Test func aChangeOfFormatAndBackLosesNothing() throws {
        let scratch = try TemporaryFolder()
        let caps = "video/x-raw,width=66,height=36,colorimetry=bt2100-hlg"
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=2 pattern=snow ! \(caps),format=I420_10LE ! tee name=t
                t. ! queue ! filesink location=\(scratch.path("before"))
                t. ! queue ! hdrconvert ! \(caps),format=P010_10LE ! hdrconvert ! \(caps),format=I420_10LE !
                filesink location=\(scratch.path("after"))
                """))
        // The padding of rows may hold anything.
        let picture = RawPicture("I420_10LE", width: 66, height: 36)
        let (after, before) = (try scratch.data("after"), try scratch.data("before"))
        try #require(after.count == 2 * picture.size && before.count == after.count)
        for frame in 0..<2 {
            let place = frame * picture.size..<(frame + 1) * picture.size
            let (ours, theirs) = (picture.visible(in: after[place]), picture.visible(in: before[place]))
            #expect(ours == theirs, "frame \(frame)")
        }
    }

    @Test(arguments: ["balanced", "reference"])
    func theNumberOfThreadsDoesNotShow(quality: String) throws {
        let layout = RawPicture("NV12", width: 321, height: 239)
        let pictures = try [1, 2, 3, 7].map { threads in
            let scratch = try TemporaryFolder()
            expectClean(
                try GstTool.launch(
                    """
                    videotestsrc num-buffers=1 ! video/x-raw,format=I420_10LE,width=321,height=239,colorimetry=bt2100-pq
                    ! hdrconvert n-threads=\(threads) quality=\(quality) ! video/x-raw,format=NV12,colorimetry=bt709 !
                    filesink location=\(scratch.path("out"))
                    """))
            let data = try scratch.data("out")
            try #require(data.count == layout.size)
            return layout.visible(in: data)
        }
        #expect(pictures.allSatisfy { $0 == pictures[0] })
    }

    @Test func everyFormatGoesToEveryKindOfLayout() throws {
        // One line for all formats: each converts the one before it.
        for colorimetry in ["bt2100-pq", "bt709"] {
            var line = "videotestsrc num-buffers=1 ! video/x-raw,width=33,height=17,colorimetry=bt2100-pq"
            for format in InspectTests.formats {
                let isRGB = format.contains("RGB") || format.contains("BGR") || format.contains("GBR")
                let rgb = colorimetry == "bt709" ? "sRGB" : "1:1:14:7"
                line += " ! hdrconvert ! video/x-raw,format=\(format),colorimetry=\(isRGB ? rgb : colorimetry)"
            }
            expectClean(try GstTool.launch(line + " ! fakesink"))
        }
    }
}
