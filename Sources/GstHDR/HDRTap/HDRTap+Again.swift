import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import Synchronization

/// Processes frames again while the pipeline is paused, so that changed effects or callbacks act on the picture that is
/// shown.
///
/// In a pause the streaming thread is blocked in a sink's preroll, which only a flush ends. Only the elements
/// downstream are flushed, without a seek: upstream keeps its position, and running time continues. The streaming
/// thread then processes the kept frames again; where it waits for upstream, another thread does so in its place.
extension HDRTap {
    /// The state shared by the streaming thread, the threads that request, and the one that flushes.
    struct Again: Sendable {
        /// Whether processing again was requested.
        var isAsked = false
        /// When that may begin, in ns of CLOCK_MONOTONIC. A request that a flush has cancelled leaves a thread that
        /// wakes too early for the next request.
        var due: UInt64 = 0
        /// The state of this element's flush. There is only one at a time, and no event that ends it may overtake it.
        var flush = Flush.none
        /// The thread that ends it.
        var ender: UInt = 0
        /// Whether upstream is between FLUSH_START and FLUSH_STOP.
        var isFlushing = false
        /// Whether there are frames to be processed again.
        var hasFrames = false
        /// The running time in ns from which the kept frames are complete: above 0 where frames were dropped that
        /// downstream had not shown yet.
        var completeFrom: UInt64 = 0
        /// Whether streaming has ended, or is about to.
        var isStopped = true

        /// Whether frames can be processed again while the one for this time is shown.
        func isPossible(at now: UInt64) -> Bool {
            hasFrames && completeFrom <= now &+ HDRTap.rounding && !isFlushing && !isStopped && flush != .ending
        }
        /// Whether another thread is sending an event of the flush.
        var isSending: Bool {
            flush == .beginning || (flush == .ending && ender != UInt(bitPattern: g_thread_self()))
        }
    }

    enum Flush { case none, beginning, begun, ending }

    /// The state of a frame's push: still blocked; returned before the frame was due, as from a queue; or returned when
    /// it was due, as from a sink that has rendered it.
    enum Push { case pending, early, rendered }

    /// An input frame that may be processed again in a pause.
    struct KeptFrame: @unchecked Sendable {
        /// The buffer; a reference is owned.
        let buffer: UnsafeMutablePointer<GstBuffer>
        /// Its running time in ns.
        let start: UInt64?
        var push = Push.pending
    }

    /// Requests that the frames shown in a pause are processed again. On any thread.
    /// - Parameter delay: a time in µs to wait before: changes during it are handled together, and a seek comes first.
    /// - Returns: whether that will be done: only in a pause, where frames are kept and may be flushed downstream.
    func renderAgain(after delay: UInt = 0) -> Bool {
        // A request by the thread that is processing a frame comes too late for that frame: an effect may set its own
        // properties then.
        guard clock.isPaused || isLeftPlaying,
            processingThread.load(ordering: .relaxed) != UInt(bitPattern: g_thread_self())
        else {
            return false
        }
        let (known, now) = (again.withLock { $0 }, clock.now() ?? 0)
        guard known.isPossible(at: now) else { return false }
        if known.isAsked { return true }
        guard settings.withLock({ $0.keepsFrames }) || Downstream.isOnlyShown(element.pointee.srcpad) else {
            return false
        }
        let (isTaken, isNew) = again.withLock { again in
            guard again.isPossible(at: now), !again.isAsked else { return (again.isAsked, false) }
            again.isAsked = true
            again.due = MonotonicClock.now() &+ UInt64(delay) &* 1000
            return (true, true)
        }
        guard isNew else { return isTaken }
        gst_element_call_async(
            gstElement,
            { element, delay in
                guard let impl = element?.cast(to: GstHdrTap.self).pointee.impl else { return }
                if let delay { g_usleep(gulong(UInt(bitPattern: delay))) }
                HDRTap.with(impl) { $0.interruptPreroll() }
            }, gpointer(bitPattern: delay), nil)
        return true
    }

    /// How long a changed property of an effect waits for others and for a seek, in µs.
    fileprivate static let changeDelay: UInt = 10_000

    /// Whether an enclosing bin is paused while this element plays: where an application pauses a bin that is about to
    /// play, GStreamer may leave it so, and nothing moves on until the bin plays.
    private var isLeftPlaying: Bool {
        guard clock.isRunning else { return false }
        var parent = gst_object_get_parent(gstObject)
        while let object = parent {
            let bin = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self)
            let isPaused =
                bin.pointee.current_state == GST_STATE_PAUSED && bin.pointee.pending_state == GST_STATE_VOID_PENDING
            parent = gst_object_get_parent(object)
            gst_object_unref(object)
            if isPaused {
                if let parent { gst_object_unref(parent) }
                return true
            }
        }
        return false
    }

    /// Makes the streaming thread return from a preroll, or does its work instead. On a thread of GStreamer's pool.
    private func interruptPreroll() {
        let isAsked = again.wait { again -> Bool? in
            guard again.isAsked, MonotonicClock.now() >= again.due else { return false }
            guard clock.isPaused || isLeftPlaying else {
                again.isAsked = false
                return false
            }
            guard again.flush == .none else { return nil }
            again.flush = .beginning
            return true
        }
        guard isAsked == true else { return }
        // A sink that is flushed does not say where it was. Frames may have been dropped since the request.
        let now = clock.now() ?? 0
        shownBefore.store(Downstream.shownTime(element.pointee.srcpad) ?? 0, ordering: .relaxed)
        let isPossible = again.change { again in
            if again.hasFrames && again.completeFrom <= now &+ Self.rounding { return true }
            (again.isAsked, again.flush) = (false, .none)
            return false
        }
        guard isPossible else { return }
        gst_pad_push_event(element.pointee.srcpad, gst_event_new_flush_start())
        again.change { $0.flush = .begun }
        // The streaming thread may be about to handle the request, or to release its lock.
        while again.withLock({ $0.isAsked }) {
            if let pad = element.pointee.sinkpad, g_rec_mutex_trylock(&pad.pointee.stream_rec_lock) != 0 {
                if takeAsked() { _ = processAgain() }
                g_rec_mutex_unlock(&pad.pointee.stream_rec_lock)
                return
            }
            g_usleep(500)
        }
    }

    /// Takes a request that this element's flush has made room for.
    func takeAsked() -> Bool {
        again.change { again in
            guard again.isAsked, again.flush != .none else { return false }
            again.isAsked = false
            return true
        }
    }

    /// Called when a flush by upstream begins or ends, which includes everything that was requested.
    func giveUpAgain(isFlushing: Bool) {
        // A flush by upstream begins before or after the end of this element's, and so is not ended by it.
        _ = again.wait { again in
            let mustWait = isFlushing ? again.flush == .ending && again.isSending : again.isSending
            return mustWait ? nil : true
        }
        again.change { again in
            (again.isAsked, again.isFlushing) = (false, isFlushing)
            if !isFlushing { again.flush = .none }
        }
    }

    /// Called when streaming begins or ends.
    func allowAgain(_ isAllowed: Bool) {
        again.change { ($0.isAsked, $0.isFlushing, $0.isStopped) = (false, false, !isAllowed) }
        waitForFlush()
        again.change { $0.flush = .none }
    }

    /// Waits until no event of this element's flush is on its way.
    private func waitForFlush() { _ = again.wait { $0.isSending ? nil : true } }

    // MARK: The streaming thread

    /// Keeps an input frame for a pause: with `keep-frames`, or where effects make another frame of it.
    func keep(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let isAsked = settings.withLock { $0.keepsFrames }
        guard isAsked || videoPlan?.effects?.makesFrames == true && !buffer.isOfLimitedPool else { return forget() }
        gst_buffer_ref(buffer)
        kept.append(KeptFrame(buffer: buffer, start: ShownTimes(buffer, segment).start))
        // Frames before the one that is shown are not needed.
        let now = clock.now() ?? 0
        let shown = kept.lastIndex { $0.start ?? 0 <= now }
        let first = max(shown ?? 0, kept.count - mostKept(isAsked))
        // A frame that is dropped before it was shown would be lost where the others are processed again.
        if shown != nil { lacksFrames = false }
        if first > shown ?? 0 { lacksFrames = true }
        for frame in kept.prefix(first) { gst_buffer_unref(frame.buffer) }
        kept.removeFirst(first)
        let completeFrom = lacksFrames ? kept.first?.start ?? .max : 0
        again.withLock { ($0.hasFrames, $0.completeFrom) = (true, completeFrom) }
    }

    /// The maximum number of kept frames, of which the newest has just come; beyond it the oldest are dropped.
    /// - Parameter isAsked: whether `keep-frames` is set; without it, more than four frames have at most 128 MiB.
    private func mostKept(_ isAsked: Bool) -> Int {
        let size = max(kept.last.map { Int(clamping: gst_buffer_get_size($0.buffer)) } ?? 1, 1)
        return isAsked ? 64 : min(max((128 << 20) / size, 4), 64)
    }

    func forget() {
        hasEnded = false
        lacksFrames = false
        guard !kept.isEmpty else { return }
        for frame in kept { gst_buffer_unref(frame.buffer) }
        kept = []
        again.withLock { $0.hasFrames = false }
    }

    /// Forgets the frames of a segment when the next one begins. Downstream may not have shown them yet.
    func forgetForNext() {
        let areShown = kept.allSatisfy { $0.push == .rendered }
        forget()
        lacksFrames = !areShown
    }

    /// The result of a push, or of processing and pushing all kept frames again where a request interrupted the push.
    func afterPush(_ result: GstFlowReturn) -> GstFlowReturn {
        if result == GST_FLOW_OK { noteReturned(kept.count - 1) }
        return result == GST_FLOW_FLUSHING && takeAsked() ? processAgain() : result
    }

    /// Called when the push of a kept frame has returned.
    private func noteReturned(_ index: Int) {
        guard kept.indices.contains(index) else { return }
        let isDue = clock.isRunning && kept[index].start.flatMap { start in clock.now().map { start <= $0 } } == true
        kept[index].push = isDue ? .rendered : .early
    }

    /// Ends the flush, then processes and pushes the kept frames again. Called with the stream lock held.
    func processAgain() -> GstFlowReturn {
        while true {
            let mayEnd = again.wait { again -> Bool? in
                guard again.flush != .beginning else { return nil }
                guard again.flush == .begun, !again.isFlushing else { return false }
                again.flush = .ending
                again.ender = UInt(bitPattern: g_thread_self())
                return true
            }
            guard mayEnd == true else { return GST_FLOW_FLUSHING }
            gst_pad_push_event(element.pointee.srcpad, gst_event_new_flush_stop(0))
            again.change { if $0.flush == .ending { $0.flush = .none } }
            let result = pushKept()
            guard result == GST_FLOW_FLUSHING, takeAsked() else { return result }
        }
    }

    /// Drops kept frames that a sink has rendered before the pause: it waits with the frame behind them, shows that
    /// one, and would render the others twice.
    private func dropRendered() {
        // Sinks pause some time before this element does. While playing goes on the clock says nothing of a pause.
        let now = clock.isPaused ? clock.now() ?? 0 : 0
        let hasStepped = clock.hasStepped
        let shown = shownBefore.exchange(0, ordering: .relaxed)
        func isWaiting(_ frame: KeptFrame) -> Bool {
            switch frame.push {
            case .pending: true
            case .early: (frame.start ?? 0).addingReportingOverflow(Self.pauseMargin).partialValue >= now
            case .rendered: false
            }
        }
        // After a step a sink waits with the frame at which, or within which, the step ended. Otherwise it does so with
        // the one that comes next; behind the last frame there is none to wait with.
        func last(upTo time: UInt64) -> Int {
            let (latest, _) = time.addingReportingOverflow(Self.rounding)
            return kept.lastIndex { $0.start ?? 0 <= latest } ?? 0
        }
        // A sink that says what it shows does not wait with a frame before that.
        let waiting =
            hasStepped
            ? last(upTo: now)
            : max(kept.firstIndex(where: isWaiting) ?? max(kept.count - 1, 0), shown == 0 ? 0 : last(upTo: shown))
        for frame in kept.prefix(waiting) { gst_buffer_unref(frame.buffer) }
        kept.removeFirst(waiting)
    }

    /// The time that may pass between the pause of a sink and that of this element, in ns.
    private static let pauseMargin: UInt64 = 500_000

    /// The error of times after a step, in ns.
    private static let rounding: UInt64 = 1000

    private func pushKept() -> GstFlowReturn {
        dropRendered()
        if adoptPending() { scheduleCollection() }
        frames.clear()
        frameIsStart = true
        _ = makeReady()
        // Events that were sent during the flush are lost.
        _ = sendCaps(nil)
        // A segment that upstream has not sent again since its own flush has no format yet, and cannot be sent.
        var shown = clock.resume(from: kept.first?.start) ?? segment
        if shown.format != GST_FORMAT_UNDEFINED, let event = gst_event_new_segment(&shown) {
            if segmentNumber != 0 { gst_event_set_seqnum(event, segmentNumber) }
            gst_pad_push_event(element.pointee.srcpad, event)
        }
        // In a pause a sink shows the first frame before its time, and so do video outputs.
        offersFrom = clock.isPaused ? clock.now() ?? 0 : nil
        defer { offersFrom = nil }
        for (index, frame) in kept.enumerated() {
            gst_buffer_ref(frame.buffer)
            let result: GstFlowReturn
            switch makeReady() {
            case .video(let plan): result = processAndPush(frame.buffer, plan)
            case .failed:
                gst_buffer_unref(frame.buffer)
                return GST_FLOW_NOT_NEGOTIATED
            default:
                updateOutputCaps()
                offer(frame.buffer)
                result = gst_pad_push(element.pointee.srcpad, frame.buffer)
            }
            if result != GST_FLOW_OK { return result }
            noteReturned(index)
        }
        if hasEnded { gst_pad_push_event(element.pointee.srcpad, gst_event_new_eos()) }
        return GST_FLOW_OK
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_tap_render_again(_ impl: gpointer!) -> gboolean {
    HDRTap.with(impl) { $0.renderAgain() } ? 1 : 0
}

@c @implementation
func hdr_tap_effect_has_changed(_ impl: gpointer!) {
    HDRTap.with(impl) { _ = $0.renderAgain(after: HDRTap.changeDelay) }
}
