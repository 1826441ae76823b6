import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels

extension HDRConvert {
    /// A conversion ready to run, and what it was made from.
    struct Run {
        let plan: ConversionPlan
        let format: FormatPlan
        let quality: Quality
        let threads: Int
        let converter: PictureConverter
    }

    /// Makes the conversion for what was negotiated and these settings, or keeps the one there is.
    func plan(_ settings: Settings) {
        guard let negotiated else { return }
        plannedSettings = settings
        let source = negotiated.source
        let target = negotiated.target
        let plan = settings.plan(
            from: source, to: target, metadata: negotiated.metadata, wantedPeak: Self.wantedPeak(negotiated.wish))
        let passthrough = negotiated.isSame && plan.keepsLight
        gst_base_transform_set_passthrough(transform, passthrough ? 1 : 0)
        if passthrough {
            run = nil
            log.debug("passing through \(source.formatName)")
            return
        }

        let format = settings.format(from: source, to: target)
        let wanted = settings.threads == 0 ? Int(g_get_num_processors()) : Int(settings.threads)
        // A band of fewer rows than this costs more to hand out than to convert.
        let threads = max(1, min(wanted, source.height / 16))
        if pool?.threads != threads { pool = RowPool(threads: threads) }
        if let run, run.plan == plan, run.format == format, run.quality == settings.kernelQuality,
            run.threads == threads, run.converter.width == source.width
        {
            return
        }
        run = Run(
            plan: plan, format: format, quality: settings.kernelQuality, threads: threads,
            converter: PictureConverter(
                plan: plan, format: format, quality: settings.kernelQuality, width: source.width, threads: threads,
                instructionSet: CPUChoice.current.instructionSet, replacing: run?.converter))
        if let complaint = CPUChoice.current.complaint, !hasComplained {
            hasComplained = true
            warning(complaint, .library())
        }
        log.info(Self.describe(plan, from: source, to: target))
        log.info(
            "chroma \(format.chromaMode), dither \(format.dither), quality \(settings.kernelQuality), \(threads) threads, "
                + "instruction set \(CPUChoice.current.instructionSet.names[0])")
    }

    /// The plan in a line, for reports.
    private static func describe(_ plan: ConversionPlan, from source: VideoSignal, to target: VideoSignal) -> String {
        func signal(_ s: VideoSignal) -> String { "\(s.formatName) \(s.color.transfer) \(s.color.primaries)" }
        var text = "\(signal(source)) -> \(signal(target)), \(source.width)x\(source.height): "
        if plan.keepsLight { return text + "format only" }
        text += "tone mapping \(plan.toneCurve) in \(plan.domain), inverse \(plan.inverseToneCurve), "
        let peak = plan.inverseToneCurve == .none ? plan.targetPeak : plan.inversePeak
        text += "gamut \(plan.gamutMapping), peaks \(plan.sourcePeak) -> \(peak) cd/m2, "
        return text + "white \(plan.referenceWhite) cd/m2"
    }

    /// Brings controlled properties to the buffer's time and follows changed settings.
    func beforeTransform(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let time = buffer.pointee.pts
        // In other formats a segment knows no stream time, and controlled properties stay as they are.
        if time != GST_CLOCK_TIME_NONE_VALUE && transform.pointee.segment.format == GST_FORMAT_TIME {
            let streamTime = gst_segment_to_stream_time(&transform.pointee.segment, GST_FORMAT_TIME, time)
            if streamTime != GST_CLOCK_TIME_NONE_VALUE {
                gst_object_sync_values(gstObject, streamTime)
            }
        }
        let settings = self.settings.current
        guard settings != plannedSettings || metadataIsDue, negotiated != nil else { return }
        let passedThrough = run == nil
        plan(settings)
        // Passing through needs no buffers; converting does, from a pool that is only negotiated anew.
        if passedThrough && run != nil { gst_base_transform_reconfigure_src(transform) }
        metadataIsDue = false
        updateMetadata()
    }

    /// Tells downstream when a setting has changed what is true of the output.
    private func updateMetadata() {
        guard let settings = plannedSettings, let metadata = trueMetadata(settings),
            let pad = transform.pointee.srcpad, let caps = gst_pad_get_current_caps(pad)
        else { return }
        defer { gst_caps_unref(caps) }
        guard let updated = gst_caps_copy(caps) else { return }
        defer { gst_caps_unref(updated) }
        metadata.write(to: updated)
        if gst_caps_is_equal(caps, updated) == 0 { gst_base_transform_update_src_caps(transform, updated) }
    }

    /// The size of a buffer with these caps; no buffer's own size has a say in it.
    func transformSize(_ caps: Caps.Pointer, _ size: UnsafeMutablePointer<gsize>) -> Bool {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return false }
        size.pointee = info.size
        return true
    }

    /// Metas about places in the picture stay true, because its size stays; those about its colour only where the light
    /// is kept.
    func keepsMeta(_ tags: UnsafePointer<UnsafePointer<gchar>?>?) -> Bool {
        var next = tags
        while let tag = next?.pointee {
            switch String(cString: tag) {
            case "video", "size", "orientation": break
            case "colorspace" where run?.plan.keepsLight == true: break
            default: return false
            }
            next = next?.advanced(by: 1)
        }
        return true
    }

    /// The base class would only warn of a buffer that cannot be mapped as a picture, and send an empty one on.
    func checkBuffer(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard var info = negotiated?.sourceInfo else { return GST_FLOW_NOT_NEGOTIATED }
        var frame = GstVideoFrame()
        let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_buffer_get_size(buffer) > 0, gst_video_frame_map(&frame, &info, buffer, flags) != 0 else {
            reportBrokenBuffer("A buffer of \(gst_buffer_get_size(buffer)) bytes is no picture of its caps")
            return GST_FLOW_ERROR
        }
        defer { gst_video_frame_unmap(&frame) }
        // Padded buffers may hold more than their caps show.
        guard frame.info.width >= info.width, frame.info.height >= info.height else {
            reportBrokenBuffer("A buffer of \(frame.info.width)x\(frame.info.height) is smaller than its caps")
            return GST_FLOW_ERROR
        }
        return GST_FLOW_OK
    }

    private func reportBrokenBuffer(_ what: String) {
        error("\(what). The element before this one is at fault.")
    }

    /// Converts one picture.
    func transformFrame(
        _ inFrame: UnsafeMutablePointer<GstVideoFrame>, _ outFrame: UnsafeMutablePointer<GstVideoFrame>
    ) -> GstFlowReturn {
        guard let run, let pool, let negotiated else { return GST_FLOW_NOT_NEGOTIATED }
        let size = (width: negotiated.source.width, height: negotiated.source.height)
        guard let source = FrameView(inFrame, size, run.format.source, negotiated.sourceLayout),
            let target = FrameView(outFrame, size, run.format.target, negotiated.targetLayout, isWritten: true)
        else {
            reportBrokenBuffer("A buffer's picture differs from its caps")
            return GST_FLOW_ERROR
        }
        negotiated.targetLayout.clearPadding(outFrame, run.format.target)
        let halvesRows = run.format.source.verticalShift > 0 || run.format.target.verticalShift > 0
        pool.convertFrame(source, target, run.converter, isInterlaced: halvesRows && inFrame.isInterlaced)
        return GST_FLOW_OK
    }
}

/// GST_CLOCK_TIME_NONE, a macro in C.
private let GST_CLOCK_TIME_NONE_VALUE = GstClockTime.max
