import CGStreamer
import CGstHDR
import GstBridge
import HDRKernels

extension HDRConvert {
    /// Called when the base class has received a buffer. With look-ahead this buffer is not the next one to be
    /// converted.
    func beforeTransform(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        if scene == nil && held.isEmpty { adoptSettings(buffer) }
    }

    /// Sets controlled properties to their values at the buffer's time, and adopts changed settings.
    func adoptSettings(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        // Without a stream time controlled properties stay as they are.
        let segment = transform.pointee.segment
        if let time = ClockTime.known(buffer.pointee.pts), segment.format == GST_FORMAT_TIME {
            var segment = segment
            let streamTime = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, guint64(time))
            if ClockTime.known(streamTime) != nil { gst_object_sync_values(gstObject, streamTime) }
        }
        defer { adoptGivenScene(buffer) }
        let settings = self.settings.current
        let isOther = adoptMetadata(buffer, settings)
        guard settings != plannedSettings || metadataIsDue || isOther, negotiated != nil else { return }
        let passedThrough = plan == nil
        makePlan(settings)
        // A conversion needs buffers of a pool, which passthrough has not negotiated.
        if passedThrough && plan != nil { gst_base_transform_reconfigure_src(transform) }
        metadataIsDue = false
        updateMetadata()
    }

    /// Updates the output caps when a setting has changed the metadata that are true of the output.
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

    /// The size of a buffer with these caps, whatever the size of the buffer that comes in.
    func transformSize(_ caps: Caps.Pointer, _ size: UnsafeMutablePointer<gsize>) -> Bool {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return false }
        size.pointee = info.size
        return true
    }

    /// Metas about places in the picture stay valid, because the size does not change; those about colour only if the
    /// light is kept.
    /// - Parameter describesLight: whether the meta holds dynamic metadata, which have no tags.
    func keepsMeta(_ tags: UnsafePointer<UnsafePointer<gchar>?>?, describesLight: Bool) -> Bool {
        if describesLight { return plan.map { $0.conversion.keepsLight && !$0.format.reshapes } == true }
        var next = tags
        while let tag = next?.pointee {
            switch String(cString: tag) {
            case "video", "size", "orientation": break
            case "colorspace" where plan?.conversion.keepsLight == true: break
            default: return false
            }
            next = next?.advanced(by: 1)
        }
        return true
    }

    /// Refuses a buffer that does not hold a picture of its caps. The base class would only warn, and push an empty
    /// picture.
    func checkBuffer(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let info = negotiated?.sourceInfo else { return GST_FLOW_NOT_NEGOTIATED }
        let bytes = gst_buffer_get_size(buffer)
        let size = bytes > 0 ? info.withMappedFrame(buffer) { ($0.pointee.info.width, $0.pointee.info.height) } : nil
        guard let (width, height) = size else {
            error(WrongBuffer.noPicture(size: Int(clamping: bytes)))
            return GST_FLOW_ERROR
        }
        // A padded buffer may hold more than its caps show.
        guard width >= info.width, height >= info.height else {
            error(WrongBuffer.message("A buffer of \(width)x\(height) is smaller than its caps"))
            return GST_FLOW_ERROR
        }
        return GST_FLOW_OK
    }

    /// Converts one picture.
    func transformFrame(
        _ inFrame: UnsafeMutablePointer<GstVideoFrame>, _ outFrame: UnsafeMutablePointer<GstVideoFrame>
    ) -> GstFlowReturn {
        guard let plan, let pool, let negotiated else { return GST_FLOW_NOT_NEGOTIATED }
        if hasRefusedBaseLayer { return GST_FLOW_ERROR }
        let size = (width: negotiated.source.width, height: negotiated.source.height)
        guard
            let source = FrameView(inFrame, size, plan.format.source, negotiated.sourceLayout)?.reshaped(by: reshaper),
            let target = FrameView(outFrame, size, plan.format.target, negotiated.targetLayout, isWritten: true)
        else {
            error(WrongBuffer.message("A buffer's picture differs from its caps"))
            return GST_FLOW_ERROR
        }
        negotiated.targetLayout.clearPadding(outFrame, plan.format.target)
        let halvesRows = plan.format.source.verticalShift > 0 || plan.format.target.verticalShift > 0
        let meter = measuresWhileConverting ? scene?.meter : nil
        meter?.begin()
        pool.convertFrame(
            source, target, plan.converter, isInterlaced: halvesRows && inFrame.isInterlaced, meter: meter)
        if meter != nil { follow(inFrame.pointee.buffer) }
        return GST_FLOW_OK
    }
}
