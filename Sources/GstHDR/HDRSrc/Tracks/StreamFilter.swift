import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// The filter in front of a pad of the bin: completes the caps, and drops what lies behind the end of the edit list.
final class StreamFilter: BinFilter, @unchecked Sendable {
    /// The corrections for a video.
    struct Video {
        /// Completes writable caps.
        let complete: (UnsafeMutablePointer<GstCaps>) -> Void
        /// Counts decoded frames; `nil` where packets are not decoded.
        let tally: Tally?
        /// The end of the track, in ns of stream time; `nil` for the end of its data.
        let end: UInt64?
        /// The orientation as a value of the tag; `nil` where the header states none.
        let orientation: String?
        /// Called where the first picture lacks the metadata without which it cannot be shown, after which no picture
        /// is passed on; `nil` where none are needed.
        let needsMetadata: (() -> Void)?
        /// Called at the end of the stream.
        /// - Returns: whether the end is to be passed on; otherwise an error has been posted.
        let ended: () -> Bool
    }

    private let video: Video?
    private let chapters: Locked<Int>
    /// The duration of the whole file in ns; `nil` where the header does not state it.
    private let duration: UInt64?
    /// Whether any pad of the bin is linked.
    private let isAnyLinked: () -> Bool
    private var segment = GstSegment()
    /// The orientation that was sent, as a value of the tag.
    let orientation = Locked<String?>(nil)
    /// Packets behind the end of the track, which are kept because packets before the end that follow may refer to
    /// them.
    private var held: [UnsafeMutablePointer<GstBuffer>] = []
    /// A decoded frame that began before the segment and ends right after its start, held until the next frame arrives.
    private var sliver: UnsafeMutablePointer<GstBuffer>?
    /// Whether the first picture had the metadata without which it cannot be shown.
    private var isExplained = false
    /// The maximum number of held packets: more than a decoder keeps, and a limit on memory for damaged headers.
    private static let mostHeld = 256

    /// - Parameter chapters: gets the number of chapters that the stream carries.
    init(
        _ video: Video?, duration: UInt64?, chapters: Locked<Int>, isAnyLinked: @escaping () -> Bool
    ) {
        self.video = video
        self.chapters = chapters
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

    /// Notes that frames which a decoder skips because they are late do not count as lost.
    override func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_QOS { video?.tally?.becomePartial() }
        return false
    }

    /// Answers duration queries: the reader's own answer includes what it reads behind the end of edit lists.
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
        case GST_EVENT_TOC:
            let count = Chapters.count(event)
            chapters.withLock { $0 = count }
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

    /// Sends the orientation tag that only the file's header has.
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
                // The decoder has output a frame behind the end of the edit list.
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

    /// Whether a decoded frame began before the segment and ends right after its start.
    private func isSliver(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        video?.tally != nil && segment.start > 0 && buffer.pointee.pts == segment.start
            && buffer.pointee.duration < 1_000_000
    }

    /// Passes the held frame on, unless the next one begins at the same time: where times are rounded, as to
    /// milliseconds in Matroska, a frame may end slightly after the beginning of the next.
    private func takeSliver(before next: UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn {
        guard let first = sliver else { return GST_FLOW_OK }
        sliver = nil
        if let next, next.pointee.pts == first.pointee.pts {
            gst_buffer_unref(first)
            return GST_FLOW_OK
        }
        return show(first)
    }

    /// Pushes a buffer. A pad that is not linked does not stop the others.
    private func send(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let flow = push(buffer)
        // GST_FLOW_EOS: downstream wants no more data, so the frames that follow do not count as lost.
        if flow == GST_FLOW_EOS { video?.tally?.becomePartial() }
        return flow == GST_FLOW_NOT_LINKED && isAnyLinked() ? GST_FLOW_OK : flow
    }
}

extension GstSegment {
    /// The stream time of a timestamp, also outside the segment; `nil` before the start of the stream, and where it is
    /// not known.
    func streamTime(_ pts: GstClockTime) -> UInt64? {
        guard pts != GstClockTime.max, format == GST_FORMAT_TIME else { return nil }
        var segment = self
        var time: guint64 = 0
        return gst_segment_to_stream_time_full(&segment, GST_FORMAT_TIME, pts, &time) == 1 ? UInt64(time) : nil
    }
}
