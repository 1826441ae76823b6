import CGStreamer
import CGstFormat
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer

/// Reads the frames of a YUV4MPEG2 file. GStreamer 1.22's `y4mdec` reads samples of more than 8 bits as if they had 8,
/// and ignores the range.
final class Y4MReader: BinFilter, @unchecked Sendable {
    private let header: Y4MHeader
    private let name: ShownName
    private var info: GstVideoInfo
    /// Whether the frames of the file have GStreamer's layout, in which each row begins at a multiple of 4 bytes, so
    /// that no rows are copied.
    private let isPacked: Bool
    /// Called on the streaming thread when the source pad has caps, before its first frame.
    private let found: (UnsafeMutablePointer<GstPad>) -> Void
    private let failed: (SourceFailure) -> Void

    /// The largest frame that is accepted, in bytes: more than 16384x8192 in 4:4:4 of 16 bits. Without a limit a
    /// damaged header could request any amount of memory.
    private static let largestFrame = 1 << 30

    private let adapter: OpaquePointer
    /// The number of bytes from the start of one frame to the next, including the frame's header line as the first
    /// frame has it.
    private let stride: Locked<Int>
    /// The position in the file, in bytes, at which the adapter's content begins.
    private var position: UInt64 = 0
    private var hasLine = false
    private var index: UInt64 = 0
    private var isFirst = true
    private var isShown = false
    private var needsSegment = true
    private var group: guint = 0
    private var sequence: guint32 = 0
    /// The segment that the streaming thread plays.
    private var playing = GstSegment.ofTime
    /// Whether downstream accepts no more frames.
    private var hasEnded = false
    /// The segment of the last seek; the streaming thread adopts it at the next byte segment.
    private let segment = Locked(UncheckedSendable(GstSegment.ofTime))
    /// The time of the last frame in ns, for position queries.
    private let shown = Locked<UInt64>(0)

    /// - Throws: where GStreamer has no format for these samples, or the header has no frame rate.
    init(
        _ header: Y4MHeader, _ name: ShownName, found: @escaping (UnsafeMutablePointer<GstPad>) -> Void,
        failed: @escaping (SourceFailure) -> Void
    ) throws(SourceFailure) {
        stride = Locked(header.frameStride)
        self.header = header
        self.name = name
        self.found = found
        self.failed = failed
        guard let rate = header.frameRate else { throw .noFrameRate(name) }
        guard header.frameSize <= Self.largestFrame else { throw .largePictures(name, header.width, header.height) }
        info = GstVideoInfo()
        guard let format = Self.format(header.sampling),
            gst_video_info_set_format(
                &info, hdr_video_format_from_string(format), guint(header.width), guint(header.height)) != 0
        else { throw .noRawFormat(name, header.sampling.name) }
        info.fps_n = gint(clamping: rate.numerator)
        info.fps_d = gint(clamping: rate.denominator)
        if let aspect = header.pixelAspect {
            info.par_n = gint(clamping: aspect.horizontal)
            info.par_d = gint(clamping: aspect.vertical)
        }
        switch header.interlacing {
        case .progressive: break
        case .mixed: info.interlace_mode = GST_VIDEO_INTERLACE_MODE_MIXED
        case .topFieldFirst, .bottomFieldFirst:
            info.interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED
            info.ABI.abi.field_order =
                header.interlacing == .topFieldFirst
                ? GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST : GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST
        }
        if header.isFullRange == true { info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255 }
        switch header.sampling.chromaLocation {
        case 1: info.chroma_site = GST_VIDEO_CHROMA_SITE_JPEG
        // This is also the default of ITU-T H.265, while GStreamer's default depends on the picture's height.
        default: if header.sampling.hasFewerChroma { info.chroma_site = GST_VIDEO_CHROMA_SITE_MPEG2 }
        }
        isPacked = header.frameSize == Int(info.size)
        // An initialiser that throws later would not free it.
        guard let adapter = gst_adapter_new() else { throw .failed(name, "out of memory") }
        self.adapter = adapter
    }

    deinit { g_object_unref(gpointer(adapter)) }

    /// The name of GStreamer's format with these samples; `nil` where there is none.
    private static func format(_ sampling: Y4MHeader.Sampling) -> String? {
        guard !sampling.hasAlpha else { return nil }
        switch (sampling.chromaFormat, sampling.bitDepth) {
        case (0, 8): return "GRAY8"
        case (0, 16): return "GRAY16_LE"
        case (1, 8): return "I420"
        case (2, 8): return "Y42B"
        case (3, 8): return "Y444"
        case (nil, 8): return "Y41B"
        case (1, 10): return "I420_10LE"
        case (1, 12): return "I420_12LE"
        case (2, 10): return "I422_10LE"
        case (2, 12): return "I422_12LE"
        case (3, 10): return "Y444_10LE"
        case (3, 12): return "Y444_12LE"
        case (3, 16): return "Y444_16LE"
        default: return nil
        }
    }

    override func stop() {
        clear()
        segment.withLock { $0.value = .ofTime }
        position = 0
        isShown = false
    }

    private func clear() {
        gst_adapter_clear(adapter)
        hasLine = false
        isFirst = true
        needsSegment = true
        hasEnded = false
    }

    // MARK: Events

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_STREAM_START:
            gst_event_parse_group_id(event, &group)
        case GST_EVENT_SEGMENT:
            var bytes = GstSegment()
            gst_event_copy_segment(event, &bytes)
            clear()
            sequence = gst_event_get_seqnum(event)
            position = bytes.format == GST_FORMAT_BYTES ? UInt64(bytes.start) : 0
            index = (position - min(UInt64(header.size), position)) / UInt64(stride.current)
        case GST_EVENT_CAPS: break
        case GST_EVENT_FLUSH_STOP:
            clear()
            return push(event)
        case GST_EVENT_EOS:
            let rest = gst_adapter_available(adapter)
            guard hasEnded || (isShown && rest == 0 && !hasLine) else {
                gst_mini_object_unref(event.asMiniObject)
                failed(isShown ? .truncated(name) : .damaged(name))
                return false
            }
            return finish(event)
        default: return push(event)
        }
        gst_mini_object_unref(event.asMiniObject)
        return true
    }

    /// Ends the stream, or the segment where a seek asked for one.
    private func finish(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard playing.flags.rawValue & GST_SEGMENT_FLAG_SEGMENT.rawValue != 0 else { return push(event) }
        gst_mini_object_unref(event.asMiniObject)
        let end = gint64(clamping: ClockTime.known(playing.stop) ?? shown.current)
        let object = element.asGstElement.cast(to: GstObject.self)
        gst_element_post_message(element.asGstElement, gst_message_new_segment_done(object, GST_FORMAT_TIME, end))
        return gst_event_new_segment_done(GST_FORMAT_TIME, end).map { push($0) } ?? false
    }

    /// Turns a seek to a time into a seek to the byte position of the frame that is shown then.
    override func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_SEEK else { return false }
        var (rate, format, flags) = (1.0, GST_FORMAT_UNDEFINED, GST_SEEK_FLAG_NONE)
        var (startType, stopType) = (GST_SEEK_TYPE_NONE, GST_SEEK_TYPE_NONE)
        var (start, stop): (gint64, gint64) = (0, 0)
        gst_event_parse_seek(event, &rate, &format, &flags, &startType, &start, &stopType, &stop)
        guard format == GST_FORMAT_TIME, rate > 0 else { return false }
        var next = segment.withLock { $0.value }
        var changed: gboolean = 0
        guard
            gst_segment_do_seek(
                &next, rate, format, flags, startType, guint64(bitPattern: start), stopType, guint64(bitPattern: stop),
                &changed) != 0
        else { return true }
        var frame = self.frame(at: UInt64(next.position))
        let mask = GST_SEEK_FLAG_SNAP_BEFORE.rawValue | GST_SEEK_FLAG_SNAP_AFTER.rawValue
        if flags.rawValue & GST_SEEK_FLAG_KEY_UNIT.rawValue != 0 {
            if flags.rawValue & mask == GST_SEEK_FLAG_SNAP_AFTER.rawValue, time(frame) < UInt64(next.position) {
                frame += 1
            }
            next.position = guint64(time(frame))
            next.start = next.position
            next.time = next.position
        }
        let offset = UInt64(header.size) + frame * UInt64(stride.current)
        // The byte seek has no stop position: this element ends the stream at the stop time.
        let kept = flags.rawValue & GST_SEEK_FLAG_FLUSH.rawValue
        guard
            let seek = gst_event_new_seek(
                1, GST_FORMAT_BYTES, GstSeekFlags(kept), GST_SEEK_TYPE_SET, gint64(clamping: offset),
                GST_SEEK_TYPE_NONE, -1)
        else { return true }
        gst_event_set_seqnum(seek, gst_event_get_seqnum(event))
        let before = segment.withLock { segment in
            defer { segment.value = next }
            return segment.value
        }
        if gst_pad_push_event(element.pointee.sinkpad, seek) == 0 { segment.withLock { $0.value = before } }
        return true
    }

    private func time(_ frame: UInt64) -> UInt64 { header.time(ofFrame: frame) ?? 0 }

    /// The index of the frame that is shown at a time in ns. Times of frames are rounded to ns, so the first guess may
    /// be one too low.
    private func frame(at time: UInt64) -> UInt64 {
        guard let rate = header.frameRate else { return 0 }
        let exact = gst_util_uint64_scale(
            guint64(time), guint64(rate.numerator), guint64(rate.denominator) * 1_000_000_000)
        // The limit is beyond the end of any file, but low enough that its byte position does not overflow.
        let guess = min(UInt64(exact), (1 << 62) / UInt64(stride.current))
        return self.time(guess + 1) <= time ? guess + 1 : guess
    }

    override func sourceQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        var format = GST_FORMAT_UNDEFINED
        switch query.pointee.type {
        case GST_QUERY_POSITION:
            gst_query_parse_position(query, &format, nil)
            guard format == GST_FORMAT_TIME else { return false }
            gst_query_set_position(query, format, gint64(clamping: shown.current))
        case GST_QUERY_SEEKING:
            gst_query_parse_seeking(query, &format, nil, nil, nil)
            gst_query_set_seeking(query, format, format == GST_FORMAT_TIME ? 1 : 0, 0, -1)
        default: return false
        }
        return true
    }

    // MARK: Frames

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        gst_adapter_push(adapter, buffer)
        if position < UInt64(header.size) {
            let left = min(UInt64(header.size) - position, UInt64(gst_adapter_available(adapter)))
            gst_adapter_flush(adapter, gsize(left))
            position += left
            guard position == UInt64(header.size) else { return GST_FLOW_OK }
        }
        while true {
            if !hasLine {
                switch takeLine() {
                case .found: hasLine = true
                case .more: return GST_FLOW_OK
                case .other:
                    failed(.damaged(name))
                    return GST_FLOW_ERROR
                }
            }
            guard gst_adapter_available(adapter) >= gsize(header.frameSize) else { return GST_FLOW_OK }
            guard let frame = takeFrame() else {
                failed(.failed(name, "out of memory"))
                return GST_FLOW_ERROR
            }
            hasLine = false
            let flow = send(frame)
            guard flow == GST_FLOW_OK else {
                hasEnded = true
                return flow
            }
        }
    }

    private enum Line { case found, more, other }

    /// Takes the header line of a frame from the adapter. Its parameters repeat those of the file's header.
    private func takeLine() -> Line {
        let most = 256
        let available = min(Int(gst_adapter_available(adapter)), most)
        guard available > 0, let bytes = gst_adapter_map(adapter, gsize(available)) else { return .more }
        let line = UnsafeRawBufferPointer(start: bytes, count: available)
        let isFrame = line.prefix(5).elementsEqual(Y4MHeader.frameMark.prefix(available))
        let end = line.firstIndex(of: UInt8(ascii: "\n"))
        gst_adapter_unmap(adapter)
        guard isFrame else { return .other }
        guard let end else { return available < most ? .more : .other }
        gst_adapter_flush(adapter, gsize(end + 1))
        if !isShown { stride.withLock { $0 = end + 1 + header.frameSize } }
        return .found
    }

    private func takeFrame() -> UnsafeMutablePointer<GstBuffer>? {
        if isPacked { return gst_adapter_take_buffer(adapter, gsize(header.frameSize)) }
        guard let packed = gst_adapter_take_buffer(adapter, gsize(header.frameSize)) else { return nil }
        defer { gst_buffer_unref(packed) }
        guard let frame = gst_buffer_new_allocate(nil, info.size, nil) else { return nil }
        var (from, to) = (GstMapInfo(), GstMapInfo())
        guard gst_buffer_map(packed, &from, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(packed, &from) }
        guard gst_buffer_map(frame, &to, GST_MAP_WRITE) != 0 else { return nil }
        defer { gst_buffer_unmap(frame, &to) }
        let strides = [info.stride.0, info.stride.1, info.stride.2].map { Int($0) }
        let offsets = [info.offset.0, info.offset.1, info.offset.2].map { Int($0) }
        guard var source = UnsafeRawPointer(from.data), let target = UnsafeMutableRawPointer(to.data) else {
            return nil
        }
        for (index, plane) in header.planes.enumerated() {
            for row in 0..<plane.rows {
                target.advanced(by: offsets[index] + row * strides[index]).copyMemory(
                    from: source, byteCount: plane.stride)
                source = source.advanced(by: plane.stride)
            }
        }
        return frame
    }

    private func send(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let frame = buffer.writable() else { return GST_FLOW_ERROR }
        begin()
        let start = time(index)
        let end = time(index + 1)
        frame.pointee.offset = guint64(index)
        index += 1
        if ClockTime.known(playing.stop).map({ start >= $0 }) == true {
            gst_buffer_unref(frame)
            return GST_FLOW_EOS
        }
        // Decoders, too, clip frames at the ends of the segment to the part inside it.
        var (first, last): (guint64, guint64) = (0, 0)
        guard gst_segment_clip(&playing, GST_FORMAT_TIME, guint64(start), guint64(end), &first, &last) != 0 else {
            gst_buffer_unref(frame)
            return GST_FLOW_OK
        }
        frame.pointee.pts = first
        frame.pointee.duration = last - first
        frame.update(
            set: isFirst ? GST_BUFFER_FLAG_DISCONT.rawValue : 0,
            clear: isFirst ? 0 : GST_BUFFER_FLAG_DISCONT.rawValue)
        isFirst = false
        shown.withLock { $0 = UInt64(first) }
        return push(frame)
    }

    /// Sends the events that precede the first frame, and the first one after a seek.
    private func begin() {
        guard needsSegment else { return }
        needsSegment = false
        let pad = element.pointee.srcpad!
        if !isShown {
            let identifier = gst_pad_create_stream_id(pad, element.asGstElement, "1")
            defer { g_free(identifier) }
            if let start = gst_event_new_stream_start(identifier) {
                gst_event_set_group_id(start, group)
                push(start)
            }
            if let caps = gst_video_info_to_caps(&info) {
                if let event = gst_event_new_caps(caps) { push(event) }
                gst_caps_unref(caps)
            }
        }
        playing = segment.withLock { $0.value }
        if let event = gst_event_new_segment(&playing) {
            gst_event_set_seqnum(event, sequence)
            push(event)
        }
        guard !isShown else { return }
        isShown = true
        found(pad)
    }
}

extension GstSegment {
    fileprivate static var ofTime: GstSegment {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        return segment
    }
}
