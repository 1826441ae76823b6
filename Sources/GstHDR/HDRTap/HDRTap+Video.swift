import CGStreamer
import CGstHDR
import GstBridge

/// Handles video that passes through the element.
extension HDRTap {
    /// Prepares the processor for a format of video.
    func prepare(_ processor: VideoProcessor, _ format: VideoFormat) -> Readiness {
        if hasFailed { return .failed }
        if let refusal = processor.prepare(format) {
            hasFailed = true
            error(refusal, .stream())
            return .failed
        }
        do throws(LightFrames.Unavailable) {
            let made = VideoPlan(
                processor: processor, format: format, light: try lightStage(processor.request, format),
                effects: try effectStage(processor, format))
            // The parameters decide whether effects leave frames unchanged, which must be known before the first frame.
            guard made.effects?.update(at: nil) ?? true else {
                throw LightFrames.Unavailable(description: EffectStage.shortage)
            }
            videoPlan = made
            frameIsStart = true
            let space = made.light?.space ?? made.effects?.space
            let view = space.map { "light in \($0)" } ?? "planes"
            log.info(
                "prepared for \(Caps.description(format.caps)): \(view), "
                    + (processor.request.changes ? "changed" : "read"))
            return .video(made)
        } catch let problem {
            processor.unprepare()
            hasFailed = true
            error(problem.description, .stream())
            return .failed
        }
    }

    // MARK: Caps

    /// Passes a CAPS event of video on once it is known whether the processor changes the light. Takes ownership of the
    /// event.
    func passVideoCaps(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        defer { gst_event_unref(event) }
        if adoptPending() { scheduleCollection() }
        let readiness = makeReady()
        sentWithoutLight = changesLight
        let isAccepted = sendCaps(gst_event_get_seqnum(event))
        // The caps have been passed on nevertheless: another tap may be attached before the next frame.
        if case .failed = readiness { return false }
        return isAccepted
    }

    /// Sends caps again where attaching, detaching or the first changed frame has made those that were sent wrong, in
    /// their light levels or their format.
    func updateOutputCaps() {
        guard videoFormat != nil, let caps else { return }
        let output = videoPlan?.effects?.output.caps ?? caps
        guard sentWithoutLight != changesLight || sentFormat?.pointer != output else { return }
        hasSentOtherLight.store(changesLight, ordering: .relaxed)
        let hasLight =
            gst_caps_get_structure(caps, 0).map { structure in
                Self.lightFields.contains { gst_structure_has_field(structure, $0) != 0 }
            } ?? false
        let isSame = gst_caps_is_equal(output, sentFormat?.pointer ?? caps) != 0
        sentWithoutLight = changesLight
        sentFormat = OwnedCaps(output)
        if hasLight || !isSame { _ = sendCaps(nil) }
    }

    /// The fields that describe the light of the input; `hdr-format` states from GStreamer 1.30 on whether there are
    /// dynamic metadata.
    private static let lightFields = ["content-light-level", "hdr-format"]

    /// Whether the light of frames differs from the input: once a frame was changed, or where the processor may change
    /// the next one. Effects state whether they do; those that are controlled may do so later, and what was said of the
    /// light by then could not be taken back.
    private var changesLight: Bool {
        guard let plan = videoPlan else { return false }
        return hasChangedFrames
            || plan.effects.map { !$0.isIdentity || $0.isControlled } ?? plan.processor.request.changes
    }

    /// Sends the caps of the output. MaxCLL and MaxFALL were measured on input frames and are wrong once these are
    /// changed; the mastering display is still the one on which the content was graded.
    func sendCaps(_ number: guint32?) -> Bool {
        guard let own = videoPlan?.effects?.output.caps ?? caps, let sent = gst_caps_copy(own) else { return false }
        defer { gst_caps_unref(sent) }
        sentFormat = OwnedCaps(own)
        hasSentOtherLight.store(sentWithoutLight, ordering: .relaxed)
        if sentWithoutLight { for field in Self.lightFields { Caps.removeField(sent, field) } }
        guard let event = gst_event_new_caps(sent) else { return false }
        if let number { gst_event_set_seqnum(event, number) }
        // Before the elements downstream say that they are not negotiated: the first error is what users see.
        explainRefusal(of: sent)
        return gst_pad_push_event(element.pointee.srcpad, event) != 0
    }

    /// Posts an error where an effect has given frames alpha, and downstream accepts none.
    private func explainRefusal(of sent: Caps.Pointer) {
        guard let caps, let pad = element.pointee.srcpad, gst_pad_is_linked(pad) != 0,
            let came = gst_caps_get_structure(caps, 0), let goes = gst_caps_get_structure(sent, 0),
            let (before, now) = Caps.string(came, "format").flatMap({ a in Caps.string(goes, "format").map { (a, $0) } }
            ),
            before != now, gst_pad_peer_query_accept_caps(pad, sent) == 0
        else { return }
        error(
            "Frames have alpha now (\(now)), which the next element does not take: put hdrcompositor after this "
                + "one, to lay them over a picture, or hdrconvert, for \(before) without what the effect made "
                + "transparent", .stream(GST_STREAM_ERROR_FORMAT))
    }

    // MARK: Frames

    /// Processes a frame, which it takes over, and pushes it; and again for as long as this is requested in a pause.
    func process(_ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan) -> GstFlowReturn {
        keep(buffer)
        return afterPush(processAndPush(buffer, plan))
    }

    /// Processes a frame, which it takes over, and pushes it.
    func processAndPush(_ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan) -> GstFlowReturn {
        guard !hasFailed else {
            gst_buffer_unref(buffer)
            return GST_FLOW_ERROR
        }
        // Mixers make such buffers for gaps without a picture.
        if gst_buffer_get_size(buffer) == 0 {
            updateOutputCaps()
            return gst_pad_push(element.pointee.srcpad, buffer)
        }
        guard let plan = followColorSpace(plan) else {
            gst_buffer_unref(buffer)
            return GST_FLOW_ERROR
        }
        let times = times(of: buffer)
        processingThread.store(UInt(bitPattern: g_thread_self()), ordering: .relaxed)
        let result =
            if let effects = plan.effects {
                processEffects(buffer, plan, effects, times)
            } else if let light = plan.light {
                processLight(buffer, plan, light, times)
            } else {
                plan.processor.request.changes ? change(buffer, plan, times) : read(buffer, plan, times)
            }
        processingThread.store(0, ordering: .relaxed)
        guard let result else { return GST_FLOW_ERROR }
        updateOutputCaps()
        offer(result)
        return gst_pad_push(element.pointee.srcpad, result)
    }

    /// Shows a frame to a processor that only reads it.
    /// - Returns: the buffer to push: the same one, unless the processor replaces its bytes.
    private func read(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan, _ times: FrameTimes
    ) -> UnsafeMutablePointer<GstBuffer>? {
        let metadata = HeldMetadata(buffer)
        let outcome = withFrame(buffer, plan.format, GST_MAP_READ) { frame in
            call(plan, buffer, frame, times)
        }
        switch outcome {
        case .done, .unchanged: return buffer
        case .replaced(let bytes): return replace(buffer, plan.format, bytes, metadata)
        case .failed(let text): return end(buffer, text)
        case nil: return refuse(buffer, plan.format)
        }
    }

    /// Passes a frame to a processor that may write to it.
    /// - Returns: the buffer to push.
    private func change(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan, _ times: FrameTimes
    ) -> UnsafeMutablePointer<GstBuffer>? {
        // A copy shares the memory until that is mapped for writing. The input frame is kept in case the processor
        // discards its changes.
        var target = buffer
        if gst_mini_object_is_writable(buffer.asMiniObject) == 0 {
            guard let copy = gst_mini_object_copy(buffer.asMiniObject) else { return refuse(buffer, plan.format) }
            target = copy.cast()
        }
        func discard(_ unused: UnsafeMutablePointer<GstBuffer>) {
            if target != buffer { gst_buffer_unref(unused) }
        }
        let writing = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        let metadata = HeldMetadata(target)
        let outcome = withFrame(target, plan.format, writing) { frame in
            call(plan, target, frame, times)
        }
        switch outcome {
        case .done:
            discard(buffer)
            return changed(target, metadata)
        case .unchanged:
            discard(target)
            return buffer
        case .replaced(let bytes):
            discard(buffer)
            return replace(target, plan.format, bytes, metadata)
        case .failed(let text):
            discard(target)
            return end(buffer, text)
        case nil:
            discard(target)
            return refuse(buffer, plan.format)
        }
    }

    func call(
        _ plan: VideoPlan, _ buffer: UnsafeMutablePointer<GstBuffer>, _ frame: UnsafeMutablePointer<GstVideoFrame>,
        _ times: FrameTimes
    ) -> FrameOutcome {
        statistics.processed.wrappingAdd(1, ordering: .relaxed)
        return plan.processor.process(FrameCall(buffer: buffer, frame: frame, light: plan.light, times: times))
    }

    /// Calls `body` with a buffer's frame; `nil` where the buffer does not hold a frame of the caps, or cannot be
    /// mapped.
    func withFrame<Result>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ format: VideoFormat, _ access: GstMapFlags,
        _ body: (UnsafeMutablePointer<GstVideoFrame>) -> Result
    ) -> Result? {
        var info = format.info
        var frame = GstVideoFrame()
        let flags = GstMapFlags(access.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&frame, &info, buffer, flags) != 0 else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        // A padded buffer may hold more than its caps show.
        guard frame.info.width >= info.width, frame.info.height >= info.height, frame.info.finfo == info.finfo,
            frame.showCrop(of: buffer, (info.width, info.height))
        else { return nil }
        frame.info.width = info.width
        frame.info.height = info.height
        return body(&frame)
    }

    /// Writes bytes, whose reference it takes over, into a frame.
    private func replace(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ format: VideoFormat, _ bytes: OpaquePointer,
        _ metadata: HeldMetadata
    ) -> UnsafeMutablePointer<GstBuffer>? {
        defer { g_bytes_unref(bytes) }
        hasChangedFrames = true
        guard let target = buffer.writable() else { return nil }
        guard let source = gst_buffer_new_wrapped_bytes(bytes) else { return target }
        defer { gst_buffer_unref(source) }
        let isWritten = withFrame(target, format, GST_MAP_WRITE) { written in
            withFrame(source, format, GST_MAP_READ) { gst_video_frame_copy(written, $0) != 0 } ?? false
        }
        return isWritten == true ? changed(target, metadata) : refuse(target, format)
    }

    /// Marks a frame that a processor has changed: it is no gap, and dynamic metadata are valid only where the
    /// processor has set them.
    private func changed(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ metadata: HeldMetadata
    ) -> UnsafeMutablePointer<GstBuffer>? {
        let isGap = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue != 0
        guard isGap || metadata.isThere else { return buffer }
        // A processor may have taken a reference.
        guard let target = buffer.writable() else { return nil }
        target.update(clear: GST_BUFFER_FLAG_GAP.rawValue)
        metadata.outdate(target)
        return target
    }

    /// Ends the stream with a processor's error, and takes the buffer over.
    func end(_ buffer: UnsafeMutablePointer<GstBuffer>, _ text: String) -> UnsafeMutablePointer<GstBuffer>? {
        gst_buffer_unref(buffer)
        hasFailed = true
        error(text, .stream(GST_STREAM_ERROR_FAILED))
        return nil
    }

    /// Ends the stream at a buffer that cannot be processed, which it takes over.
    func refuse(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ format: VideoFormat
    ) -> UnsafeMutablePointer<GstBuffer>? {
        let isPicture = withFrame(buffer, format, GST_MAP_READ) { _ in true } ?? false
        let isCropped = gst_buffer_get_meta(buffer, gst_video_crop_meta_api_get_type()) != nil
        let what =
            isPicture
            ? "A buffer's memory cannot be written to"
            : isCropped
                ? WrongBuffer.message(
                    "A buffer's crop begins within samples of chroma, right of the first column of packed samples "
                        + "(such as v210's), with the other field, or outside of its picture")
                : WrongBuffer.noPicture(size: Int(clamping: gst_buffer_get_size(buffer)))
        return end(buffer, what)
    }

    private func times(of buffer: UnsafeMutablePointer<GstBuffer>) -> FrameTimes {
        let breaks = GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_RESYNC.rawValue
        let pts = ClockTime.known(buffer.pointee.pts)
        defer { frameIsStart = false }
        return FrameTimes(
            streamTime: pts.flatMap { ClockTime.streamTime(segment, $0) },
            runningTime: pts.flatMap { ClockTime.runningTime(segment, $0) }, pts: pts,
            duration: ClockTime.known(buffer.pointee.duration),
            isStart: frameIsStart || buffer.pointee.mini_object.flags & breaks != 0)
    }
}
