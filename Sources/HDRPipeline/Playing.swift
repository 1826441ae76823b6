import CGStreamer
import HDRConcurrency

/// Keeps messages until they are asked for: for programs that look at several things in turn.
public final class Mailbox: Sendable {
    private let messages = Locked<[Message]>([])

    func put(_ message: Message) { messages.withLock { $0.append(message) } }

    /// Takes out what has come since the last call.
    public func empty() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// What a player needs that must not wait for what it starts.
extension Pipeline {
    /// How far a change of the state is.
    public enum Change: Sendable {
        case complete, underWay, failed
        /// Complete, without a picture in a pause: the source is live.
        case live
    }

    /// A place where all messages from now on are kept, for as long as the pipeline lives.
    public func mailbox() -> Mailbox { hub.mailbox() }

    public var change: Change {
        switch gst_element_get_state(root.pointer, nil, nil, 0) {
        case GST_STATE_CHANGE_SUCCESS: .complete
        case GST_STATE_CHANGE_ASYNC: .underWay
        case GST_STATE_CHANGE_NO_PREROLL: .live
        default: .failed
        }
    }

    /// Begins to go to the frame of a time. ``Message/Kind/asyncDone`` tells when that is there.
    /// - Parameters:
    ///   - time: in ns.
    ///   - end: where the stream ends then, in ns; `nil` for its own end.
    /// - Returns: whether the stream can be sought in.
    public func beginSeek(to time: UInt64, until end: UInt64? = nil) -> Bool {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        return gst_element_seek(
            root.pointer, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(clamping: time), GST_SEEK_TYPE_SET,
            end.map { gint64(clamping: $0) } ?? -1) != 0
    }

    /// Begins to show the next frame of a pause. ``Message/Kind/stepDone(isOver:)`` tells the end of it.
    /// - Parameter sink: the sink that steps.
    public func beginStep(_ sink: Element) {
        gst_element_send_event(sink.pointer, gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1, 1, 0))
    }

    /// Asks all elements for their latency again, as ``Message/Kind/latency`` wants it.
    public func updateLatency() {
        gst_bin_recalculate_latency(UnsafeMutableRawPointer(root.pointer).assumingMemoryBound(to: GstBin.self))
    }
}

extension Element {
    /// Elements of a launch line as one element, with the pads that nothing in it is linked to.
    public convenience init(bin line: String) throws(PipelineError) {
        Library.start
        var error: UnsafeMutablePointer<GError>?
        let made = gst_parse_bin_from_description(line, 1, &error)
        defer { g_clear_error(&error) }
        guard let made, error == nil else {
            if let made { gst_object_unref(made) }
            throw PipelineError(
                error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no reason is given")
        }
        gst_object_ref_sink(made)
        defer { gst_object_unref(made) }
        self.init(retaining: UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self))
    }

    /// A source that reads an address, such as `https://...`.
    public convenience init(reading address: String) throws(PipelineError) {
        Library.start
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let made = gst_element_make_from_uri(GST_URI_SRC, address, nil, &error) else {
            throw PipelineError(
                error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no element reads \(address)")
        }
        gst_object_ref_sink(made)
        defer { gst_object_unref(made) }
        self.init(retaining: UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self))
    }

    /// Whether GStreamer has elements of a kind.
    public static func exists(_ factory: String) -> Bool {
        Library.start
        guard let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }

    /// Takes the value of a property away, where that is an object.
    public func clear(_ name: String) throws(PipelineError) {
        guard let property = g_object_class_find_property(classPointer, name),
            g_type_is_a(property.pointee.value_type, 20 << 2) != 0
        else { throw PipelineError("there is no property \(name) that holds an object", element: self.name) }
        var value = GValue()
        g_value_init(&value, property.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_set_property(object, name, &value)
    }
}

extension Pad {
    /// The pad that it is linked to.
    public var peer: Pad? {
        guard let found = gst_pad_get_peer(pointer) else { return nil }
        defer { gst_object_unref(found) }
        return Pad(retaining: found)
    }

    /// The element that it belongs to; `nil` once it is removed.
    public var element: Element? {
        guard let found = gst_pad_get_parent_element(pointer) else { return nil }
        defer { gst_object_unref(found) }
        return Element(retaining: UnsafeMutableRawPointer(found).assumingMemoryBound(to: GObject.self))
    }

    /// The name of the stream that passes; the demuxer's number of the track is behind its last slash.
    public var streamIdentifier: String? {
        guard let text = gst_pad_get_stream_id(pointer) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
