import CGStreamer
import CGstHDR

/// Moves the end of the segment behind the last packet of an encoder of sound. Packets begin with the encoder's delay,
/// so that the last one comes after the end of the sound, where a parser or a muxer would drop it.
final class PrimingFilter: BinFilter, @unchecked Sendable {
    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
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
