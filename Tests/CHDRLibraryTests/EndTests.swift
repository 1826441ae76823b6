import CGStreamer
import CHDRLibrary
import TestSupport
import Testing

private let ms = 1_000_000

/// What a pipeline's timebase says at either end of a stream of 2 s, on a clock that the test moves.
@Suite(.timeLimit(.minutes(2))) struct EndTests {
    private let clock = ManualClock(at: 10 * second)
    private let folder: TemporaryFolder
    private let pipeline: TestPipeline
    private let timebase: OpaquePointer

    init() throws {
        folder = try TemporaryFolder()
        pipeline = Self.pipeline(folder.path("clip.mkv"), "matroskamux", "matroskademux")
        try pipeline.use(clock)
        timebase = gst_hdr_get_timebase(pipeline.element)
    }

    private static func pipeline(_ file: String, _ muxer: String, _ demuxer: String) -> TestPipeline {
        TestPipeline(
            "videotestsrc num-buffers=50 ! video/x-raw,format=I420,width=16,height=16,framerate=25/1 ! jpegenc ! "
                + "\(muxer) ! filesink location=\(file)", paused: false
        ).runToTheEnd()
        return TestPipeline("filesrc location=\(file) ! \(demuxer) ! jpegdec ! fakesink name=sink sync=true")
    }

    private func awaitTheEnd() {
        while gst_hdr_timebase_get_rate(timebase) != 0 { g_usleep(500) }
    }

    /// A start outside of the stream, or at its end in the direction of the rate, ends there: at once, whenever it was
    /// to be.
    @Test(
        arguments: [
            (1.0, 20 * second, 15 * second, 2 * second), (1, 2 * second, 15 * second, 2 * second),
            (1, second, 5 * second, 2 * second), (-1, 0, 15 * second, 0), (-1, second, 5 * second, 0),
            (2, 9 * second, 5 * second, 2 * second),
        ] as [(Double, Int, Int, Int)])
    func whatIsOverIsAtTheEnd(rate: Double, time: Int, host: Int, end: Int) throws {
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        try pipeline.set(rate: rate, time: time, at: host)
        awaitTheEnd()
        #expect(gst_hdr_timebase_get_time(timebase) == end)
        clock.time = 30 * second
        #expect(gst_hdr_timebase_get_time(timebase) == end)
        // It can start anew.
        _ = pipeline.takeFrames()
        try pipeline.set(rate: 1, time: second, at: 31 * second)
        #expect(clock.step() == 31 * second && gst_hdr_timebase_get_time(timebase) == second)
    }

    /// Where nothing was shown, since the start was at the end, the present time is the end nevertheless. The sinks of
    /// such a MOV say no position.
    @Test(arguments: [(2 * second, nil), (50 * second, nil), (second, 5 * second)] as [(Int, Int?)])
    func itGoesOnFromTheEnd(time: Int, host: Int?) throws {
        g_object_unref(UnsafeMutableRawPointer(timebase))
        let pipeline = Self.pipeline(folder.path("clip.mov"), "qtmux", "qtdemux")
        try pipeline.use(clock)
        let timebase = Timebase(of: pipeline)
        for rate in [0.0, -1] {
            try pipeline.set(rate: 1, time: time, at: host)
            while timebase.rate != 0 { g_usleep(500) }
            #expect(timebase.time == 2 * second)
            try pipeline.set(rate: rate, time: nil, at: rate == 0 ? nil : 40 * second)
            if rate != 0 { clock.time = 40 * second }
            #expect(timebase.time == 2 * second)
            #expect(pipeline.state == (rate == 0 ? GST_STATE_PAUSED : GST_STATE_PLAYING))
        }
    }

    @Test(arguments: [1.0, -1]) func aStreamThatPlaysToItsEnd(rate: Double) throws {
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        try pipeline.set(rate: rate, time: rate > 0 ? 1900 * ms : 100 * ms, at: 11 * second)
        while gst_hdr_timebase_get_rate(timebase) != 0 {
            if clock.nextWait == nil { g_usleep(500) } else { clock.step() }
        }
        #expect(gst_hdr_timebase_get_time(timebase) == (rate > 0 ? 2 * second : 0))
    }

    @Test(arguments: [2 * second, 50 * second]) func aPauseAfterTheEndIsAtTheEnd(time: Int) throws {
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        try pipeline.set(rate: 0, time: time, at: nil)
        #expect(gst_hdr_timebase_get_time(timebase) == 2 * second)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.lastFrame >= 1960 * ms)
    }
}
