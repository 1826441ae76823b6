@testable import HDRColor
import Testing

/// Scenes that a first pass measures, and their text.
struct SceneListTests {
    @Test func textBecomesScenes() {
        let list = SceneList(text: "2000000000:1800:55.5, 0:412.25:31 ,2000000000:1900:0")
        #expect(list.scenes.map(\.start) == [0, 2_000_000_000, 2_000_000_000] && list.problems.isEmpty)
        #expect(list.scene(at: 0)?.peak == 412.25 && list.scene(at: 1_999_999_999)?.average == 31)
        // Of scenes with equal starts the last one applies.
        #expect(list.scene(at: 2_000_000_000)?.peak == 1900 && list.scene(at: .max)?.peak == 1900)
        #expect(SceneList(text: "").isEmpty && SceneList(text: "").scene(at: 5) == nil)
        // Times before the first scene belong to it.
        #expect(SceneList(text: "40:100:1").scene(at: 0)?.peak == 100)
    }

    @Test(arguments: [
        "0", "0:1", "0:1:2:3", "-1:100:1", "x:100:1", "0:0:0", "0:10001:1", "0:nan:1", "0:inf:1", "0:100:-1",
        "0:100:nan",
        "18446744073709551616:1:1", "0::1", ":::",
    ])
    func otherTextIsLeftOut(_ text: String) {
        let list = SceneList(text: "5:100:1,\(text)")
        #expect(list.scenes.map(\.start) == [5] && list.problems.count == 1)
        #expect(list.problems.first?.contains("\"\(text)\"") == true)
    }

    @Test func problemsAreFew() {
        #expect(SceneList(text: Array(repeating: "?", count: 1000).joined(separator: ",")).problems.count == 8)
    }

    /// A picture of which a quarter has one light, and the rest another.
    private static func sample(_ bright: Int, _ dark: Int) -> SceneSample {
        var statistics = LightStatistics()
        statistics.histogram[bright] += 250
        statistics.histogram[dark] += 750
        statistics.pixels = 1000
        statistics.maximum = PQ.eotf((Double(bright) + 1) / 1024)
        return SceneSample(statistics)
    }

    /// What a tracker returns.
    private static func light(
        _ sample: SceneSample, starts: Bool = false, isChanging: Bool = false
    ) -> SceneTracker.Light {
        SceneTracker.Light(
            peak: sample.peak, average: sample.average, startsScene: starts, isChanging: isChanging)
    }

    /// Adds pictures that last for 40 each.
    private static func scenes(
        _ pictures: [(sample: SceneSample, light: SceneTracker.Light?, isUnconfirmed: Bool)],
        length: UInt64 = 40
    ) -> [SceneSurvey.Scene] {
        var survey = SceneSurvey()
        var scenes: [SceneSurvey.Scene] = []
        for (index, item) in pictures.enumerated() {
            let start = UInt64(index) * length
            scenes += survey.add(
                item.sample, from: start, to: start + length, light: item.light, isUnconfirmed: item.isUnconfirmed)
        }
        scenes += survey.finish()
        return scenes + survey.finish()
    }

    @Test func aSceneHasOnePeakAndOneAverage() {
        let black = Self.sample(0, 0)
        let (low, high) = (Self.sample(500, 200), Self.sample(600, 220))
        // Black before, the first scene, black within it, and the second scene.
        let scenes = Self.scenes([
            (black, nil, false), (low, Self.light(low, starts: true), false), (high, Self.light(low), false),
            (black, Self.light(low), false), (low, Self.light(low, starts: true), false),
        ])
        #expect(scenes.map(\.start) == [0, 160] && scenes.map(\.end) == [160, 200])
        #expect(scenes.map(\.peak) == [high.peak, low.peak])
        #expect(abs(scenes[0].average - (low.average + high.average) / 2) < 1e-12)
        #expect(scenes[1].average == low.average)
        #expect(Self.scenes([(black, nil, false)]).isEmpty, "nothing but black has no light")
    }

    /// A picture that only the next one places counts in the scene that it begins, or in that of the flash.
    @Test(arguments: [true, false]) func unconfirmedPicturesCountInTheirScene(_ isCut: Bool) {
        let (low, high) = (Self.sample(500, 200), Self.sample(600, 220))
        let scenes = Self.scenes([
            (low, Self.light(low, starts: true), false), (low, Self.light(low), false), (high, Self.light(low), true),
            isCut ? (high, Self.light(high, starts: true), false) : (low, Self.light(low), false),
        ])
        #expect(scenes.map(\.start) == (isCut ? [0, 80] : [0]) && scenes.map(\.end) == (isCut ? [80, 160] : [160]))
        #expect(scenes.map(\.peak) == (isCut ? [low.peak, high.peak] : [high.peak]))
        // The last picture of a stream remains unconfirmed.
        let last = Self.scenes([(low, Self.light(low, starts: true), false), (high, Self.light(low), true)])
        #expect(last.map(\.peak) == [high.peak] && last.map(\.end) == [80])
    }

    /// In a dissolve the values go from those of the scene before to those of the scene after, each of which has its
    /// highest peak.
    @Test func aDissolveLeadsFromSceneToScene() {
        let (low, high, higher) = (Self.sample(500, 200), Self.sample(700, 220), Self.sample(720, 220))
        let second: UInt64 = 1_000_000_000
        func changing(_ share: Double) -> SceneTracker.Light {
            SceneTracker.Light(
                peak: low.peak + share * (high.peak - low.peak), average: low.average, startsScene: false,
                isChanging: true)
        }
        let scenes = Self.scenes(
            [
                (low, Self.light(low, starts: true), false), (low, Self.light(low), false),
                (low, changing(0), false), (high, changing(0.5), false), (high, changing(1), false),
                (high, Self.light(high), false), (higher, Self.light(high), false),
            ], length: second)
        #expect(scenes.map { $0.start / second } == [0, 3, 4, 5])
        #expect(scenes.map { $0.end / second } == [3, 4, 5, 7])
        let steps = [0, 0.5, 1, 1].map { low.peak + $0 * (higher.peak - low.peak) }
        for (scene, peak) in zip(scenes, steps) { #expect(abs(scene.peak - peak) < 1.0 / 4096) }
        // A scene that fades in is one scene.
        let fade = Self.scenes([
            (low, Self.light(low, starts: true), false), (high, changing(0.5), false), (high, Self.light(high), false),
        ])
        #expect(fade.map(\.peak) == [high.peak])
        // Where another scene begins within the change, it ends with the light that it has.
        let cut = Self.scenes(
            [
                (low, Self.light(low, starts: true), false), (low, changing(0), false), (high, changing(0.5), false),
                (higher, Self.light(higher, starts: true), false),
            ], length: second)
        #expect(cut.map { $0.start / second } == [0, 2, 3] && cut.last?.peak == higher.peak)
    }

    /// Pictures after a jump in the stream's time are another scene.
    @Test(arguments: [100, 5_000_000_000]) func anotherPartOfTheStreamHasItsOwnScenes(_ next: UInt64) {
        let (low, high) = (Self.sample(500, 200), Self.sample(510, 200))
        var survey = SceneSurvey()
        let second: UInt64 = 1_000_000_000
        #expect(survey.add(low, from: second, to: 2 * second, light: Self.light(low, starts: true)).isEmpty)
        let first = survey.add(high, from: next, to: next + 40, light: Self.light(low))
        #expect(first.map(\.start) == [second] && first.map(\.end) == [2 * second] && first.map(\.peak) == [low.peak])
        let last = survey.finish()
        #expect(last.map(\.start) == [next] && last.map(\.end) == [next + 40] && last.map(\.peak) == [high.peak])
    }

    /// A dissolve to more light does not count in the scene before it, from its first picture on, however long it takes
    /// the tracker to see it.
    @Test(arguments: [6, 12, 25, 50], [900.0, 2500]) func aDissolveDoesNotBrightenTheSceneBefore(
        _ length: Int, _ peak: Double
    ) throws {
        let (dark, bright) = (SceneClips.landscape(peak: 300), SceneClips.landscape(peak: peak, at: 30))
        let samples = (0..<80 + length).map { n in
            let share = max(0, min(1, Double(n - 39) / Double(length)))
            return SceneClips.sample(zip(dark, bright).map { $0 * (1 - share) + $1 * share })
        }
        var tracker = SceneTracker(interval: 0.04)
        var survey = SceneSurvey()
        var scenes: [SceneSurvey.Scene] = []
        for (index, sample) in samples.enumerated() {
            let light = tracker.add(sample, next: samples[index + 1..<min(index + 5, samples.count)])
            let start = UInt64(index) * 40_000_000
            scenes += survey.add(sample, from: start, to: start + 40_000_000, light: light)
        }
        scenes += survey.finish()
        let first = try #require(scenes.first)
        #expect(abs(PQ.eotf(first.peak) / 300 - 1) < 0.02, "\(PQ.eotf(first.peak))")
        #expect(abs(PQ.eotf(try #require(scenes.last).peak) / peak - 1) < 0.02)
        // Each picture is in one of them.
        #expect(first.start == 0 && scenes.last?.end == UInt64(samples.count) * 40_000_000)
        for (one, next) in zip(scenes, scenes.dropFirst()) { #expect(one.end == next.start) }
    }
}
