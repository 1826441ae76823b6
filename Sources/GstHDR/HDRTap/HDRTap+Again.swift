import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import Synchronization

/// Frames of a pause once more: what a processor would make of them now takes the place of what is shown.
///
/// The thread that pushes waits in a sink's preroll, which only a flush ends. It is a flush of the elements behind this
/// one alone, without a seek: upstream stays where it is, and running time goes on. The streaming thread then processes
/// the frames that are kept once more; where it waits for upstream, another thread does so in its place.
extension HDRTap {
    /// What the streaming thread, those that ask, and the one that flushes share.
    struct Again: Sendable {
        /// Whether frames are to be processed again.
        var isAsked = false
        /// One flush at a time, which nothing that ends it may overtake.
        var flush = Flush.none
        /// Whether upstream flushes.
        var isFlushing = false
        /// Whether there are frames to be processed again.
        var hasFrames = false
        /// Whether streaming has ended, or is about to.
        var isStopped = true
    }

    enum Flush { case none, beginning, begun }

    /// As they came in, from the one that is shown on.
    struct KeptFrame: @unchecked Sendable {
        /// A reference is owned.
        let buffer: UnsafeMutablePointer<GstBuffer>
        /// Its running time, in ns.
        let start: UInt64?
    }

    /// Asks for the frames that a pause shows to be processed again. On any thread.
    /// - Returns: whether that will be done: in a pause only, with `keep-frames`, and where a processor changes frames.
    func renderAgain() -> Bool {
        // While a frame is processed, on its thread, it is too late for it: an effect may set its own properties then.
        guard clock.isPaused || isLeftPlaying,
            processingThread.load(ordering: .relaxed) != UInt(bitPattern: g_thread_self())
        else {
            return false
        }
        let (isTaken, isNew) = again.withLock { again in
            guard again.hasFrames, !again.isFlushing, !again.isStopped else { return (false, false) }
            defer { again.isAsked = true }
            return (true, !again.isAsked)
        }
        guard isNew else { return isTaken }
        gst_element_call_async(
            gstElement,
            { element, _ in
                guard let impl = element?.cast(to: GstHdrTap.self).pointee.impl else { return }
                HDRTap.with(impl) { $0.interruptPreroll() }
            }, nil, nil)
        return true
    }

    /// Whether a bin around is paused while this element plays: where an application pauses while a bin is about to
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

    /// Makes the streaming thread come back from a preroll, or takes its place. On a thread of GStreamer's pool.
    private func interruptPreroll() {
        let isAsked = again.wait { again -> Bool? in
            guard again.isAsked else { return false }
            guard again.flush == .none else { return nil }
            again.flush = .beginning
            return true
        }
        guard isAsked == true else { return }
        gst_pad_push_event(element.pointee.srcpad, gst_event_new_flush_start())
        again.change { $0.flush = .begun }
        // The streaming thread may be on its way: it takes over what is asked for, or it lets its lock go.
        while again.withLock({ $0.isAsked }) {
            if let pad = element.pointee.sinkpad, g_rec_mutex_trylock(&pad.pointee.stream_rec_lock) != 0 {
                if takeAsked() { _ = processAgain() }
                g_rec_mutex_unlock(&pad.pointee.stream_rec_lock)
                return
            }
            g_usleep(500)
        }
    }

    private func takeAsked() -> Bool {
        again.change { again in
            guard again.isAsked, again.flush != .none else { return false }
            again.isAsked = false
            return true
        }
    }

    /// A flush of upstream's begins or ends, which does what is asked for, and more.
    func giveUpAgain(isFlushing: Bool) {
        if !isFlushing { waitForFlush() }
        again.change { again in
            (again.isAsked, again.isFlushing) = (false, isFlushing)
            if !isFlushing { again.flush = .none }
        }
    }

    /// Streaming begins, or ends.
    func allowAgain(_ isAllowed: Bool) {
        again.change { ($0.isAsked, $0.isFlushing, $0.isStopped) = (false, false, !isAllowed) }
        waitForFlush()
        again.change { $0.flush = .none }
    }

    /// Returns when no flush of this element's is on its way any more.
    private func waitForFlush() { _ = again.wait { $0.flush == .beginning ? nil : true } }

    // MARK: The streaming thread

    /// Keeps a frame as it came in, for a pause.
    func keep(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard settings.withLock({ $0.keepsFrames }) else { return forget() }
        gst_buffer_ref(buffer)
        kept.append(KeptFrame(buffer: buffer, start: ShownTimes(buffer, segment).start))
        // Those before the one that is shown are of no use.
        let now = clock.now() ?? 0
        let shown = kept.lastIndex { $0.start ?? 0 <= now } ?? 0
        let first = max(shown, kept.count - Self.mostKept)
        for frame in kept.prefix(first) { gst_buffer_unref(frame.buffer) }
        kept.removeFirst(first)
        again.withLock { $0.hasFrames = true }
    }

    /// Of more, the first are forgotten.
    private static let mostKept = 64

    func forget() {
        hasEnded = false
        guard !kept.isEmpty else { return }
        for frame in kept { gst_buffer_unref(frame.buffer) }
        kept = []
        again.withLock { $0.hasFrames = false }
    }

    /// What came of a push, or of pushing all frames once more, where the push ended because of that.
    func afterPush(_ result: GstFlowReturn) -> GstFlowReturn {
        result == GST_FLOW_FLUSHING && takeAsked() ? processAgain() : result
    }

    /// Ends the flush and pushes the frames that are kept, processed once more. With the stream's lock.
    private func processAgain() -> GstFlowReturn {
        while true {
            // Within the lock: a flush of upstream's begins before or after it, and so is not ended by it.
            let isEnded = again.wait { again -> Bool? in
                guard again.flush != .beginning else { return nil }
                guard again.flush == .begun, !again.isFlushing else { return false }
                gst_pad_push_event(element.pointee.srcpad, gst_event_new_flush_stop(0))
                again.flush = .none
                return true
            }
            // Another flush may be waiting for the end of this one.
            again.wakeAll()
            guard isEnded == true else { return GST_FLOW_FLUSHING }
            let result = pushKept()
            guard result == GST_FLOW_FLUSHING, takeAsked() else { return result }
        }
    }

    private func pushKept() -> GstFlowReturn {
        if adoptPending() { scheduleCollection() }
        frames.clear()
        frameIsStart = true
        _ = makeReady()
        // What was sent meanwhile is lost.
        _ = sendCaps(nil)
        if let event = gst_event_new_segment(&segment) {
            if segmentNumber != 0 { gst_event_set_seqnum(event, segmentNumber) }
            gst_pad_push_event(element.pointee.srcpad, event)
        }
        for frame in kept {
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
    HDRTap.with(impl) { _ = $0.renderAgain() }
}
