import CGStreamer
import CHDRLibrary
import Testing

private let ms = 1_000_000

/// Another rate for a pipeline that plays, from now on, on a clock that the test moves: its time goes on.
@Suite(.timeLimit(.minutes(2))) struct RateChangeTests {
    private let clock = ManualClock(at: 10 * second)

    /// A pipeline that has played from 2 s on for 130 ms, and shows the frame of 2.12 s.
    private func playing(_ pipeline: TestPipeline) throws -> Timebase {
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 2 * second, at: 11 * second)
        for _ in 0..<4 { _ = pipeline.nextFrame(clock) }
        clock.time = 11_130 * ms
        return Timebase(of: pipeline)
    }

    @Test(
        arguments: [
            (2.0, [[0, 2120], [15, 2160], [35, 2200]]), (0.5, [[0, 2120], [60, 2160]]),
            (-1, [[0, 2120], [10, 2080]]),
        ] as [(Double, [[Int]])])
    func theTimeGoesOn(rate: Double, frames: [[Int]]) throws {
        let pipeline = TestPipeline()
        let timebase = try playing(pipeline)
        try pipeline.set(rate: rate, time: nil, at: nil)
        #expect(timebase.time == 2130 * ms && timebase.rate == rate)
        #expect(timebase.takeNotices() == [.rate(rate)])
        #expect(frames.map { _ in pipeline.nextFrame(clock) } == frames.map { [11_130 * ms + $0[0] * ms, $0[1] * ms] })
        clock.time = 11_230 * ms
        #expect(timebase.time == 2130 * ms + Int(rate * 100) * ms)
    }

    /// A pause is at the present time, not at that of a frame, and is no jump.
    @Test func aPauseStopsTheTime() throws {
        let pipeline = TestPipeline()
        let timebase = try playing(pipeline)
        try pipeline.set(rate: 0, time: nil, at: nil)
        clock.time = 20 * second
        #expect(timebase.time == 2130 * ms && pipeline.position == 2130 * ms)
        #expect(timebase.takeNotices() == [.rate(0)])
    }

    @Test func theSameRateChangesNothing() throws {
        let pipeline = TestPipeline()
        let timebase = try playing(pipeline)
        let seek = pipeline.seek
        try pipeline.set(rate: 1, time: nil, at: nil)
        #expect(pipeline.seek == seek && timebase.time == 2130 * ms && timebase.takeNotices() == [])
        #expect(pipeline.nextFrame(clock) == [11_160 * ms, 2160 * ms])
        // The same rate at a host time is another start.
        try pipeline.set(rate: 1, time: nil, at: 12 * second)
        #expect(pipeline.nextFrame(clock) == [12 * second, 2160 * ms])
    }

    /// Before the host time of a start the pipeline is at the start's time.
    @Test func beforeTheStart() throws {
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 2 * second, at: 15 * second)
        try pipeline.set(rate: 2, time: nil, at: nil)
        #expect(pipeline.nextFrame(clock) == [10_020 * ms, 2 * second])
        #expect(pipeline.nextFrame(clock) == [10_040 * ms, 2040 * ms])
    }

    /// A stream that cannot play at that rate plays on, and its time with it.
    @Test func aRateThatIsRefused() throws {
        let pipeline = TestPipeline(
            "fakesrc sizetype=fixed sizemax=40 datarate=1000 format=time ! fakesink name=sink sync=true")
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 0, at: 11 * second)
        for _ in 0..<4 { _ = pipeline.nextFrame(clock) }
        clock.time = 11_130 * ms
        let timebase = Timebase(of: pipeline)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try pipeline.set(rate: 2, time: nil, at: nil) }
        clock.time = 11_140 * ms
        #expect(timebase.time == 140 * ms && timebase.rate == 1)
        #expect(pipeline.state == GST_STATE_PLAYING)
    }

    /// On a clock that runs by itself, the time never turns back while the rate changes.
    @Test func itNeverTurnsBack() throws {
        let pipeline = TestPipeline()
        try pipeline.set(rate: 1, time: second, at: nil)
        let timebase = Timebase(of: pipeline)
        while timebase.time < second + 50 * ms { g_usleep(500) }
        var last = timebase.time
        for rate in [2.0, 1, 0.5, 3, 1] {
            try pipeline.set(rate: rate, time: nil, at: nil)
            let now = timebase.time
            #expect(now >= last && now < last + second && timebase.rate == rate)
            last = now
        }
        #expect(timebase.takeNotices().allSatisfy { if case .jumped = $0 { false } else { true } })
    }
}
