import Foundation
import PluginSupport
import TestSupport
import Testing

/// GStreamer Editing Services as it is, with `hdrcompositor` as its mixer: what its documented features show.
@Suite(.enabled(if: Command.exists("ges-launch-1.0"), "apt-get install ges1.0-tools gir1.2-ges-1.0"))
struct GESFeatureTests {
    private static let caps =
        "video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-hlg"
    private static let rank = ["GST_PLUGIN_FEATURE_RANK": "hdrcompositor:300"]
    /// The luma of the clip in PQ on a timeline in HLG.
    private static let converted = GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq))

    /// Runs `ges-launch-1.0` with words in which FOLDER stands for the clips' folder.
    private func launch(_ words: [String]) throws -> Command.Result {
        let folder = try GESClips.shared.get().folder.url.path
        return try GstTool.run(
            "ges-launch-1.0",
            words.map { $0.replacing("FOLDER", with: folder) } + ["--track-types=video", "--video-caps", Self.caps],
            environment: Self.rank, timeout: 60)
    }

    private struct Picture {
        let codes: [UInt16]

        func luma(_ x: Int, _ y: Int) -> Double { Double(codes[y * 640 + x]) }

        /// The mean of a plane of chroma.
        func chroma(_ plane: Int) -> Double {
            let part = codes[(640 * 360 + plane * 320 * 180)...].prefix(320 * 180)
            return part.reduce(0) { $0 + Double($1) } / Double(part.count)
        }

        var lumas: Set<UInt16> { Set(codes.prefix(640 * 360)) }
    }

    /// The pictures of a timeline of 25 of them; tabs in the line are spaces within a word.
    private func pictures(_ line: String) throws -> [Picture] {
        let scratch = try TemporaryFolder()
        let out = scratch.path("out.raw")
        let words = line.split(separator: " ").map { String($0).replacing("\t", with: " ") }
        let outcome = try launch(words + ["--videosink", "filesink location=\(out)"])
        #expect(outcome.status == 0 && !outcome.errors.contains("ERROR"), "\(outcome)")
        let data = try Data(contentsOf: URL(fileURLWithPath: out))
        let codes = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        let size = 640 * 360 * 3 / 2
        try #require(codes.count == 25 * size, "\(Double(codes.count) / Double(size)) pictures")
        return (0..<25).map { Picture(codes: Array(codes[$0 * size..<($0 + 1) * size])) }
    }

    /// What a program in Python prints of a timeline.
    private func run(_ name: String, _ more: [String] = []) throws -> [String] {
        let outcome = try GstTool.run(
            "/usr/bin/python3",
            [
                "-B", Repository.path("Tests/Tools/Programs/ges_features.py"), name,
                try GESClips.shared.get().folder.url.path,
            ] + more, environment: Self.rank, timeout: 90)
        #expect(outcome.status == 0 && !outcome.errors.contains("CRITICAL"), "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func clipsHavePositionsSizesAndOpacity() throws {
        let expected = GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq) / 2)
        for picture in try pictures(
            "+clip FOLDER/pq.mkv duration=1.0 set-alpha 0.5 set-posx 100 set-posy 20 set-width 320 set-height 180")
        {
            for (x, y) in [(100, 20), (419, 20), (100, 199), (419, 199), (260, 110)] {
                #expect(abs(picture.luma(x, y) - expected) <= 3, "\(x), \(y): \(picture.luma(x, y)) \(expected)")
            }
            for (x, y) in [(99, 110), (420, 110), (260, 19), (260, 200), (0, 0), (639, 359)] {
                #expect(picture.luma(x, y) == 64, "\(x), \(y): \(picture.luma(x, y))")
            }
        }
    }

    /// A grey becomes brown, and keeps about its luma.
    @Test func effectsOfThisPluginAct() throws {
        for picture in try pictures("+clip FOLDER/hlg.mkv duration=1.0 +effect video\thdrtap\teffect=sepia") {
            #expect(picture.chroma(0) < 490 && picture.chroma(1) > 524, "\(picture.chroma(0)) \(picture.chroma(1))")
            #expect(abs(picture.luma(320, 180) - GESClips.lumas.hlg) < 20)
        }
    }

    @Test(arguments: [
        ("+clip FOLDER/pq.mkv duration=1.0 +effect hdrconvert", Self.converted),
        ("+clip FOLDER/hlg.mkv duration=1.0 +effect videorate set-rate 2.0", GESClips.lumas.hlg),
        ("+clip FOLDER/pq.mkv duration=1.0 layer=1 +clip FOLDER/hlg.mkv duration=1.0 layer=0", GESClips.lumas.hlg),
        // GES draws titles on white, with an outline.
        ("+title Title duration=1.0 layer=0 +clip FOLDER/pq.mkv duration=1.0 layer=1", 721),
    ]) func flatPicturesHaveTheirLight(_ line: String, _ expected: Double) throws {
        for picture in try pictures(line) {
            let ends = Set([picture.codes[0], picture.codes[640 * 360 - 1]])
            let found = line.hasPrefix("+title") ? ends : picture.lumas
            #expect(found.allSatisfy { abs(Double($0) - expected) <= 3 }, "\(found) \(expected)")
        }
    }

    /// Both clips are as they are beside their crossfade, and no picture of it is as one of them.
    @Test func crossfadesLeadFromClipToClip() throws {
        let found = try pictures("+clip FOLDER/hlg.mkv duration=0.6 +clip FOLDER/pq.mkv start=0.4 duration=0.6")
            .map { $0.luma(320, 180) }
        #expect(found.prefix(10).allSatisfy { abs($0 - GESClips.lumas.hlg) <= 3 }, "\(found)")
        #expect(found.suffix(10).allSatisfy { abs($0 - Self.converted) <= 3 }, "\(found)")
        let between = found[11..<14]
        #expect(Set(between).count == 3, "\(found)")
        #expect(between.allSatisfy { abs($0 - found[0]) > 1 && abs($0 - found[24]) > 3 }, "\(found)")
    }

    /// A project that is rendered through an encoding profile of GES's own words has all pictures, in HLG.
    @Test func timelinesAreEncoded() throws {
        let scratch = try TemporaryFolder()
        let out = scratch.path("out.mkv")
        let outcome = try launch([
            "+clip", "FOLDER/hlg.mkv", "duration=0.6", "+clip", "FOLDER/pq.mkv", "start=0.6", "duration=0.4",
            "--format", "video/x-matroska:video/x-h265", "-o", "file://\(out)",
        ])
        #expect(outcome.status == 0 && !outcome.errors.contains("ERROR"), "\(outcome)")
        let found = try HDRCommand.inspect(out).video
        #expect(found["dynamic-range"] as? String == "HLG" && found["frames-read"] as? Int == 25, "\(found)")
    }

    /// The same through the profile that `hdrmux-settings` makes of its settings.
    @Test func theProfileOfTheMuxerEncodes() throws {
        let scratch = try TemporaryFolder()
        let out = scratch.path("out.mov")
        _ = try run("profile", [out])
        let found = try HDRCommand.inspect(out).video
        #expect(found["dynamic-range"] as? String == "HLG" && found["frames-read"] as? Int == 20, "\(found)")
    }

    /// Each seek in a pause shows the picture to which it leads; playing goes on from there.
    @Test func seeksLeadToTheirPictures() throws {
        let lines = try run("seeks")
        let words = lines.dropLast().map { $0.split(separator: " ").compactMap { Double($0) } }
        #expect(words.map { $0[0] } == [1500, 400, 1960, 960, 1000, 0, 1800])
        for word in words {
            #expect(abs(word[1] - (word[0] < 1000 ? GESClips.lumas.hlg : Self.converted)) <= 3, "\(word)")
        }
        // The sink has shown the first one already where it plays on from a pause; GES may end with a black picture.
        let played = (lines.last ?? "").split(separator: " ").compactMap { $0.split(separator: ":").first }
        #expect(played.prefix(5) == ["1800", "1840", "1880", "1920", "1960"], "\(played)")
        #expect(played.count <= 6)
    }

    /// A title's white is reference white, luma 721, above a clip that is left as it is. `textoverlay`, which GES takes
    /// for texts above clips, knows no light: its white is that of the signal.
    @Test(arguments: [("title", 721.0...721.0), ("overlay", 721.0...940.0)])
    func textsAreAboveClips(_ name: String, _ white: ClosedRange<Double>) throws {
        let lines = try run(name)
        let words = (lines.first ?? "").split(separator: " ")
        try #require(lines.count == 1 && words.count == 3, "\(lines)")
        #expect(abs((Double(words[0]) ?? 0) - GESClips.lumas.hlg) <= 3, "\(lines)")
        #expect(white.contains(Double(words[1]) ?? 0) && words[2] == "True", "\(lines)")
    }

    @Test func edrsinkShowsTimelines() throws {
        #expect(try run("preview") == ["bt2100-hlg 640"])
    }

    /// Parameters of a tap's effects have keyframes, which a project keeps.
    @Test func effectsHaveKeyframes() throws {
        let scratch = try TemporaryFolder()
        let lines = try run("keyframes", [scratch.path("project.xges")])
        try #require(lines.count == 2, "\(lines)")
        for line in lines {
            let found = line.split(separator: " ").compactMap { Double($0) }
            #expect(found.count == 10)
            for (index, luma) in found.enumerated() {
                let stops = -2 + Double(index) * 0.2 + 0.5
                let expected = GESLuma.hlg(GESLuma.hlgLight(GESClips.lumas.hlg) * exp2(stops))
                #expect(abs(luma - expected) <= 2, "\(index): \(luma), \(expected)")
            }
        }
    }

    /// A project that was saved plays again.
    @Test func projectsAreSavedAndLoaded() throws {
        let scratch = try TemporaryFolder()
        let project = scratch.path("project.xges")
        let saved = try launch([
            "+clip", "FOLDER/pq.mkv", "duration=0.4", "--save", project, "--videosink", "fakesink",
        ])
        #expect(saved.status == 0, "\(saved)")
        let out = scratch.path("out.raw")
        let loaded = try GstTool.run(
            "ges-launch-1.0", ["--load", project, "--videosink", "filesink location=\(out)"],
            environment: ["GST_PLUGIN_FEATURE_RANK": "hdrcompositor:300"], timeout: 60)
        #expect(loaded.status == 0, "\(loaded)")
        let data = try Data(contentsOf: URL(fileURLWithPath: out))
        let luma = data.withUnsafeBytes { $0.bindMemory(to: UInt16.self).first } ?? 0
        #expect(abs(Double(luma) - GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq))) <= 3)
    }
}
