import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// Handles the events that pass through the element.
extension HDRTap {
    /// Handles a downstream event, and takes ownership of it.
    func sinkEvent(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        gst_event_ref(event)
        defer { gst_event_unref(event) }
        var isPassed = handle(event)
        // An event that meets this element's own flush comes after the frames that are processed again.
        while !isPassed, Self.isSerialized(event), takeAsked() {
            let result = processAgain()
            switch event.pointee.type {
            // These are sent with the frames.
            case GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS: isPassed = result == GST_FLOW_OK
            default: isPassed = gst_pad_push_event(element.pointee.srcpad, gst_event_ref(event)) != 0
            }
        }
        return isPassed
    }

    private static func isSerialized(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        event.pointee.type.rawValue & GST_EVENT_TYPE_SERIALIZED.rawValue != 0
    }

    /// Handles and passes an event, and takes ownership of it.
    private func handle(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps {
                setCaps(caps)
                if videoFormat != nil { return passVideoCaps(event) }
            }
        case GST_EVENT_SEGMENT:
            var segment: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &segment)
            if let segment {
                if gst_segment_is_equal(&self.segment, segment) == 0 {
                    frameIsStart = true
                    forgetForNext()
                }
                setSegment(segment.pointee)
                clock.begin(event)
            }
            segmentNumber = gst_event_get_seqnum(event)
        case GST_EVENT_STREAM_START:
            frameIsStart = true
            forget()
            endRun(withTail: false)
        case GST_EVENT_SEGMENT_DONE: endRun(withTail: false)
        case GST_EVENT_EOS:
            endRun(withTail: true)
            hasEnded = true
        case GST_EVENT_FLUSH_START:
            giveUpAgain(isFlushing: true)
            frames.beginFlush()
        case GST_EVENT_FLUSH_STOP:
            flush()
            giveUpAgain(isFlushing: false)
            frames.endFlush(event)
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

    /// Discards all state of the stream at a flush.
    private func flush() {
        if let plan, let run { plan.processor.end(run) }
        run = nil
        continuation = nil
        silence = 0
        frameIsStart = true
        hasFailed = false
        forget()
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
    }

    /// The maximum number of silent frames for consecutive GAP events: the processor's tail and a second more.
    private func maximumSilence(_ processor: AudioProcessor, rate: Int) -> Int {
        let longest = ClockTime.frames(nanoseconds: settings.withLock { $0.maxTail }, rate: rate)
        let (sum, overflow) = min(Int(clamping: processor.tail), longest).addingReportingOverflow(rate)
        return overflow ? Int.max : sum
    }

    /// Feeds the time of a GAP event to the processor as silence. In a long gap the run ends where the processor has
    /// become silent, and the rest passes as an event, so that a gap of any length costs nothing.
    /// - Returns: whether this replaces the event.
    private func feedGap(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        var pts: GstClockTime = 0
        var duration: GstClockTime = 0
        gst_event_parse_gap(event, &pts, &duration)
        guard let start = ClockTime.known(pts), let length = ClockTime.known(duration),
            segment.format == GST_FORMAT_TIME
        else { return false }
        if adoptPending() { scheduleCollection() }
        guard processor != nil, case .process(let plan) = makeReady() else { return false }
        let format = plan.format
        let rate = format.rate
        let (end, overflow) = start.addingReportingOverflow(length)
        guard !overflow else { return false }

        // A gap that continues the run is counted from the run's start, so that rounding errors do not add up.
        var frames = ClockTime.frames(nanoseconds: length, rate: rate)
        if let run, continuation == nil, let first = run.pts, let expected = run.pts(run.fed),
            end >= first, max(expected, start) - min(expected, start) <= settings.withLock({ $0.alignmentThreshold })
        {
            frames = max(ClockTime.frames(nanoseconds: end - first, rate: rate) - run.fed, 0)
        }
        // Frames outside the segment would be clipped anyway, so only up to one buffer of them is made on either side.
        var done = 0
        if let first = ClockTime.known(segment.start), first > start {
            done = min(ClockTime.frames(nanoseconds: first - start, rate: rate), frames)
        }
        if let last = ClockTime.known(segment.stop) {
            let whole = last > start ? ClockTime.frames(nanoseconds: last - start, rate: rate) : -1
            frames = min(frames, min(whole, Int.max - 1) + 1)
        }
        let limit = max(maximumSilence(plan.processor, rate: rate) - silence, 0)
        let isLong = frames - done > limit
        if isLong {
            frames = done + limit
            // In reverse playback the end of a gap comes first, and every buffer starts a new run.
            if limit == 0 || segment.rate < 0 {
                breakRun()
                return false
            }
        }
        silence += max(frames - done, 0)
        while done < frames {
            // At most a second at a time.
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
            if process(clipped, plan) != GST_FLOW_OK { return true }
        }
        if isLong {
            passRest(
                of: event, from: start &+ ClockTime.nanoseconds(frames: done, rate: rate), to: end, plan.processor)
        }
        return true
    }

    /// Ends the run where a silence is not processed.
    private func breakRun() {
        if run != nil { statistics.discontinuities.wrappingAdd(1, ordering: .relaxed) }
        endRun(withTail: false)
    }

    /// Passes the rest of a GAP event on, after the run has ended.
    private func passRest(
        of event: UnsafeMutablePointer<GstEvent>, from counted: UInt64, to end: UInt64, _ processor: AudioProcessor
    ) {
        // Delayed output has the run's times.
        let start = processor.latency > 0 ? run.flatMap { $0.pts($0.fed) } ?? counted : counted
        breakRun()
        let end = min(end, ClockTime.known(segment.stop) ?? end)
        guard end > start, let rest = gst_event_new_gap(GstClockTime(start), GstClockTime(end - start)) else { return }
        var flags = GstGapFlags(0)
        gst_event_parse_gap_flags(event, &flags)
        gst_event_set_gap_flags(rest, flags)
        gst_event_set_seqnum(rest, gst_event_get_seqnum(event))
        gst_pad_push_event(element.pointee.srcpad, rest)
    }
}
