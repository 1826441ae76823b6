import Testing

@testable import HDRAudio

/// AVMutableAudioMixInputParameters' rules.
@Suite struct VolumeTimelineTests {
    static let second: UInt64 = 1_000_000_000

    static func ramp(_ start: Double, _ duration: Double, _ from: Double, _ to: Double) -> VolumeTimeline.Ramp {
        VolumeTimeline.Ramp(
            start: UInt64(start * 1e9), duration: UInt64(duration * 1e9), from: from, to: to)
    }

    static func timeline(_ ramps: [VolumeTimeline.Ramp]) throws -> VolumeTimeline {
        var result = VolumeTimeline()
        for ramp in ramps { result = try result.setting(ramp) }
        return result
    }

    /// The example in AVAudioMix.h.
    @Test(arguments: [(0, 1.0), (3.999, 1), (4, 0.5), (6.5, 0.35), (9, 0.2), (20, 0.2)])
    func example(_ seconds: Double, _ volume: Double) throws {
        let timeline = try Self.timeline([Self.ramp(0, 0, 1, 1), Self.ramp(4, 5, 0.5, 0.2)])
        #expect(abs(timeline.volume(at: UInt64(seconds * 1e9)) - volume) < 1e-12)
    }

    @Test func emptyIsUnity() {
        let timeline = VolumeTimeline()
        #expect(timeline.volume(at: 0) == 1 && timeline.volume(at: .max) == 1)
    }

    @Test func jumpActsAtItsTime() throws {
        let timeline = try Self.timeline([Self.ramp(2, 0, 0.25, 0.25)])
        #expect(timeline.volume(at: 2 * Self.second - 1) == 1)
        #expect(timeline.volume(at: 2 * Self.second) == 0.25)
    }

    @Test func theLaterSetWins() throws {
        // One that begins within another ends it.
        let cut = try Self.timeline([Self.ramp(0, 10, 0, 1), Self.ramp(4, 2, 0.9, 0.8)])
        #expect(abs(cut.volume(at: 2 * Self.second) - 0.2) < 1e-12)
        #expect(cut.volume(at: 4 * Self.second) == 0.9)
        #expect(cut.volume(at: 8 * Self.second) == 0.8)
        // A jump within a ramp, and one that replaces a ramp.
        let jump = try Self.timeline([Self.ramp(0, 10, 0, 1), Self.ramp(5, 0, 0, 0)])
        #expect(jump.volume(at: 7 * Self.second) == 0)
        let same = try Self.timeline([Self.ramp(4, 5, 0.5, 0.2), Self.ramp(4, 5, 1, 0)])
        #expect(abs(same.volume(at: 4 * Self.second + Self.second / 2) - 0.9) < 1e-12)
        // One that ends within another, which was set before.
        let front = try Self.timeline([Self.ramp(3, 5, 0.4, 0.8), Self.ramp(0, 5, 0, 0.1)])
        #expect(abs(front.volume(at: 4 * Self.second) - 0.08) < 1e-12)
        // Ramps that lie apart stay.
        let apart = try Self.timeline([Self.ramp(6, 1, 0, 1), Self.ramp(0, 6, 1, 0.5)])
        #expect(apart.volume(at: 6 * Self.second) == 0)
        #expect(apart.volume(at: 7 * Self.second) == 1)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func noNumberIsRefused(_ volume: Double) {
        #expect(throws: VolumeTimeline.Failure.self) { try VolumeTimeline().setting(Self.ramp(0, 1, volume, 1)) }
        do throws(VolumeTimeline.Failure) {
            _ = try VolumeTimeline().setting(Self.ramp(0, 1, 1, volume))
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains("\(volume)"))
        }
    }

    @Test func endOfTime() throws {
        let late = VolumeTimeline.Ramp(start: .max - 10, duration: .max, from: 0, to: 1)
        let timeline = try Self.timeline([late])
        #expect(timeline.volume(at: .max).isFinite)
    }

    /// `fill` gives what `volume` gives at the frames' times, for any frame to begin with.
    @Test(arguments: [44100, 48000, 11025, 192_000, 47952]) func fills(_ rate: Int) throws {
        let timeline = try Self.timeline([
            Self.ramp(0.01, 0, 0.7, 0.7), Self.ramp(0.02, 0.05, 0.5, 0.2), Self.ramp(0.08, 0.01, 2, 1),
        ])
        for origin in [UInt64(0), 5_000_000, 33_333_333] {
            let clock = SampleClock(origin: origin, rate: rate)
            let frames = rate / 8
            var all = [Double](repeating: -1, count: frames)
            timeline.fill(&all, frames: frames, times: clock, first: 0)
            for frame in 0..<frames {
                let expected = timeline.volume(at: clock.nanoseconds(frame))
                #expect(abs(all[frame] - expected) < 1e-6, "frame \(frame)")
            }
            var parts: [Double] = []
            for first in stride(from: 0, to: frames, by: 331) {
                var part = [Double](repeating: -1, count: min(331, frames - first))
                timeline.fill(&part, frames: part.count, times: clock, first: first)
                parts += part
            }
            #expect(parts == all)
        }
    }

    /// A jump acts at the first frame whose time, rounded up, is not before it.
    @Test(arguments: [44100, 48000, 47952]) func jumpsAtTheFrame(_ rate: Int) throws {
        let clock = SampleClock(origin: 123_456_789, rate: rate)
        for frame in [0, 1, 2, 147, 1001, 44099] {
            let time = clock.nanoseconds(frame)
            let timeline = try VolumeTimeline().setting(.init(start: time, duration: 0, from: 0, to: 0))
            var volumes = [Double](repeating: -1, count: 3)
            timeline.fill(&volumes, frames: 3, times: clock, first: frame - 1)
            if frame > 0 { #expect(volumes == [1, 0, 0]) }
        }
    }

    @Test func clocks() {
        let clock = SampleClock(origin: 1000, rate: 44100)
        #expect(clock.nanoseconds(0) == 1000)
        #expect(clock.nanoseconds(1) == 1000 + 22676)
        #expect(clock.nanoseconds(44100) == 1000 + Self.second)
        // A hundred years; doubles have no such precision.
        let frames = 44100 * 86400 * 36525
        #expect(clock.nanoseconds(frames) == 1000 + UInt64(86400 * 36525) * Self.second)
        #expect(clock.nanoseconds(frames + 1) == 1000 + UInt64(86400 * 36525) * Self.second + 22676)
        #expect(SampleClock(origin: 0, rate: 48000, appliedRate: 2).nanoseconds(48000) == 2 * Self.second)
        #expect(SampleClock(origin: 7, rate: 48000).nanoseconds(.max) > 0)
        _ = SampleClock(origin: 0, rate: 0, appliedRate: .nan).nanoseconds(5)
    }
}
