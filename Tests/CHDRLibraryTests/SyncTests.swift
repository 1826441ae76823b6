import CGStreamer
import CHDRLibrary
import Testing

/// The rules of CMSync.
@Suite struct SyncTests {
    private func convert(_ time: Int, _ from: Timebase, _ to: Timebase) -> Int {
        gst_hdr_sync_convert_time(time, from.raw, to.raw)
    }

    private func mightDrift(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool {
        gst_hdr_sync_might_drift(one, other) != 0
    }

    @Test func siblingsConvertByArithmetic() {
        let clock = ManualClock(at: 50 * second)
        let parent = Timebase(clock)
        let (one, other) = (Timebase(on: parent), Timebase(on: parent))
        one.rate = 2
        other.rate = -1
        other.time = 100 * second
        // The parent stands still, which does not matter between what runs on it.
        #expect(convert(10 * second, one, other) == 95 * second)
        #expect(convert(95 * second, other, one) == 10 * second)
        #expect(convert(10 * second, one, parent) == 5 * second)
        #expect(convert(5 * second, parent, one) == 10 * second)
        #expect(convert(7, one, one) == 7)
        #expect(convert(noTime, one, other) == noTime)
        // Relative to the clock it does stand still.
        #expect(gst_hdr_sync_convert_time(10 * second, one.raw, clock.clock) == noTime)
        parent.rate = 1
        #expect(gst_hdr_sync_convert_time(10 * second, one.raw, clock.clock) == 55 * second)
        #expect(gst_hdr_sync_convert_time(55 * second, clock.clock, one.raw) == 10 * second)
        other.rate = 0
        #expect(convert(10 * second, one, other) == 100 * second)
        #expect(convert(100 * second, other, one) == noTime)
    }

    @Test func differentClocksAreTakenToRunAlike() {
        let (clock, otherClock) = (ManualClock(at: 10 * second), ManualClock(at: 1000 * second))
        let (one, other) = (Timebase(clock), Timebase(otherClock))
        one.rate = 1
        other.rate = 2
        clock.time = 13 * second
        otherClock.time = 1001 * second
        // One shows 3 s and the other 2 s now; in 4 s 7 s and 10 s.
        #expect(convert(7 * second, one, other) == 10 * second)
        #expect(convert(10 * second, other, one) == 7 * second)
        #expect(gst_hdr_sync_convert_time(20 * second, clock.clock, otherClock.clock) == 1008 * second)
        #expect(mightDrift(one.raw, other.raw) && mightDrift(one.raw, otherClock.clock))
        #expect(!mightDrift(one.raw, clock.clock) && !mightDrift(one.raw, one.raw))
    }

    @Test func relativeRates() {
        let clock = ManualClock()
        let parent = Timebase(clock)
        let (one, other) = (Timebase(on: parent), Timebase(on: parent))
        func rate(_ of: UnsafeMutableRawPointer, _ base: UnsafeMutableRawPointer) -> Double {
            gst_hdr_sync_get_relative_rate(of, base)
        }
        #expect(rate(one.raw, other.raw) == 0, "both stand still")
        one.rate = 3
        #expect(rate(one.raw, other.raw).isNaN)
        #expect(rate(other.raw, one.raw) == 0)
        other.rate = -1.5
        #expect(rate(one.raw, other.raw) == -2 && rate(other.raw, one.raw) == -0.5)
        #expect(rate(one.raw, clock.clock) == 0 && rate(clock.clock, one.raw).isNaN)
        parent.rate = 0.5
        #expect(rate(one.raw, clock.clock) == 1.5 && rate(clock.clock, one.raw) == 1 / 1.5)
        #expect(rate(clock.clock, clock.clock) == 1)
        clock.time = 6 * second
        #expect(gst_hdr_sync_get_time(one.raw) == 9 * second && gst_hdr_sync_get_time(clock.clock) == 6 * second)
    }
}
