import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// Tracks the stream's format, and prepares the processor for it.
extension HDRTap {
    /// An audio processor prepared for the stream's format. Made when the first data of the format arrive, and never
    /// changed.
    final class Plan {
        let processor: AudioProcessor
        let format: StreamFormat
        /// The maximum number of frames in a process call.
        let maxFrames: Int

        init(processor: AudioProcessor, format: StreamFormat, maxFrames: Int) {
            self.processor = processor
            self.format = format
            self.maxFrames = maxFrames
        }
    }

    /// A video processor prepared for the stream's format. Made when the first data of the format arrive, and never
    /// changed.
    final class VideoPlan {
        let processor: VideoProcessor
        let format: VideoFormat
        /// The conversion to the light that the processor requests; `nil` where it requests planes.
        let light: LightStage?
        /// The stage that runs a chain of effects; `nil` for other processors.
        let effects: EffectStage?

        init(processor: VideoProcessor, format: VideoFormat, light: LightStage?, effects: EffectStage?) {
            self.processor = processor
            self.format = format
            self.light = light
            self.effects = effects
        }
    }

    /// How the stream's buffers are handled.
    enum Readiness {
        case process(Plan)
        case video(VideoPlan)
        case pass
        /// The stream ends, since an error has been posted.
        case failed
    }

    /// Adopts new caps. Streams other than raw audio or video pass unchanged.
    func setCaps(_ newCaps: UnsafeMutablePointer<GstCaps>) {
        if let caps, gst_caps_is_equal(caps, newCaps) != 0 { return }
        endRun(withTail: false)
        forget()
        unprepare()
        if let caps { gst_caps_unref(caps) }
        caps = gst_caps_ref(newCaps)
        hasReportedFormat = false
        awaitsFormat = false
        format = nil
        videoFormat = isRawVideo ? VideoFormat(newCaps) : nil
        frameIsStart = true
        guard isRawAudio else { return }
        var info = GstAudioInfo()
        if gst_audio_info_from_caps(&info, newCaps) != 0 { format = StreamFormat(info) }
    }

    var isRawAudio: Bool { caps.flatMap { Caps.mediaType($0) } == "audio/x-raw" }
    var isRawVideo: Bool { caps.flatMap { Caps.mediaType($0) } == "video/x-raw" }

    /// Prepares the processor if it is not prepared yet.
    func makeReady() -> Readiness {
        if let plan { return .process(plan) }
        if let videoPlan { return .video(videoPlan) }
        guard let processor, let caps else { return .pass }
        if isRawAudio, let audio = processor.forAudio { return prepare(audio, caps) }
        if let videoFormat, let video = processor.forVideo {
            return awaitsFormat ? .pass : prepare(video, videoFormat)
        }
        if !hasReportedFormat { reportOtherStream(caps, processor) }
        hasReportedFormat = true
        return .pass
    }

    private func prepare(_ processor: AudioProcessor, _ caps: UnsafeMutablePointer<GstCaps>) -> Readiness {
        guard let format, format.channels <= StreamFormat.maximumChannels else {
            if !hasReportedFormat { reportFormat(caps) }
            hasReportedFormat = true
            return .failed
        }
        let requested = Int(settings.withLock { $0.maxFrames })
        let maxFrames = requested > 0 ? requested : Self.usualFrames(format.rate)
        if let refusal = processor.prepare(format, caps: caps, maxFrames: maxFrames) {
            error("\(refusal). Convert the stream before this element, or attach other callbacks", .stream())
            return .failed
        }
        let made = Plan(processor: processor, format: format, maxFrames: maxFrames)
        plan = made
        log.info("prepared for \(Caps.description(caps)), \(maxFrames) frames a call, latency \(processor.latency)")
        setLatency(frames: processor.latency)
        return .process(made)
    }

    private func reportFormat(_ caps: UnsafeMutablePointer<GstCaps>) {
        error(
            "Audio of the format \(Caps.description(caps)) cannot be processed: up to \(StreamFormat.maximumChannels) "
                + "channels can; audioconvert before this element makes fewer", .stream())
    }

    private func reportOtherStream(_ caps: UnsafeMutablePointer<GstCaps>, _ processor: TapProcessor) {
        let subject =
            switch processor {
            case is any EffectChain: "The effect \(settings.current.effectName ?? "")"
            case is SignalProcessor: "The signal process"
            default: "The callback process"
            }
        let media = [processor.forAudio.map { _ in "audio" }, processor.forVideo.map { _ in "video" }].compactMap { $0 }
            .joined(separator: " and ")
        var stream = Caps.mediaType(caps) ?? "something else"
        var advice = "Put the element where decoded \(media) goes by"
        if isRawVideo && processor.forVideo != nil && Self.hasSingleFields(caps) {
            stream = "of single fields: \(Caps.description(caps))"
            advice = "Put deinterlace, which makes frames of them, before this element"
        } else if isRawVideo && processor.forVideo != nil {
            stream = "in other memory than the system's: \(Caps.description(caps))"
            advice = "Download the frames before this element"
        }
        warning("\(subject) is for raw \(media), and this stream is \(stream), which passes unchanged. \(advice)")
    }

    private static func hasSingleFields(_ caps: Caps.Pointer) -> Bool {
        gst_caps_get_features(caps, 0).map { gst_caps_features_contains($0, "format:Interlaced") != 0 } ?? false
    }

    /// The default number of frames in a process call: 2048 at 44.1 and 48 kHz, and at other rates the power of two
    /// that lasts 43 to 85 ms; within 64 and 65536, whatever the rate.
    static func usualFrames(_ rate: Int) -> Int {
        var frames = 2048
        var covered = 48000
        while covered < rate && frames < 1 << 16 {
            frames *= 2
            covered *= 2
        }
        while covered > 0 && covered / 2 >= rate && frames > 64 {
            frames /= 2
            covered /= 2
        }
        return frames
    }

    func unprepare() {
        silence = 0
        hasFailed = false
        hasChangedFrames = false
        if let videoPlan {
            self.videoPlan = nil
            videoPlan.processor.unprepare()
        }
        guard let plan else { return }
        self.plan = nil
        plan.processor.unprepare()
        setLatency(frames: 0)
    }

    /// Ends the stream's state when streaming has ended, or when the element is disposed of.
    func endStream() {
        run = nil
        continuation = nil
        forget()
        unprepare()
        format = nil
        videoFormat = nil
        frameIsStart = true
        sentWithoutLight = false
        sentFormat = nil
        if let caps { gst_caps_unref(caps) }
        caps = nil
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
    }

    // MARK: Latency

    func setLatency(frames: Int) {
        let time = format.map { ClockTime.nanoseconds(frames: frames, rate: $0.rate) } ?? 0
        guard latency.exchange(time, ordering: .relaxed) != time else { return }
        notify("latency")
        gst_element_post_message(gstElement, gst_message_new_latency(gstObject))
    }
}
