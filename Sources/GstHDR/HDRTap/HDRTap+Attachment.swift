import CGStreamer
import CGstHDR
import CHDRTap
import GstBridge
import HDRAudio
import HDRConcurrency
import Synchronization

/// Orders what a thread writes before what the pool's thread reads, for ThreadSanitizer.
private let handover = Handover()

/// How processors come to the streaming thread and go from it.
///
/// An application's thread leaves a new processor in `pending`; the streaming thread takes it at its next buffer, unprepares
/// the old one and hands that to the queue `retired`, from which another thread finalizes it. While nothing streams all of
/// it happens on the thread that asks.
extension HDRTap {
    /// A processor to come, or none.
    final class Change {
        let tap: AudioTap?
        init(_ tap: AudioTap?) { self.tap = tap }
    }

    /// - Returns: `nil`, or an error that the caller owns.
    func setCallbacks(
        _ callbacks: UnsafePointer<GstHdrTapAudioCallbacks>?, _ userData: gpointer?, _ notify: GDestroyNotify?
    ) -> UnsafeMutablePointer<GError>? {
        guard let callbacks else {
            submit { control in
                if let userData, control.callbacks?.belongs(to: userData) != true { return }
                control.callbacks = nil
            }
            return nil
        }
        // The size comes first: nothing beyond it may be read.
        let size = Int(clamping: callbacks.pointee.size)
        let known = MemoryLayout<GstHdrTapAudioCallbacks>.size
        // Later versions append to the structure and go on taking this size.
        guard size >= known else {
            return gst_hdr_tap_settings_error(
                "The callbacks' size is \(size) and not \(known): set it to sizeof (GstHdrTapAudioCallbacks)")
        }
        guard callbacks.pointee.process != nil else {
            return gst_hdr_tap_settings_error("The callback process is NULL: it is the one that must be given")
        }
        let tap = CallbackTap(callbacks.pointee, userData: userData, notify: notify) { [unowned(unsafe) self] in
            self.note($0)
        }
        submit { $0.callbacks = tap }
        return nil
    }

    /// What a processor reports after a call, outside of its real-time section.
    private func note(_ report: CallbackTap.TapReport) {
        switch report {
        case .silenced(let frames): statistics.silenced.wrappingAdd(frames, ordering: .relaxed)
        case .dropped(let frames): statistics.dropped.wrappingAdd(frames, ordering: .relaxed)
        case .notFetched:
            warning(
                "The callback process does not fetch its source audio, which therefore passes unchanged: call "
                    + "gst_hdr_tap_get_source_audio in it")
        }
    }

    /// What has been left to the streaming thread.
    struct Submission: @unchecked Sendable {
        /// The newest processor. Every processor is left once.
        var tap: AudioTap?
        /// Whether there may be a streaming thread.
        var isStreaming = false
    }

    /// Changes settings and leaves the processor that they ask for to the streaming thread.
    func submit(_ change: (inout Control) -> Void) {
        submission.withLock { submission in
            let settings = control.withLock { control in
                change(&control)
                if let effect = control.effect { gst_object_ref(effect) }
                return control
            }
            // Held, as another thread may put another child in its place.
            defer { if let effect = settings.effect { gst_object_unref(effect) } }
            let tap = wanted(settings, submission.tap)
            guard tap !== submission.tap else { return }
            submission.tap = tap
            let bits = UInt(bitPattern: Unmanaged.passRetained(Change(tap)).toOpaque())
            // A change that is overtaken has a processor that was never prepared.
            if let overtaken = Self.change(pending.exchange(bits, ordering: .acquiringAndReleasing))?.tap {
                abandoned.withLock { $0.append(overtaken) }
                if submission.isStreaming { scheduleCollection() }
            }
            if !submission.isStreaming { _ = adoptPending() }
        }
        if !submission.withLock({ $0.isStreaming }) { collect() }
    }

    /// The processor for these settings: the one there is, if it still fits.
    private func wanted(_ settings: Control, _ present: AudioTap?) -> AudioTap? {
        if let callbacks = settings.callbacks { return callbacks }
        if settings.isEmitting {
            return present as? SignalTap ?? makeSignalTap()
        }
        guard let child = settings.effect else { return nil }
        let effect = Effect.of(child)
        if let present = present as? EffectTap, present.effect === effect { return present }
        return effect.makeTap()
    }

    private func makeSignalTap() -> SignalTap {
        SignalTap(
            element, warn: { [unowned(unsafe) self] in self.warning($0) },
            silenced: { [unowned(unsafe) self] in self.note(.silenced($0)) })
    }

    private static func change(_ bits: UInt) -> Change? {
        guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
        return Unmanaged<Change>.fromOpaque(pointer).takeRetainedValue()
    }

    // MARK: The streaming thread

    /// Takes a processor that waits, after the old one has given what it holds back.
    /// - Returns: whether one was retired.
    func adoptPending() -> Bool {
        guard pending.load(ordering: .relaxed) != 0, retired.count < retired.capacity,
            let change = Self.change(pending.exchange(0, ordering: .acquiringAndReleasing))
        else { return false }
        endSection(withTail: false)
        unprepare()
        hasReportedFormat = false
        let old = tap
        tap = change.tap
        guard let old else { return false }
        // There is room: that was looked at first.
        _ = retired.enqueue(UInt(bitPattern: Unmanaged.passRetained(old).toOpaque()))
        return true
    }

    // MARK: Finalizing

    /// Has a thread of GStreamer's pool finalize what is retired.
    func scheduleCollection() {
        handover.give()
        gst_element_call_async(
            gstElement,
            { element, _ in
                handover.take()
                guard let impl = element?.cast(to: GstHdrTap.self).pointee.impl else { return }
                HDRTap.with(impl) { $0.collect() }
            }, nil, nil)
    }

    /// Finalizes what is retired, and waits for what another thread is finalizing. Not on the streaming thread.
    func collect() {
        g_rec_mutex_lock(finalizing)
        defer { g_rec_mutex_unlock(finalizing) }
        while true {
            let tap = abandoned.withLock { abandoned -> AudioTap? in
                if let tap = abandoned.popLast() { return tap }
                guard let bits = retired.dequeue(), let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
                return Unmanaged<AudioTap>.fromOpaque(pointer).takeRetainedValue()
            }
            guard let tap else { return }
            tap.finalize()
        }
    }
}
