import CGStreamer
import CGstHDR
import GstBridge

/// Finds out what frame steps have skipped, which only sinks see.
enum FrameSteps {
    /// Tells a tap's clock what the sink behind it has skipped. On any thread.
    ///
    /// A sink that has stepped begins its own segment anew, with the frame that it shows at the running time before the
    /// step.
    /// - Parameter element: the tap.
    static func note(_ element: UnsafeMutablePointer<GstElement>, _ clock: ItemClock) {
        let tap = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstHdrTap.self)
        guard let element = Downstream.sink(tap.pointee.srcpad) else { return }
        defer { gst_object_unref(element) }
        guard let sink = Downstream.baseSink(element), let own = PassedSegment(tap.pointee.sinkpad),
            let last = PassedSegment(sink.pointee.sinkpad), last.continues(own)
        else { return }
        // The sink's thread may be changing it.
        var (first, second) = (sink.pointee.segment, sink.pointee.segment)
        guard gst_segment_is_equal(&first, &second) != 0, let skipped = last.skipped(by: second) else { return }
        clock.noteSkipped(skipped)
    }
}

/// The segment that has passed a pad last.
private struct PassedSegment {
    private let segment: GstSegment
    private let number: guint32

    init?(_ pad: UnsafeMutablePointer<GstPad>?) {
        guard let pad, let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        guard segment.format == GST_FORMAT_TIME else { return nil }
        self.segment = segment
        number = gst_event_get_seqnum(event)
    }

    /// Whether this one is the other, which may have been begun again further on.
    func continues(_ other: PassedSegment) -> Bool {
        number == other.number && segment.rate == other.segment.rate && segment.stop == other.segment.stop
    }

    /// The time in ns that a sink has skipped which was given this segment, and has made another one of it.
    func skipped(by sink: GstSegment) -> UInt64? {
        guard sink.format == GST_FORMAT_TIME, sink.rate == segment.rate else { return nil }
        let start = segment.rate < 0 ? sink.stop : sink.start
        guard let place = ClockTime.known(start), let time = ClockTime.runningTime(segment, place) else { return nil }
        let (skipped, overflow) = time.subtractingReportingOverflow(UInt64(sink.base))
        return overflow ? nil : skipped
    }
}
