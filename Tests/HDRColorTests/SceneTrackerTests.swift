import TestSupport
import Testing

@testable import HDRColor

/// The scene tracker on synthetic clips: what its curves do with the light of a patch that does not change.
@Suite struct SceneTrackerTests {
    private typealias Frame = SceneClips.Frame

    // MARK: Within a scene

    @Test(arguments: SceneClips.lookAheads) func pan(_ lookAhead: Int) {
        let lights = SceneClips.track(
            (0..<150).map { SceneClips.landscape(peak: 900, at: 2 * $0) }, lookAhead: lookAhead)
        SceneClips.checkSteady(lights, "a pan")
        #expect(abs((lights[0]?.peak ?? 0) / 900 - 1) < 0.01)
        #expect(lights.filter { $0?.startsScene == true }.count == 1)
    }

    /// Light that changes by 8 % up and down, as fire and fluorescent lamps do.
    @Test(arguments: SceneClips.lookAheads, [2, 3, 7, 25]) func flicker(_ lookAhead: Int, _ period: Int) {
        let frames = (0..<150).map { n in SceneClips.landscape(peak: n % period < period / 2 + 1 ? 1000 : 920) }
        let lights = SceneClips.track(frames, lookAhead: lookAhead)
        SceneClips.checkSteady(lights, "flicker")
        #expect(lights.filter { $0?.startsScene == true }.count == 1)
    }

    /// Light that flickers in the whole picture, by any factor from picture to picture, is no cut. Without look-ahead
    /// the first pictures may be taken for scenes.
    @Test(arguments: SceneClips.lookAheads, [0.15, 0.25, 0.35]) func flickerOfAllLight(
        _ lookAhead: Int, _ amount: Double
    ) {
        for seed in 0..<6 {
            var random = SeededGenerator(seed: UInt64(seed))
            let frames = (0..<100).map { _ in
                let factor = 1 + amount * Double.random(in: -1...1, using: &random)
                return SceneClips.frame { x, y in
                    factor * (x * y % 61 == 0 ? 800 : 4 + 3 * Double((x * 7 + y * 13) % 29))
                }
            }
            let lights = SceneClips.track(frames, lookAhead: lookAhead)
            let first = lookAhead > 1 ? 1 : 12
            SceneClips.checkSteady(lights, "flicker by \(amount)", from: first)
            #expect(!lights[first...].contains { $0?.startsScene == true }, "seed \(seed)")
        }
    }

    /// A flash over the whole picture, and one in a corner of it, of one picture up to half a second.
    @Test(arguments: SceneClips.lookAheads, [1, 2, 4, 6]) func flash(_ lookAhead: Int, _ length: Int) {
        for share in [0.1, 1.0] {
            var frames = (0..<100).map { SceneClips.landscape(peak: 400, at: $0) }
            for n in 40..<40 + length {
                for index in frames[n].indices where Double(index % SceneClips.width) < share * Double(SceneClips.width)
                {
                    frames[n][index] = 4000
                }
            }
            let lights = SceneClips.track(frames, lookAhead: lookAhead)
            // While a flash over all of the picture lasts there is no patch that does not change; where it outlasts
            // what is known of the future, it is a scene of its own.
            let isKnown = share < 1 || length <= max(lookAhead, 1)
            SceneClips.checkSteady(
                isKnown ? lights : Array(lights[..<40]) + lights[(40 + length + 2)...], "a flash of \(length)")
        }
    }

    /// A small light that goes on for good, or goes on and off, is white: nobody sees the room change for it.
    @Test(arguments: SceneClips.lookAheads, [400, 50, 8]) func lampThatIsLit(_ lookAhead: Int, _ period: Int) {
        var frames = (0..<400).map { _ in SceneClips.landscape(peak: 300) }
        for n in 50..<400 where (n - 50) / period % 2 == 0 {
            for index in 0..<60 { frames[n][(20 + index / 10) * SceneClips.width + 30 + index % 10] = 1500 }
        }
        let lights = SceneClips.track(frames, lookAhead: lookAhead)
        SceneClips.checkSteady(lights, "a lamp")
        #expect(!lights.dropFirst().contains { $0?.startsScene == true })
    }

    /// A pan brings a lamp into the picture, or takes one out of it.
    @Test(arguments: SceneClips.lookAheads) func panOverALamp(_ lookAhead: Int) {
        let frames = (0..<400).map { n -> Frame in
            var frame = SceneClips.landscape(peak: 300, at: n / 2)
            let columns = 400 - 2 * n..<408 - 2 * n
            for y in 10..<18 {
                for x in columns.clamped(to: 0..<SceneClips.width) { frame[y * SceneClips.width + x] = 900 }
            }
            return frame
        }
        SceneClips.checkSteady(SceneClips.track(frames, lookAhead: lookAhead), "a lamp that comes")
        SceneClips.checkSteady(SceneClips.track(Array(frames[180...]), lookAhead: lookAhead), "a lamp that goes")
    }

    /// A window that takes a third of the picture makes another picture of it: the scene follows, and stays there.
    @Test(arguments: [24, 240]) func windowInAPan(_ pictures: Int) {
        let frames = (0..<400).map { n -> Frame in
            var frame = SceneClips.landscape(peak: 300)
            let width = max(min((n - 50) * 24 / pictures, 24), 0)
            for y in 6..<36 {
                for x in SceneClips.width - width..<SceneClips.width {
                    frame[y * SceneClips.width + x] = 400 + 1100 * Double(y - 6) / 29
                }
            }
            return frame
        }
        let lights = SceneClips.track(frames, lookAhead: 4)
        for n in 1..<400 {
            let step = (lights[n]?.peak ?? 0) / (lights[n - 1]?.peak ?? 1)
            #expect(step >= 1 && step < 1.3, "picture \(n): \(step)")
        }
        #expect(abs((lights[350]?.peak ?? 0) / 1500 - 1) < 0.05)
        #expect(lights.filter { $0?.startsScene == true }.count == 1)
    }

    /// White all over for up to a second, at 25 and 60 Hz.
    @Test(arguments: SceneClips.lookAheads, [(5, 0.04), (20, 0.04), (5, 1 / 60.0), (50, 1 / 60.0)])
    func longFlash(_ lookAhead: Int, _ flash: (length: Int, interval: Double)) {
        var frames = (0..<120).map { SceneClips.landscape(peak: 400, at: $0) }
        for n in 40..<40 + flash.length { frames[n] = SceneClips.frame { _, _ in 4000 } }
        SceneClips.checkSteady(
            SceneClips.track(frames, lookAhead: lookAhead, interval: flash.interval), "a flash of \(flash)")
    }

    /// Light that has been gone for long makes room for the rest.
    @Test func lightThatGoesOut() {
        let frames = (0..<600).map { n in
            SceneClips.landscape(peak: n < 50 ? 1000 : 1000 - min(Double(n - 50) * 10, 600))
        }
        let lights = SceneClips.track(frames, lookAhead: 4)
        for n in 1..<600 {
            let step = (lights[n]?.peak ?? 0) / (lights[n - 1]?.peak ?? 1)
            #expect(step <= 1 && step > 0.98, "picture \(n): \(step)")
        }
        #expect(abs((lights[599]?.peak ?? 0) / 400 - 1) < 0.35)
    }

    /// Single hot pixels are no highlights: six of those that the grid takes of 3840x2160.
    @Test func hotPixels() {
        var light = Array(repeating: 100.0, count: 130_000)
        for index in 0..<6 { light[index * 20_011] = 8000 }
        let sample = SceneClips.sample(light)
        #expect(abs(PQ.eotf(sample.peak) / 100 - 1) < 0.01)
        for index in 6..<18 { light[index * 7001] = 8000 }
        #expect(PQ.eotf(SceneClips.sample(light).peak) > 7000)
    }

    // MARK: From scene to scene

    private static let scenes: [(Frame, Double)] = [
        (SceneClips.landscape(peak: 900), 900), (SceneClips.landscape(peak: 250, at: 40), 250),
        (SceneClips.landscape(peak: 4000, at: 9), 4000),
        (SceneClips.frame { x, y in x < 32 ? 2 : 300 }, 300),
        (SceneClips.frame { x, y in x + y < 10 ? 9000 : 20 }, 9000),
    ]

    /// The first picture after a cut is right with look-ahead, and the third without.
    @Test(arguments: SceneClips.lookAheads) func cuts(_ lookAhead: Int) {
        for (from, before) in Self.scenes {
            for (to, after) in Self.scenes where before != after {
                let frames = Array(repeating: from, count: 30) + Array(repeating: to, count: 30)
                let lights = SceneClips.track(frames, lookAhead: lookAhead)
                let delay = lookAhead > 0 ? 0 : 1
                for n in frames.indices {
                    let expected = n < 30 + delay ? before : after
                    #expect(abs((lights[n]?.peak ?? 0) / expected - 1) < 0.01, "\(before) to \(after), picture \(n)")
                    #expect(lights[n]?.startsScene == (n == 0 || n == 30 + delay), "\(before) to \(after), \(n)")
                }
            }
        }
    }

    /// A picture that lasts for longer than a flash has its own curve at once, as in a show of slides.
    @Test func slides() {
        let frames = (0..<10).map { Self.scenes[$0 % 5].0 }
        let lights = SceneClips.track(frames, lookAhead: 0, interval: 1)
        for n in frames.indices {
            #expect(abs((lights[n]?.peak ?? 0) / Self.scenes[n % 5].1 - 1) < 0.01, "picture \(n)")
        }
    }

    /// Cuts that follow each other quickly are cuts too.
    @Test func quickCuts() {
        let frames = (0..<60).flatMap { n in Array(repeating: Self.scenes[n % 5].0, count: 6) }
        let lights = SceneClips.track(frames, lookAhead: 4)
        for n in frames.indices {
            #expect(abs((lights[n]?.peak ?? 0) / Self.scenes[n / 6 % 5].1 - 1) < 0.01, "picture \(n)")
        }
    }

    @Test(arguments: SceneClips.lookAheads) func fadeOut(_ lookAhead: Int) {
        let frames = (0..<100).map { n -> Frame in
            let level = max(0, min(1, 1 - Double(n - 30) / 40))
            return SceneClips.landscape(peak: 900).map { $0 * level * level }
        }
        let lights = SceneClips.track(frames, lookAhead: lookAhead)
        SceneClips.checkSteady(lights, "a fade to black")
    }

    /// A fade from black: the light follows upwards only, and is right when the fade is over.
    @Test(arguments: SceneClips.lookAheads) func fadeIn(_ lookAhead: Int) {
        let frames = (0..<100).map { n -> Frame in
            let level = max(0, min(1, Double(n - 10) / 30))
            return SceneClips.landscape(peak: 900).map { $0 * level * level }
        }
        let lights = SceneClips.track(frames, lookAhead: lookAhead)
        #expect(lights[5] == nil)
        for n in 12..<100 {
            #expect((lights[n]?.peak ?? 0) >= (lights[n - 1]?.peak ?? 0) * 0.999, "picture \(n)")
        }
        for n in 50..<100 { #expect(abs((lights[n]?.peak ?? 0) / 900 - 1) < 0.13, "picture \(n)") }
        SceneClips.checkSteady(lights, "after a fade", from: 60)
    }

    /// A dissolve to a brighter scene, or a darker one, ends with that scene's light, at any rate and length.
    @Test(arguments: SceneClips.lookAheads, [0.5, 1, 2]) func dissolve(_ lookAhead: Int, _ length: Double) {
        let (dark, bright) = (
            SceneClips.frame { x, y in 5 + 245 * Double(x * y % 61) / 60 }, SceneClips.landscape(peak: 2000)
        )
        for interval in [0.04, 1 / 60.0] {
            let count = Int(length / interval)
            for (from, to, peak) in [(dark, bright, 2000.0), (bright, dark, 250)] {
                let frames = (0..<3 * count + 60).map { n -> Frame in
                    let share = max(0, min(1, Double(n - 40) / Double(count)))
                    return zip(from, to).map { $0 * (1 - share) + $1 * share }
                }
                let lights = SceneClips.track(frames, lookAhead: lookAhead, interval: interval)
                let settled = 40 + count + Int(0.5 / interval)
                for n in settled..<frames.count {
                    #expect(abs((lights[n]?.peak ?? 0) / peak - 1) < 0.1, "to \(peak) at \(interval), picture \(n)")
                }
            }
        }
    }

    // MARK: States

    @Test func nothingButBlack() {
        let lights = SceneClips.track(Array(repeating: SceneClips.frame { _, _ in 0 }, count: 10), lookAhead: 4)
        #expect(lights.allSatisfy { $0 == nil })
        var tracker = SceneTracker(interval: .nan)
        #expect(tracker.interval == 0.04)
        #expect(tracker.add(SceneSample(LightStatistics()), next: []) == nil)
    }

    @Test func resetForgets() {
        var tracker = SceneTracker()
        var fresh = SceneTracker()
        _ = tracker.add(SceneClips.sample(Self.scenes[2].0), next: [])
        tracker.reset()
        let sample = SceneClips.sample(Self.scenes[0].0)
        #expect(tracker.add(sample, next: []) == fresh.add(sample, next: []))
    }
}

extension LightStatistics {
    /// The statistics of some values of light, in cd/m².
    init(light: [Double]) {
        self.init()
        for value in light {
            let bin = Int(PQ.inverseEOTF(min(max(value, 0), PQ.peak)) * Double(Self.bins))
            histogram[min(max(bin, 0), Self.bins - 1)] += 1
        }
        pixels = light.count
        maximum = light.max() ?? 0
        average = light.isEmpty ? 0 : light.reduce(0, +) / Double(light.count)
    }
}

/// The share of highlights in statistics.
struct HighlightShareStatisticsTests {
    /// The share equals the mean over pixels, to the width of the histogram's bins.
    @Test(arguments: [100.0, 203, 500]) func shareIsTheMeanOfTheWeights(white: Double) {
        let signals = (0..<4096).map { Double($0) / 4095 }
        let light = signals.map { white * Double.pow($0, 2.4) }
        let expected = light.map { HighlightExpansion<Double>.weight($0 / white) }.reduce(0, +) / 4096
        let share = LightStatistics(light: light).highlightShare(white: white)
        #expect(abs(share - expected) < 1e-3, "\(share), \(expected)")
    }

    @Test func nothingHasNone() {
        #expect(LightStatistics().highlightShare(white: 203) == 0)
        #expect(LightStatistics(light: [0, 10, 50]).highlightShare(white: 203) == 0)
    }
}
