import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// The way of the events.
extension HDRTap {
    /// Takes the event over.
    func sinkEvent(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps { setCaps(caps) }
        case GST_EVENT_SEGMENT:
            var segment: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &segment)
            if let segment { setSegment(segment.pointee) }
            segmentNumber = gst_event_get_seqnum(event)
        case GST_EVENT_STREAM_START, GST_EVENT_SEGMENT_DONE: endSection(withTail: false)
        case GST_EVENT_EOS: endSection(withTail: true)
        case GST_EVENT_FLUSH_STOP: flush()
        case GST_EVENT_GAP:
            if feedGap(event) {
                gst_event_unref(event)
                return true
            }
        default: break
        }
        return gst_pad_event_default(
            element.pointee.sinkpad, gstObject, event)
            != 0
    }

    /// Forgets all that was before.
    private func flush() {
        if let tap, let section { tap.end(section) }
        section = nil
        continuation = nil
        silence = 0
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
    }

    /// Frames of silence that a processor gets for GAP events in a row: what it may still sound on, and a second.
    private func mostSilence(_ tap: AudioTap, rate: Int) -> Int {
        let longest = ClockTime.frames(nanoseconds: control.withLock { $0.maxTail }, rate: rate)
        let (most, overflow) = min(Int(clamping: tap.tail), longest).addingReportingOverflow(rate)
        return overflow ? Int.max : most
    }

    /// Feeds the time of a GAP event to the processor as silence. Of a long one the section ends where nothing sounds any
    /// more, and the rest goes on as an event: silence of any length costs nothing.
    /// - Returns: whether that took the event's place.
    private func feedGap(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        var pts: GstClockTime = 0
        var duration: GstClockTime = 0
        gst_event_parse_gap(event, &pts, &duration)
        guard let start = ClockTime.known(pts), let length = ClockTime.known(duration),
            segment.format == GST_FORMAT_TIME
        else { return false }
        if adoptPending() { scheduleCollection() }
        guard tap != nil, case .process(let tap, let format) = makeReady() else { return false }
        let rate = format.rate
        let (end, overflow) = start.addingReportingOverflow(length)
        guard !overflow else { return false }

        // Counted from the section's start where it continues that, so that roundings do not add up.
        var frames = ClockTime.frames(nanoseconds: length, rate: rate)
        if let section, continuation == nil, let first = section.pts, let expected = section.pts(section.fed),
            end >= first, max(expected, start) - min(expected, start) <= control.withLock({ $0.alignmentThreshold })
        {
            frames = max(ClockTime.frames(nanoseconds: end - first, rate: rate) - section.fed, 0)
        }
        // What lies outside of the segment is cut off anyway, however long it is; a part on either side is left to that.
        var done = 0
        if let first = ClockTime.known(segment.start), first > start {
            done = min(ClockTime.frames(nanoseconds: first - start, rate: rate), frames)
        }
        if let last = ClockTime.known(segment.stop) {
            frames = min(frames, last > start ? ClockTime.frames(nanoseconds: last - start, rate: rate) + 1 : 0)
        }
        let most = max(mostSilence(tap, rate: rate) - silence, 0)
        let isLong = frames - done > most
        if isLong {
            frames = done + most
            // Backwards its end comes first, and every buffer starts anew.
            if most == 0 || segment.rate < 0 {
                breakSection()
                return false
            }
        }
        silence += max(frames - done, 0)
        while done < frames {
            // A part at a time, however long the gap.
            let count = min(frames - done, rate, 1 << 16)
            guard let buffer = makeSilence(count, format) else { return true }
            buffer.stamp(
                from: start &+ ClockTime.nanoseconds(frames: done, rate: rate),
                to: start &+ ClockTime.nanoseconds(frames: done + count, rate: rate))
            buffer.update(set: GST_BUFFER_FLAG_GAP.rawValue)
            done += count
            guard let clipped = gst_audio_buffer_clip(buffer, &segment, format.info.rate, format.info.bpf) else {
                continue
            }
            if process(clipped, tap, format) != GST_FLOW_OK { return true }
        }
        if isLong { passRest(of: event, from: start &+ ClockTime.nanoseconds(frames: done, rate: rate), to: end, tap) }
        return true
    }

    /// Ends the section at a silence that is not processed.
    private func breakSection() {
        if section != nil { statistics.discontinuities.wrappingAdd(1, ordering: .relaxed) }
        endSection(withTail: false)
    }

    private func passRest(
        of event: UnsafeMutablePointer<GstEvent>, from counted: UInt64, to end: UInt64, _ tap: AudioTap
    ) {
        // What is delayed has the section's times.
        let start = tap.latency > 0 ? section.flatMap { $0.pts($0.fed) } ?? counted : counted
        breakSection()
        let end = min(end, ClockTime.known(segment.stop) ?? end)
        guard end > start, let rest = gst_event_new_gap(GstClockTime(start), GstClockTime(end - start)) else { return }
        var flags = GstGapFlags(0)
        gst_event_parse_gap_flags(event, &flags)
        gst_event_set_gap_flags(rest, flags)
        gst_event_set_seqnum(rest, gst_event_get_seqnum(event))
        gst_pad_push_event(element.pointee.srcpad, rest)
    }
}
