import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer

/// The filter at the start of a track's branch, in front of its queue.
final class PacketFilter: BinFilter, @unchecked Sendable {
    private let track: SourceTrack
    /// The corrections for video; `nil` for audio.
    private let video: Video?
    /// What the file's header says of raw sound; `nil` for other tracks, and where the demuxer says the same.
    private let sound: MovieEdits.Sound?
    /// The counts of the video beside audio; `nil` for video, and in a file with audio only.
    private let besides: Tally?
    /// The time of the first packet of all tracks in the file, in ns; `nil` where it is not known.
    private let firstTime: UInt64?
    /// Whether the demuxer's stream times begin with the clock of an MPEG transport stream, some time before its first
    /// packet. Those of this element begin with the packet, as in other files and with other programs.
    private let countsFromClock: Bool
    /// The time from the clock's first reference to the first packet, in ns; `nil` before the first segment. Any
    /// thread.
    private let lead = Locked<UInt64?>(nil)
    /// Whether packets are to be dropped, because the track's pad is not linked.
    private let isUnwanted: () -> Bool
    private var segment = GstSegment()
    private var isSkipping = false

    struct Video {
        let durations: ContainerDurations
        let tally: Tally
        let metadata: DynamicMetadata
        /// The end of the track, in ns of stream time; `nil` for the end of its data.
        let end: UInt64?
        /// Whether a flush with this sequence number results from the seek to the part that the properties ask for.
        let isPart: (guint32) -> Bool
    }

    /// The end of the part of the file that is played. qtdemux compares media times, which an edit list shifts, with
    /// the end of a seek, and leaves out packets before that end; so it is told to read further, and the packets are
    /// cut here.
    struct Cut {
        /// The end in ns of stream time.
        let end: UInt64
        /// Whether a segment with this sequence number results from the seek to the part.
        let isOwn: (guint32) -> Bool

        /// The time in ns that the demuxer reads further: more than audio encoders need as preroll.
        static let margin = 500_000_000
    }

    private let cut: Cut?

    init(
        _ track: SourceTrack, _ video: Video?, sound: MovieEdits.Sound? = nil, besides: Tally? = nil,
        firstTime: UInt64? = nil, countsFromClock: Bool = false, _ cut: Cut? = nil,
        isUnwanted: @escaping () -> Bool
    ) {
        self.sound = sound
        self.besides = besides
        self.firstTime = firstTime
        self.countsFromClock = countsFromClock
        self.cut = cut
        self.track = track
        self.video = video
        self.isUnwanted = isUnwanted
    }

    override func stop() {
        isSkipping = false
        lead.withLock { $0 = nil }
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS: return push(read(caps: event))
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment)
            let (hasLead, hasBegun, hasEnd) = (removeLead(), begin(), end(event))
            if hasLead || hasBegun || hasEnd { return push(renewed(event)) }
        case GST_EVENT_FLUSH_STOP:
            if let video { video.tally.restart(isPart: video.isPart(gst_event_get_seqnum(event))) }
        default: break
        }
        return push(event)
    }

    /// The event with complete caps, which are those of the track from now on; the given one is taken over.
    private func read(caps event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given else { return event }
        let completed = sound?.completed(given)
        defer { if let completed { gst_caps_unref(completed) } }
        track.adopt(completed ?? given)
        if let structure = gst_caps_get_structure(given, 0) { video?.metadata.begin(structure) }
        guard let completed, let changed = gst_event_new_caps(completed) else { return event }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        return changed
    }

    /// Sets the segment of a whole file, which starts with its earliest packet. GStreamer 1.22's matroskademux begins
    /// it with the packet that comes first in the file, and begins a new one where an earlier packet of another track
    /// follows: the packets before that get other running times than those after it.
    /// - Returns: whether the segment has changed.
    private func begin() -> Bool {
        guard let firstTime, segment.format == GST_FORMAT_TIME, segment.time == 0, segment.start > firstTime,
            segment.position == 0, segment.base == 0
        else { return false }
        segment.start = guint64(firstTime)
        return true
    }

    /// Takes the clock's lead off the segment's stream times.
    /// - Returns: whether the segment has changed.
    private func removeLead() -> Bool {
        guard countsFromClock, segment.format == GST_FORMAT_TIME else { return false }
        let (start, time) = (UInt64(segment.start), UInt64(segment.time))
        let lead = lead.withLock { lead -> UInt64 in
            let known = lead ?? (time == start ? start : 0)
            lead = known
            return known
        }
        guard lead > 0 else { return false }
        segment.time = guint64(time - min(lead, time))
        return true
    }

    /// Adds the clock's lead to the times of a seek.
    override func upstream(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        guard countsFromClock, event.pointee.type == GST_EVENT_SEEK, let lead = lead.current, lead > 0 else {
            return event
        }
        var (rate, format, flags) = (1.0, GST_FORMAT_UNDEFINED, GST_SEEK_FLAG_NONE)
        var (startType, stopType) = (GST_SEEK_TYPE_NONE, GST_SEEK_TYPE_NONE)
        var (start, stop): (gint64, gint64) = (0, 0)
        gst_event_parse_seek(event, &rate, &format, &flags, &startType, &start, &stopType, &stop)
        func moved(_ time: gint64, _ type: GstSeekType) -> gint64 {
            guard type == GST_SEEK_TYPE_SET, time >= 0 else { return time }
            let (sum, isBeyond) = time.addingReportingOverflow(gint64(clamping: lead))
            return isBeyond ? .max : sum
        }
        guard format == GST_FORMAT_TIME,
            let changed = gst_event_new_seek(
                rate, format, flags, startType, moved(start, startType), stopType, moved(stop, stopType))
        else { return event }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        return changed
    }

    /// Ends the segment at the end of the part.
    /// - Returns: whether the segment has changed.
    private func end(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard let cut, cut.isOwn(gst_event_get_seqnum(event)), segment.format == GST_FORMAT_TIME, segment.rate > 0
        else { return false }
        let stop = gst_segment_position_from_stream_time(&segment, GST_FORMAT_TIME, guint64(cut.end))
        guard stop != GstClockTime.max, stop < segment.stop, stop >= segment.start else { return false }
        segment.stop = stop
        return true
    }

    /// A segment event with the present segment, in place of the given one, which is taken over.
    private func renewed(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        guard let changed = gst_event_new_segment(&segment) else { return event }
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
        guard let video else {
            if let besides, let end = end(of: buffer) { besides.addSound(until: end) }
            guard cut == nil || !isBehind(buffer) else {
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            }
            return push(buffer)
        }
        let isShown = isShown(buffer, video.end)
        video.metadata.read(buffer)
        if let time = runningTime(of: buffer), let duration = video.durations.take(track.number, at: time),
            duration != buffer.pointee.duration,
            let changed = buffer.writable()
        {
            buffer = changed
            buffer.pointee.duration = GstClockTime(duration)
        }
        if isShown { video.tally.addPacket(until: end(of: buffer)) }
        return push(buffer)
    }

    private func runningTime(of buffer: UnsafeMutablePointer<GstBuffer>) -> UInt64? {
        ClockTime.known(buffer.pointee.pts).flatMap { ClockTime.runningTime(segment, $0) }
    }

    /// The end of a packet in ns of stream time; `nil` where it is not known.
    private func end(of buffer: UnsafeMutablePointer<GstBuffer>) -> UInt64? {
        segment.streamTime(buffer.pointee.pts).map { $0 &+ (ClockTime.known(buffer.pointee.duration) ?? 0) }
    }

    /// Whether a packet begins after the end of the segment.
    private func isBehind(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let time = buffer.pointee.pts
        return time != GstClockTime.max && segment.format == GST_FORMAT_TIME && time >= segment.stop
    }

    /// Whether a packet's frame lies in the segment and before the track's end. Other packets are decoded because those
    /// refer to them.
    private func isShown(_ buffer: UnsafeMutablePointer<GstBuffer>, _ end: UInt64?) -> Bool {
        guard let start = ClockTime.known(buffer.pointee.pts), segment.format == GST_FORMAT_TIME else { return true }
        if let end, let time = segment.streamTime(buffer.pointee.pts), time >= end { return false }
        let stop = start &+ (ClockTime.known(buffer.pointee.duration) ?? 0)
        return gst_segment_clip(&segment, GST_FORMAT_TIME, guint64(start), guint64(stop), nil, nil) != 0
    }
}
