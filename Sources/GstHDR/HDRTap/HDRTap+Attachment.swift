import CGStreamer
import CGstHDR
import CHDRTap
import GstBridge
import HDRAudio
import HDRConcurrency
import Synchronization

/// Orders what a thread writes before what the pool's thread reads, for ThreadSanitizer.
private let handover = Handover()

/// Hands processors to the streaming thread and takes them back.
///
/// An application's thread leaves a new processor in `pending`. The streaming thread adopts it at its next buffer,
/// unprepares the old processor and puts that into the queue `retired`, from which another thread finalizes it. While
/// nothing streams, all of this happens on the application's thread.
extension HDRTap {
    /// A change of the processor; without a new processor the present one is only detached.
    final class Change {
        let processor: TapProcessor?
        init(_ processor: TapProcessor?) { self.processor = processor }
    }

    /// - Returns: `nil`, or an error that the caller owns.
    func setAudioCallbacks(
        _ callbacks: UnsafePointer<GstHdrTapAudioCallbacks>?, _ userData: gpointer?, _ notify: GDestroyNotify?
    ) -> UnsafeMutablePointer<GError>? {
        guard let callbacks else {
            detach(AudioCallbackProcessor.self, userData)
            return nil
        }
        if let text = Self.defect(callbacks, size: callbacks.pointee.size, name: "GstHdrTapAudioCallbacks") {
            return gst_hdr_tap_settings_error(text)
        }
        guard callbacks.pointee.process != nil else { return gst_hdr_tap_settings_error(Self.noProcess) }
        let processor = AudioCallbackProcessor(callbacks.pointee, userData: userData, notify: notify) {
            [unowned(unsafe) self] in
            self.note($0)
        }
        submit { $0.callbacks = processor }
        return nil
    }

    /// - Returns: `nil`, or an error that the caller owns.
    func setVideoCallbacks(
        _ callbacks: UnsafePointer<GstHdrTapVideoCallbacks>?, _ userData: gpointer?, _ notify: GDestroyNotify?
    ) -> UnsafeMutablePointer<GError>? {
        guard let callbacks else {
            detach(VideoCallbackProcessor.self, userData)
            return nil
        }
        if let text = Self.defect(callbacks, size: callbacks.pointee.size, name: "GstHdrTapVideoCallbacks") {
            return gst_hdr_tap_settings_error(text)
        }
        guard callbacks.pointee.process != nil else { return gst_hdr_tap_settings_error(Self.noProcess) }
        let processor = VideoCallbackProcessor(callbacks.pointee, userData: userData, notify: notify)
        submit { $0.callbacks = processor }
        return nil
    }

    private static let noProcess = "The callback process is NULL: it is the one that must be given"

    /// Why callbacks cannot be read; `nil` where they can. Reads nothing beyond the structure's own size.
    private static func defect<Callbacks>(_ callbacks: UnsafePointer<Callbacks>, size: gsize, name: String) -> String? {
        let known = MemoryLayout<Callbacks>.size
        // Later versions of the structure are longer, and their elements still accept this size.
        return Int(clamping: size) >= known
            ? nil : "The callbacks' size is \(size) and not \(known): set it to sizeof (\(name))"
    }

    /// Detaches callbacks of a kind: those with this user data, or any where it is `nil`.
    private func detach<Kind: AttachedProcessor>(_ kind: Kind.Type, _ userData: gpointer?) {
        submit { settings in
            guard let attached = settings.callbacks as? Kind else { return }
            if let userData, !attached.belongs(to: userData) { return }
            settings.callbacks = nil
        }
    }

    /// Handles a processor's report after a call, outside of real time.
    private func note(_ report: AudioCallbackProcessor.Report) {
        switch report {
        case .silenced(let frames): statistics.silenced.wrappingAdd(frames, ordering: .relaxed)
        case .dropped(let frames): statistics.dropped.wrappingAdd(frames, ordering: .relaxed)
        case .notFetched:
            warning(
                "The callback process does not fetch its source audio, which therefore passes unchanged: call "
                    + "gst_hdr_tap_get_source_audio in it")
        }
    }

    /// The processor and state that are handed to the streaming thread.
    struct Submission: @unchecked Sendable {
        /// The newest processor that was handed over. Each one is handed over once.
        var processor: TapProcessor?
        /// Whether there may be a streaming thread.
        var isStreaming = false
    }

    /// Changes settings, and hands the processor that they require to the streaming thread.
    func submit(_ change: (inout Settings) -> Void) {
        let isOther = submission.withLock { submission in
            let settings = self.settings.withLock { settings in
                change(&settings)
                for effect in settings.effects { gst_object_ref(effect) }
                return settings
            }
            // The references are held because another thread may replace the children.
            defer { for effect in settings.effects { gst_object_unref(effect) } }
            let processor = requested(settings, submission.processor)
            guard processor !== submission.processor else { return false }
            submission.processor = processor
            let bits = UInt(bitPattern: Unmanaged.passRetained(Change(processor)).toOpaque())
            // The processor of a change that is superseded was never prepared.
            if let overtaken = Self.change(pending.exchange(bits, ordering: .acquiringAndReleasing))?.processor {
                abandoned.withLock { $0.append(overtaken) }
                if submission.isStreaming { scheduleCollection() }
            }
            if !submission.isStreaming { _ = adoptPending() }
            return true
        }
        if !submission.withLock({ $0.isStreaming }) { collect() }
        // A pause shows a frame of the previous processor, so it is processed again.
        if isOther { _ = renderAgain() }
    }

    /// The processor that settings require: the present one if it is still suitable.
    private func requested(_ settings: Settings, _ present: TapProcessor?) -> TapProcessor? {
        if let callbacks = settings.callbacks { return callbacks }
        if settings.isEmitting {
            return present as? SignalProcessor ?? makeSignalProcessor()
        }
        let effects = settings.effects.compactMap { EffectObject.of($0) }
        guard !effects.isEmpty, effects.count == settings.effects.count else { return nil }
        if let present = present as? any EffectChain, present.isOf(effects) { return present }
        // All effects of a chain are for audio, or all for video.
        let audio = effects.compactMap { $0 as? AudioEffect }
        if audio.count == 1 { return audio[0].makeProcessor() }
        if !audio.isEmpty { return AudioEffectChain(audio) }
        return VideoEffectChain(
            effects.compactMap { $0 as? VideoEffectObject }, addsAlpha: settings.formats == .withAlpha,
            isLate: gstElement.pointee.current_state.rawValue > GST_STATE_READY.rawValue)
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

    /// Adopts the waiting processor, after the old one has output what it holds back.
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
        awaitsFormat = false
        if let caps, videoFormat != nil, processor is any EffectChain, canGetOtherFormat(than: caps) {
            awaitsFormat = true
            log.info("frames pass unchanged until upstream gives a format that the effects take")
        }
        guard let old else { return false }
        // The queue has room: that was checked before.
        _ = retired.enqueue(UInt(bitPattern: Unmanaged.passRetained(old).toOpaque()))
        return true
    }

    // MARK: Finalizing

    /// Schedules the finalization of retired processors on a thread of GStreamer's pool.
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
            let processor = abandoned.withLock { abandoned -> TapProcessor? in
                if let processor = abandoned.popLast() { return processor }
                guard let bits = retired.dequeue(), let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
                return Unmanaged<TapProcessor>.fromOpaque(pointer).takeRetainedValue()
            }
            guard let processor else { return }
            processor.finalize()
        }
    }
}
