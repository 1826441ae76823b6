import HDRColor
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

    @Test func aSceneHasOnePeakAndOneAverage() {
        var survey = SceneSurvey()
        let black = Self.sample(0, 0)
        let (low, high) = (Self.sample(500, 200), Self.sample(600, 220))
        var ended: [SceneSurvey.Scene] = []
        // Black before, the first scene, black within it, and the second scene.
        for (index, item) in [(black, false), (low, true), (high, false), (black, false), (low, true)].enumerated() {
            let start = UInt64(index) * 40
            if let scene = survey.add(item.0, from: start, to: start + 40, startsScene: item.1) { ended.append(scene) }
        }
        let last = survey.finish(), none = survey.finish()
        #expect(ended.count == 1 && ended[0].start == 0 && ended[0].end == 160)
        #expect(ended[0].peak == high.peak && abs(ended[0].average - (low.average + high.average) / 2) < 1e-12)
        #expect(last?.start == 160 && last?.end == 200 && last?.peak == low.peak && last?.average == low.average)
        #expect(none == nil)
        _ = survey.add(black, from: 0, to: 40, startsScene: false)
        let dark = survey.finish()
        #expect(dark == nil, "nothing but black has no light")
    }
}
