import CGStreamer
import CHDRLibrary
import Synchronization
import Testing

/// Prerolls that are waited for.
@Suite(.timeLimit(.minutes(1))) struct PrerollTests {
    /// One call of gst_hdr_preroll_at_rate, with the main context that it answers on.
    private final class Preroll {
        private let context: OpaquePointer = g_main_context_new()
        private let cancellable = g_cancellable_new()
        private(set) var answers: [Result<Bool, Failure>] = []
        private(set) var isCancelled = false

        init(_ pipeline: TestPipeline, rate: Double) {
            g_main_context_push_thread_default(context)
            gst_hdr_preroll_at_rate(
                pipeline.element, rate, cancellable,
                { source, result, own in
                    let preroll = Unmanaged<Preroll>.fromOpaque(own!).takeUnretainedValue()
                    var error: UnsafeMutablePointer<GError>?
                    let element = UnsafeMutableRawPointer(source!).assumingMemoryBound(to: GstElement.self)
                    let isReady = gst_hdr_preroll_at_rate_finish(element, result, &error) != 0
                    let domain = error?.pointee.domain
                    preroll.isCancelled = domain != nil && domain == g_io_error_quark()
                    let failure = Failure(taking: error)
                    preroll.answers.append(failure.map { .failure($0) } ?? .success(isReady))
                }, Unmanaged.passUnretained(self).toOpaque())
            g_main_context_pop_thread_default(context)
        }

        deinit {
            g_main_context_unref(context)
            g_object_unref(cancellable)
        }

        func cancel() { g_cancellable_cancel(cancellable) }

        /// Nil: what the cancellable ended.
        func answer() throws(Failure) -> Bool? {
            while answers.isEmpty { g_main_context_iteration(context, 1) }
            while g_main_context_iteration(context, 0) != 0 {}
            #expect(answers.count == 1, "it is called once")
            return isCancelled ? nil : try answers[0].get()
        }
    }

    /// An element that lets nothing through until it is told to.
    private static let slow =
        "videotestsrc ! video/x-raw,width=16,height=16,framerate=25/1 ! "
        + "identity sleep-time=200000 ! fakesink name=sink sync=true"

    @Test(arguments: [1.0, -2, 0.5]) func aPrerolledPipelineStartsWithoutASeek(rate: Double) throws {
        let clock = ManualClock(at: 10_000_000_000)
        let pipeline = TestPipeline()
        try pipeline.use(clock)
        try pipeline.set(rate: 0, time: 4 * second, at: nil)
        #expect(try Preroll(pipeline, rate: rate).answer() == true)
        #expect(pipeline.state == GST_STATE_PAUSED && pipeline.position == 4 * second)
        let seek = pipeline.seek
        // Again is done at once.
        #expect(try Preroll(pipeline, rate: rate).answer() == true)
        try pipeline.set(rate: rate, time: 4 * second, at: 12 * second)
        #expect(pipeline.seek == seek && clock.awaitWait() == 12 * second)
    }

    /// A pipeline that has not played yet is at its beginning, even where it cannot seek.
    @Test func aFreshPipelineNeedsNoSeek() throws {
        let clock = ManualClock(at: 10_000_000_000)
        let pipeline = TestPipeline(
            "fakesrc sizetype=fixed format=time datarate=8 sizemax=8 ! fakesink name=sink sync=true")
        try pipeline.use(clock)
        #expect(try Preroll(pipeline, rate: 1).answer() == true)
        try pipeline.set(rate: 1, time: 0, at: 12 * second)
        #expect(clock.step() == 12 * second && clock.awaitWait() == 13 * second)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_SEEKABLE)) {
            try pipeline.set(rate: 1, time: 40 * second, at: nil)
        }
    }

    @Test func anotherRateOrTimeInterrupts() throws {
        let clock = ManualClock(at: 10_000_000_000)
        let pipeline = TestPipeline(Self.slow)
        try pipeline.use(clock)
        let first = Preroll(pipeline, rate: 2)
        let second = Preroll(pipeline, rate: 3)
        try pipeline.set(rate: 1, time: 5_000_000_000, at: 12_000_000_000)
        #expect(throws: Failure(code: GST_HDR_ERROR_INTERRUPTED)) { try first.answer() }
        #expect(throws: Failure(code: GST_HDR_ERROR_INTERRUPTED)) { try second.answer() }
        #expect(clock.awaitWait() == 12_000_000_000)
    }

    /// The start waits for a preroll of its rate and does not interrupt it.
    @Test func theStartThatItIsForWaits() throws {
        let clock = ManualClock(at: 10_000_000_000)
        let pipeline = TestPipeline(Self.slow)
        try pipeline.use(clock)
        let preroll = Preroll(pipeline, rate: 2)
        try pipeline.set(rate: 2, time: nil, at: 12_000_000_000)
        #expect(try preroll.answer() == true)
        #expect(clock.awaitWait() == 12_000_000_000)
    }

    @Test func cancelling() throws {
        let pipeline = TestPipeline(Self.slow)
        let preroll = Preroll(pipeline, rate: 2)
        preroll.cancel()
        #expect(try preroll.answer() == nil)
        let other = Preroll(pipeline, rate: 2)
        gst_hdr_cancel_pending_prerolls(pipeline.element)
        #expect(throws: Failure(code: GST_HDR_ERROR_INTERRUPTED)) { try other.answer() }
        // It can be prerolled again.
        #expect(try Preroll(pipeline, rate: 2).answer() == true)
    }

    @Test func stoppingThePipelineEndsTheWait() throws {
        let pipeline = TestPipeline(Self.slow)
        let preroll = Preroll(pipeline, rate: 2)
        gst_element_set_state(pipeline.element, GST_STATE_READY)
        #expect(throws: Failure(code: GST_HDR_ERROR_INTERRUPTED)) { try preroll.answer() }
    }

    /// This holds for a seek to the same rate too.
    @Test func theApplicationsOwnSeekInterrupts() throws {
        let pipeline = TestPipeline(Self.slow)
        let preroll = Preroll(pipeline, rate: 1.5)
        while pipeline.rate != 1.5 { g_usleep(500) }
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        gst_element_seek(
            pipeline.element, 1.5, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 2 * second, GST_SEEK_TYPE_NONE, 0)
        #expect(throws: Failure(code: GST_HDR_ERROR_INTERRUPTED)) { try preroll.answer() }
    }

    @Test func whatCannotBe() throws {
        let pipeline = TestPipeline()
        for rate in [0, .nan, .infinity] {
            #expect(throws: Failure(code: GST_HDR_ERROR_INVALID_ARGUMENT)) {
                try Preroll(pipeline, rate: rate).answer()
            }
        }
        try pipeline.set(rate: 1, time: 0, at: nil)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_READY)) { try Preroll(pipeline, rate: 1).answer() }
        let stopped = TestPipeline(paused: false)
        #expect(throws: Failure(code: GST_HDR_ERROR_NOT_READY)) { try Preroll(stopped, rate: 1).answer() }
        let broken = TestPipeline(
            TestPipeline.video.replacing("! fakesink", with: "! identity error-after=2 ! fakesink"))
        #expect(throws: Failure(code: GST_HDR_ERROR_FAILED)) { try Preroll(broken, rate: 2).answer() }
    }
}
