import CGStreamer
import CGstHDR
import GstBridge

/// Makes frames available to applications by time.
extension HDRTap {
    /// Makes a video frame that is about to be pushed available to video outputs.
    func offer(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        // A buffer without memory is a gap without a picture.
        guard isRawVideo, frames.isWanted, gst_buffer_get_size(buffer) > 0, isInSegment(buffer),
            let caps = gst_pad_get_current_caps(element.pointee.srcpad)
        else { return }
        defer { gst_caps_unref(caps) }
        var times = ShownTimes(buffer, segment)
        guard let sample = times.sample(buffer, caps, segment) else { return }
        if let earliest = offersFrom, let start = times.start { times.start = min(start, earliest) }
        offersFrom = nil
        if frames.pass(sample, times) {
            log.warning(
                "frames pass further ahead of their time than video outputs hold them, and are missed: raise "
                    + "look-ahead and max-bytes, or put the element after the queue")
        }
    }

    /// Whether any part of a frame's duration is inside the segment; sinks clip frames to it.
    private func isInSegment(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard segment.format == GST_FORMAT_TIME, let pts = ClockTime.known(buffer.pointee.pts) else { return true }
        let length = ClockTime.known(buffer.pointee.duration)
        let (sum, overflow) = pts.addingReportingOverflow(length ?? 0)
        let end = length == nil || overflow ? UInt64(GstClockTime.max) : sum
        return gst_segment_clip(&segment, GST_FORMAT_TIME, guint64(pts), guint64(end), nil, nil) != 0
    }

    /// Handles an upstream event.
    func sourceEvent(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_LATENCY:
            var time: GstClockTime = 0
            gst_event_parse_latency(event, &time)
            clock.latency.store(Int64(clamping: ClockTime.known(time) ?? 0), ordering: .relaxed)
            // It also comes when a pipeline goes on to play after a flushing step, which leaves this element's state.
            clock.readSink()
            frames.timeHasChanged()
        case GST_EVENT_INSTANT_RATE_SYNC_TIME:
            clock.changeRate(event)
            frames.timeHasChanged()
        default: break
        }
    }

    /// Called before the element's state changes.
    func beforeState(_ transition: GstStateChange) {
        clock.stateChanges(transition)
        if transition == GST_STATE_CHANGE_READY_TO_PAUSED {
            frames.open()
            allowAgain(true)
        }
        if transition == GST_STATE_CHANGE_PAUSED_TO_READY { allowAgain(false) }
        frames.timeHasChanged()
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_tap_src_event(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) {
    HDRTap.with(impl) { $0.sourceEvent(event) }
}

@c @implementation
func hdr_tap_before_state(_ impl: gpointer!, _ transition: GstStateChange) {
    HDRTap.with(impl) { $0.beforeState(transition) }
}

@c @implementation
func hdr_tap_new_video_output(_ impl: gpointer!) -> gpointer! {
    HDRTap.with(impl) { VideoOutput($0.frames).impl }
}
