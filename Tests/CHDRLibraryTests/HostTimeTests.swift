import CGStreamer
import CHDRLibrary
import TestSupport
import Testing

private let ms = 1_000_000

/// Pipelines that are started on an instant, on a clock that the test moves: everything to the ns.
@Suite(.timeLimit(.minutes(2))) struct HostTimeTests {
    /// The times when the next `count` frames are due, and the frames' own times.
    private func follow(_ pipeline: TestPipeline, _ clock: ManualClock, count: Int) -> [[Int]] {
        (0..<count).map { _ in
            let due = clock.step()
            var shown: [Int] = []
            while shown.isEmpty { shown = pipeline.takeFrames() }
            return [due] + shown
        }
    }

    private static let rates: [(rate: Double, step: Int, frame: Int)] = [
        (1, 40 * ms, 40 * ms), (2, 20 * ms, 40 * ms), (0.5, 80 * ms, 40 * ms), (-1, 40 * ms, -40 * ms),
        (-2, 20 * ms, -40 * ms),
    ]

    @Test(arguments: rates) func theFirstFrameIsSeenAtTheHostTime(rate: Double, step: Int, frame: Int) throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: rate, time: 4 * second, at: 12 * second)
        // The frame that ends at 4 s is the first one backwards.
        let first = rate > 0 ? 4 * second : 4 * second - 40 * ms
        #expect(
            follow(pipeline, clock, count: 6)
                == (0..<6).map { [12 * second + $0 * step, first + $0 * frame] })
    }

    @Test func beforeTheHostTimeItStays() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 4 * second, at: 12 * second)
        #expect(pipeline.state == GST_STATE_PLAYING)
        for time in [10 * second, 11 * second, 12 * second - 1] {
            clock.time = time
            #expect(pipeline.position == 4 * second)
        }
        #expect(pipeline.takeFrames() == [])
        // The timebase tells how long it will take.
        let timebase = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        #expect(gst_hdr_timebase_get_time(timebase) == 4 * second - 1)
        clock.time = 12 * second + 25 * ms
        clock.release()
        #expect(gst_hdr_timebase_get_time(timebase) == 4 * second + 25 * ms)
        _ = clock.awaitWait()
        #expect(pipeline.position == 4 * second + 25 * ms)
    }

    /// The stream goes where it would be, joins in 40 ms later, on the frame that is to be seen then.
    @Test(arguments: [1.0, 2, 0.5, -1]) func aHostTimeInThePastJoinsIn(rate: Double) throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        let host = 9 * second - 10 * ms
        try pipeline.set(rate: rate, time: 4 * second, at: host)
        let start = clock.awaitWait()
        #expect(start == 10 * second + 40 * ms)
        let time = 4 * second + Int(Double(start - host) * rate)
        let shown = follow(pipeline, clock, count: 4)
        for (index, frame) in shown.enumerated() {
            let place = (rate > 0 ? time / (40 * ms) + index : (time - 1) / (40 * ms) - index) * 40 * ms
            // This is where the frame would begin to be seen, if the pipeline had played since the host time.
            let edge = rate > 0 ? place : place + 40 * ms
            let due = host + Int(Double(edge - 4 * second) / rate)
            #expect(frame == [max(due, start), place])
        }
    }

    @Test func noHostTimeIsSoonAndNoItemTimeIsThePresentOne() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 2 * second, at: nil)
        #expect(clock.awaitWait() == 10 * second + 20 * ms)
        _ = follow(pipeline, clock, count: 3)
        clock.time = 10 * second + 130 * ms
        // 2.11 s are over; the frame of 2.08 s is seen.
        try pipeline.set(rate: 2, time: nil, at: 11 * second)
        #expect(
            follow(pipeline, clock, count: 3) == [
                [11 * second, 2080 * ms], [11 * second + 5 * ms, 2120 * ms], [11 * second + 25 * ms, 2160 * ms],
            ])
    }

    /// Rate 0 shows the frame of the time; going on from there needs no other seek.
    @Test func pausedAtATime() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 0, at: 10 * second)
        _ = follow(pipeline, clock, count: 5)
        clock.time = 10 * second + 170 * ms
        _ = clock.awaitWait()
        try pipeline.set(rate: 0, time: nil, at: nil)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.position == 170 * ms)
        let timebase = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        clock.time = 20 * second
        #expect(gst_hdr_timebase_get_time(timebase) == 170 * ms && gst_hdr_timebase_get_rate(timebase) == 0)
        _ = pipeline.takeFrames()
        let seek = pipeline.seek
        try pipeline.set(rate: 1, time: nil, at: 21 * second)
        #expect(pipeline.seek == seek)
        #expect(follow(pipeline, clock, count: 2) == [[21 * second, 160 * ms], [21 * second + 30 * ms, 200 * ms]])
        // A pause at another time does.
        try pipeline.set(rate: 0, time: 3 * second, at: nil)
        #expect(pipeline.position == 3 * second && pipeline.seek != seek)
    }

    /// Another set_state to PAUSED moves nothing, neither where nothing was played yet, nor after a pause at a time.
    /// A stream that cannot seek stays at its start too.
    @Test(arguments: [true, false]) func pausedOnceMore(canSeek: Bool) throws {
        let stream = "fakesrc sizetype=fixed sizemax=40 datarate=1000 format=time ! fakesink name=sink sync=true"
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline(canSeek ? TestPipeline.video : stream)
        try pipeline.use(clock)
        func pauseAgain() {
            gst_element_set_state(pipeline.element, GST_STATE_PAUSED)
            #expect(pipeline.state == GST_STATE_PAUSED)
        }
        pauseAgain()
        #expect(pipeline.position == 0)
        let seek = pipeline.seek
        try pipeline.set(rate: 1, time: canSeek ? nil : 0, at: 12 * second)
        #expect(pipeline.seek == seek)
        #expect(follow(pipeline, clock, count: 2) == [[12 * second, 0], [12 * second + 40 * ms, 40 * ms]])
        guard canSeek else { return }
        for time in [4 * second, 5 * second + 10 * ms] {
            try pipeline.set(rate: 0, time: time, at: nil)
            for _ in 0..<2 { pauseAgain() }
            #expect(pipeline.position == time)
            _ = pipeline.takeFrames()
            let seek = pipeline.seek
            let start = clock.time + second
            try pipeline.set(rate: 1, time: nil, at: start)
            #expect(pipeline.seek == seek)
            #expect(follow(pipeline, clock, count: 1) == [[start, time / (40 * ms) * 40 * ms]])
        }
    }

    @Test func severalPipelinesShareOneInstant() throws {
        let clock = ManualClock(at: 100 * second)
        let pipelines = (0..<3).map { _ in TestPipeline() }
        for (index, pipeline) in pipelines.enumerated() {
            try pipeline.use(clock)
            try pipeline.set(rate: 1, time: index * second, at: 101 * second)
        }
        for frame in 0..<5 {
            let due = 101 * second + frame * 40 * ms
            while clock.waits < 3 {}
            #expect(clock.nextWait == due)
            clock.time = due
            for _ in 0..<3 { clock.release() }
            for (index, pipeline) in pipelines.enumerated() {
                var shown: [Int] = []
                while shown.isEmpty { shown = pipeline.takeFrames() }
                #expect(shown == [index * second + frame * 40 * ms])
            }
        }
    }

    /// At any rate there is a moment at which the stream is at a whole nanosecond: pipelines that join in at others
    /// would differ by one.
    @Test(arguments: [0.5, -0.25, 0.01, 3.0 / 7]) func thePastIsExact(rate: Double) throws {
        let clock = ManualClock(at: 1000 * second)
        let timebases = try (0..<3).map { index in
            let pipeline = TestPipeline()
            try pipeline.use(clock)
            try pipeline.set(rate: rate, time: 60 * second, at: 999 * second - 50)
            clock.time += 1
            clock.release()
            return (pipeline, gst_hdr_get_timebase(pipeline.element)!)
        }
        defer { for (_, timebase) in timebases { g_object_unref(UnsafeMutableRawPointer(timebase)) } }
        let terms: [Double: (Int, Int)] = [0.5: (1, 2), -0.25: (-1, 4), 0.01: (1, 100), 3.0 / 7: (3, 7)]
        let (upper, lower) = try #require(terms[rate])
        for moment in [1000 * second, 1010 * second + 1, 1003 * second + 333_333_333] {
            // The product is rounded to the nearest ns, halves away from 0.
            let product = (moment - 999 * second + 50) * upper
            let rounded = (2 * product.magnitude + UInt(lower)) / UInt(2 * lower)
            let due = 60 * second + (product < 0 ? -1 : 1) * Int(rounded)
            for (_, timebase) in timebases { #expect(gst_hdr_timebase_get_time_at(timebase, moment) == due) }
        }
    }

    /// A pipeline begins earlier by the time that a sink states it takes to show a frame.
    @Test func latencyIsTakenOff() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline(TestPipeline.video + " render-delay=30000000")
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: second, at: 12 * second)
        #expect(
            follow(pipeline, clock, count: 2) == [
                [12 * second - 30 * ms, second], [12 * second + 10 * ms, second + 40 * ms],
            ])
    }

    @Test func anotherClockInAPauseAndBackToGStreamer() throws {
        let (clock, other) = (ManualClock(at: 10 * second), ManualClock(at: 500 * second))
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 1, time: 0, at: 10 * second)
        clock.step()
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_READY)) { try pipeline.use(other) }
        try pipeline.set(rate: 0, time: second, at: nil)
        try pipeline.use(other)
        _ = pipeline.takeFrames()
        try pipeline.set(rate: 1, time: nil, at: 501 * second)
        #expect(
            follow(pipeline, other, count: 2) == [[501 * second, second], [501 * second + 40 * ms, second + 40 * ms]])
        try pipeline.set(rate: 0, time: second, at: nil)
        try pipeline.use(nil)
        // GStreamer's own rules: it plays on the system's clock, from where it is.
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        #expect(pipeline.state == GST_STATE_PLAYING)
        _ = pipeline.takeFrames()
        var shown: [Int] = []
        while shown.count < 3 { shown += pipeline.takeFrames() }
        #expect(shown.allSatisfy { $0 >= second && $0 < 2 * second })
    }

    /// Handlers of the timebase's signals may move the pipeline, and are told of that too.
    @Test func aHandlerMovesThePipeline() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        let timebase = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        let changed: @convention(c) (OpaquePointer, Double, UnsafeMutableRawPointer) -> Void = { _, rate, pipeline in
            let pipeline = Unmanaged<TestPipeline>.fromOpaque(pipeline).takeUnretainedValue()
            guard rate == 1 else { return }
            #expect(throws: Never.self) { try pipeline.set(rate: 2, time: 4 * second, at: 13 * second) }
        }
        let handler = g_signal_connect_data(
            UnsafeMutableRawPointer(timebase), "effective-rate-changed", unsafeBitCast(changed, to: GCallback.self),
            Unmanaged.passUnretained(pipeline).toOpaque(), nil, GConnectFlags(rawValue: 0))
        defer { g_signal_handler_disconnect(UnsafeMutableRawPointer(timebase), handler) }
        try pipeline.set(rate: 1, time: second, at: 12 * second)
        #expect(gst_hdr_timebase_get_rate(timebase) == 2)
        #expect(follow(pipeline, clock, count: 1) == [[13 * second, 4 * second]])
    }

    @Test func whatCannotBe() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline(paused: false)
        try pipeline.use(clock)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_READY)) { try pipeline.set(rate: 1, time: 0, at: nil) }
        gst_element_set_state(pipeline.element, GST_STATE_PAUSED)
        for rate in [Double.nan, .infinity, 1e300, 5e-324] {
            #expect(throws: Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT)) {
                try pipeline.set(rate: rate, time: 0, at: 0)
            }
        }
        var error: UnsafeMutablePointer<GError>?
        #expect(gst_hdr_set_rate_time_at_host_time(pipeline.element, 1, 1 << 63, 0, &error) == 0)
        #expect(Failure(taking: error) == Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT))
        let live = TestPipeline(TestPipeline.video.replacing("videotestsrc", with: "videotestsrc is-live=true"))
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try live.set(rate: 1, time: 0, at: nil) }
        let stream = TestPipeline("fakesrc sizetype=fixed format=time num-buffers=100 ! fakesink name=sink sync=true")
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try stream.set(rate: 2, time: 5, at: nil) }
        let bin = TestPipeline("bin.( videotestsrc ! fakesink name=sink )", paused: false)
        #expect(throws: Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT)) { try bin.set(rate: 1, time: 0, at: nil) }
    }

    /// The caller gets the element's own error, without a wait for frames that will not come.
    @Test func anElementThatFails() throws {
        // The first frame, of the preroll, passes.
        let pipeline = TestPipeline(
            TestPipeline.video.replacing("! fakesink", with: "! identity error-after=2 ! fakesink"))
        let failure = #expect(throws: Failure.self) { try pipeline.set(rate: 1, time: second, at: nil) }
        #expect(
            failure?.code == GST_HDR_ERROR_FAILED && failure?.text.contains("ailed after iterations") == true,
            "\(failure as Any)")
    }

    /// Files whose frames depend on others, with B-frames, and of key frames alone, which go backwards frame by frame.
    /// The media's times, which an edit list shifts, are two frames later than the stream's with B-frames.
    @Test(arguments: [
        ("x264enc key-int-max=50 bframes=2 ! h264parse", 1.0, 80 * ms),
        ("x264enc key-int-max=50 bframes=2 ! h264parse", 2, 80 * ms), ("jpegenc", 0.5, 0), ("jpegenc", -1, 0),
    ])
    func aFile(coding: String, rate: Double, shift: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("clip.mov")
        let writer = TestPipeline(
            "videotestsrc num-buffers=250 ! video/x-raw,format=I420,width=64,height=64,framerate=25/1 ! \(coding) "
                + "! qtmux ! filesink location=\(file)", paused: false)
        writer.runToTheEnd()
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline("filesrc location=\(file) ! decodebin ! fakesink name=sink sync=true")
        try pipeline.use(clock)
        try pipeline.set(rate: rate, time: 4 * second + 10 * ms, at: 12 * second)
        #expect(pipeline.position == 4 * second + 10 * ms)
        // The frame of 4 s, which is seen until 4.04 s; decoders cut off what is before the start.
        let edge = rate > 0 ? 30 * ms : 10 * ms
        let step = Int(Double(40 * ms) / abs(rate))
        let dues = [0] + (0..<4).map { Int(Double(edge) / abs(rate)) + $0 * step }
        let first = rate > 0 ? 4 * second + 10 * ms : 4 * second
        let frames = [first] + (1..<5).map { 4 * second + $0 * (rate > 0 ? 40 : -40) * ms }
        #expect(follow(pipeline, clock, count: 5) == zip(dues, frames).map { [12 * second + $0, $1 + shift] })
    }
}
