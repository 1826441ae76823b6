import CGStreamer

/// Conversions between times in ns, frames of audio, and the times of a segment.
package enum ClockTime {
    package static let second: UInt64 = 1_000_000_000

    /// The duration of audio frames, rounded to the nearest ns. `rate` is in frames per second.
    package static func nanoseconds(frames: Int, rate: Int) -> UInt64 {
        UInt64(gst_util_uint64_scale_round(guint64(max(frames, 0)), guint64(second), guint64(max(rate, 1))))
    }

    /// The number of audio frames in a duration, rounded to the nearest.
    package static func frames(nanoseconds: UInt64, rate: Int) -> Int {
        Int(clamping: gst_util_uint64_scale_round(guint64(nanoseconds), guint64(max(rate, 1)), guint64(second)))
    }

    /// The stream time of a timestamp; `nil` outside the segment, and in segments that do not count time.
    package static func streamTime(_ segment: GstSegment, _ pts: UInt64) -> UInt64? {
        guard isUsable(segment) else { return nil }
        var segment = segment
        return known(gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, guint64(pts)))
    }

    /// The running time of a timestamp; `nil` outside the segment, and in segments that do not count time.
    package static func runningTime(_ segment: GstSegment, _ pts: UInt64) -> UInt64? {
        guard isUsable(segment) else { return nil }
        var segment = segment
        return known(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, guint64(pts)))
    }

    /// In reverse playback running times count from the segment's stop, which must therefore be known.
    private static func isUsable(_ segment: GstSegment) -> Bool {
        segment.format == GST_FORMAT_TIME && (segment.rate > 0 || segment.stop != guint64.max)
    }

    /// A time in ns; `nil` for GST_CLOCK_TIME_NONE.
    package static func known(_ time: GstClockTime) -> UInt64? { time == GstClockTime.max ? nil : UInt64(time) }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Sets some of the buffer's flags and clears others.
    package func update(set: UInt32 = 0, clear: UInt32 = 0) {
        pointee.mini_object.flags = pointee.mini_object.flags & ~clear | set
    }

    /// Sets the presentation timestamp and the duration, in ns; `nil` becomes GST_CLOCK_TIME_NONE.
    package func stamp(from start: UInt64?, to end: UInt64?) {
        pointee.pts = start.map { GstClockTime($0) } ?? GstClockTime.max
        pointee.duration = GstClockTime.max
        if let start, let end { pointee.duration = GstClockTime(end &- start) }
    }
}
