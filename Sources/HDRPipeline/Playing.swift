import CGStreamer
import HDRConcurrency

/// Keeps messages until they are fetched, for programs that poll several things in turn.
public final class Mailbox: Sendable {
    private let messages = Locked<[Message]>([])

    func put(_ message: Message) { messages.withLock { $0.append(message) } }

    /// Fetches the messages since the last call.
    public func empty() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Functions for players, which start operations without waiting for them.
extension Pipeline {
    /// The progress of a state change.
    public enum Change: Sendable {
        case complete, underWay, failed
        /// Complete, without a picture in a pause, because the source is live.
        case live
    }

    /// A mailbox that keeps all messages from now on, for the lifetime of the pipeline.
    public func mailbox() -> Mailbox { hub.mailbox() }

    /// The progress of the last change of state.
    public var change: Change {
        switch gst_element_get_state(root.pointer, nil, nil, 0) {
        case GST_STATE_CHANGE_SUCCESS: .complete
        case GST_STATE_CHANGE_ASYNC: .underWay
        case GST_STATE_CHANGE_NO_PREROLL: .live
        default: .failed
        }
    }

    /// Starts a seek to the frame at a time. ``Message/Kind/asyncDone`` reports its completion.
    /// - Parameters:
    ///   - time: the time in ns.
    ///   - end: the time in ns at which the stream then ends; `nil` for its own end.
    /// - Returns: whether the stream is seekable.
    public func beginSeek(to time: UInt64, until end: UInt64? = nil) -> Bool {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        return gst_element_seek(
            root.pointer, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(clamping: time), GST_SEEK_TYPE_SET,
            end.map { gint64(clamping: $0) } ?? -1) != 0
    }

    /// Starts to show the next frame in a pause. ``Message/Kind/stepDone(isOver:)`` reports its completion.
    /// - Parameter sink: the sink that steps.
    public func beginStep(_ sink: Element) {
        gst_element_send_event(sink.pointer, gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1, 1, 0))
    }

    /// Queries all elements for their latency again, as required by ``Message/Kind/latency``.
    public func updateLatency() {
        gst_bin_recalculate_latency(UnsafeMutableRawPointer(root.pointer).assumingMemoryBound(to: GstBin.self))
    }
}

extension Element {
    /// Makes one element of the elements in a launch line, with ghost pads for the pads that are unlinked in it.
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

    /// Makes a source that reads a URI, such as `https://...`.
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

    /// Whether an element factory is installed.
    public static func exists(_ factory: String) -> Bool {
        Library.start
        guard let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }

    /// Clears a property that holds an object.
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
    /// The pad to which it is linked; `nil` where it is unlinked.
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

    /// The identifier of the stream, by which the streams of a file can be sorted; `nil` before it is known. The
    /// demuxer's number of the track follows its last slash.
    public var streamIdentifier: String? {
        guard let text = gst_pad_get_stream_id(pointer) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
