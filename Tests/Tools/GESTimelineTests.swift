import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdrcompositor` as the mixer of GStreamer Editing Services, and dissolves in light.
@Suite(
    .enabled(
        if: Command.exists("meson") && Command.exists("ninja") && Command.exists("g-ir-scanner")
            && Command.exists("ges-launch-1.0"),
        "apt-get install meson ninja-build gobject-introspection libgirepository1.0-dev gir1.2-ges-1.0 ges1.0-tools"))
struct GESTimelineTests {
    /// Clips of one grey, two seconds, each with a tone.
    private final class Clips: Sendable {
        static let shared = Result { try Clips() }
        let folder: TemporaryFolder
        /// Codes of 8 bits in full range, and the corresponding lumas in 10 bits of narrow range.
        static let greys = (hlg: 115, pq: 138)
        static let lumas = (hlg: 64 + 876 * Double(greys.hlg) / 255, pq: 64 + 876 * Double(greys.pq) / 255)

        init() throws {
            folder = try TemporaryFolder()
            for (range, grey) in [("hlg", Self.greys.hlg), ("pq", Self.greys.pq)] {
                let color = 0xFF00_0000 | grey << 16 | grey << 8 | grey
                let line =
                    "videotestsrc num-buffers=50 pattern=solid-color foreground-color=\(color) "
                    + "! video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-\(range) "
                    + "! m.video_0 hdrmux-settings name=m file-type=matroska "
                    + "! filesink location=\(folder.path("\(range).mkv")) "
                    + "audiotestsrc num-buffers=88 samplesperbuffer=1024 ! audio/x-raw,rate=44100 ! m.audio_0"
                expectClean(try GstTool.launch(line, timeout: 60))
            }
        }
    }

    private func run(_ name: String) throws -> [String] {
        var environment = try LibraryBuild.shared.get().environment
        environment["GST_PLUGIN_FEATURE_RANK"] = "hdrcompositor:300"
        let outcome = try GstTool.run(
            "/usr/bin/python3",
            [Repository.path("Tests/Tools/Programs/editing.py"), name, try Clips.shared.get().folder.url.path],
            environment: environment, timeout: 90)
        #expect(outcome.status == 0 && !outcome.errors.contains("CRITICAL"), "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// The pictures of a timeline that is so many long; GES ends some with a black one more.
    private func pictures(_ lines: [String], _ count: Int) -> [(time: Int, luma: Double)] {
        let all: [(time: Int, luma: Double)] = lines.compactMap { line in
            let words = line.split(separator: " ").compactMap { Double($0) }
            return words.count == 2 ? (Int(words[0]), words[1]) : nil
        }
        #expect(all.count == count || all.count == count + 1)
        return Array(all.prefix(count))
    }

    // MARK: BT.2100, greys in 10 bits of narrow range, in cd/m² of a display for 1000

    private func hlgLight(_ luma: Double) -> Double {
        let (signal, a, b, c) = ((luma - 64) / 876, 0.17883277, 0.28466892, 0.55991073)
        let scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
        return 1000 * pow(scene, 1.2)
    }

    private func hlgLuma(_ light: Double) -> Double {
        let (scene, a, b, c) = (pow(light / 1000, 1 / 1.2), 0.17883277, 0.28466892, 0.55991073)
        return 64 + 876 * (scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c)
    }

    private func pqLight(_ luma: Double) -> Double {
        let power = pow((luma - 64) / 876, 1 / 78.84375)
        return 10000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    // MARK: Tests

    /// GES has a `videoconvert` behind its mixer, which knows no light: the mixer's own pictures are what the
    /// timeline's caps say.
    @Test func aClipOfPQAloneHasItsLightOnATimelineInHLG() throws {
        let found = pictures(try run("alone"), 10)
        let expected = hlgLuma(pqLight(Clips.lumas.pq))
        #expect(found.allSatisfy { abs($0.luma - expected) <= 3 }, "\(found) \(expected)")
    }

    /// The canvas has one siting and one mastering display for all clips, though GES stops the mixer between them.
    @Test func theCanvasStaysFromClipToClip() throws {
        let lines = try run("canvas")
        #expect(lines.last == "caps 1", "\(lines)")
        _ = pictures(Array(lines.dropLast()), 30)
    }

    /// A clip with a speed effect is faded over the whole transition.
    @Test func fastClipsAreFadedEvenly() throws {
        let lines = try run("speed")
        #expect(lines.first == "replaced 1")
        let light = (hlgLight(Clips.lumas.hlg), pqLight(Clips.lumas.pq))
        for (time, luma) in pictures(lines, 40) {
            let share = min(max(Double(time - 600) / 400, 0), 1)
            let expected = hlgLuma(light.0 * (1 - share) + light.1 * share)
            #expect(abs(luma - expected) <= 3, "\(time): \(luma) in place of \(expected)")
        }
    }

    /// Each picture of a dissolve is the sum of shares of both lights.
    @Test(arguments: ["dissolve", "explicit"]) func dissolvesAreInLight(_ name: String) throws {
        let lines = try run(name)
        let isWhole = name == "dissolve"
        #expect(lines.first == (isWhole ? "replaced 2" : "replaced 1"))
        #expect(lines.dropFirst().first == (isWhole ? "again 0" : "transitions 0"))
        let found = pictures(lines, isWhole ? 100 : 70)
        let plain = Dictionary(found.map { ($0.time, $0.luma) }) { a, _ in a }
        let (first, second) = (try #require(plain[1000]), try #require(plain[2000]))
        #expect(abs(first - Clips.lumas.hlg) <= 3 && abs(second - hlgLuma(pqLight(Clips.lumas.pq))) <= 3)
        var most = 0.0
        for (time, luma) in found {
            let second = isWhole && time >= 2400 ? (second, first, 2400) : (first, second, 1200)
            let share = min(max(Double(time - second.2) / 400, 0), 1)
            let expected = hlgLuma(hlgLight(second.0) * (1 - share) + hlgLight(second.1) * share)
            most = max(most, abs(luma - expected))
        }
        // The ends are measured in whole codes.
        #expect(most <= 2, "\(most) \(found)")
    }

    /// GES's own way, for which the picture of the page stands: it ends at another light.
    @Test func withoutTheCallGESHasItsWay() throws {
        let found = pictures(try run("plain"), 100)
        let middle = try #require(found.first { $0.time == 1400 })
        let expected = hlgLuma((hlgLight(Clips.lumas.hlg) + pqLight(Clips.lumas.pq)) / 2)
        #expect(abs(middle.luma - expected) > 4, "\(middle) \(expected)")
    }

    /// GES's wipes have 8 bits, and name no colour; HDR stays HDR in them.
    @Test func wipesKeepTheLight() throws {
        let lumas = try run("wiped").compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        let expected = [Clips.lumas.hlg, hlgLuma(pqLight(Clips.lumas.pq))]
        // Behind each clip GES may put a black picture.
        let shown = lumas.filter { $0 > 100 }
        #expect(shown.count == 30)
        for (index, luma) in shown.enumerated() {
            #expect(abs(luma - expected[index / 15]) <= 4, "\(index): \(luma) in place of \(expected[index / 15])")
        }
    }

    @Test func wipesAndControlledClipsAreLeftAlone() throws {
        #expect(try run("kept") == ["replaced 0", "layers 1"])
    }

    /// A crossfade that is left to GES keeps both of its clips on one layer.
    @Test func theClipsOfACrossfadeOfGESStayTogether() throws {
        #expect(try run("pinned") == ["replaced 0", "transitions 2"])
    }

    /// Where a clip does not cover the other one, both are added: the part beside it fades out as that clip fades in.
    @Test func picturesBesideASmallClipFade() throws {
        let lines = try run("shapes")
        #expect(lines.first == "replaced 2")
        let found = pictures(lines, 100)
        let light = hlgLight(try #require(found.first { $0.time == 1000 }).luma)
        for (time, luma) in found {
            let share = time < 2000 ? 1 - Double(time - 1200) / 400 : Double(time - 2400) / 400
            let expected = hlgLuma(light * min(max(share, 0), 1))
            #expect(abs(luma - expected) <= 2, "\(time): \(luma) in place of \(expected)")
        }
    }

    @Test func smallClipsAboveOthersAreLeftAlone() throws {
        #expect(try run("over") == ["replaced 0"])
    }

    /// The ramps reach a clip's own opacity and volume.
    @Test func aClipKeepsItsOpacityAndVolume() throws {
        #expect(
            try run("own") == [
                "replaced 2", "alpha 200:0 600:0.5 1400:0.5 1800:0", "volume 200:0 600:0.25 1400:0.25 1800:0",
            ])
    }

    /// Both clips' volumes are ramped, in the time of their media.
    @Test func soundIsFadedToo() throws {
        #expect(
            try run("sound") == [
                "replaced 2", "0:1 1200:1 1600:0", "200:0 600:1 1400:1 1800:0", "0:0 400:1 1600:1",
            ])
    }

    @Test func otherObjectsAreRefused() throws {
        #expect(try run("refused") == ["This is no GESTimeline of GStreamer Editing Services 1.22 or newer"])
    }

    // MARK: GES as it is

    private static let caps =
        "video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-hlg"

    /// Runs `ges-launch-1.0` with words in which FOLDER stands for the clips' folder.
    private func launch(_ words: [String]) throws -> Command.Result {
        let folder = try Clips.shared.get().folder.url.path
        return try GstTool.run(
            "ges-launch-1.0",
            words.map { $0.replacing("FOLDER", with: folder) } + ["--track-types=video", "--video-caps", Self.caps],
            environment: ["GST_PLUGIN_FEATURE_RANK": "hdrcompositor:300"], timeout: 60)
    }

    /// Layers and titles, positions and opacity, effects of this plugin, speed, and a crossfade, rendered through an
    /// encoding profile: HLG in each, and as many pictures as the timeline has.
    @Test(arguments: [
        "+title Title duration=1.0 layer=0 +clip FOLDER/pq.mkv duration=1.0 layer=1",
        "+clip FOLDER/pq.mkv duration=1.0 set-alpha 0.5 set-posx 100 set-width 320 set-height 180",
        "+clip FOLDER/hlg.mkv duration=1.0 +effect video\thdrtap\teffect=sepia",
        "+clip FOLDER/pq.mkv duration=1.0 +effect hdrconvert",
        "+clip FOLDER/hlg.mkv duration=1.0 +effect videorate set-rate 2.0",
        "+clip FOLDER/hlg.mkv duration=0.6 +clip FOLDER/pq.mkv start=0.4 duration=0.6",
    ])
    func featuresOfGESWork(_ line: String) throws {
        let scratch = try TemporaryFolder()
        let out = scratch.path("out.mkv")
        let words = line.split(separator: " ").map { String($0).replacing("\t", with: " ") }
        let outcome = try launch(words + ["--format", "video/x-matroska:video/x-h265", "-o", "file://\(out)"])
        #expect(outcome.status == 0 && !outcome.errors.contains("ERROR"), "\(outcome)")
        let report = try GstTool.run(Repository.path("build/bin/hdr"), ["inspect", "--json", out], timeout: 30)
        #expect(report.output.contains("\"dynamic-range\": \"HLG\""), "\(report)")
        let counted = try GstTool.run(
            "ffprobe",
            ["-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", out],
            timeout: 30)
        let count = Int(counted.output.prefix { $0.isNumber }) ?? 0
        #expect((25...26).contains(count), "\(counted)")
    }

    /// Effects act, and their parameters have keyframes.
    @Test func videoEffectsHaveKeyframes() throws {
        let lights = pictures(try run("effect"), 25).map { hlgLight($0.luma) }
        // A ramp from 0 to -4 stops.
        for (index, light) in lights.enumerated() {
            let expected = pqLight(Clips.lumas.pq) * exp2(-4 * Double(index) / 25)
            #expect(abs(light / expected - 1) < 0.03, "picture \(index): \(light) and \(expected)")
        }
    }

    /// A title's white is reference white: luma 721.
    @Test func titlesAreReferenceWhite() throws {
        let scratch = try TemporaryFolder()
        let out = scratch.path("title.raw")
        let outcome = try launch([
            "+title", "Title", "duration=0.2", "--videosink", "filesink location=\(out)",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let data = try Data(contentsOf: URL(fileURLWithPath: out))
        let lumas = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(640 * 360)) }
        #expect(lumas.max() == 721 && lumas.count(where: { $0 == 721 }) > 100)
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
        #expect(abs(Double(luma) - hlgLuma(pqLight(Clips.lumas.pq))) <= 3)
    }
}
