import CGStreamer

/// Times in ns, and frames of audio.
public enum ClockTime {
    public static let second: UInt64 = 1_000_000_000

    /// The time that frames take, rounded to the nearest ns.
    public static func nanoseconds(frames: Int, rate: Int) -> UInt64 {
        UInt64(gst_util_uint64_scale_round(guint64(max(frames, 0)), guint64(second), guint64(max(rate, 1))))
    }

    /// The frames of a time, rounded to the nearest.
    public static func frames(nanoseconds: UInt64, rate: Int) -> Int {
        Int(clamping: gst_util_uint64_scale_round(guint64(nanoseconds), guint64(max(rate, 1)), guint64(second)))
    }

    /// Where a time stamp lies in a segment of times, as stream time; `nil` outside of it, and in other segments.
    public static func streamTime(_ segment: GstSegment, _ pts: UInt64) -> UInt64? {
        guard isUsable(segment) else { return nil }
        var segment = segment
        return known(gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, guint64(pts)))
    }

    /// As `streamTime`, as running time.
    public static func runningTime(_ segment: GstSegment, _ pts: UInt64) -> UInt64? {
        guard isUsable(segment) else { return nil }
        var segment = segment
        return known(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, guint64(pts)))
    }

    /// Backwards, times are counted from the stop.
    private static func isUsable(_ segment: GstSegment) -> Bool {
        segment.format == GST_FORMAT_TIME && (segment.rate > 0 || segment.stop != guint64.max)
    }

    /// `nil` for GST_CLOCK_TIME_NONE.
    public static func known(_ time: GstClockTime) -> UInt64? { time == GstClockTime.max ? nil : UInt64(time) }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// The buffer with flags set and others cleared.
    public func update(set: UInt32 = 0, clear: UInt32 = 0) {
        pointee.mini_object.flags = pointee.mini_object.flags & ~clear | set
    }

    /// The presentation time stamp and the duration, in ns.
    public func stamp(from start: UInt64?, to end: UInt64?) {
        pointee.pts = start.map { GstClockTime($0) } ?? GstClockTime.max
        pointee.duration = GstClockTime.max
        if let start, let end { pointee.duration = GstClockTime(end &- start) }
    }
}
