import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Where a stream leaves the bin: its caps are completed, and what lies behind the end of its edit list is left out.
final class StreamFilter: BinFilter, @unchecked Sendable {
    /// What is corrected in a video.
    struct Video {
        /// Completes caps, which may be changed.
        let complete: (UnsafeMutablePointer<GstCaps>) -> Void
        /// Counts decoded frames; `nil` where packets are not decoded.
        let tally: Tally?
        /// Where the track ends, in ns of stream time; `nil`: where its data end.
        let end: UInt64?
        /// How the picture is turned, in words of the tag; `nil` where the header says nothing of it.
        let orientation: String?
        /// Called where the first picture has none of the metadata that its colours need, after which no picture is
        /// passed on; `nil` where pictures need none.
        let needsMetadata: (() -> Void)?
        /// Called at the end of the stream.
        /// - Returns: whether the end is to be passed on; otherwise an error has been posted.
        let ended: () -> Bool
    }

    private let video: Video?
    /// Of the whole file in ns; `nil` where the header does not say.
    private let duration: UInt64?
    /// Whether any pad of the bin is linked.
    private let isAnyLinked: () -> Bool
    private var segment = GstSegment()
    /// The orientation that has been sent, in words of the tag.
    let orientation = Locked<String?>(nil)
    /// Packets behind the end, to which packets before it may refer that come after them.
    private var held: [UnsafeMutablePointer<GstBuffer>] = []
    /// The last moment of a decoded frame that began before the segment, until the next frame comes.
    private var sliver: UnsafeMutablePointer<GstBuffer>?
    /// Whether the first picture had the metadata that its colours need.
    private var isExplained = false
    /// More than a decoder keeps, so that a damaged header does not fill the memory.
    private static let mostHeld = 256

    init(_ video: Video?, duration: UInt64?, isAnyLinked: @escaping () -> Bool) {
        self.video = video
        self.duration = duration
        self.isAnyLinked = isAnyLinked
    }

    deinit { drop() }

    override func stop() {
        drop()
        isExplained = false
        orientation.withLock { $0 = nil }
    }

    private func drop() {
        for buffer in held { gst_buffer_unref(buffer) }
        held = []
        if let sliver { gst_buffer_unref(sliver) }
        sliver = nil
    }

    /// Late frames that a decoder leaves out are not lost.
    override func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_QOS { video?.tally?.becomePartial() }
        return false
    }

    /// The true duration: that of the reader is the one with which it reads on behind edit lists.
    override func sourceQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard query.pointee.type == GST_QUERY_DURATION, let duration else { return false }
        var format = GST_FORMAT_UNDEFINED
        gst_query_parse_duration(query, &format, nil)
        guard format == GST_FORMAT_TIME else { return false }
        gst_query_set_duration(query, GST_FORMAT_TIME, gint64(clamping: duration))
        return true
    }

    // MARK: Downstream

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS: return caps(event)
        case GST_EVENT_SEGMENT:
            drop()
            gst_event_copy_segment(event, &segment)
        case GST_EVENT_FLUSH_STOP: drop()
        case GST_EVENT_TAG:
            if let said = Self.orientation(event) { orientation.withLock { $0 = said } }
        case GST_EVENT_EOS:
            _ = takeSliver(before: nil)
            drop()
            if let video, !video.ended() {
                gst_mini_object_unref(event.asMiniObject)
                return false
            }
        default: break
        }
        return push(event)
    }

    private func caps(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let video, let given, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        video.complete(copy)
        guard gst_caps_is_equal(given, copy) == 0, let changed = gst_event_new_caps(copy) else { return push(event) }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        return push(changed)
    }

    private static func orientation(_ event: UnsafeMutablePointer<GstEvent>) -> String? {
        var tags: UnsafeMutablePointer<GstTagList>?
        var text: UnsafeMutablePointer<gchar>?
        gst_event_parse_tag(event, &tags)
        guard let tags, gst_tag_list_get_string(tags, "image-orientation", &text) != 0, let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Sends the orientation that only the file's header has.
    private func sendOrientation() {
        guard let said = video?.orientation, orientation.current == nil, let tags = gst_tag_list_new_empty() else {
            return
        }
        var value = GValue()
        g_value_init(&value, GTypes.string)
        g_value_set_string(&value, said)
        gst_tag_list_add_value(tags, GST_TAG_MERGE_REPLACE, "image-orientation", &value)
        g_value_unset(&value)
        orientation.withLock { $0 = said }
        if let event = gst_event_new_tag(tags) { push(event) }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let video else { return send(buffer) }
        sendOrientation()
        if let lacksMetadata = video.needsMetadata, !isExplained {
            guard buffer.metadata(.dolbyVision) != nil else {
                gst_buffer_unref(buffer)
                lacksMetadata()
                return GST_FLOW_ERROR
            }
            isExplained = true
        }
        if let end = video.end, let time = segment.streamTime(buffer.pointee.pts), time >= end {
            guard video.tally == nil, held.count < Self.mostHeld else {
                // The decoder has read past the end of the edit list.
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            }
            held.append(buffer)
            return GST_FLOW_OK
        }
        if sliver == nil, isSliver(buffer) {
            sliver = buffer
            return GST_FLOW_OK
        }
        let first = takeSliver(before: buffer)
        guard first == GST_FLOW_OK else {
            gst_buffer_unref(buffer)
            return first
        }
        let waiting = held
        held = []
        for (index, packet) in waiting.enumerated() {
            let flow = send(packet)
            guard flow != GST_FLOW_OK else { continue }
            for rest in waiting[(index + 1)...] { gst_buffer_unref(rest) }
            gst_buffer_unref(buffer)
            return flow
        }
        return show(buffer)
    }

    private func show(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        video?.tally?.addFrame(
            isDamaged: buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_CORRUPTED.rawValue != 0,
            at: ClockTime.known(buffer.pointee.pts).flatMap { ClockTime.runningTime(segment, $0) },
            lasting: ClockTime.known(buffer.pointee.duration))
        return send(buffer)
    }

    /// Whether a decoded frame is only the last moment of one that began before the segment.
    private func isSliver(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        video?.tally != nil && segment.start > 0 && buffer.pointee.pts == segment.start
            && buffer.pointee.duration < 1_000_000
    }

    /// Passes such a frame on, unless the next one begins at the same time: where times are rounded, as Matroska's are
    /// to milliseconds, a frame may end that much behind the beginning of the next.
    private func takeSliver(before next: UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn {
        guard let first = sliver else { return GST_FLOW_OK }
        sliver = nil
        if let next, next.pointee.pts == first.pointee.pts {
            gst_buffer_unref(first)
            return GST_FLOW_OK
        }
        return show(first)
    }

    /// A pad that nobody is linked to does not stop the others.
    private func send(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let flow = push(buffer)
        // Who has had enough misses nothing.
        if flow == GST_FLOW_EOS { video?.tally?.becomePartial() }
        return flow == GST_FLOW_NOT_LINKED && isAnyLinked() ? GST_FLOW_OK : flow
    }
}

extension GstSegment {
    /// The stream time of a time stamp, also outside the segment; `nil` before the start of the stream, and where it is
    /// not known.
    func streamTime(_ pts: GstClockTime) -> UInt64? {
        guard pts != GstClockTime.max, format == GST_FORMAT_TIME else { return nil }
        var segment = self
        var time: guint64 = 0
        return gst_segment_to_stream_time_full(&segment, GST_FORMAT_TIME, pts, &time) == 1 ? UInt64(time) : nil
    }
}
