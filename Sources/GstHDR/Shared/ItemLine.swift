import CGStreamer
import GstBridge

/// Which frame a pipeline shows when: frame steps move frames ahead, and a rate that changes without a flush changes
/// how fast their times go. All times are running times in ns.
struct ItemLine: Equatable {
    /// At this time of the pipeline the frame with the time `shown` is shown.
    var time: Int64 = 0
    var shown: Int64 = 0
    /// How fast the times of frames go after it, and before it.
    var rate = 1.0
    var rateBefore = 1.0

    /// Whether frames are shown at their own running times.
    var isPlain: Bool { time == shown && rate == 1 && rateBefore == 1 }

    /// The time of the frame that is shown at a time of the pipeline.
    func shown(at time: UInt64) -> UInt64 { UInt64(max(place(at: Int64(clamping: time)), 0)) }

    /// The same, also before the first frame.
    func place(at time: Int64) -> Int64 {
        let since = time &- self.time
        let rate = since < 0 ? rateBefore : rate
        // A Double is exact up to 104 days.
        let passed = rate == 1 ? since : Int64(min(max(Double(since) * rate, -4e18), 4e18))
        let (sum, overflow) = shown.addingReportingOverflow(passed)
        return overflow ? shown : sum
    }
}

extension ItemLine {
    /// What a sink shows, which has made another segment of the one that has passed: both have the same positions.
    init?(sink: GstSegment, passed: GstSegment) {
        guard sink.format == GST_FORMAT_TIME, passed.format == GST_FORMAT_TIME, sink.rate * passed.rate > 0 else {
            return nil
        }
        let first = sink.rate > 0 ? sink.start : sink.stop
        let offset = Int64(clamping: sink.offset)
        guard let first = ClockTime.known(first).flatMap({ Int64(exactly: $0) }),
            let time = Int64(exactly: UInt64(sink.base))
        else { return nil }
        let (place, overflow) = first.addingReportingOverflow(sink.rate > 0 ? offset : -offset)
        var (passed, running) = (passed, guint64(0))
        guard !overflow, place >= 0 else { return nil }
        let sign = gst_segment_to_running_time_full(&passed, GST_FORMAT_TIME, guint64(place), &running)
        guard sign != 0, let shown = Int64(exactly: UInt64(running)) else { return nil }
        let rate = sink.rate / passed.rate
        guard rate.isFinite, rate < 1e6 else { return nil }
        self.init(time: time, shown: sign < 0 ? -shown : shown, rate: rate, rateBefore: rate)
    }
}

/// The segment that has passed a pad last.
struct PassedSegment: @unchecked Sendable {
    let segment: GstSegment
    /// The sequence number of its event.
    let number: guint32

    init?(_ event: UnsafeMutablePointer<GstEvent>) {
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        guard segment.format == GST_FORMAT_TIME else { return nil }
        self.segment = segment
        number = gst_event_get_seqnum(event)
    }

    init?(_ pad: UnsafeMutablePointer<GstPad>?) {
        guard let pad, let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        self.init(event)
    }

    /// Whether this one is the other, which may have been begun again further on.
    func continues(_ other: PassedSegment) -> Bool {
        // In reverse a segment begins at its stop.
        let end = segment.rate < 0 ? segment.start : segment.stop
        let otherEnd = other.segment.rate < 0 ? other.segment.start : other.segment.stop
        return number == other.number && segment.rate == other.segment.rate && end == otherEnd
    }

    /// The same segment, which begins at the position of one of its running times, and has another there.
    func begun(at running: UInt64, _ base: UInt64) -> GstSegment? {
        var segment = segment
        let place = gst_segment_position_from_running_time(&segment, GST_FORMAT_TIME, guint64(running))
        guard ClockTime.known(place) != nil else { return nil }
        if segment.rate < 0 {
            segment.stop = place
        } else {
            segment.time = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, place)
            segment.start = place
        }
        (segment.base, segment.offset, segment.position) = (guint64(base), 0, place)
        return segment
    }

    /// How much later it begins than the one that was sent, in ns.
    func offset(from sent: GstSegment) -> Int64 {
        guard segment.start == sent.start, segment.stop == sent.stop else { return 0 }
        return Int64(clamping: UInt64(segment.base)) &- Int64(clamping: UInt64(sent.base))
    }

    func isEqual(_ other: GstSegment) -> Bool {
        var (first, second) = (segment, other)
        return gst_segment_is_equal(&first, &second) != 0
    }
}

/// The segment that a sink was given last, and what it has made of it: frame steps and changes of the rate change it.
struct SinkSegments: @unchecked Sendable {
    let given: PassedSegment
    let own: GstSegment

    init?(_ sink: UnsafeMutablePointer<GstBaseSink>) {
        guard let given = PassedSegment(sink.pointee.sinkpad) else { return nil }
        // The sink's thread may be changing it.
        var (first, second) = (sink.pointee.segment, sink.pointee.segment)
        guard gst_segment_is_equal(&first, &second) != 0 else { return nil }
        (self.given, own) = (given, second)
    }

    /// What is known of a sink.
    enum Reading: @unchecked Sendable {
        /// There is no single sink that could be asked.
        case unknown
        /// It has no segment, or is just getting another one.
        case changing
        case segments(SinkSegments)

        /// What a sink says itself.
        init(_ sink: UnsafeMutablePointer<GstBaseSink>) {
            self = SinkSegments(sink).map { .segments($0) } ?? .changing
        }

        /// What the sink says that an element's pictures go to and nowhere else.
        init(behind pad: UnsafeMutablePointer<GstPad>?) {
            guard let pad, let element = Downstream.sink(pad) else {
                self = .unknown
                return
            }
            defer { gst_object_unref(element) }
            self = Downstream.baseSink(element).map { Reading($0) } ?? .unknown
        }
    }
}
