import CGStreamer
import CHDRLibrary
import TestSupport
import Testing

private let ms = 1_000_000

/// What becomes of a pipeline that cannot be moved, and what is said of one that has failed before.
@Suite(.timeLimit(.minutes(2))) struct PlaybackFailureTests {
    /// A stream of a rate that its source refuses goes on, with the base time that GStreamer chose.
    @Test func aRefusalLeavesItPlaying() throws {
        let pipeline = TestPipeline("fakesrc sizetype=fixed format=time ! fakesink sync=true")
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        #expect(pipeline.state == GST_STATE_PLAYING)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try pipeline.set(rate: 2, time: 5, at: nil) }
        #expect(pipeline.state == GST_STATE_PLAYING)
        #expect(gst_element_get_start_time(pipeline.element) != .max)
        #expect(pipeline.element.pointee.object.flags & GST_PIPELINE_FLAG_FIXED_CLOCK.rawValue == 0)
    }

    /// Not even by a call that would pause it.
    @Test(arguments: [1.0, 0]) func aLivePipelineIsNotTouched(rate: Double) throws {
        let pipeline = TestPipeline(TestPipeline.video.replacing("videotestsrc", with: "videotestsrc is-live=true"))
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        while pipeline.takeFrames().isEmpty { g_usleep(1000) }
        let base = gst_element_get_base_time(pipeline.element)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try pipeline.set(rate: rate, time: 0, at: nil) }
        #expect(pipeline.state == GST_STATE_PLAYING && gst_element_get_base_time(pipeline.element) == base)
        while pipeline.takeFrames().isEmpty { g_usleep(1000) }
    }

    /// The application has read the error, and mended what was wrong.
    @Test func anOldErrorIsForgotten() throws {
        let pipeline = TestPipeline(
            TestPipeline.video.replacing("! fakesink", with: "! identity name=fault error-after=3 ! fakesink"))
        try pipeline.set(rate: 1, time: nil, at: nil)
        let bus = gst_element_get_bus(pipeline.element)
        defer { gst_object_unref(bus) }
        let message = gst_bus_timed_pop_filtered(bus, GstClockTime(10 * second), GST_MESSAGE_ERROR)
        try #require(message != nil)
        gst_mini_object_unref(UnsafeMutableRawPointer(message!).assumingMemoryBound(to: GstMiniObject.self))
        gst_element_set_state(pipeline.element, GST_STATE_NULL)
        let bin = UnsafeMutableRawPointer(pipeline.element).assumingMemoryBound(to: GstBin.self)
        let fault = try #require(gst_bin_get_by_name(bin, "fault"))
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(fault).assumingMemoryBound(to: GObject.self), "error-after", "-1")
        gst_object_unref(fault)
        gst_element_set_state(pipeline.element, GST_STATE_PAUSED)
        try pipeline.set(rate: 1, time: second, at: nil)
        #expect(pipeline.state == GST_STATE_PLAYING)
    }

    /// There are no frames to be waited for.
    @Test func aFailedChangeOfStateIsToldAtOnce() throws {
        let pipeline = TestPipeline("filesrc location=/nonexistent/file ! fakesink name=sink")
        let before = g_get_monotonic_time()
        #expect(throws: Failure(code: GST_HDR_ERROR_FAILED)) { try pipeline.set(rate: 1, time: 0, at: nil) }
        #expect(g_get_monotonic_time() - before < 5_000_000)
    }

    // MARK: The end

    private static let short = TestPipeline.video.replacing("videotestsrc", with: "videotestsrc num-buffers=5")

    /// Of a file, which plays again; a test source of few frames has none left.
    @Test func theTimebaseStopsAtTheEnd() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("clip.mov")
        TestPipeline(
            "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=64,framerate=25/1 ! jpegenc ! qtmux "
                + "! filesink location=\(file)", paused: false
        ).runToTheEnd()
        let pipeline = TestPipeline("filesrc location=\(file) ! qtdemux ! jpegdec ! fakesink name=sink sync=true")
        let timebase = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        for (rate, start, end) in [(1.0, 0, 200 * ms), (-1, 200 * ms, 0), (2, 0, 200 * ms)] {
            let begin = Int(g_get_monotonic_time())
            try pipeline.set(rate: rate, time: start, at: nil)
            while gst_hdr_timebase_get_rate(timebase) != 0 { g_usleep(1000) }
            #expect(gst_hdr_timebase_get_time(timebase) == end)
            // Not before all has been shown, after a start 20 ms ahead.
            #expect(Int(g_get_monotonic_time()) - begin >= Int(200_000 / abs(rate)))
        }
    }

    /// A time behind the end is the end, from which a stream may go back.
    @Test func nothingLiesBehindTheEnd() throws {
        let clock = ManualClock(at: 10 * second)
        let pipeline = TestPipeline(Self.short)
        try pipeline.use(clock)
        let timebase = gst_hdr_get_timebase(pipeline.element)
        defer { g_object_unref(UnsafeMutableRawPointer(timebase)) }
        try pipeline.set(rate: -1, time: 60 * second, at: 12 * second)
        #expect(gst_hdr_timebase_get_time(timebase) == 200 * ms + 2 * second)
        #expect(clock.step() == 12 * second)
        var shown: [Int] = []
        while shown.isEmpty { shown = pipeline.takeFrames() }
        #expect(shown == [160 * ms])
        #expect(gst_hdr_timebase_get_time(timebase) == 200 * ms)
    }
}
