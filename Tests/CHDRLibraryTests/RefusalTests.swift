import CGStreamer
import CHDRLibrary
import TestSupport
import Testing

/// A fakesink that takes no clock of a test's.
private let pickySink: String = {
    var query = GTypeQuery()
    gst_init(nil, nil)
    let parent = gst_element_factory_make("fakesink", nil)!
    g_type_query(parent.pointee.object.object.g_type_instance.g_class.pointee.g_type, &query)
    gst_object_ref_sink(parent)
    gst_object_unref(parent)
    let type = g_type_register_static_simple(
        query.type, "PickySink", query.class_size,
        { instance, _ in
            let element = instance!.assumingMemoryBound(to: GstElementClass.self)
            element.pointee.set_clock = { sink, clock in
                if let clock, clock.pointee.object.object.g_type_instance.g_class.pointee.g_type == manual { return 0 }
                let own = UnsafeMutableRawPointer(sink!).assumingMemoryBound(to: GTypeInstance.self)
                let parent = g_type_class_peek_parent(own.pointee.g_class)
                return parent!.assumingMemoryBound(to: GstElementClass.self).pointee.set_clock(sink, clock)
            }
        }, query.instance_size, { _, _ in }, GTypeFlags(rawValue: 0))
    gst_element_register(nil, "pickysink", 0, type)
    return "pickysink"
}()

private let manual = g_type_from_name("GstTestClock")

/// A pipeline that refuses what it is told goes on as before: where it was, on its own clock.
@Suite(.timeLimit(.minutes(2))) struct RefusalTests {
    private let clock = ManualClock(at: 10 * second)

    private func follow(_ pipeline: TestPipeline, _ timebase: Timebase) -> Failure? {
        var error: UnsafeMutablePointer<GError>?
        _ = gst_hdr_follow_timebase(pipeline.element, timebase.pointer, &error)
        return Failure(taking: error)
    }

    private func hasClock(_ pipeline: TestPipeline) -> Bool {
        let own = gst_element_get_clock(pipeline.element)
        defer { if let own { gst_object_unref(own) } }
        return own == clock.clock
    }

    private func hasFixedClock(_ pipeline: TestPipeline) -> Bool {
        pipeline.element.pointee.object.flags & GST_PIPELINE_FLAG_FIXED_CLOCK.rawValue != 0
    }

    private func showsFrames(_ pipeline: TestPipeline) -> Bool {
        _ = pipeline.takeFrames()
        return (0..<10000).contains { _ in
            g_usleep(1000)
            return !pipeline.takeFrames().isEmpty
        }
    }

    /// Sound that is not played backwards, and a sink that does not take the timebase's clock.
    @Test(arguments: [-1.0, 1], [GST_STATE_PLAYING, GST_STATE_PAUSED])
    func aTimebaseThatCannotBeFollowed(rate: Double, state: GstState) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("sound.wav")
        TestPipeline("audiotestsrc num-buffers=600 ! wavenc ! filesink location=\(file)", paused: false).runToTheEnd()
        let sink = rate < 0 ? "fakesink" : pickySink
        let pipeline = TestPipeline("filesrc location=\(file) ! wavparse ! \(sink) name=sink sync=true")
        gst_element_set_state(pipeline.element, state)
        #expect(pipeline.state == state)
        let timebase = Timebase(clock)
        timebase.time = 10 * second
        timebase.rate = rate
        #expect(
            follow(pipeline, timebase)?.code == (rate < 0 ? GST_HDR_ERROR_NOT_SEEKABLE : GST_HDR_ERROR_FAILED))
        #expect(pipeline.state == state && pipeline.position < 10 * second)
        #expect(!hasClock(pipeline) && !hasFixedClock(pipeline))
        #expect(gst_element_get_start_time(pipeline.element) != .max)
        // It plays on, and its own timebase has its own clock.
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        #expect(showsFrames(pipeline))
        let own = gst_hdr_get_timebase(pipeline.element)
        let ownClock = gst_hdr_timebase_get_source_clock(own)
        #expect(ownClock != nil && ownClock != clock.clock)
        gst_object_unref(ownClock)
        g_object_unref(UnsafeMutableRawPointer(own))
    }

    /// On its way to PLAYING too; the second one does not say at once that it is live.
    @Test(arguments: ["! fakesink", "! decodebin ! fakesink"]) func aLivePipelineThatIsBeingStarted(end: String) throws
    {
        let line = TestPipeline.video.replacing("videotestsrc", with: "videotestsrc is-live=true")
        let pipeline = TestPipeline(
            line.replacing("framerate=25/1", with: "framerate=4/1").replacing("! fakesink", with: end), paused: false)
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try pipeline.set(rate: 1, time: 0, at: nil) }
        #expect(pipeline.state == GST_STATE_PLAYING && !hasFixedClock(pipeline))
        #expect(showsFrames(pipeline))
    }

    /// An element that comes while the sinks are asked hides none of them: the first of two is not live, and is asked
    /// first.
    @Test func aLivePipelineThatGrows() throws {
        let live = TestPipeline.video.replacing("videotestsrc", with: "videotestsrc is-live=true")
        let pipeline = TestPipeline("\(live) videotestsrc ! fakesink name=other sync=true", paused: false)
        gst_element_set_state(pipeline.element, GST_STATE_PLAYING)
        #expect(pipeline.state == GST_STATE_PLAYING)
        let bin = UnsafeMutableRawPointer(pipeline.element).assumingMemoryBound(to: GstBin.self)
        let other = try #require(gst_bin_get_by_name(bin, "other"))
        let pad = gst_element_get_static_pad(other, "sink")
        let peer = gst_pad_get_peer(pad)
        _ = gst_pad_add_probe(
            peer, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
            { _, _, bin in
                gst_bin_add(bin?.assumingMemoryBound(to: GstBin.self), gst_element_factory_make("identity", nil))
                return GST_PAD_PROBE_REMOVE
            }, bin, nil)
        let base = gst_element_get_base_time(pipeline.element)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) { try pipeline.set(rate: 1, time: 0, at: nil) }
        #expect(pipeline.state == GST_STATE_PLAYING && gst_element_get_base_time(pipeline.element) == base)
        for object in [UnsafeMutableRawPointer(other), .init(pad), .init(peer)] { gst_object_unref(object) }
    }
}
