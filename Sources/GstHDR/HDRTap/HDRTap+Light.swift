import CGStreamer
import GstBridge

/// Frames that a processor sees as linear light.
extension HDRTap {
    /// What makes the light that a processor asks for; `nil` where it asks for planes.
    func lightStage(_ request: VideoRequest, _ format: VideoFormat) throws(LightStage.Unavailable) -> LightStage? {
        guard let light = request.light else { return nil }
        return try LightStage(format, light.element, light.space ?? settings.withLock { $0.colorSpace })
    }

    /// The plan with the color space that the property names now.
    /// - Returns: `nil`, after an error was posted, where there is no memory for it.
    func followColorSpace(_ plan: VideoPlan) -> VideoPlan? {
        guard let stage = plan.light, let light = plan.processor.request.light, light.space == nil,
            stage.space != settings.withLock({ $0.colorSpace })
        else { return plan }
        do throws(LightStage.Unavailable) {
            let stage = try lightStage(plan.processor.request, plan.format)
            let made = VideoPlan(processor: plan.processor, format: plan.format, light: stage)
            videoPlan = made
            return made
        } catch let problem {
            hasFailed = true
            error(problem.description, .stream())
            return nil
        }
    }

    /// Shows the light of a frame to a processor, and makes a frame of what it has changed.
    /// - Returns: the buffer to push: the same one, unless the light was changed.
    func processLight(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: VideoPlan, _ light: LightStage, _ times: FrameTimes
    ) -> UnsafeMutablePointer<GstBuffer>? {
        var made: UnsafeMutablePointer<GstBuffer>?
        let outcome = withFrame(buffer, plan.format, GST_MAP_READ) { frame -> FrameOutcome? in
            guard light.decode(frame) else { return nil }
            let outcome = call(plan, buffer, frame, times)
            if case .done = outcome, plan.processor.request.changes {
                made = encode(frame, of: buffer, plan.format, light)
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

    /// A new buffer with the frame that the light says, and with the time stamps, flags and metas of the old one.
    private func encode(
        _ frame: UnsafeMutablePointer<GstVideoFrame>, of buffer: UnsafeMutablePointer<GstBuffer>, _ format: VideoFormat,
        _ light: LightStage
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made = light.makeBuffer() else { return nil }
        // Metas may say how frames are mapped, such as which field comes first.
        let flags = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
        gst_buffer_copy_into(made, buffer, GstBufferCopyFlags(flags), 0, gsize.max)
        let isMade = withFrame(made, format, GST_MAP_WRITE) { light.encode(from: frame, into: $0) } ?? false
        guard isMade else {
            gst_buffer_unref(made)
            return nil
        }
        copyMetas(of: buffer, to: made)
        made.update(clear: GST_BUFFER_FLAG_GAP.rawValue)
        return made
    }

    /// Copies metas, but for those about the old memory.
    private func copyMetas(of buffer: UnsafeMutablePointer<GstBuffer>, to target: UnsafeMutablePointer<GstBuffer>) {
        var state: gpointer?
        var copy = GstMetaTransformCopy(region: 0, offset: 0, size: gsize.max)
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            guard let info = meta.pointee.info, let transform = info.pointee.transform_func,
                gst_meta_api_type_has_tag(info.pointee.api, g_quark_from_static_string("memory")) == 0
            else { continue }
            _ = transform(target, meta, buffer, g_quark_from_static_string("gst-copy"), &copy)
        }
    }
}
