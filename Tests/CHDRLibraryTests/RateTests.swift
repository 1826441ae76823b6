import CHDRLibrary
import TestSupport
import Testing

/// Rates as fractions, and times that are exact at any distance.
@Suite struct RateTests {
    @Test(
        arguments: [
            (1.0, [1, 1]), (-0.5, [-1, 2]), (1.001, [1001, 1000]), (24000.0 / 1001.0, [24000, 1001]), (0.1, [1, 10]),
            (2_147_483_647, [2_147_483_647, 1]), (-1.0 / 2_147_483_647, [-1, 2_147_483_647]), (1.0 / 3, [1, 3]),
            (0, [0, 1]),
        ] as [(Double, [Int])])
    func theSimplestFractionThatIsTheDouble(rate: Double, fraction: [Int]) {
        let timebase = Timebase(ManualClock())
        timebase.rate = rate
        #expect(timebase.fraction == fraction && timebase.rate == rate)
    }

    @Test func anyRateComesBackAsItWasSet() {
        var random = SeededGenerator(seed: 21)
        let timebase = Timebase(ManualClock())
        for _ in 0..<20000 {
            let magnitude =
                Double.random(in: 1..<2, using: &random)
                * Double(sign: .plus, exponent: .random(in: -31...30, using: &random), significand: 1)
            for rate in [magnitude, -magnitude, magnitude.rounded() + magnitude.ulp] where timebase.set(rate: rate) {
                #expect(timebase.rate == rate)
            }
        }
    }

    @Test func fractionsAreInLowestTerms() {
        let timebase = Timebase(ManualClock())
        #expect(timebase.set(rate: 60000, over: -2002))
        #expect(timebase.fraction == [-30000, 1001])
        #expect(timebase.set(rate: .min, over: .min))
        #expect(timebase.fraction == [1, 1])
        #expect(timebase.set(rate: .min, over: 2) == false && timebase.set(rate: .min, over: 4))
        #expect(!timebase.set(rate: .min, over: 1) && timebase.fraction == [-1 << 61, 1])
    }

    /// After 365 days at 1001/1000 a double is 3 ns off.
    @Test func aYearIsExactToTheNanosecond() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        timebase.rate = 1.001
        let year = 365 * 86400 * second
        for offset: Int in [0, 1, 499, 500, 501, 999, 1000] {
            clock.time = year + offset
            // Halves go away from 0.
            let exact = year / 1000 * 1001 + offset + (offset + 500) / 1000
            #expect(timebase.time == exact)
        }
    }

    @Test func forwardsAndBackwardsMirror() {
        let clock = ManualClock()
        let (forwards, backwards) = (Timebase(clock), Timebase(clock))
        #expect(forwards.set(rate: 30000, over: 1001))
        #expect(backwards.set(rate: -30000, over: 1001))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            clock.time = clock.time + Int.random(in: 0...second, using: &random)
            #expect(forwards.time == -backwards.time)
        }
    }

    /// Nothing overflows: what lies beyond the range of times is its end.
    @Test func timesEndAtTheirRange() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        let child = Timebase(on: timebase)
        child.rate = -2_147_483_647
        timebase.rate = 2_147_483_647
        clock.time = 290 * 365 * 86400 * second
        timebase.time = .max
        #expect(timebase.time == .max && child.time == -.max)
        #expect(timebase.set(time: -.max, at: .max))
        #expect(timebase.time == -.max && child.time == .max)
        #expect(gst_hdr_timebase_get_time_at(timebase.pointer, -.max) == -.max)
        #expect(child.effectiveRate == -2_147_483_647.0 * 2_147_483_647.0)
        let grandchild = Timebase(on: child)
        grandchild.rate = 2_147_483_647
        let exact = -2_147_483_647.0 * 2_147_483_647 * 2_147_483_647
        #expect(abs(grandchild.effectiveRate / exact - 1) < 1e-9)
    }
}
