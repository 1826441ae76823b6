import CGStreamer
import CGstHDRX265
import CHDRTap
import CX265
import GstBridge
import HDRBitstream
import HDRMetadata

extension HDRX265Enc {
    typealias Frame = UnsafeMutablePointer<GstVideoCodecFrame>

    /// Passes a picture to the encoder, and pushes the one that it outputs.
    func handleFrame(_ frame: Frame) -> GstFlowReturn {
        let renewed = followCaps(before: frame)
        guard let plan, renewed == GST_FLOW_OK else {
            gst_video_codec_frame_unref(frame)
            return plan == nil ? GST_FLOW_NOT_NEGOTIATED : renewed
        }
        meetRequests(frame)
        if isLate(frame) { return gst_video_encoder_finish_frame(base, frame) }
        defer { gst_video_codec_frame_unref(frame) }
        guard let buffer = frame.pointee.input_buffer else { return GST_FLOW_ERROR }
        let flow = adoptBitrate(plan, before: frame)
        guard flow == GST_FLOW_OK else { return flow }
        let metadata = metadata(of: buffer, plan)
        guard let encoder = encoder ?? openEncoder(plan, isDolbyVision: metadata?.dolbyVision != nil) else {
            return GST_FLOW_ERROR
        }
        guard mayTakePicture(plan) else { return GST_FLOW_ERROR }
        let isMapped: X265Encoder.Outcome? =
            plan.info.withMappedFrame(buffer) { mapped in
                guard let picture = MappedPicture(mapped, plan.format, width: plan.width, height: plan.height) else {
                    return nil
                }
                picture.describe(encoder.input, &splitter)
                prepare(frame, encoder)
                if let metadata { waiting[frame.pointee.system_frame_number] = metadata }
                return encoder.encode()
            } ?? nil
        guard let outcome = isMapped else {
            error(WrongBuffer.noPicture(size: Int(clamping: gst_buffer_get_size(buffer))), .stream())
            return GST_FLOW_ERROR
        }
        lighten(frame, written: metadata?.formats ?? [])
        return push(outcome, plan, encoder)
    }

    /// Whether a picture is too late for the sink, where QoS is on; requested key frames never are.
    private func isLate(_ frame: Frame) -> Bool {
        guard gst_video_encoder_is_qos_enabled(base) != 0, gst_hdr_frame_is_forced(frame) == 0 else { return false }
        let left = Int64(gst_video_encoder_get_max_encode_time(base, frame))
        guard left < Int64.max, let buffer = frame.pointee.input_buffer,
            let shown = ClockTime.known(buffer.pointee.pts), let shifted = ClockTime.known(frame.pointee.pts)
        else { return false }
        // The base class of GStreamer 1.22 adds the shift of its timestamps, which no picture waits for.
        let shift = Int64(clamping: shifted > shown ? shifted - shown : 0)
        return (left > shift / 2 ? left &- shift : left) < 0
    }

    /// Adopts the property `bitrate`. The encoder is opened anew, with a key frame: in libx265 3.5
    /// `x265_encoder_reconfig` reports success but leaves the rate control unchanged.
    private func adoptBitrate(_ plan: Plan, before frame: Frame) -> GstFlowReturn {
        let bitrate = settings.withLock { $0.bitrate }
        guard encoder != nil, bitrate != currentBitrate else { return GST_FLOW_OK }
        currentBitrate = bitrate
        guard plan.followsBitrate else {
            warning(
                "The bit rate cannot be changed: the encoder works for a quality, or by what a pass before it found.")
            return GST_FLOW_OK
        }
        log.info("the bit rate is \(bitrate) kbit/s from now on")
        let flow = drain(before: frame)
        plan.parameters.pointer.pointee.rc.bitrate = Int32(clamping: bitrate)
        return flow
    }

    /// Sets the time and the number of a picture, and whether it has to be a key frame.
    private func prepare(_ frame: Frame, _ encoder: X265Encoder) {
        let picture = encoder.input
        let number = frame.pointee.system_frame_number
        let time = ClockTime.known(frame.pointee.pts).map { Int64(clamping: $0) }
        lastTime = time ?? lastTime &+ Int64(clamping: plan?.frameDuration ?? 0)
        picture.pointee.pts = lastTime
        picture.pointee.userData = UnsafeMutableRawPointer(bitPattern: UInt(number))
        let isForced = gst_hdr_frame_is_forced(frame) != 0
        picture.pointee.sliceType = isForced ? X265_TYPE_IDR : X265_TYPE_AUTO
        if gst_hdr_frame_wants_headers(frame) != 0 { headerRequests.insert(number) }
    }

    /// The dynamic metadata that are written with a picture; `nil` for none.
    private func metadata(of buffer: UnsafeMutablePointer<GstBuffer>, _ plan: Plan) -> PictureMetadata? {
        guard plan.settings.dynamicMetadata == GST_HDR_X265_DYNAMIC_METADATA_AUTO else { return nil }
        let metadata = PictureMetadata(buffer)
        for defect in metadata.defects where reported.insert(defect).inserted {
            warning("\(defect) They are not written into the stream.", .stream())
        }
        if metadata.dolbyVision != nil, encoder != nil, !isForDolbyVision, reported.insert("late").inserted {
            log.info("Dolby Vision begins after the first picture: the bit rate has not been limited for it")
        }
        return metadata.formats.isEmpty ? nil : metadata
    }

    /// Makes the base class keep the metas of a picture but not its samples, which libx265 has copied, so that upstream
    /// gets its memory back. Metadata that are written into the stream are removed, since a later element might write
    /// them again.
    private func lighten(_ frame: Frame, written: [GstHdrDynamicFormat]) {
        guard let old = frame.pointee.input_buffer, let new = gst_buffer_new() else { return }
        let kept = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_META.rawValue
        gst_buffer_copy_into(new, old, GstBufferCopyFlags(kept), 0, gsize.max)
        for format in written { _ = gst_hdr_buffer_remove_dynamic_metadata(new, format) }
        removeParents(new)
        frame.pointee.input_buffer = new
        gst_mini_object_unref(old.asMiniObject)
    }

    /// Removes references to other buffers, which would keep their memory alive.
    private func removeParents(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        while let parent = gst_buffer_get_meta(buffer, gst_parent_buffer_meta_api_get_type()) {
            guard gst_buffer_remove_meta(buffer, parent) != 0 else { return }
        }
    }

    /// Outputs the pictures that wait in the encoder, and closes it.
    /// - Parameter frame: a picture for the next encoder.
    func drain(before frame: Frame? = nil) -> GstFlowReturn {
        guard let plan, let encoder else { return GST_FLOW_OK }
        var flow = GST_FLOW_OK
        while flow == GST_FLOW_OK {
            let outcome = encoder.encode(isDraining: true)
            if case .nothing = outcome { break }
            flow = push(outcome, plan, encoder)
        }
        if flow == GST_FLOW_OK {
            postSummary(plan, encoder)
            dropForgotten(before: frame)
        }
        closeEncoder()
        return flow
    }

    /// Called at the end of the stream.
    func finish() -> GstFlowReturn { drain() }

    /// Drops pictures that libx265 does not output, such as those outside a chunk.
    private func dropForgotten(before next: Frame?) {
        while let frame = gst_video_encoder_get_oldest_frame(base) {
            if frame == next { return gst_video_codec_frame_unref(frame) }
            guard gst_video_encoder_finish_frame(base, frame) == GST_FLOW_OK else { return }
        }
    }

    /// Pushes a coded picture.
    private func push(_ outcome: X265Encoder.Outcome, _ plan: Plan, _ encoder: X265Encoder) -> GstFlowReturn {
        switch outcome {
        case .nothing: return GST_FLOW_OK
        case .failure:
            error(
                "libx265 failed to encode a picture; with log-level=error it says why on standard error."
                    + passAdvice(plan))
            return GST_FLOW_ERROR
        case .picture(let units):
            let output = encoder.output
            let number = UInt32(truncatingIfNeeded: UInt(bitPattern: output.pointee.userData))
            guard let frame = gst_video_encoder_get_frame(base, Int32(bitPattern: number)) else {
                // The base class was flushed or stopped in the meantime.
                log.debug("no frame \(number) waits any more")
                return GST_FLOW_OK
            }
            var unit = AccessUnit(units)
            complete(&unit, number, plan, encoder)
            let size = unit.size
            guard gst_video_encoder_allocate_output_frame(base, frame, gsize(size)) == GST_FLOW_OK,
                let buffer = frame.pointee.output_buffer
            else {
                gst_video_codec_frame_unref(frame)
                error(
                    "Out of memory for a coded picture of \(size) bytes.",
                    .resource(GST_RESOURCE_ERROR_NO_SPACE_LEFT))
                return GST_FLOW_ERROR
            }
            var offset = 0
            unit.forEachPiece { piece in
                gst_buffer_fill(buffer, gsize(offset), piece.baseAddress, gsize(piece.count))
                offset += piece.count
            }
            if unit.isKeyFrame { gst_hdr_frame_set_sync_point(frame) }
            frame.pointee.dts = GstClockTime(output.pointee.dts < 0 ? 0 : UInt64(output.pointee.dts))
            let time = ClockTime.known(frame.pointee.pts)
            // The segment of the times is known after the first picture, with which the base class sends it.
            let flow = gst_video_encoder_finish_frame(base, frame)
            requests.withLock { $0.hasOutput = true }
            if plan.settings.pictureStatistics { postPicture(at: time, output, size: size, plan) }
            return flow
        }
    }

    /// Adds the units and messages that libx265 does not write.
    private func complete(_ unit: inout AccessUnit, _ number: UInt32, _ plan: Plan, _ encoder: X265Encoder) {
        let wantsHeaders = headerRequests.remove(number) != nil
        if needsStart {
            needsStart = false
            if !unit.hasParameterSets { unit.prepend(encoder.headers) }
        } else if wantsHeaders, unit.isKeyFrame, !unit.hasParameterSets {
            unit.insertParameterSets(encoder.parameterSets)
        }
        if let ambient = plan.ambientViewing, unit.isKeyFrame {
            unit.insertMessage(SEIType.ambientViewing, ambient.payload)
        }
        guard let metadata = waiting.removeValue(forKey: number) else { return }
        for message in metadata.messages { unit.insertMessage(SEIType.registeredUserData, message) }
        if let rpu = metadata.dolbyVision { unit.append(rpu: rpu) }
    }
}
