import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// Where sections begin and end: a section's frames follow each other, and its processor keeps its history.
extension HDRTap {
    /// Begins a section with this buffer unless it continues the one there is.
    func openSection(for buffer: UnsafeMutablePointer<GstBuffer>, _ tap: AudioTap, _ format: TapFormat) {
        let pts = ClockTime.known(buffer.pointee.pts)
        if section != nil && continues(buffer, pts) { return }
        if section != nil { statistics.discontinuities.wrappingAdd(1, ordering: .relaxed) }
        endSection(withTail: false)
        continuation = nil

        let stream = pts.flatMap { ClockTime.streamTime(segment, $0) }
        let opened = Section(
            clock: SampleClock(origin: stream ?? 0, rate: format.rate, appliedRate: abs(segment.applied_rate)),
            isTimed: stream != nil, pts: pts,
            runningTime: pts.flatMap { ClockTime.runningTime(segment, $0) }, speed: segment.rate, toDrop: tap.latency)
        section = opened
        tap.begin(opened)
    }

    private func continues(_ buffer: UnsafeMutablePointer<GstBuffer>, _ pts: UInt64?) -> Bool {
        let breaks = GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_RESYNC.rawValue
        guard buffer.pointee.mini_object.flags & breaks == 0, segment.rate > 0, let section else { return false }
        guard let pts else { return true }
        let frame = 1_000_000_000 / UInt64(section.clock.rate) + 1
        if let continuation {
            self.continuation = nil
            guard let running = ClockTime.runningTime(segment, pts), let stream = ClockTime.streamTime(segment, pts),
                Self.distance(running, continuation.running) <= frame,
                Self.distance(stream, continuation.stream) <= frame
            else { return false }
            // From here on time stamps are the new segment's.
            self.section?.pts = pts &- ClockTime.nanoseconds(frames: section.fed, rate: section.clock.rate)
            return true
        }
        guard let expected = section.pts(section.fed) else { return true }
        let distance = Self.distance(pts, expected)
        if distance > control.withLock({ $0.alignmentThreshold }) { return false }
        if distance > frame { statistics.jitter.wrappingAdd(1, ordering: .relaxed) }
        return true
    }

    private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }

    /// A new segment. Where a processor holds frames back, they come out before it.
    func setSegment(_ new: GstSegment) {
        var old = segment
        var new = new
        if section != nil && gst_segment_is_equal(&old, &new) == 0 {
            let isSameSpeed = old.rate == new.rate && old.applied_rate == new.applied_rate && old.format == new.format
            if let section, isSameSpeed, old.rate > 0, (tap?.latency ?? 0) == 0, new.format == GST_FORMAT_TIME,
                let end = section.pts(section.fed)
            {
                // The end may lie behind the old segment's stop.
                old.stop = guint64.max
                continuation = ClockTime.runningTime(old, end).flatMap { running in
                    ClockTime.streamTime(old, end).map { Continuation(running: running, stream: $0) }
                }
                if continuation == nil { endSection(withTail: false) }
            } else {
                endSection(withTail: false)
            }
        }
        segment = new
    }

    /// Ends the section: what the latency holds back comes out, and at the stream's end the tail.
    func endSection(withTail: Bool) {
        guard let tap, let format, let opened = section else {
            section = nil
            return
        }
        defer {
            if let section { tap.end(section) }
            section = nil
            continuation = nil
        }
        // The frames to come belong to a segment that was announced after those that went in.
        if withTail, let continuation, segment.format == GST_FORMAT_TIME {
            var current = segment
            let position = ClockTime.known(
                gst_segment_position_from_running_time(&current, GST_FORMAT_TIME, guint64(continuation.running)))
            section?.pts = position.map { $0 &- ClockTime.nanoseconds(frames: opened.fed, rate: format.rate) }
        }
        let fed = opened.fed
        var wanted = UInt64(fed)
        // In reverse the tail would sound over what was played already.
        if withTail && segment.rate > 0 {
            let longest = ClockTime.frames(nanoseconds: control.withLock { $0.maxTail }, rate: format.rate)
            wanted += min(tap.tail, UInt64(longest))
        }
        let target = Int(clamping: wanted)
        if target > fed { extendSegment(to: section?.pts(target)) }
        while let section, section.emitted < target {
            let (missing, overflow) = (target - section.emitted).addingReportingOverflow(section.toDrop)
            let frames = min(maxFrames, overflow ? Int.max : missing)
            guard frames > 0, drain(frames, most: target - section.emitted, tap, format) else { return }
        }
    }

    /// Lets the segment end where the tail does: what lies behind its stop is cut off downstream.
    private func extendSegment(to end: UInt64?) {
        guard let end, segment.format == GST_FORMAT_TIME, let stop = ClockTime.known(segment.stop), end > stop else {
            return
        }
        segment.stop = guint64(end)
        guard let event = gst_event_new_segment(&segment) else { return }
        gst_event_set_seqnum(event, segmentNumber)
        gst_pad_push_event(element.pointee.srcpad, event)
    }

    /// Has silence processed and pushes what comes out.
    /// - Returns: whether there is more.
    private func drain(_ frames: Int, most: Int, _ tap: AudioTap, _ format: TapFormat) -> Bool {
        guard let buffer = makeSilence(frames, format) else { return false }
        var info = format.info
        var audio = GstAudioBuffer()
        guard
            gst_audio_buffer_map(&audio, &info, buffer, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue))
                != 0,
            let planes = audio.planes
        else {
            gst_buffer_unref(buffer)
            return false
        }
        let result = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: format.planeCount) {
            part in
            for plane in 0..<format.planeCount {
                if let memory = planes[plane] { part.initializeElement(at: plane, to: memory) }
            }
            guard let base = part.baseAddress else { return (made: 0, dropped: 0, hasEnded: true) }
            return run(tap, format, base, frames: frames, isDraining: true)
        }
        gst_audio_buffer_unmap(&audio)
        let kept = min(result.made - result.dropped, most)
        guard kept > 0,
            let output = gst_audio_buffer_truncate(buffer, format.info.bpf, gsize(result.dropped), gsize(kept))
        else {
            if kept <= 0 { gst_buffer_unref(buffer) }
            return !result.hasEnded
        }
        guard let section else {
            gst_buffer_unref(output)
            return false
        }
        output.stamp(from: section.pts(section.emitted), to: section.pts(section.emitted + kept))
        self.section?.emitted += kept
        return gst_pad_push(element.pointee.srcpad, output) == GST_FLOW_OK && !result.hasEnded
    }

    /// A buffer of silence, with the meta that planar audio needs.
    func makeSilence(_ frames: Int, _ format: TapFormat) -> UnsafeMutablePointer<GstBuffer>? {
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
