import CGStreamer
import CHDRLibrary
import Testing

private let ms = 1_000_000

/// Pipelines that the application itself plays, pauses and seeks, before and after a start by the library: their
/// timebase says where they are.
@Suite(.timeLimit(.minutes(2))) struct OwnMovesTests {
    private let clock = ManualClock(at: 10 * second)

    private func set(_ state: GstState, _ pipeline: TestPipeline) {
        gst_element_set_state(pipeline.element, state)
        #expect(pipeline.state == state)
    }

    private func seek(_ pipeline: TestPipeline, to time: Int, rate: Double = 1) {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        gst_element_seek(
            pipeline.element, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, time, GST_SEEK_TYPE_SET, -1)
    }

    /// A thread of the library's sets the timebase.
    private func expectSoon(_ timebase: Timebase, rate: Double, time: Int) {
        for _ in 0..<4000 where timebase.rate != rate || timebase.time != time { g_usleep(500) }
        #expect(timebase.rate == rate && timebase.time == time)
    }

    /// Plays on with 2.13 s or 130 ms, at the time of the clock.
    private func pauseAndSeek(_ pipeline: TestPipeline, _ timebase: Timebase, from time: Int) {
        set(GST_STATE_PAUSED, pipeline)
        expectSoon(timebase, rate: 0, time: time)
        clock.time = 20 * second
        #expect(timebase.time == time)
        set(GST_STATE_PLAYING, pipeline)
        expectSoon(timebase, rate: 1, time: time)
        #expect(pipeline.nextFrame(clock) == [20_030 * ms, time + 30 * ms])
        expectSoon(timebase, rate: 1, time: time + 30 * ms)
        // A seek while it plays, to a time that is there now.
        seek(pipeline, to: 4 * second, rate: 2)
        #expect(pipeline.state == GST_STATE_PLAYING)
        expectSoon(timebase, rate: 2, time: 4 * second)
        #expect(
            (0..<2).map { _ in pipeline.nextFrame(clock) } == [[20_030 * ms, 4000 * ms], [20_050 * ms, 4040 * ms]])
        // A seek in a pause.
        set(GST_STATE_PAUSED, pipeline)
        expectSoon(timebase, rate: 0, time: 4040 * ms)
        seek(pipeline, to: 6 * second)
        #expect(pipeline.state == GST_STATE_PAUSED)
        expectSoon(timebase, rate: 0, time: 6 * second)
    }

    @Test func aPipelineThatIsSetToPlaying() throws {
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        let timebase = Timebase(of: pipeline)
        set(GST_STATE_PLAYING, pipeline)
        expectSoon(timebase, rate: 1, time: 0)
        for index in 0..<4 { #expect(pipeline.nextFrame(clock) == [10 * second + index * 40 * ms, index * 40 * ms]) }
        clock.time = 10_130 * ms
        #expect(timebase.time == 130 * ms)
        pauseAndSeek(pipeline, timebase, from: 130 * ms)
        // The library starts it from there.
        try pipeline.set(rate: 1, time: nil, at: 30 * second)
        #expect(timebase.time == 6 * second - (30 * second - clock.time))
        _ = pipeline.takeFrames()
        #expect(pipeline.nextFrame(clock) == [30 * second, 6 * second])
    }

    @Test func afterAStartOfTheLibrary() throws {
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        let timebase = Timebase(of: pipeline)
        try pipeline.set(rate: 1, time: 2 * second, at: 11 * second)
        for _ in 0..<4 { _ = pipeline.nextFrame(clock) }
        clock.time = 11_130 * ms
        pauseAndSeek(pipeline, timebase, from: 2130 * ms)
    }

    @Test func aPipelineThatIsStopped() throws {
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        let timebase = Timebase(of: pipeline)
        try pipeline.set(rate: 1, time: 2 * second, at: 10 * second)
        _ = pipeline.nextFrame(clock)
        set(GST_STATE_READY, pipeline)
        expectSoon(timebase, rate: 0, time: 2 * second)
        clock.time = 15 * second
        _ = pipeline.takeFrames()
        set(GST_STATE_PLAYING, pipeline)
        expectSoon(timebase, rate: 1, time: 0)
        #expect(pipeline.nextFrame(clock) == [15 * second, 0])
    }

    /// On the way to NULL the pipeline flushes its bus, with messages of its states.
    @Test(arguments: [false, true]) func aPipelineThatIsStoppedAtOnce(isPausedBefore: Bool) throws {
        for _ in 0..<20 {
            let pipeline = TestPipeline()
            try pipeline.use(clock)
            let timebase = Timebase(of: pipeline)
            set(GST_STATE_PLAYING, pipeline)
            expectSoon(timebase, rate: 1, time: 0)
            if isPausedBefore { gst_element_set_state(pipeline.element, GST_STATE_PAUSED) }
            gst_element_set_state(pipeline.element, GST_STATE_NULL)
            expectSoon(timebase, rate: 0, time: 0)
        }
    }

    /// What asks for the timebase of a pipeline that plays already gets its time at once.
    @Test func aTimebaseThatIsAskedForLate() throws {
        let pipeline = TestPipeline()
        gst_pipeline_use_clock(
            UnsafeMutableRawPointer(pipeline.element).assumingMemoryBound(to: GstPipeline.self), clock.clock)
        set(GST_STATE_PLAYING, pipeline)
        _ = pipeline.nextFrame(clock)
        clock.time = 10_030 * ms
        let timebase = Timebase(of: pipeline)
        #expect(timebase.rate == 1 && timebase.time == 30 * ms)
        // The same that the library says after a start of its own.
        try pipeline.set(rate: 2, time: nil, at: nil)
        #expect(timebase.rate == 2 && timebase.time == 30 * ms)
    }

    @Test func theEndOfAPipelineThatIsSetToPlaying() throws {
        let pipeline = TestPipeline(TestPipeline.video.replacing("videotestsrc", with: "videotestsrc num-buffers=5"))
        try pipeline.use(clock)
        let timebase = Timebase(of: pipeline)
        set(GST_STATE_PLAYING, pipeline)
        expectSoon(timebase, rate: 1, time: 0)
        for _ in 0..<5 { _ = pipeline.nextFrame(clock) }
        while timebase.rate != 0 { if clock.nextWait == nil { g_usleep(500) } else { clock.step() } }
        #expect(timebase.time == 200 * ms)
    }
}
