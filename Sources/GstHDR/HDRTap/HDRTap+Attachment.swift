import CGStreamer
import CGstHDR
import CHDRTap
import GstBridge
import HDRAudio
import HDRConcurrency
import Synchronization

/// Orders what a thread writes before what the pool's thread reads, for ThreadSanitizer.
private let handover = Handover()

/// How processors get to the streaming thread and away from it.
///
/// An application's thread leaves a new processor in `pending`. The streaming thread takes it at its next buffer,
/// unprepares the old processor and puts that into the queue `retired`, from which another thread finalizes it. While
/// nothing streams, all of this happens on the application's thread.
extension HDRTap {
    /// The processor that replaces the present one; none detaches that.
    final class Change {
        let processor: AudioProcessor?
        init(_ processor: AudioProcessor?) { self.processor = processor }
    }

    /// - Returns: `nil`, or an error that the caller owns.
    func setCallbacks(
        _ callbacks: UnsafePointer<GstHdrTapAudioCallbacks>?, _ userData: gpointer?, _ notify: GDestroyNotify?
    ) -> UnsafeMutablePointer<GError>? {
        guard let callbacks else {
            submit { settings in
                if let userData, settings.callbacks?.belongs(to: userData) != true { return }
                settings.callbacks = nil
            }
            return nil
        }
        // Nothing beyond the structure's own size may be read.
        let size = Int(clamping: callbacks.pointee.size)
        let known = MemoryLayout<GstHdrTapAudioCallbacks>.size
        // Later versions of the structure are longer, and their elements still accept this size.
        guard size >= known else {
            return gst_hdr_tap_settings_error(
                "The callbacks' size is \(size) and not \(known): set it to sizeof (GstHdrTapAudioCallbacks)")
        }
        guard callbacks.pointee.process != nil else {
            return gst_hdr_tap_settings_error("The callback process is NULL: it is the one that must be given")
        }
        let processor = CallbackProcessor(callbacks.pointee, userData: userData, notify: notify) {
            [unowned(unsafe) self] in
            self.note($0)
        }
        submit { $0.callbacks = processor }
        return nil
    }

    /// Takes a processor's report after a call, outside of real time.
    private func note(_ report: CallbackProcessor.Report) {
        switch report {
        case .silenced(let frames): statistics.silenced.wrappingAdd(frames, ordering: .relaxed)
        case .dropped(let frames): statistics.dropped.wrappingAdd(frames, ordering: .relaxed)
        case .notFetched:
            warning(
                "The callback process does not fetch its source audio, which therefore passes unchanged: call "
                    + "gst_hdr_tap_get_source_audio in it")
        }
    }

    /// What has been handed to the streaming thread.
    struct Submission: @unchecked Sendable {
        /// The newest processor. Every processor is handed over once.
        var processor: AudioProcessor?
        /// Whether there may be a streaming thread.
        var isStreaming = false
    }

    /// Changes settings and hands the processor that they ask for to the streaming thread.
    func submit(_ change: (inout Settings) -> Void) {
        submission.withLock { submission in
            let settings = self.settings.withLock { settings in
                change(&settings)
                if let effect = settings.effect { gst_object_ref(effect) }
                return settings
            }
            // The reference is held because another thread may replace the child.
            defer { if let effect = settings.effect { gst_object_unref(effect) } }
            let processor = requested(settings, submission.processor)
            guard processor !== submission.processor else { return }
            submission.processor = processor
            let bits = UInt(bitPattern: Unmanaged.passRetained(Change(processor)).toOpaque())
            // The processor of a change that is overtaken was never prepared.
            if let overtaken = Self.change(pending.exchange(bits, ordering: .acquiringAndReleasing))?.processor {
                abandoned.withLock { $0.append(overtaken) }
                if submission.isStreaming { scheduleCollection() }
            }
            if !submission.isStreaming { _ = adoptPending() }
        }
        if !submission.withLock({ $0.isStreaming }) { collect() }
    }

    /// The processor that settings ask for: the present one if it still fits.
    private func requested(_ settings: Settings, _ present: AudioProcessor?) -> AudioProcessor? {
        if let callbacks = settings.callbacks { return callbacks }
        if settings.isEmitting {
            return present as? SignalProcessor ?? makeSignalProcessor()
        }
        guard let child = settings.effect, let effect = EffectObject.of(child) else { return nil }
        if let present = present as? EffectProcessor, present.effect === effect { return present }
        return effect.makeProcessor()
    }

    private func makeSignalProcessor() -> SignalProcessor {
        SignalProcessor(
            element, warn: { [unowned(unsafe) self] in self.warning($0) },
            silenced: { [unowned(unsafe) self] in self.note(.silenced($0)) })
    }

    private static func change(_ bits: UInt) -> Change? {
        guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
        return Unmanaged<Change>.fromOpaque(pointer).takeRetainedValue()
    }

    // MARK: The streaming thread

    /// Takes the processor that waits, after the old one has given what it holds back.
    /// - Returns: whether one was retired.
    func adoptPending() -> Bool {
        guard pending.load(ordering: .relaxed) != 0, retired.count < retired.capacity,
            let change = Self.change(pending.exchange(0, ordering: .acquiringAndReleasing))
        else { return false }
        endRun(withTail: false)
        unprepare()
        hasReportedFormat = false
        let old = processor
        processor = change.processor
        guard let old else { return false }
        // There is room: that was checked first.
        _ = retired.enqueue(UInt(bitPattern: Unmanaged.passRetained(old).toOpaque()))
        return true
    }

    // MARK: Finalizing

    /// Makes a thread of GStreamer's pool finalize retired processors.
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

    /// Finalizes retired processors, and waits for those that another thread is finalizing. Not on the streaming
    /// thread.
    func collect() {
        g_rec_mutex_lock(finalizing)
        defer { g_rec_mutex_unlock(finalizing) }
        while true {
            let processor = abandoned.withLock { abandoned -> AudioProcessor? in
                if let processor = abandoned.popLast() { return processor }
                guard let bits = retired.dequeue(), let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
                return Unmanaged<AudioProcessor>.fromOpaque(pointer).takeRetainedValue()
            }
            guard let processor else { return }
            processor.finalize()
        }
    }
}
