import CGStreamer
import CHDRLibrary
import TestSupport
import Testing

private let ms = 1_000_000

/// Pipelines that show what a timebase says, on a clock that the test moves: everything to the ns.
@Suite(.timeLimit(.minutes(2))) struct FollowTests {
    private let clock = ManualClock(at: 10 * second)

    private func follow(_ pipeline: TestPipeline, _ timebase: OpaquePointer?) throws {
        var error: UnsafeMutablePointer<GError>?
        let isDone = gst_hdr_follow_timebase(pipeline.element, timebase, &error)
        if let failure = Failure(taking: error) { throw failure }
        try #require(isDone != 0)
    }

    /// The times when the next frames are due, and the frames' own times.
    private func frames(_ pipeline: TestPipeline, count: Int) -> [[Int]] {
        (0..<count).map { _ in
            let due = clock.step()
            var shown: [Int] = []
            while shown.isEmpty { shown = pipeline.takeFrames() }
            return [due] + shown
        }
    }

    /// Waits until the pipeline runs as it is told on a thread of the library's.
    private func awaitRate(_ rate: Double, _ pipeline: TestPipeline) {
        let own = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(own)) }
        while gst_hdr_timebase_get_rate(own) != rate { g_usleep(500) }
    }

    @Test func everyFrameIsSeenAtItsTime() throws {
        let timebase = Timebase(clock)
        _ = gst_hdr_timebase_set_rate_and_anchor_time(timebase.pointer, 1, 4 * second, 12 * second)
        let pipeline = TestPipeline()
        try follow(pipeline, timebase.pointer)
        #expect(frames(pipeline, count: 4) == (0..<4).map { [10 * second + $0 * 40 * ms, 2 * second + $0 * 40 * ms] })
        // At 10.12 s the timebase is at 2.12 s, for each of the rates that follow.
        for (rate, steps) in [(2.0, [[0, 2120], [20, 2160], [40, 2200]]), (0.5, [[40, 2200], [120, 2240]])] {
            timebase.rate = rate
            awaitRate(rate, pipeline)
            #expect(frames(pipeline, count: steps.count) == steps.map { [10_120 * ms + $0[0] * ms, $0[1] * ms] })
        }
        timebase.rate = -1
        awaitRate(-1, pipeline)
        // At 10.24 s the timebase is at 2.24 s: backwards, the frame that ends then is the first.
        #expect(frames(pipeline, count: 3) == (0..<3).map { [10_240 * ms + $0 * 40 * ms, 2200 * ms - $0 * 40 * ms] })
    }

    @Test func itStandsAndGoesOn() throws {
        let timebase = Timebase(clock)
        timebase.time = 4 * second
        let pipeline = TestPipeline()
        try follow(pipeline, timebase.pointer)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.position == 4 * second)
        timebase.rate = 1
        awaitRate(1, pipeline)
        #expect(frames(pipeline, count: 1) == [[10 * second, 4 * second]])
        timebase.rate = 0
        awaitRate(0, pipeline)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.position == timebase.time)
    }

    /// A stream that the timebase has yet to come to begins in time, from either end.
    @Test func whatLiesOutsideOfTheStream() throws {
        let parent = Timebase(clock)
        let timebase = Timebase(on: parent)
        let line = TestPipeline.video.replacing("videotestsrc", with: "videotestsrc num-buffers=50")
        let pipeline = TestPipeline(line)
        timebase.time = -second
        timebase.rate = 0.5
        try follow(pipeline, timebase.pointer)
        #expect(pipeline.state == GST_STATE_PAUSED)
        parent.rate = 1
        awaitRate(0.5, pipeline)
        #expect(frames(pipeline, count: 2) == [[12 * second, 0], [12_080 * ms, 40 * ms]])
        timebase.rate = -1
        awaitRate(-1, pipeline)
        timebase.time = 3 * second
        let start = clock.time
        while clock.nextWait != start + second { g_usleep(500) }
        _ = pipeline.takeFrames()
        #expect(frames(pipeline, count: 2) == [[start + second, 1960 * ms], [start + 1040 * ms, 1920 * ms]])
        timebase.time = 5 * second
        timebase.rate = 1
        awaitRate(0, pipeline)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.position >= 1960 * ms)
    }

    /// Behind the end there is no frame, so that the last one stays.
    @Test(arguments: [1999, 2000, 2001, 9000]) func theLastFrameStands(milliseconds: Int) throws {
        let scratch = try TemporaryFolder()
        let file = scratch.path("clip.mkv")
        TestPipeline(
            "videotestsrc num-buffers=50 ! video/x-raw,format=I420,width=16,height=16,framerate=25/1 ! matroskamux ! "
                + "filesink location=\(file)", paused: false
        ).runToTheEnd()
        let timebase = Timebase(clock)
        timebase.time = milliseconds * ms
        let pipeline = TestPipeline("filesrc location=\(file) ! matroskademux ! fakesink name=sink sync=true")
        try follow(pipeline, timebase.pointer)
        #expect(pipeline.state == GST_STATE_PAUSED)
        // The demuxer gives the frame that is cut the time that was asked for.
        #expect((1960 * ms..<2000 * ms).contains(pipeline.lastFrame))
        timebase.time = second
        while !(960 * ms...1000 * ms).contains(pipeline.lastFrame) { g_usleep(500) }
    }

    @Test func anotherClockAndTheEnd() throws {
        let timebase = Timebase(clock)
        let pipeline = TestPipeline()
        timebase.time = 4 * second
        try follow(pipeline, timebase.pointer)
        let other = ManualClock(at: 3 * second)
        gst_hdr_timebase_set_source_clock(timebase.pointer, other.clock)
        timebase.rate = 1
        awaitRate(1, pipeline)
        #expect(other.awaitWait() == 3 * second && clock.waits == 0)
        try follow(pipeline, nil)
        timebase.rate = 2
        g_usleep(50000)
        awaitRate(1, pipeline)
        #expect(other.awaitWait() == 3 * second)
    }

    @Test func whatCannotBeFollowed() throws {
        let pipeline = TestPipeline()
        let own = try #require(gst_hdr_get_timebase(pipeline.element))
        defer { g_object_unref(UnsafeMutableRawPointer(own)) }
        #expect(throws: Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT)) { try follow(pipeline, own) }
        let child = try #require(gst_hdr_timebase_new_with_timebase(own))
        defer { g_object_unref(UnsafeMutableRawPointer(child)) }
        #expect(throws: Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT)) { try follow(pipeline, child) }
        let stopped = TestPipeline(paused: false)
        let timebase = Timebase(clock)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_READY)) {
            try withExtendedLifetime(timebase) { try follow(stopped, timebase.pointer) }
        }
    }

    /// A pipeline that is followed is not kept alive, and changes while it goes away do no harm.
    @Test func aPipelineThatGoes() throws {
        let timebase = Timebase(clock)
        let count = 20
        let references = UnsafeMutablePointer<GWeakRef>.allocate(capacity: count)
        references.initialize(repeating: GWeakRef(), count: count)
        defer {
            for index in 0..<count { g_weak_ref_clear(references + index) }
            references.deallocate()
        }
        for index in 0..<count {
            let pipeline = TestPipeline()
            g_weak_ref_init(references + index, pipeline.element)
            try follow(pipeline, timebase.pointer)
            timebase.rate = timebase.rate == 0 ? 1 : 0
        }
        // A thread of the library's may still hold the last ones for a moment.
        for index in 0..<count {
            while let held = g_weak_ref_get(references + index) {
                g_object_unref(held)
                g_usleep(500)
            }
        }
        timebase.rate = 2
        #expect(timebase.rate == 2)
    }
}
