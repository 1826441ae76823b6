import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio
import HDRConcurrency
import Synchronization

/// The Swift half of the element `hdrtap`.
///
/// The application's settings are protected by the lock of `settings`. Everything below "streaming" belongs to the
/// streaming thread, or to the thread that changes the state while nothing streams.
final class HDRTap: AdvisingElement, @unchecked Sendable {
    static var errorCode: MessageCode { .library() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrTap>
    let log: Log
    let settings = Locked(Settings())
    let notes = Locked(SettingNotes())
    let statistics = Statistics()
    let clock: ItemClock
    /// The video frames that have passed, for video outputs.
    let frames: FrameStore
    /// The state of requests to process frames again in a pause.
    let again = Monitor(Again())
    /// The running time in ns of the frame that a sink showed when a pause was interrupted; 0 where none told it.
    let shownBefore = Atomic<UInt64>(0)
    /// The thread that is running a processor, as a pointer; 0 for none.
    let processingThread = Atomic<UInt>(0)
    /// The latency that is reported to the pipeline, in ns.
    let latency = Atomic<UInt64>(0)

    /// A processor that waits for the streaming thread: an `Unmanaged<Change>`, or 0.
    let pending = Atomic<UInt>(0)
    /// Retired processors that have not been finalized yet: `Unmanaged<TapProcessor>`.
    let retired = SingleProducerQueue<UInt>(capacity: 64)
    /// Processors that were replaced before they were used.
    let abandoned = Locked<[TapProcessor]>([])
    /// Held while processors are finalized; recursive, because a `finalize` may attach or detach others.
    let finalizing = UnsafeMutablePointer<GRecMutex>.allocate(capacity: 1)
    let submission = Locked(Submission())

    // Streaming.
    /// The attached processor.
    var processor: TapProcessor?
    /// The plan for audio; `nil` while the processor is not prepared for audio.
    var plan: Plan?
    /// The plan for video; `nil` while the processor is not prepared for video.
    var videoPlan: VideoPlan?
    var segment = GstSegment()
    /// The sequence number of the segment's event.
    var segmentNumber: guint32 = 0
    /// The stream's caps; owned.
    var caps: UnsafeMutablePointer<GstCaps>?
    /// The stream's audio format; `nil` where it is not raw audio.
    var format: StreamFormat?
    /// The stream's video format; `nil` where it is not raw video in system memory.
    var videoFormat: VideoFormat?
    /// Whether the next video frame does not continue the previous ones.
    var frameIsStart = true
    /// Reads the dynamic metadata of frames.
    var dynamicsReader = PictureDynamicsReader()
    /// Whether a processor has ended a video stream with an error.
    var hasFailed = false
    /// Whether the reason why `GST_HDR_CPU` is ignored has been posted.
    var hasWarnedOfCPU = false
    /// Whether the signal process has changed a frame since it was prepared.
    var hasChangedFrames = false
    /// Whether the caps that were sent last describe other light than the input; any thread.
    let hasSentOtherLight = Atomic<Bool>(false)
    /// Whether the caps that were sent last lack the stream's light levels.
    var sentWithoutLight = false
    /// The input caps from which those caps were made.
    var sentFormat: OwnedCaps?
    var run: ContinuousRun?
    /// Where the run would continue if a new segment continued the old one.
    var continuation: Continuation?
    /// Whether it was reported that this format cannot be processed, which is done once.
    var hasReportedFormat = false
    /// Whether upstream was asked for another format, which effects take, and has not given one yet.
    var awaitsFormat = false
    /// Input frames that may be processed again in a pause.
    var kept: [KeptFrame] = []
    /// Whether kept frames were dropped that downstream has not shown yet.
    var lacksFrames = false
    /// The running time from which video outputs get the next frame, where that is before the frame's own.
    var offersFrom: UInt64?
    /// Whether the end of the stream has passed.
    var hasEnded = false
    /// The number of silent frames made for GAP events since the last buffer.
    var silence = 0

    init(element: UnsafeMutablePointer<GstHdrTap>) {
        self.element = element
        clock = ItemClock(element.asGstElement) { element in
            .init(behind: element.cast(to: GstHdrTap.self).pointee.srcpad)
        }
        frames = FrameStore(.clock, clock)
        log = Log(category: gst_hdr_tap_debug_category(), object: UnsafeMutableRawPointer(element))
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
        finalizing.initialize(to: GRecMutex())
        g_rec_mutex_init(finalizing)
    }

    deinit {
        g_rec_mutex_clear(finalizing)
        finalizing.deallocate()
    }

    /// Counters for the property `stats`, in frames where they count samples.
    final class Statistics: Sendable {
        let processed = Atomic<Int>(0)
        let silenced = Atomic<Int>(0)
        let dropped = Atomic<Int>(0)
        let discontinuities = Atomic<Int>(0)
        let jitter = Atomic<Int>(0)
    }

    // MARK: State changes

    /// NULL to READY.
    /// - Returns: whether the settings can be used; otherwise an error has been posted.
    func check() -> Bool {
        for text in notes.withLock({ $0.take() }) { warning(text) }
        if let idleParameter { warning(idleParameter) }
        let complaint = settings.withLock { settings in
            defer { settings.complaint = nil }
            return settings.complaint ?? settings.effectProblem
        }
        guard let complaint else { return true }
        error(complaint)
        return false
    }

    /// READY to PAUSED.
    func start() {
        submission.withLock { $0.isStreaming = true }
    }

    /// PAUSED to READY: no streaming thread runs any more.
    func stop() {
        clock.stop()
        frames.clear()
        endStream()
        collect()
        submission.withLock { submission in
            submission.isStreaming = false
            _ = adoptPending()
        }
        collect()
    }

    func dispose() {
        frames.close()
        // The last reference may be dropped on the thread that collects processors. `stop` held this lock after it had
        // ended the stream, so its writes are visible here.
        submission.withLock { $0.isStreaming = false }
        endStream()
        replaceEffects([])
        // A destroy notify may attach other callbacks. The number of rounds is limited in case it always does.
        for _ in 0..<100 {
            submit { settings in
                settings.callbacks = nil
                settings.isEmitting = false
            }
            if submission.withLock({ $0.processor == nil }) { break }
        }
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_tap_new(_ element: UnsafeMutablePointer<GstHdrTap>!) -> gpointer! {
    HDRTap(element: element).impl
}

@c @implementation
func hdr_tap_dispose(_ impl: gpointer!) {
    HDRTap.with(impl) { $0.dispose() }
}

@c @implementation
func hdr_tap_free(_ impl: gpointer!) {
    HDRTap.free(impl)
}

@c @implementation
func hdr_tap_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRTap.with(impl) { $0.setProperty(GstHdrTapProp(id), value) }
}

@c @implementation
func hdr_tap_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRTap.with(impl) { $0.getProperty(GstHdrTapProp(id), value) }
}

@c @implementation
func hdr_tap_chain(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    HDRTap.with(impl) { $0.chain(buffer) }
}

@c @implementation
func hdr_tap_sink_event(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) -> gboolean {
    HDRTap.with(impl) { $0.sinkEvent(event) } ? 1 : 0
}

@c @implementation
func hdr_tap_changes_light(_ impl: gpointer!) -> gboolean {
    HDRTap.with(impl) { $0.hasSentOtherLight.load(ordering: .relaxed) } ? 1 : 0
}

@c @implementation
func hdr_tap_src_query(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gboolean {
    HDRTap.with(impl) { $0.sourceQuery(query) } ? 1 : 0
}

@c @implementation
func hdr_tap_sink_query(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gint {
    HDRTap.with(impl) { $0.sinkQuery(query) }.map { $0 ? 1 : 0 } ?? -1
}

@c @implementation
func hdr_tap_check(_ impl: gpointer!) -> gboolean {
    HDRTap.with(impl) { $0.check() } ? 1 : 0
}

@c @implementation
func hdr_tap_start(_ impl: gpointer!) {
    HDRTap.with(impl) { $0.start() }
}

@c @implementation
func hdr_tap_stop(_ impl: gpointer!) {
    HDRTap.with(impl) { $0.stop() }
}

@c @implementation
func hdr_tap_set_audio_callbacks(
    _ impl: gpointer!, _ callbacks: UnsafePointer<GstHdrTapAudioCallbacks>!, _ user_data: gpointer!,
    _ notify: GDestroyNotify!
) -> UnsafeMutablePointer<GError>! {
    HDRTap.with(impl) { $0.setAudioCallbacks(callbacks, user_data, notify) }
}

@c @implementation
func hdr_tap_set_video_callbacks(
    _ impl: gpointer!, _ callbacks: UnsafePointer<GstHdrTapVideoCallbacks>!, _ user_data: gpointer!,
    _ notify: GDestroyNotify!
) -> UnsafeMutablePointer<GError>! {
    HDRTap.with(impl) { $0.setVideoCallbacks(callbacks, user_data, notify) }
}

@c @implementation
func hdr_tap_count_effects(_ impl: gpointer!) -> guint {
    HDRTap.with(impl) { guint(clamping: $0.settings.current.effects.count) }
}

@c @implementation
func hdr_tap_get_effect(_ impl: gpointer!, _ index: guint) -> UnsafeMutablePointer<GObject>! {
    HDRTap.with(impl) { tap in
        tap.settings.withLock { settings in
            guard settings.effects.indices.contains(Int(index)) else { return nil }
            let effect = settings.effects[Int(index)]
            gst_object_ref(effect)
            return effect.asGObject
        }
    }
}

@c @implementation
func hdr_tap_supported_effects() -> Structure.Pointer! { EffectKind.structure() }

@c @implementation
func hdr_tap_effect_blurb() -> UnsafePointer<gchar>! { EffectKind.blurb }
