import Testing

@testable import HDRPresenter

@Suite struct RefreshClockTests {
    @Test func nextRefreshIsAWholeNumberOfIntervalsAway() {
        var clock = RefreshClock()
        #expect(clock.tick(at: 1000).target == 1000 + 16_666_667)
        clock.saw(1_000_000_000, sequence: 100, interval: 10_000_000)
        let tick = clock.tick(at: 1_034_000_000)
        #expect(tick.target == 1_040_000_000 && tick.sequence == 104 && tick.interval == 10_000_000)
        // A refresh that is to come.
        #expect(clock.tick(at: 995_000_000).target == 1_000_000_000)
        clock.saw(2_000_000_000, sequence: 200, interval: 0)
        #expect(clock.interval == 10_000_000)
        clock.setInterval(1)
        #expect(clock.interval == 10_000_000)
        // Times that make no sense.
        clock.saw(.max, sequence: .max, interval: .max)
        #expect(clock.tick(at: 5).target == 5 + 10_000_000)
        clock.saw(1, sequence: .max, interval: 10_000_000)
        let end = UInt64.max - 5
        #expect(clock.tick(at: end).now == end)
    }
}
