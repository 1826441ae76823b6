import CGStreamer
import CHDRLibrary
import Testing

/// The rules of CMTimebase.
@Suite struct TimebaseTests {
    @Test func itBeginsAtZeroAndStandsStill() {
        let clock = ManualClock(at: 7 * second)
        let timebase = Timebase(clock)
        #expect(timebase.time == 0 && timebase.rate == 0 && timebase.effectiveRate == 0)
        clock.time = 9 * second
        #expect(timebase.time == 0)
    }

    private static let runs: [(Double, Int)] = [
        (1, 3_000_000_000), (2, 6_000_000_000), (0.5, 1_500_000_000), (-1, -3_000_000_000), (-0.25, -750_000_000),
        (0, 0), (1.001, 3_003_000_000),
    ]

    @Test(arguments: runs)
    func aRateRunsFromNowOn(rate: Double, after: Int) {
        let clock = ManualClock(at: 5 * second)
        let timebase = Timebase(clock)
        timebase.time = 10 * second
        clock.time = 6 * second
        timebase.rate = rate
        #expect(timebase.time == 10 * second)
        clock.time = 9 * second
        #expect(timebase.time == 10 * second + after)
    }

    @Test func anchorsReachIntoPastAndFuture() {
        let clock = ManualClock(at: 100 * second)
        let timebase = Timebase(clock)
        // The time goes on as though the timebase had run at 2 since 90 s.
        #expect(timebase.set(rate: 2, time: 5 * second, at: 90 * second))
        #expect(timebase.time == 25 * second)
        // In the future: it starts from an earlier time.
        #expect(timebase.set(rate: 1, time: 5 * second, at: 110 * second))
        #expect(timebase.time == -5 * second)
        clock.time = 110 * second
        #expect(timebase.time == 5 * second)
        // The rate stays.
        #expect(timebase.set(time: 0, at: 100 * second))
        #expect(timebase.time == 10 * second && timebase.rate == 1)
        #expect(gst_hdr_timebase_get_time_at(timebase.pointer, 90 * second) == -10 * second)
        // At rate 0 the anchor's source time does not matter.
        timebase.rate = 0
        #expect(timebase.set(time: 42, at: 3))
        #expect(timebase.time == 42)
    }

    @Test func whatIsNoTimeOrRateChangesNothing() {
        let clock = ManualClock(at: 1)
        let timebase = Timebase(clock)
        timebase.time = 17
        #expect(timebase.takeNotices() == [.jumped(17)])
        for rate in [Double.nan, .infinity, -.infinity, 3e9, 1e-10, -1e300, 5e-324] {
            #expect(!timebase.set(rate: rate))
            #expect(!timebase.set(rate: rate, time: 0, at: 0))
        }
        #expect(!timebase.set(rate: 1, over: 0))
        #expect(!timebase.set(time: noTime))
        #expect(!timebase.set(time: noTime, at: 0))
        #expect(!timebase.set(time: 0, at: noTime))
        #expect(!timebase.set(rate: 1, time: 0, at: noTime))
        #expect(gst_hdr_timebase_get_time_at(timebase.pointer, noTime) == noTime)
        #expect(timebase.time == 17 && timebase.rate == 0 && timebase.notices.isEmpty)
    }

    @Test func ratesMultiplyAlongTheChain() {
        let clock = ManualClock()
        let parent = Timebase(clock)
        let child = Timebase(on: parent)
        let grandchild = Timebase(on: child)
        (parent.rate, child.rate, grandchild.rate) = (2, -1.5, 0.25)
        #expect(grandchild.effectiveRate == -0.75 && grandchild.rate == 0.25 && child.effectiveRate == -3)
        clock.time = 4 * second
        #expect(parent.time == 8 * second && child.time == -12 * second && grandchild.time == -3 * second)
        parent.rate = 0
        #expect(grandchild.effectiveRate == 0)
        clock.time = 40 * second
        #expect(grandchild.time == -3 * second)
        // A child's time goes with its parent's.
        parent.time = 0
        #expect(child.time == 0 && grandchild.time == 0)
    }

    @Test func anotherSourceKeepsTimeAndRate() throws {
        let (clock, other) = (ManualClock(at: 10 * second), ManualClock(at: 500 * second))
        let timebase = Timebase(clock)
        let above = Timebase(on: timebase)
        timebase.rate = 2
        above.rate = 1
        clock.time = 13 * second
        _ = (timebase.takeNotices(), above.takeNotices())
        gst_hdr_timebase_set_source_clock(timebase.pointer, other.clock)
        #expect(timebase.takeNotices() == [.source] && above.takeNotices() == [.source])
        #expect(timebase.time == 6 * second && timebase.rate == 2)
        clock.time = 20 * second
        other.time = 501 * second
        #expect(timebase.time == 8 * second)
        // Onto a timebase of another rate: the effective rate is another one.
        let base = Timebase(other)
        base.rate = -1
        #expect(timebase.run(on: base))
        #expect(timebase.takeNotices() == [.source, .rate(-2)] && timebase.time == 8 * second)
        other.time = 503 * second
        #expect(timebase.time == 4 * second && above.time == 4 * second)
        let source = try #require(gst_hdr_timebase_get_source_timebase(timebase.pointer))
        #expect(source == base.pointer && gst_hdr_timebase_get_source_clock(timebase.pointer) == nil)
        g_object_unref(UnsafeMutableRawPointer(source))
        let root = try #require(gst_hdr_timebase_get_ultimate_clock(above.pointer))
        #expect(root == other.clock)
        gst_object_unref(root)
    }

    @Test func nothingRunsOnItself() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        let child = Timebase(on: timebase)
        #expect(!timebase.run(on: timebase))
        #expect(!timebase.run(on: child))
        #expect(timebase.notices.isEmpty && child.notices.isEmpty)
    }

    /// A rate alone is no jump; a rate with an anchor is one, even where it changes nothing.
    @Test func noticesTellJumpsFromRates() {
        let clock = ManualClock(at: second)
        let timebase = Timebase(clock)
        let moving = Timebase(on: timebase)
        let still = Timebase(on: timebase)
        moving.rate = 0.5
        #expect(moving.takeNotices().isEmpty, "the effective rate was and is 0")
        timebase.rate = 1
        #expect(timebase.takeNotices() == [.rate(1)])
        #expect(moving.takeNotices() == [.rate(0.5)] && still.takeNotices().isEmpty)
        timebase.rate = 1
        #expect(timebase.takeNotices().isEmpty)
        timebase.time = 10 * second
        #expect(timebase.takeNotices() == [.jumped(10 * second)])
        #expect(moving.takeNotices() == [.jumped(5 * second)])
        #expect(timebase.set(rate: 1, time: 10 * second, at: second))
        #expect(timebase.takeNotices() == [.jumped(10 * second)])
        #expect(timebase.set(rate: -2, time: 3, at: second))
        #expect(timebase.takeNotices() == [.rate(-2), .jumped(3)])
        #expect(timebase.set(time: 8, at: second))
        #expect(timebase.takeNotices() == [.jumped(8)] && still.notices.isEmpty)
    }

    /// A child that is gone is no longer told, and keeps its source alive until then.
    @Test func sourcesOutliveWhatRunsOnThem() {
        let clock = ManualClock()
        var parent: Timebase? = Timebase(clock)
        var child: Timebase? = Timebase(on: parent!)
        parent?.rate = 1
        child?.rate = 1
        parent = nil
        clock.time = 3
        #expect(child?.time == 3)
        parent = Timebase(clock)
        child = Timebase(on: parent!)
        child = nil
        parent?.rate = 2
        #expect(parent?.takeNotices() == [.rate(2)])
    }

    /// Time and rate of one moment, however often others change both.
    @Test func snapshotsAreConsistent() async {
        let clock = ManualClock(at: 5)
        nonisolated(unsafe) let timebase = Timebase(clock)
        nonisolated(unsafe) let child = Timebase(on: timebase)
        child.rate = 2
        _ = timebase.set(rate: 1, time: 1000, at: 5)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for turn in 0..<20000 {
                    let rate = turn % 2 + 1
                    _ = gst_hdr_timebase_set_rate_and_anchor_time(timebase.pointer, Double(rate), rate * 1000, 5)
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<20000 {
                        var (time, rate): (GstClockTimeDiff, Double) = (0, 0)
                        gst_hdr_timebase_get_time_and_rate(timebase.pointer, &time, &rate)
                        if Double(time) != rate * 1000 { Issue.record("\(time) at rate \(rate)") }
                        if ![2000, 4000].contains(child.time) { Issue.record("a child's time of none of them") }
                    }
                }
            }
        }
    }
}
