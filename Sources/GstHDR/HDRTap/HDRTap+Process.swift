import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// Handles the buffers that pass through the element.
extension HDRTap {
    /// Handles a buffer, and takes ownership of it.
    func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if adoptPending() { scheduleCollection() }
        switch makeReady() {
        case .pass:
            // An effect may be attached in a pause.
            if videoFormat != nil { keep(buffer) }
            updateOutputCaps()
            offer(buffer)
            return afterPush(gst_pad_push(element.pointee.srcpad, buffer))
        case .video(let plan): return process(buffer, plan)
        case .failed:
            gst_buffer_unref(buffer)
            return GST_FLOW_NOT_NEGOTIATED
        case .process(let plan):
            guard let frames = frames(of: buffer, plan.format) else {
                gst_buffer_unref(buffer)
                return GST_FLOW_ERROR
            }
            if frames == 0 {
                guard plan.processor.latency > 0 else { return gst_pad_push(element.pointee.srcpad, buffer) }
                // An empty buffer would overtake the frames that the processor holds back.
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            }
            guard let clipped = clip(buffer, frames, plan.format) else { return GST_FLOW_OK }
            silence = 0
            return process(clipped, plan)
        }
    }

    /// The number of frames in a buffer; `nil`, after an error was posted, where it does not hold audio of its caps.
    private func frames(of buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) -> Int? {
        let size = Int(gst_buffer_get_size(buffer))
        let meta = gst_buffer_get_meta(buffer, gst_audio_meta_api_get_type())
        guard let meta else {
            if format.isPlanar && size > 0 {
                error(WrongBuffer.message("A buffer of planar audio has no audio meta"), .stream())
                return nil
            }
            guard size % (format.frameBytes * format.planeCount) == 0 else {
                error(
                    WrongBuffer.message(
                        "A buffer of \(size) bytes holds no whole number of frames of \(format.frameBytes) bytes"),
                    .stream())
                return nil
            }
            return size / (format.frameBytes * format.planeCount)
        }
        let audio = UnsafeRawPointer(meta).assumingMemoryBound(to: GstAudioMeta.self).pointee
        let samples = Int(clamping: audio.samples)
        let (planeBytes, overflow) = samples.multipliedReportingOverflow(by: format.frameBytes)
        var fits =
            !overflow && Int(audio.info.channels) == format.channels && audio.info.bpf == format.info.bpf
            && audio.info.layout == format.info.layout
        for plane in 0..<format.planeCount where fits && samples > 0 {
            let offset = format.isPlanar ? Int(clamping: audio.offsets?[plane] ?? 0) : 0
            fits = offset <= size && planeBytes <= size - offset
        }
        guard fits else {
            error(
                "A buffer's audio meta does not fit its \(size) bytes and its caps. The element before this one is at "
                    + "fault", .stream())
            return nil
        }
        return samples
    }

    /// Clips a buffer to the segment, as GstAudioFilter does; `nil` where nothing is left.
    private func clip(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ frames: Int, _ format: StreamFormat
    ) -> UnsafeMutablePointer<GstBuffer>? {
        // A segment in frames applies to buffers that count their frames.
        let isCounted = segment.format == GST_FORMAT_DEFAULT && buffer.pointee.offset != guint64.max
        guard segment.format == GST_FORMAT_TIME || isCounted else { return buffer }
        guard let whole = withTrueDuration(buffer, frames, format) else { return nil }
        return gst_audio_buffer_clip(whole, &segment, format.info.rate, format.info.bpf)
    }

    /// A buffer that will be clipped, with the duration of the frames that it holds: with a wrong duration, GStreamer
    /// would clip more frames than there are.
    private func withTrueDuration(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ frames: Int, _ format: StreamFormat
    ) -> UnsafeMutablePointer<GstBuffer>? {
        let duration = ClockTime.nanoseconds(frames: frames, rate: format.rate)
        guard segment.format == GST_FORMAT_TIME, let pts = ClockTime.known(buffer.pointee.pts),
            let claimed = ClockTime.known(buffer.pointee.duration), claimed != duration
        else { return buffer }
        let (end, overflow) = pts.addingReportingOverflow(claimed)
        guard pts < segment.start || end > segment.stop || overflow else { return buffer }
        guard let writable = buffer.writable() else { return nil }
        writable.pointee.duration = GstClockTime(duration)
        return writable
    }

    /// Processes a buffer of at least one frame, which it takes over, and pushes the output.
    func process(_ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: Plan) -> GstFlowReturn {
        let format = plan.format
        openRun(for: buffer, plan)
        guard let writable = buffer.writable() else { return GST_FLOW_ERROR }
        var info = format.info
        var audio = GstAudioBuffer()
        guard
            gst_audio_buffer_map(&audio, &info, writable, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue))
                != 0
        else {
            gst_buffer_unref(writable)
            error("A buffer's memory cannot be written to", .stream())
            return GST_FLOW_ERROR
        }
        let frames = Int(audio.n_samples)
        let isGap = writable.pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue != 0
        var isSilent = false
        let dropped = withPlanes(audio, format) { planes in
            if isGap { format.silence(planes, from: 0, frames: frames) }
            let dropped = processInPlace(plan, planes, frames: frames, isDraining: false).dropped
            isSilent = isGap && Self.isSilence(planes, format, frames: frames)
            return dropped
        }
        gst_audio_buffer_unmap(&audio)
        guard let dropped else {
            gst_buffer_unref(writable)
            error("A buffer's memory cannot be written to", .stream())
            return GST_FLOW_ERROR
        }

        if isGap && !isSilent { writable.update(clear: GST_BUFFER_FLAG_GAP.rawValue) }
        let kept = frames - dropped
        guard kept > 0 else {
            gst_buffer_unref(writable)
            return GST_FLOW_OK
        }
        guard
            let output = dropped > 0
                ? gst_audio_buffer_truncate(writable, format.info.bpf, gsize(dropped), gsize(kept)) : writable
        else { return GST_FLOW_ERROR }
        stamp(output, kept, plan.processor)
        return gst_pad_push(element.pointee.srcpad, output)
    }

    /// Sets the timestamps of output. Without latency the input's timestamps stay unchanged, jitter included.
    private func stamp(_ buffer: UnsafeMutablePointer<GstBuffer>, _ frames: Int, _ processor: AudioProcessor) {
        guard let first = run?.emitted else { return }
        run?.emitted += frames
        guard processor.latency > 0, let run else { return }
        buffer.stamp(from: run.pts(first), to: run.pts(first + frames))
        buffer.pointee.dts = GstClockTime.max
        buffer.pointee.offset = guint64.max
        buffer.pointee.offset_end = guint64.max
        let discont = GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_RESYNC.rawValue
        buffer.update(set: first == 0 ? GST_BUFFER_FLAG_DISCONT.rawValue : 0, clear: first == 0 ? 0 : discont)
    }

    /// Calls `body` with the addresses of a mapped buffer's planes.
    /// - Returns: the result of `body`, or `nil` where a plane has no memory.
    func withPlanes<Result>(
        _ audio: GstAudioBuffer, _ format: StreamFormat, _ body: (UnsafePointer<UnsafeMutableRawPointer>) -> Result
    ) -> Result? {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: format.planeCount) { planes in
            for plane in 0..<format.planeCount {
                guard let memory = audio.planes?[plane] else { return nil }
                planes.initializeElement(at: plane, to: memory)
            }
            return planes.baseAddress.map { body($0) }
        }
    }

    /// Makes the processor process frames in place, `maxFrames` at a time.
    /// - Returns: the number of output frames, how many of the first ones belong to the latency, and whether the
    ///   processor's output has ended.
    func processInPlace(
        _ plan: Plan, _ planes: UnsafePointer<UnsafeMutableRawPointer>, frames: Int, isDraining: Bool
    ) -> (made: Int, dropped: Int, hasEnded: Bool) {
        guard var run else { return (0, 0, false) }
        defer { self.run = run }
        let format = plan.format
        var made = 0
        var hasEnded = false
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: format.planeCount) { part in
            guard let base = part.baseAddress else { return }
            while made < frames && !hasEnded {
                let count = min(plan.maxFrames, frames - made)
                for plane in 0..<format.planeCount {
                    part.initializeElement(at: plane, to: planes[plane] + made * format.frameBytes)
                }
                let call = ProcessCall(planes: base, frames: count, first: run.fed, isDraining: isDraining)
                let result = plan.processor.process(call, in: run)
                run.fed += count
                hasEnded = isDraining && result.hasEnded
                made += hasEnded ? result.frames : count
                statistics.processed.wrappingAdd(count, ordering: .relaxed)
            }
        }
        let dropped = min(run.toDrop, made)
        run.toDrop -= dropped
        return (made, dropped, hasEnded)
    }

    private static func isSilence(
        _ planes: UnsafePointer<UnsafeMutableRawPointer>, _ format: StreamFormat, frames: Int
    ) -> Bool {
        let samples = frames * (format.isPlanar ? 1 : format.channels)
        let width = format.frameBytes / (format.isPlanar ? 1 : format.channels)
        return withUnsafeTemporaryAllocation(byteCount: width, alignment: 8) { silent in
            guard let pattern = silent.baseAddress else { return false }
            format.sample.fillSilence(pattern, stride: 1, count: 1)
            return (0..<format.planeCount).allSatisfy { plane in
                let bytes = UnsafeRawBufferPointer(start: planes[plane], count: samples * width)
                return bytes.indices.allSatisfy { bytes[$0] == silent[$0 % width] }
            }
        }
    }
}
