import CGStreamer
import GstBridge

/// Converts frames for processors that see linear light.
extension HDRTap {
    /// The conversion to the light that a processor requests; `nil` where it requests planes.
    func lightStage(_ request: VideoRequest, _ format: VideoFormat) throws(LightFrames.Unavailable) -> LightStage? {
        guard let light = request.light else { return nil }
        warnOfCPUOnce()
        let settings = self.settings.current
        return try LightStage(
            format, light.element, light.space ?? settings.colorSpace, threads: Int(settings.threads))
    }

    /// The stage that runs a chain of effects; `nil` where the processor is not a chain, or changes nothing.
    func effectStage(
        _ processor: VideoProcessor, _ format: VideoFormat
    ) throws(LightFrames.Unavailable) -> EffectStage? {
        guard let chain = processor as? VideoEffectChain else { return nil }
        warnOfCPUOnce()
        // The objects of effects are there to be set only after `effect` is.
        if chain.isLate, let defect = chain.defect { warning("\(defect). Until then it leaves frames as they are") }
        let settings = self.settings.current
        return try EffectStage(chain, format, settings.colorSpace, threads: Int(settings.threads))
    }

    private func warnOfCPUOnce() {
        if !hasWarnedOfCPU { warnOfCPU() }
        hasWarnedOfCPU = true
    }

    /// The plan for the present value of the property `color-space`.
    /// - Returns: `nil`, after an error was posted, when out of memory.
    func followColorSpace(_ plan: VideoPlan) -> VideoPlan? {
        let isOfItsOwn = plan.processor.request.light?.space != nil
        guard let space = plan.light?.space ?? plan.effects?.space, !isOfItsOwn,
            space != settings.withLock({ $0.colorSpace })
        else { return plan }
        do throws(LightFrames.Unavailable) {
            let made = VideoPlan(
                processor: plan.processor, format: plan.format,
                light: try lightStage(plan.processor.request, plan.format),
                effects: try effectStage(plan.processor, plan.format))
            videoPlan = made
            return made
        } catch let problem {
            hasFailed = true
            error(problem.description, .stream())
            return nil
        }
    }

    /// Shows the light of a frame to a processor, and encodes a new frame from light that it has changed.
    /// - Returns: the buffer to push: the same one, unless the light was changed.
    func processLight(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan, _ light: LightStage, _ times: FrameTimes
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard !isBaseLayerAlone(buffer) else { return end(buffer, Self.noLight) }
        var made: UnsafeMutablePointer<GstBuffer>?
        let outcome = withFrame(buffer, plan.format, GST_MAP_READ) { frame -> FrameOutcome? in
            guard light.decode(frame) else { return nil }
            let outcome = call(plan, buffer, frame, times)
            if case .done = outcome, plan.processor.request.changes {
                made = newFrame(of: buffer, plan.format, light.makeBuffer()) { light.encode(from: frame, into: $0) }
                if made == nil { return .failed("A frame could not be made of the light of a process call") }
            }
            return outcome
        }
        switch outcome {
        case .failed(let text): return end(buffer, text)
        case nil, .some(nil): return refuse(buffer, plan.format)
        default: break
        }
        guard let made else { return buffer }
        gst_buffer_unref(buffer)
        return made
    }

    /// Processes a frame with a chain of effects.
    /// - Returns: the buffer to push.
    func processEffects(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan, _ stage: EffectStage, _ times: FrameTimes
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard stage.update(at: times.streamTime) else {
            return end(buffer, EffectStage.shortage)
        }
        statistics.processed.wrappingAdd(1, ordering: .relaxed)
        let isKept = stage.isIdentity
        guard (isKept && !stage.measures) || !isBaseLayerAlone(buffer) else { return end(buffer, Self.noLight) }
        let made =
            withFrame(buffer, plan.format, GST_MAP_READ) { frame -> UnsafeMutablePointer<GstBuffer>?? in
                guard stage.measure(frame, isBefore: true, times) else { return nil }
                if isKept { return stage.measure(frame, isBefore: false, times) ? .some(buffer) : nil }
                let made = newFrame(of: buffer, stage.output, stage.makeBuffer()) { target in
                    stage.process(frame, into: target, times) && stage.measure(target, isBefore: false, times)
                }
                return .some(made)
            } ?? nil
        guard let made else { return refuse(buffer, plan.format) }
        guard let made else { return end(buffer, "A frame could not be made: out of memory") }
        if made != buffer {
            hasChangedFrames = true
            gst_buffer_unref(buffer)
        }
        return made
    }

    /// Whether a frame is a profile 5 base layer (IPTPQc2), which cannot be shown without its RPU. hdrtap cannot
    /// reshape it, because the result is PQ while the caps of a tap keep their colour.
    private func isBaseLayerAlone(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        dynamicsReader.read(buffer)?.needsReshaping == true
    }

    private static let noLight =
        "This is Dolby Vision profile 5, whose base layer (IPTPQc2) cannot be shown without its RPU: put hdrconvert ! "
        + "video/x-raw,colorimetry=bt2100-pq before this element"

    /// A buffer with a new frame, and with the timestamps, flags and metas of the old one.
    /// - Parameters:
    ///   - made: the buffer that is filled; ownership is taken.
    ///   - write: fills the frame; `false` where it cannot.
    private func newFrame(
        of buffer: UnsafeMutablePointer<GstBuffer>, _ format: VideoFormat, _ made: UnsafeMutablePointer<GstBuffer>?,
        _ write: (UnsafeMutablePointer<GstVideoFrame>) -> Bool
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made else { return nil }
        // Metas may say how frames are mapped, such as which field comes first.
        let flags = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
        gst_buffer_copy_into(made, buffer, GstBufferCopyFlags(flags), 0, gsize.max)
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard withFrame(made, format, access, write) ?? false else {
            gst_buffer_unref(made)
            return nil
        }
        buffer.copyMetas(to: made)
        HeldMetadata(buffer).outdate(made)
        made.update(clear: GST_BUFFER_FLAG_GAP.rawValue)
        return made
    }
}
