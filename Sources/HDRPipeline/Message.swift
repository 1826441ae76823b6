import CGStreamer
import HDRConcurrency

/// A message from an element or the pipeline to the application.
public struct Message: Sendable {
    /// The kinds of messages, with what each reports.
    public enum Kind: Sendable {
        /// All sinks have reached the end of the stream.
        case endOfStream
        /// The pipeline has failed.
        case error(PipelineError)
        /// The application has set the pipeline to `.ready` or `.null`, so that awaited messages will not come.
        case stopped
        /// An element has a problem, and goes on.
        case warning(PipelineError)
        /// An element, or the pipeline, has changed its state.
        case stateChanged(from: Pipeline.State, to: Pipeline.State)
        /// A state change or a seek is complete, and its frame is shown.
        case asyncDone
        /// A step is complete; `isOver` tells whether the stream ended with it.
        case stepDone(isOver: Bool)
        /// A measurement or a notice of an element.
        case element(Structure)
        /// User input in a window that no element has handled.
        case navigation(Navigation)
        /// The fill level of a network stream's buffer, in percent; below 100 the application should pause.
        case buffering(Int)
        /// The total number of frames that an element has dropped because they were late.
        case quality(dropped: UInt64)
        /// The clock was lost: pausing and playing again selects another one.
        case clockLost
        /// Latencies have changed; see ``Pipeline/updateLatency()``.
        case latency
        /// The chapters of the file, in their order.
        case chapters([Chapter])
        /// A message posted by the application itself; see ``Pipeline/post(_:)``.
        case application(String)
        /// The name of any other kind of message.
        case other(String)
    }

    /// The name of the object that has posted it.
    public let source: String
    /// What it reports.
    public let kind: Kind

    init(_ message: UnsafeMutablePointer<GstMessage>) {
        let name = message.pointee.src.flatMap { gst_object_get_name($0) }
        source = name.map { String(cString: $0) } ?? ""
        g_free(name)
        kind = Self.kind(of: message, from: source)
    }

    init(source: String, kind: Kind) {
        self.source = source
        self.kind = kind
    }

    private static func kind(of message: UnsafeMutablePointer<GstMessage>, from source: String) -> Kind {
        switch message.pointee.type {
        case GST_MESSAGE_EOS: return .endOfStream
        case GST_MESSAGE_ERROR: return .error(trouble(message, source, gst_message_parse_error))
        case GST_MESSAGE_WARNING: return .warning(trouble(message, source, gst_message_parse_warning))
        case GST_MESSAGE_STATE_CHANGED:
            var (old, new) = (GST_STATE_NULL, GST_STATE_NULL)
            gst_message_parse_state_changed(message, &old, &new, nil)
            return .stateChanged(from: .init(old), to: .init(new))
        case GST_MESSAGE_ASYNC_DONE: return .asyncDone
        case GST_MESSAGE_STEP_DONE:
            var isOver: gboolean = 0
            gst_message_parse_step_done(message, nil, nil, nil, nil, nil, nil, &isOver)
            return .stepDone(isOver: isOver != 0)
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            return .buffering(Int(percent))
        case GST_MESSAGE_QOS:
            var format = GST_FORMAT_UNDEFINED
            var (processed, dropped): (guint64, guint64) = (0, 0)
            gst_message_parse_qos_stats(message, &format, &processed, &dropped)
            if format == GST_FORMAT_BUFFERS, dropped != guint64.max { return .quality(dropped: UInt64(dropped)) }
        case GST_MESSAGE_CLOCK_LOST: return .clockLost
        case GST_MESSAGE_LATENCY: return .latency
        case GST_MESSAGE_TOC:
            var contents: OpaquePointer?
            gst_message_parse_toc(message, &contents, nil)
            guard let contents else { break }
            defer { gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(contents)) }
            return .chapters(Chapter.read(contents))
        case GST_MESSAGE_ELEMENT:
            if let navigation = Navigation(message) { return .navigation(navigation) }
            if let structure = Structure(copying: gst_message_get_structure(message)) { return .element(structure) }
        default: break
        }
        return .other(gst_message_type_get_name(message.pointee.type).map { String(cString: $0) } ?? "")
    }

    private static func trouble(
        _ message: UnsafeMutablePointer<GstMessage>, _ source: String,
        _ parse: (
            UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        ) -> Void
    ) -> PipelineError {
        var error: UnsafeMutablePointer<GError>?
        var details: UnsafeMutablePointer<gchar>?
        parse(message, &error, &details)
        defer {
            g_clear_error(&error)
            g_free(details)
        }
        var trouble = PipelineError(
            error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no reason is given",
            element: source.isEmpty ? nil : source, details: details.map { String(cString: $0) })
        if let error, let domain = g_quark_to_string(error.pointee.domain) {
            trouble.code = (String(cString: domain), Int(error.pointee.code))
        }
        if let object = message.pointee.src {
            trouble.factory =
                Element(retaining: UnsafeMutableRawPointer(object).assumingMemoryBound(to: GObject.self)).factory
        }
        return trouble
    }
}

/// Distributes the messages of a bus to all listeners.
final class MessageHub: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Message>.Continuation] = [:]
        var boxes: [Mailbox] = []
        var next = 0
        /// The end of stream or error, which is also delivered to listeners that start after it.
        var last: Message?
    }
    private let state = Locked(State())

    /// A stream of the messages from now on, beginning with the end or the error that the pipeline has reached already.
    func listen() -> AsyncStream<Message> {
        AsyncStream { continuation in
            let (number, last) = state.withLock { state in
                state.next += 1
                state.listeners[state.next] = continuation
                return (state.next, state.last)
            }
            if let last { continuation.yield(last) }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    func mailbox() -> Mailbox {
        let box = Mailbox()
        state.withLock { $0.boxes.append(box) }
        return box
    }

    func tell(_ message: Message) {
        let (listeners, boxes) = state.withLock { state in
            switch message.kind {
            // The first error is the cause of those that follow.
            case .endOfStream, .error: state.last = state.last ?? message
            default: break
            }
            return (Array(state.listeners.values), state.boxes)
        }
        for listener in listeners { listener.yield(message) }
        for box in boxes { box.put(message) }
    }

    /// The error with which the pipeline has failed; `nil` where there is none.
    var failure: PipelineError? {
        state.withLock { if case .error(let error)? = $0.last?.kind { error } else { nil } }
    }

    /// Forgets the end or error, because the pipeline starts anew.
    func forget() { state.withLock { $0.last = nil } }

    func finish() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.finish() }
    }
}
