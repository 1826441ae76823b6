import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Orders what a thread writes before what the pool's thread reads, for ThreadSanitizer.
private let handover = Handover()

/// Attaches and detaches an application's compositor, and cancels the request that waits for it.
extension HDRCompositor {
    /// The state of an application's compositor, shared by threads under one lock.
    struct CustomState {
        var attached: CallbackCompositor?
        /// The request that waits for its answer, and the compositor that answers it.
        var pending: (request: CompositionRequest, compositor: CustomCompositor)?
        /// The pads between FLUSH_START and FLUSH_STOP.
        var flushing: Set<UnsafeRawPointer> = []
        /// The number of flushing seeks that are being sent upstream.
        var seeks = 0
        /// The pads that are being released.
        var releasing: Set<UnsafeRawPointer> = []
        var isStreaming = false

        /// Whether no request may be started.
        var isInterrupted: Bool { !isStreaming || !flushing.isEmpty || seeks > 0 || !releasing.isEmpty }
    }

    /// - Returns: `nil`, or an error that the caller owns.
    func setCallbacks(
        _ callbacks: UnsafePointer<GstHdrCompositorCallbacks>?, _ userData: gpointer?, _ notify: GDestroyNotify?
    ) -> UnsafeMutablePointer<GError>? {
        guard let callbacks else {
            attach(nil) { attached in userData.map { attached.belongs(to: $0) } ?? true }
            return nil
        }
        if let text = CallbackCompositor.defect(callbacks) { return gst_hdr_tap_settings_error(text) }
        attach(CallbackCompositor(callbacks.pointee, userData: userData, notify: notify)) { _ in true }
        return nil
    }

    /// Replaces the attached compositor, or detaches it for `nil`, if `mayGo` allows it.
    private func attach(_ compositor: CallbackCompositor?, _ mayGo: (CallbackCompositor) -> Bool) {
        let (old, pending) = custom.change { state -> (CallbackCompositor?, CompositionRequest?) in
            let old = state.attached
            if let old, !mayGo(old) { return (nil, nil) }
            state.attached = compositor
            old?.uses += 1
            // A picture that is composed by a signal handler cannot be cancelled: the handler is already running.
            return (old, state.pending.flatMap { $0.compositor === old ? $0.request : nil })
        }
        guard let old else { return }
        if let pending { cancel(pending, of: old) }
        release(old, onStreamingThread: false)
    }

    /// The request refuses answers before the application hears of it: that may drop it without one, or wait for a
    /// thread that works on it until it is cancelled.
    private func cancel(_ request: CompositionRequest, of compositor: CustomCompositor) {
        request.cancel()
        compositor.cancelAll()
    }

    /// Changes the reasons why no request may be started, and cancels the waiting request if there now are any.
    private func interrupt(_ change: (inout CustomState) -> Void) {
        let pending = custom.change { state -> (request: CompositionRequest, compositor: CustomCompositor)? in
            change(&state)
            guard state.isInterrupted, let pending = state.pending else { return nil }
            pending.compositor.uses += 1
            return pending
        }
        guard let pending else { return }
        cancel(pending.request, of: pending.compositor)
        release(pending.compositor, onStreamingThread: false)
    }

    func flushes(_ pad: UnsafeRawPointer, begins: Bool) {
        interrupt { state in
            if begins { state.flushing.insert(pad) } else { state.flushing.remove(pad) }
        }
        if !begins { _ = interruptedPads.withLock { $0.insert(UInt(bitPattern: pad)) } }
    }

    func seeks(begins: Bool) { interrupt { $0.seeks += begins ? 1 : -1 } }

    func releases(_ pad: UnsafeRawPointer, begins: Bool) {
        interrupt { state in
            state.flushing.remove(pad)
            if begins { state.releasing.insert(pad) } else { state.releasing.remove(pad) }
        }
        if !begins { _ = interruptedPads.withLock { $0.insert(UInt(bitPattern: pad)) } }
    }

    func streams(begins: Bool) {
        interrupt { state in
            state.isStreaming = begins
            state.flushing = []
        }
    }

    func dispose() {
        // A destroy notify may attach other callbacks. The number of rounds is limited in case it always does.
        for _ in 0..<100 {
            attach(nil) { _ in true }
            if custom.withLock({ $0.attached == nil }) { break }
        }
    }

    // MARK: Use

    /// The compositor of the next picture, which `release` gives back; `nil` where the element composes it itself.
    func acquire() -> CustomCompositor? {
        let attached = custom.withLock { state -> CustomCompositor? in
            state.attached?.uses += 1
            return state.attached
        }
        if let attached { return attached }
        guard gst_hdr_compositor_has_compose_handler(element) != 0 else { return nil }
        let settings = settings.current
        signals.taken = SourceRequest(
            takesWideColor: settings.composeSources != GST_HDR_COMPOSITOR_SOURCES_SDR,
            takesHDR: settings.composeSources == GST_HDR_COMPOSITOR_SOURCES_HDR)
        custom.withLock { _ in signals.uses += 1 }
        return signals
    }

    /// Gives a compositor back. The last user of a detached compositor finalizes it, but never on the aggregator's
    /// thread, which may hold locks that a destroy notify needs.
    func release(_ compositor: CustomCompositor, onStreamingThread: Bool) {
        let isOver = custom.withLock { state -> Bool in
            compositor.uses -= 1
            guard compositor.uses == 0, compositor !== signals, compositor !== state.attached,
                !compositor.isFinalized
            else { return false }
            compositor.isFinalized = true
            return true
        }
        guard isOver else { return }
        if !onStreamingThread { return compositor.finalize() }
        handover.give()
        gst_element_call_async(
            gstElement,
            { _, data in
                handover.take()
                guard let data else { return }
                Unmanaged<CustomCompositor>.fromOpaque(data).takeUnretainedValue().finalize()
            }, Unmanaged.passRetained(compositor).toOpaque(),
            { data in
                if let data { Unmanaged<CustomCompositor>.fromOpaque(data).release() }
            })
    }

    /// Whether a compositor is still the attached one.
    func isCurrent(_ compositor: CustomCompositor) -> Bool {
        compositor === signals || custom.withLock { $0.attached === compositor }
    }

    /// Registers the request that is about to wait; `false` where none may be started.
    func begin(_ request: CompositionRequest, _ compositor: CustomCompositor) -> Bool {
        custom.withLock { state in
            guard !state.isInterrupted, compositor === signals || compositor === state.attached else { return false }
            state.pending = (request, compositor)
            return true
        }
    }

    func endRequest() { custom.withLock { $0.pending = nil } }

    /// Waits, for a short while, until requests may be started.
    /// - Returns: whether they may, or none is needed.
    func mayCompose() -> Bool {
        guard isCustom else { return true }
        let answer = custom.wait(until: MonotonicClock.now() + 10_000_000) { state -> Bool? in
            state.isInterrupted && state.isStreaming ? nil : state.isStreaming
        }
        return answer ?? false
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_compositor_set_callbacks(
    _ impl: gpointer!, _ callbacks: UnsafePointer<GstHdrCompositorCallbacks>!, _ user_data: gpointer!,
    _ notify: GDestroyNotify!
) -> UnsafeMutablePointer<GError>! {
    HDRCompositor.with(impl) { $0.setCallbacks(callbacks, user_data, notify) }
}

@c @implementation
func hdr_compositor_add_instruction(
    _ impl: gpointer!, _ instruction: UnsafePointer<GstStructure>!
) -> UnsafeMutablePointer<GError>! {
    HDRCompositor.with(impl) { $0.addInstruction(instruction) }
}

@c @implementation
func hdr_compositor_clear_instructions(_ impl: gpointer!) {
    HDRCompositor.with(impl) { object in object.instructions.withLock { $0 = [] } }
}

@c @implementation
func hdr_compositor_may_compose(_ impl: gpointer!) -> gboolean {
    HDRCompositor.with(impl) { $0.mayCompose() } ? 1 : 0
}

@c @implementation
func hdr_compositor_is_custom(_ impl: gpointer!) -> gboolean {
    HDRCompositor.with(impl) { $0.isCustom } ? 1 : 0
}

@c @implementation
func hdr_compositor_finished_picture(
    _ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!
) -> UnsafeMutablePointer<GstBuffer>! {
    HDRCompositor.with(impl) { $0.finishedPicture(buffer) }
}

@c @implementation
func hdr_compositor_flushes(_ impl: gpointer!, _ pad: gconstpointer!, _ begins: gboolean) {
    HDRCompositor.with(impl) { $0.flushes(pad, begins: begins != 0) }
}

@c @implementation
func hdr_compositor_seeks(_ impl: gpointer!, _ begins: gboolean) {
    HDRCompositor.with(impl) { $0.seeks(begins: begins != 0) }
}

@c @implementation
func hdr_compositor_releases(_ impl: gpointer!, _ pad: gconstpointer!, _ begins: gboolean) {
    HDRCompositor.with(impl) { $0.releases(pad, begins: begins != 0) }
}

@c @implementation
func hdr_compositor_streams(_ impl: gpointer!, _ begins: gboolean) {
    HDRCompositor.with(impl) { $0.streams(begins: begins != 0) }
}

@c @implementation
func hdr_compositor_dispose(_ impl: gpointer!) {
    HDRCompositor.with(impl) { $0.dispose() }
}
