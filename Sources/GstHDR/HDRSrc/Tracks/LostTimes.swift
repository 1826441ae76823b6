import CGStreamer
import GstBridge
import HDRMetadata

/// The times that GStreamer 1.22's matroskademux loses of ProRes packets, whose frame header it puts back into a new
/// buffer. Decoders would take them for frames of a constant rate from 0 on.
enum LostTimes {
    /// Gives packets without times those of their blocks.
    /// - Parameter pad: a demuxer's source pad.
    static func restore(_ pad: UnsafeMutablePointer<GstPad>) {
        PadProbe.add(pad, [GST_PAD_PROBE_TYPE_BUFFER]) { pad, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            if buffer.pointee.pts != GstClockTime.max || buffer.pointee.dts != GstClockTime.max {
                return GST_PAD_PROBE_REMOVE
            }
            guard let rate = frameRate(pad) else { return GST_PAD_PROBE_REMOVE }
            guard let time = time(pad), let changed = buffer.writable() else { return GST_PAD_PROBE_OK }
            changed.pointee.pts = GstClockTime(time)
            // DefaultDuration, as other packets have it.
            if changed.pointee.duration == GstClockTime.max, rate.isUsable {
                changed.pointee.duration = GstClockTime(
                    ClockTime.nanoseconds(frames: rate.denominator, rate: rate.numerator))
            }
            info.pointee.data = gpointer(changed)
            return GST_PAD_PROBE_OK
        }
    }

    /// The frame rate of ProRes, which is 0 where the track has no DefaultDuration; `nil` for other streams.
    private static func frameRate(_ pad: UnsafeMutablePointer<GstPad>) -> Fraction? {
        guard let caps = gst_pad_get_current_caps(pad) else { return nil }
        defer { gst_caps_unref(caps) }
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_has_name(structure, "video/x-prores") != 0
        else { return nil }
        return Fraction(structure, "framerate") ?? Fraction(0, 1)
    }

    /// The time of the block whose packet is on its way: the demuxer's position, which is in stream time.
    private static func time(_ pad: UnsafeMutablePointer<GstPad>) -> UInt64? {
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_mini_object_unref(event.asMiniObject) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        var position: gint64 = 0
        guard segment.format == GST_FORMAT_TIME, gst_pad_query_position(pad, GST_FORMAT_TIME, &position) != 0,
            let passed = UInt64(exactly: position)
        else { return nil }
        // The segment's `time` may lie behind the position, of packets before the start of a part.
        let (fromStart, overflow) = UInt64(segment.start).addingReportingOverflow(passed)
        guard !overflow, fromStart >= UInt64(segment.time) else { return nil }
        return fromStart - UInt64(segment.time)
    }
}
