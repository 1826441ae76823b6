import Foundation
import PluginSupport
import TestSupport
import Testing

/// Dissolves in light, and effects, of timelines of GStreamer Editing Services with `hdrcompositor` as their mixer.
@Suite(
    .enabled(
        if: Command.exists("meson") && Command.exists("ninja") && Command.exists("g-ir-scanner")
            && Command.exists("ges-launch-1.0"),
        "apt-get install meson ninja-build gobject-introspection libgirepository1.0-dev gir1.2-ges-1.0 ges1.0-tools"))
struct GESTimelineTests {
    private func run(_ name: String) throws -> [String] {
        var environment = try LibraryBuild.shared.get().environment
        environment["GST_PLUGIN_FEATURE_RANK"] = "hdrcompositor:300"
        let outcome = try GstTool.run(
            "/usr/bin/python3",
            [Repository.path("Tests/Tools/Programs/editing.py"), name, try GESClips.shared.get().folder.url.path],
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

    // MARK: Tests

    /// GES has a `videoconvert` behind its mixer, which knows no light: the mixer's own pictures are what the
    /// timeline's caps say.
    @Test func aClipOfPQAloneHasItsLightOnATimelineInHLG() throws {
        let found = pictures(try run("alone"), 10)
        let expected = GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq))
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
        let light = (GESLuma.hlgLight(GESClips.lumas.hlg), GESLuma.pqLight(GESClips.lumas.pq))
        for (time, luma) in pictures(lines, 40) {
            let share = min(max(Double(time - 600) / 400, 0), 1)
            let expected = GESLuma.hlg(light.0 * (1 - share) + light.1 * share)
            #expect(abs(luma - expected) <= 3, "\(time): \(luma) in place of \(expected)")
        }
    }

    /// Each picture of a dissolve is the sum of shares of both lights.
    @Test(arguments: ["dissolve", "explicit", "grouped", "music"]) func dissolvesAreInLight(_ name: String) throws {
        let lines = try run(name)
        let isWhole = name != "explicit"
        #expect(lines.first == (isWhole ? "replaced 2" : "replaced 1"))
        #expect(lines.dropFirst().first == (isWhole ? "again 0" : "transitions 0"))
        let found = pictures(lines, isWhole ? 100 : 70)
        let plain = Dictionary(found.map { ($0.time, $0.luma) }) { a, _ in a }
        let (first, second) = (try #require(plain[1000]), try #require(plain[2000]))
        #expect(
            abs(first - GESClips.lumas.hlg) <= 3 && abs(second - GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq))) <= 3)
        var most = 0.0
        for (time, luma) in found {
            let second = isWhole && time >= 2400 ? (second, first, 2400) : (first, second, 1200)
            let share = min(max(Double(time - second.2) / 400, 0), 1)
            let expected = GESLuma.hlg(GESLuma.hlgLight(second.0) * (1 - share) + GESLuma.hlgLight(second.1) * share)
            most = max(most, abs(luma - expected))
        }
        // The ends are measured in whole codes.
        #expect(most <= 2, "\(most) \(found)")
    }

    /// GES's own way, for which the picture of the page stands: it ends at another light.
    @Test func withoutTheCallGESHasItsWay() throws {
        let found = pictures(try run("plain"), 100)
        let middle = try #require(found.first { $0.time == 1400 })
        let expected = GESLuma.hlg((GESLuma.hlgLight(GESClips.lumas.hlg) + GESLuma.pqLight(GESClips.lumas.pq)) / 2)
        #expect(abs(middle.luma - expected) > 4, "\(middle) \(expected)")
    }

    /// GES's wipes have 8 bits, and name no colour; HDR stays HDR in them.
    @Test func wipesKeepTheLight() throws {
        let lumas = try run("wiped").compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        let expected = [GESClips.lumas.hlg, GESLuma.hlg(GESLuma.pqLight(GESClips.lumas.pq))]
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
        let light = GESLuma.hlgLight(try #require(found.first { $0.time == 1000 }).luma)
        for (time, luma) in found {
            let share = time < 2000 ? 1 - Double(time - 1200) / 400 : Double(time - 2400) / 400
            let expected = GESLuma.hlg(light * min(max(share, 0), 1))
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

    /// A clip leaves its group, also an inner one that is its own, for the time of its move, and nothing else is moved.
    @Test func groupsKeepTheirClips() throws {
        let lines = try run("grouped").filter { $0.first?.isLetter == true }
        #expect(
            lines == ["replaced 2", "again 0", "members 0v (1200v) 2400v", "layer 1200v", "layer 0v 2400v"])
        #expect(
            try run("neighbours") == [
                "replaced 1", "members 1200v 1400v", "layer 1400v", "layer 1200v", "layer 0v",
                "replaced 1", "members 1200v 1400v", "layer 1200v", "layer 0v", "layer 1400v",
            ])
    }

    /// Where a clip cannot be moved, nothing is changed, on other layers neither.
    @Test func timelinesStayAsTheyAreInCaseOfAnError() throws {
        #expect(
            try run("closed") == [
                "GStreamer Editing Services cannot move the clip CLIP to a layer of its own", "numbers 0 1",
                "members 0v 1200v", "layer 0v 1200xv 1200v 2400xv 2400v", "layer 0v 1200xv 1200v",
            ])
    }

    /// Sound of its own on the layer takes no part in the crossfades of pictures.
    @Test func soundBetweenPicturesIsLeftAlone() throws {
        let lines = try run("music").filter { $0.first?.isLetter == true }
        #expect(
            lines == [
                "replaced 2", "again 0", "layer 1200v", "layer 0v 600a 2000a 2400v", "sound 600: as it is",
                "sound 2000: as it is",
            ])
    }

    /// Sound in clips of its own keeps GES's crossfade, unless the transition is that of the pictures.
    @Test func soundApartFromPicturesKeepsItsCrossfade() throws {
        #expect(
            try run("apart") == [
                "replaced 1", "layer 1200v", "layer 0a 0v 1200xa 1200a", "sound 0: as it is", "sound 1200: as it is",
                "replaced 1", "layer 1200v", "layer 0a 0v 1200a", "sound 0: 0:1 1200:1 1600:0",
                "sound 1200: 0:0 400:1 1600:1",
            ])
    }

    /// The sound of a clip that is moved still has its crossfade to other sound.
    @Test func soundThatIsMovedKeepsItsCrossfades() throws {
        #expect(
            try run("passed") == [
                "replaced 1", "layer 1200va", "layer 0va 2400a", "sound 0: 0:1 1200:1 1600:0",
                "sound 1200: 200:0 600:1 1400:1 1800:0", "sound 2400: 0:0 400:1 1000:1",
            ])
    }

    /// GES has no transition of sound where one clip is silent; one that the program has added fades the other.
    @Test func soundBesideASilentClipIsFadedByATransitionOfItsOwn() throws {
        #expect(
            try run("silent") == ["replaced 1", "sound 0: as it is", "replaced 1", "sound 0: 0:1 1200:1 1600:0"])
    }

    /// An effect applies to the clips that it has applied to.
    @Test func clipsBelowEffectsStayThere() throws {
        #expect(try run("below") == [1, 0, 0, 0, 1].map { "replaced \($0)" })
    }

    @Test func otherObjectsAreRefused() throws {
        #expect(try run("refused") == ["This is no GESTimeline of GStreamer Editing Services 1.22 or newer"])
    }

    /// Effects act, and their parameters have keyframes.
    @Test func videoEffectsHaveKeyframes() throws {
        let lights = pictures(try run("effect"), 25).map { GESLuma.hlgLight($0.luma) }
        // A ramp from 0 to -4 stops.
        for (index, light) in lights.enumerated() {
            let expected = GESLuma.pqLight(GESClips.lumas.pq) * exp2(-4 * Double(index) / 25)
            #expect(abs(light / expected - 1) < 0.03, "picture \(index): \(light) and \(expected)")
        }
    }
}
