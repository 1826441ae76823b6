import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// Begins and ends runs: within a run, frames follow each other and the processor keeps its history.
extension HDRTap {
    /// The running and stream time in ns at which a run would continue in a new segment.
    struct Continuation {
        let running: UInt64
        let stream: UInt64
    }

    /// Begins a run with this buffer, unless the buffer continues the present one.
    func openRun(for buffer: UnsafeMutablePointer<GstBuffer>, _ plan: Plan) {
        let pts = ClockTime.known(buffer.pointee.pts)
        if run != nil && continues(buffer, pts) { return }
        if run != nil { statistics.discontinuities.wrappingAdd(1, ordering: .relaxed) }
        endRun(withTail: false)
        continuation = nil

        let stream = pts.flatMap { ClockTime.streamTime(segment, $0) }
        let opened = ContinuousRun(
            clock: SampleClock(origin: stream ?? 0, rate: plan.format.rate, appliedRate: abs(segment.applied_rate)),
            isTimed: stream != nil, pts: pts,
            runningTime: pts.flatMap { ClockTime.runningTime(segment, $0) }, speed: segment.rate,
            toDrop: plan.processor.latency)
        run = opened
        plan.processor.begin(opened)
    }

    private func continues(_ buffer: UnsafeMutablePointer<GstBuffer>, _ pts: UInt64?) -> Bool {
        let breaks = GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_RESYNC.rawValue
        guard buffer.pointee.mini_object.flags & breaks == 0, segment.rate > 0, let run else { return false }
        guard let pts else { return true }
        let frame = 1_000_000_000 / UInt64(run.clock.rate) + 1
        if let continuation {
            self.continuation = nil
            guard let running = ClockTime.runningTime(segment, pts), let stream = ClockTime.streamTime(segment, pts),
                Self.distance(running, continuation.running) <= frame,
                Self.distance(stream, continuation.stream) <= frame
            else { return false }
            // From here on the run's timestamps are the new segment's.
            self.run?.pts = pts &- ClockTime.nanoseconds(frames: run.fed, rate: run.clock.rate)
            return true
        }
        guard let expected = run.pts(run.fed) else { return true }
        let distance = Self.distance(pts, expected)
        if distance > settings.withLock({ $0.alignmentThreshold }) { return false }
        if distance > frame { statistics.jitter.wrappingAdd(1, ordering: .relaxed) }
        return true
    }

    private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }

    /// Adopts a new segment, after the frames that the processor holds back were pushed.
    func setSegment(_ new: GstSegment) {
        var old = segment
        var new = new
        if run != nil && gst_segment_is_equal(&old, &new) == 0 {
            let isSameSpeed = old.rate == new.rate && old.applied_rate == new.applied_rate && old.format == new.format
            let latency = processor?.forAudio?.latency ?? 0
            if let run, isSameSpeed, old.rate > 0, latency == 0, new.format == GST_FORMAT_TIME,
                let end = run.pts(run.fed)
            {
                // The run may end after the old segment's stop.
                old.stop = guint64.max
                continuation = ClockTime.runningTime(old, end).flatMap { running in
                    ClockTime.streamTime(old, end).map { Continuation(running: running, stream: $0) }
                }
                if continuation == nil { endRun(withTail: false) }
            } else {
                endRun(withTail: false)
            }
        }
        segment = new
    }

    /// Ends the run: pushes the frames that the latency holds back, and at the end of the stream the tail.
    func endRun(withTail: Bool) {
        guard let plan, let opened = run else {
            run = nil
            return
        }
        let format = plan.format
        defer {
            if let run { plan.processor.end(run) }
            run = nil
            continuation = nil
        }
        // The remaining output belongs to a segment that was announced after its input.
        if withTail, let continuation, segment.format == GST_FORMAT_TIME {
            var current = segment
            let position = ClockTime.known(
                gst_segment_position_from_running_time(&current, GST_FORMAT_TIME, guint64(continuation.running)))
            run?.pts = position.map { $0 &- ClockTime.nanoseconds(frames: opened.fed, rate: format.rate) }
        }
        let fed = opened.fed
        var wanted = UInt64(fed)
        // In reverse playback the tail would overlap audio that was played already.
        if withTail && segment.rate > 0 {
            let longest = ClockTime.frames(nanoseconds: settings.withLock { $0.maxTail }, rate: format.rate)
            wanted += min(plan.processor.tail, UInt64(longest))
        }
        let target = Int(clamping: wanted)
        if target > fed { extendSegment(to: run?.pts(target)) }
        while let run, run.emitted < target {
            let (missing, overflow) = (target - run.emitted).addingReportingOverflow(run.toDrop)
            let frames = min(plan.maxFrames, overflow ? Int.max : missing)
            guard frames > 0, drain(frames, maximum: target - run.emitted, plan) else { return }
        }
    }

    /// Moves the segment's stop to the end of the tail, since downstream clips what lies after it.
    private func extendSegment(to end: UInt64?) {
        guard let end, segment.format == GST_FORMAT_TIME, let stop = ClockTime.known(segment.stop), end > stop else {
            return
        }
        segment.stop = guint64(end)
        guard let event = gst_event_new_segment(&segment) else { return }
        gst_event_set_seqnum(event, segmentNumber)
        gst_pad_push_event(element.pointee.srcpad, event)
    }

    /// Makes the processor process silence, and pushes the output.
    /// - Parameter maximum: the maximum number of output frames.
    /// - Returns: whether there may be more output.
    private func drain(_ frames: Int, maximum: Int, _ plan: Plan) -> Bool {
        let format = plan.format
        guard let buffer = makeSilence(frames, format) else { return false }
        var info = format.info
        var audio = GstAudioBuffer()
        guard
            gst_audio_buffer_map(&audio, &info, buffer, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue))
                != 0
        else {
            gst_buffer_unref(buffer)
            return false
        }
        let processed = withPlanes(audio, format) { processInPlace(plan, $0, frames: frames, isDraining: true) }
        let result = processed ?? (made: 0, dropped: 0, hasEnded: true)
        gst_audio_buffer_unmap(&audio)
        let kept = min(result.made - result.dropped, maximum)
        guard kept > 0,
            let output = gst_audio_buffer_truncate(buffer, format.info.bpf, gsize(result.dropped), gsize(kept))
        else {
            if kept <= 0 { gst_buffer_unref(buffer) }
            return !result.hasEnded
        }
        guard let run else {
            gst_buffer_unref(output)
            return false
        }
        output.stamp(from: run.pts(run.emitted), to: run.pts(run.emitted + kept))
        self.run?.emitted += kept
        return gst_pad_push(element.pointee.srcpad, output) == GST_FLOW_OK && !result.hasEnded
    }

    /// A buffer of silent frames, with the audio meta that planar formats need.
    func makeSilence(_ frames: Int, _ format: StreamFormat) -> UnsafeMutablePointer<GstBuffer>? {
        let size = frames * format.frameBytes * format.planeCount
        guard let buffer = gst_buffer_new_allocate(nil, gsize(size), nil) else { return nil }
        var map = GstMapInfo()
        if gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 {
            if let data = map.data {
                format.sample.fillSilence(data, stride: 1, count: frames * format.channels)
            }
            gst_buffer_unmap(buffer, &map)
        }
        if format.isPlanar {
            var info = format.info
            gst_buffer_add_audio_meta(buffer, &info, gsize(frames), nil)
        }
        return buffer
    }
}
