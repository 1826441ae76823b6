import CGStreamer

/// A connection point where data enter or leave an element. May be used on any thread.
public final class Pad: Value, Hashable, @unchecked Sendable {
    /// GStreamer's pad; a reference is owned by this object.
    public let pointer: UnsafeMutablePointer<GstPad>

    init(retaining pointer: UnsafeMutablePointer<GstPad>) {
        gst_object_ref(pointer)
        self.pointer = pointer
    }

    deinit { gst_object_unref(pointer) }

    /// The name of the pad in its element, such as `sink` or `video_0`.
    public var name: String {
        let object = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstObject.self)
        guard let text = gst_object_get_name(object) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The present caps; `nil` before they are known.
    public var format: Structure? {
        guard let caps = gst_pad_get_current_caps(pointer) else { return nil }
        defer { gst_caps_unref(caps) }
        return Structure(copying: gst_caps_get_structure(caps, 0))
    }

    /// Whether the pad accepts a format that is given as text, such as `video/x-raw,format=NV12`.
    public func accepts(_ format: String) -> Bool {
        guard let wanted = gst_caps_from_string(format) else { return false }
        defer { gst_caps_unref(wanted) }
        guard let caps = gst_pad_query_caps(pointer, nil) else { return false }
        defer { gst_caps_unref(caps) }
        return gst_caps_can_intersect(caps, wanted) != 0
    }

    /// Links this source pad to a sink pad.
    public func link(to sink: Pad) throws(PipelineError) {
        let result = gst_pad_link(pointer, sink.pointer)
        guard result == GST_PAD_LINK_OK else {
            let reason = gst_pad_link_get_name(result).map { String(cString: $0) } ?? "no reason is given"
            throw PipelineError("the pads \(name) and \(sink.name) cannot be linked: \(reason)")
        }
    }

    /// The last value of a tag, such as `image-orientation`, that was sent through the pad.
    public func tag(_ name: String) -> String? {
        var found: String?
        var index: guint = 0
        while let event = gst_pad_get_sticky_event(pointer, GST_EVENT_TAG, index) {
            defer { gst_event_unref(event) }
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags, let value = gst_tag_list_get_value_index(tags, name, 0) { found = String.read(value) ?? found }
            index += 1
        }
        return found
    }

    // MARK: Buffers

    /// The decision of a watcher about a buffer.
    public enum Verdict: Sendable {
        case pass, drop
        /// Replaces the buffer by another one.
        case replace(Buffer)
    }

    private final class Watcher: Sendable {
        let body: @Sendable (Pad, Buffer) -> Verdict
        init(_ body: @escaping @Sendable (Pad, Buffer) -> Verdict) { self.body = body }
    }

    /// Calls `body` for each buffer, on the streaming thread, for as long as the pad exists.
    public func watch(_ body: @escaping @Sendable (Pad, Buffer) -> Verdict) {
        let data = Unmanaged.passRetained(Watcher(body)).toOpaque()
        gst_pad_add_probe(
            pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, information, data in
                guard let pad, let data, let buffer = gst_pad_probe_info_get_buffer(information) else {
                    return GST_PAD_PROBE_OK
                }
                let watcher = Unmanaged<Watcher>.fromOpaque(data).takeUnretainedValue()
                // A buffer is only referenced while the body runs, so that it stays writable downstream.
                switch watcher.body(Pad(retaining: pad), Buffer(retaining: buffer)) {
                case .pass: return GST_PAD_PROBE_OK
                case .drop: return GST_PAD_PROBE_DROP
                case .replace(let other):
                    // The probe owns a reference to the buffer that it returns.
                    gst_buffer_ref(other.pointer)
                    information?.pointee.data = UnsafeMutableRawPointer(other.pointer)
                    gst_buffer_unref(buffer)
                    return GST_PAD_PROBE_OK
                }
            }, data, { data in data.map { Unmanaged<Watcher>.fromOpaque($0).release() } })
    }

    /// Calls `body` when the stream ends at this pad, on the streaming thread.
    public func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let data = Unmanaged.passRetained(Listener(body)).toOpaque()
        gst_pad_add_probe(
            pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, information, data in
                if let data, let event = gst_pad_probe_info_get_event(information),
                    event.pointee.type == GST_EVENT_EOS
                {
                    Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().body()
                }
                return GST_PAD_PROBE_OK
            }, data, { data in data.map { Unmanaged<Listener>.fromOpaque($0).release() } })
    }

    /// Drops tags of a kind, such as `image-orientation` after an element that has rotated the pictures.
    public func dropTags(of name: String) {
        gst_pad_add_probe(
            pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, information, data in
                guard let data, let event = gst_pad_probe_info_get_event(information),
                    event.pointee.type == GST_EVENT_TAG
                else { return GST_PAD_PROBE_OK }
                var tags: UnsafeMutablePointer<GstTagList>?
                gst_event_parse_tag(event, &tags)
                guard let tags,
                    gst_tag_list_get_value_index(tags, data.assumingMemoryBound(to: CChar.self), 0) != nil
                else { return GST_PAD_PROBE_OK }
                return GST_PAD_PROBE_DROP
            }, g_strdup(name), g_free)
    }

    private final class Listener: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// A buffer's running time in ns; `nil` where it has none, or is outside the segment.
    public func runningTime(of buffer: Buffer) -> UInt64? {
        time(of: buffer) { gst_segment_to_running_time($0, GST_FORMAT_TIME, $1) }
    }

    /// A buffer's stream time in ns, which is its time in the file.
    public func streamTime(of buffer: Buffer) -> UInt64? {
        time(of: buffer) { gst_segment_to_stream_time($0, GST_FORMAT_TIME, $1) }
    }

    private func time(of buffer: Buffer, _ body: (UnsafePointer<GstSegment>, guint64) -> guint64) -> UInt64? {
        guard let time = buffer.time, let event = gst_pad_get_sticky_event(pointer, GST_EVENT_SEGMENT, 0) else {
            return nil
        }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return nil }
        let result = body(segment, guint64(time))
        return result == guint64.max ? nil : UInt64(result)
    }

    /// Ends the stream downstream of this pad. The element of this pad may go on: what it still pushes is refused
    /// downstream, which some elements take for an error, so that a watcher should drop it.
    public func endStream() {
        // The pad itself does not know: it would refuse data before a watcher sees them.
        guard let peer = gst_pad_get_peer(pointer) else { return }
        gst_pad_send_event(peer, gst_event_new_eos())
        gst_object_unref(peer)
    }

    // MARK: As a value

    public static func read(_ value: UnsafePointer<GValue>) -> Pad? {
        guard g_type_check_value_holds(value, gst_pad_get_type()) != 0, let object = g_value_get_object(value) else {
            return nil
        }
        return Pad(retaining: object.assumingMemoryBound(to: GstPad.self))
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_pad_get_type()) else { return false }
        g_value_set_object(value, pointer)
        return true
    }

    public static func == (first: Pad, second: Pad) -> Bool { first.pointer == second.pointer }
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
