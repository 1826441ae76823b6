import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Gives audio packets without a timestamp the end of the packet before. Drops those that come before any timestamp:
/// `matroskamux` would write them at a wrong time, and `qtmux` would end the stream. A packet that starts before its
/// segment and ends in it, such as the first one of a file that begins with encoder padding, starts with the segment:
/// the muxer would drop it. Where the file's header can hide them, packets before the segment stay.
final class SoundTimingFilter: BinFilter, @unchecked Sendable {
    /// The counts of packets, with those dropped here.
    private let packets: Locked<PacketCount>
    /// The end of the last packet in ns; `nil` where it is not known.
    private var end: GstClockTime?
    /// Whether the audio is compressed: packets must stay whole, while raw samples are cut elsewhere.
    private let isCompressed: Bool
    /// The start of the segment in ns; `nil` where it is not known.
    private var start: GstClockTime?

    private var opening: HiddenStart

    /// - Parameter hidden: the time in ns before the first segment that the file's header hides.
    init(_ packets: Locked<PacketCount>, isCompressed: Bool, hidden: UInt64 = 0) {
        self.packets = packets
        self.isCompressed = isCompressed
        opening = HiddenStart(hidden)
    }

    override func stop() {
        (end, start) = (nil, nil)
        opening.restart()
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_STOP: end = nil
        case GST_EVENT_SEGMENT:
            end = nil
            var segment = GstSegment()
            gst_event_copy_segment(event, &segment)
            let isMoved = opening.open(&segment)
            start = segment.format == GST_FORMAT_TIME ? segment.start : nil
            guard isMoved, let new = gst_event_new_segment(&segment) else { break }
            gst_event_set_seqnum(new, gst_event_get_seqnum(event))
            gst_mini_object_unref(event.asMiniObject)
            return push(new)
        default: break
        }
        return push(event)
    }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var buffer = given
        if buffer.pointee.pts == GstClockTime.max {
            // Header buffers, such as those of FLAC, have no timestamp.
            if buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue != 0 { return push(buffer) }
            guard let end else {
                packets.withLock { $0.dropped += 1 }
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            }
            guard let changed = buffer.writable() else { return GST_FLOW_ERROR }
            buffer = changed
            buffer.pointee.pts = end
        }
        let duration = buffer.pointee.duration
        end = duration == GstClockTime.max ? nil : buffer.pointee.pts &+ duration
        if isCompressed, let start, let end, buffer.pointee.pts < start, end > start, let changed = buffer.writable() {
            buffer = changed
            (buffer.pointee.pts, buffer.pointee.dts) = (start, start)
            buffer.pointee.duration = end - start
        }
        return push(buffer)
    }
}
