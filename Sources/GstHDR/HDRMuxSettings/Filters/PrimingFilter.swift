import CGStreamer
import CGstHDR

/// Moves the end of the segment behind the last packet of an audio encoder. Packets are delayed by the encoder's delay,
/// so the last one starts after the end of the audio, where a parser or a muxer would drop it.
///
/// Where the audio is shorter than a packet, the last packet has no timestamp at all; it gets the end of the one
/// before.
final class PrimingFilter: BinFilter, @unchecked Sendable {
    /// The end of the last packet in ns; `nil` where it is not known.
    private var end: GstClockTime?

    override func stop() { end = nil }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var buffer = given
        if buffer.pointee.pts == GstClockTime.max, let end, let changed = buffer.writable() {
            buffer = changed
            buffer.pointee.pts = end
        }
        let (start, duration) = (buffer.pointee.pts, buffer.pointee.duration)
        end = start == GstClockTime.max || duration == GstClockTime.max ? nil : start &+ duration
        return push(buffer)
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_FLUSH_STOP { end = nil }
        guard event.pointee.type == GST_EVENT_SEGMENT else { return push(event) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        guard segment.format == GST_FORMAT_TIME, segment.rate > 0, segment.stop != guint64.max else {
            return push(event)
        }
        segment.stop = guint64.max
        guard let changed = gst_event_new_segment(&segment) else { return push(event) }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        return push(changed)
    }
}
