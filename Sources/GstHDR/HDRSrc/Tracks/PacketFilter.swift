import CGStreamer
import CGstHDR
import GstBridge

/// Where packets of a track come in: in front of its queue.
final class PacketFilter: BinFilter, @unchecked Sendable {
    private let track: SourceTrack
    /// `nil` for sound.
    private let video: Video?
    /// When the file's first packet of all tracks comes, in ns; `nil` where that is not known.
    private let firstTime: UInt64?
    /// Whether packets are to be dropped, because nobody is linked to the track's pad.
    private let isUnwanted: () -> Bool
    private var segment = GstSegment()
    private var isSkipping = false

    struct Video {
        let durations: ContainerDurations
        let tally: Tally
        let metadata: DynamicMetadata
        /// Where the track ends, in ns of stream time; `nil`: where its data end.
        let end: UInt64?
    }

    init(
        _ track: SourceTrack, _ video: Video?, firstTime: UInt64? = nil, isUnwanted: @escaping () -> Bool
    ) {
        self.firstTime = firstTime
        self.track = track
        self.video = video
        self.isUnwanted = isUnwanted
    }

    override func stop() { isSkipping = false }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps {
                track.adopt(caps)
                if let structure = gst_caps_get_structure(caps, 0) { video?.metadata.begin(structure) }
            }
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment)
            if let changed = fromTheStart(event) { return push(changed) }
        case GST_EVENT_FLUSH_STOP: video?.tally.restart()
        default: break
        }
        return push(event)
    }

    /// The segment of a whole file, from its earliest packet on. GStreamer 1.22's matroskademux begins it with the
    /// packet that lies first in the file, and anew where an earlier one of another track follows: the packets before
    /// that get other running times than those behind.
    /// - Parameter event: is taken over where there is a result.
    private func fromTheStart(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        guard let firstTime, segment.format == GST_FORMAT_TIME, segment.time == 0, segment.start > firstTime,
            segment.position == 0, segment.base == 0
        else { return nil }
        segment.start = guint64(firstTime)
        guard let changed = gst_event_new_segment(&segment) else { return nil }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        return changed
    }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var buffer = given
        let isDelta = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue != 0
        if isUnwanted() || (isSkipping && isDelta) {
            isSkipping = true
            video?.tally.becomePartial()
            gst_buffer_unref(buffer)
            return GST_FLOW_OK
        }
        if isSkipping, let changed = buffer.writable() {
            isSkipping = false
            buffer = changed
            buffer.update(set: GST_BUFFER_FLAG_DISCONT.rawValue)
        }
        guard let video else { return push(buffer) }
        if isShown(buffer, video.end) { video.tally.addPacket() }
        video.metadata.read(buffer)
        if let time = ClockTime.known(buffer.pointee.pts).flatMap({ ClockTime.runningTime(segment, $0) }),
            let duration = video.durations.take(track.number, at: time), duration != buffer.pointee.duration,
            let changed = buffer.writable()
        {
            buffer = changed
            buffer.pointee.duration = GstClockTime(duration)
        }
        return push(buffer)
    }

    /// Whether a packet's frame lies in the segment and before the track's end. Others are decoded because those refer
    /// to them.
    private func isShown(_ buffer: UnsafeMutablePointer<GstBuffer>, _ end: UInt64?) -> Bool {
        guard let start = ClockTime.known(buffer.pointee.pts), segment.format == GST_FORMAT_TIME else { return true }
        if let end, let time = segment.streamTime(buffer.pointee.pts), time >= end { return false }
        let stop = start &+ (ClockTime.known(buffer.pointee.duration) ?? 0)
        return gst_segment_clip(&segment, GST_FORMAT_TIME, guint64(start), guint64(stop), nil, nil) != 0
    }
}
