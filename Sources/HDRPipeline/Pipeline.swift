import CGStreamer

/// A pipeline of GStreamer's, made of a launch line.
///
///     let pipeline = try Pipeline("videotestsrc num-buffers=25 ! hdrconvert name=convert ! autovideosink")
///     try pipeline["convert"].set("reference-white", to: 100.0)
///     try await pipeline.run()
///
/// All functions may be called on any thread. The pipeline stops with this object.
public final class Pipeline: @unchecked Sendable {
    /// The states of GStreamer, from stopped to playing.
    public enum State: Sendable {
        /// Stopped: elements hold no devices and no data.
        case null
        /// Devices and files may be open; there are no data.
        case ready
        /// Ready to play, with the first frame at the sinks.
        case paused
        /// The clock runs.
        case playing

        init(_ state: GstState) {
            switch state {
            case GST_STATE_READY: self = .ready
            case GST_STATE_PAUSED: self = .paused
            case GST_STATE_PLAYING: self = .playing
            default: self = .null
            }
        }

        var native: GstState {
            switch self {
            case .null: GST_STATE_NULL
            case .ready: GST_STATE_READY
            case .paused: GST_STATE_PAUSED
            case .playing: GST_STATE_PLAYING
            }
        }
    }

    /// The pipeline as an element.
    public let root: Element
    let hub = MessageHub()

    /// - Parameter line: elements and their properties, in the syntax of gst-launch-1.0; see ``quoted(_:)``.
    public convenience init(_ line: String) throws(PipelineError) {
        Library.start
        var error: UnsafeMutablePointer<GError>?
        let context = gst_parse_context_new()
        let made = gst_parse_launch_full(line, context, GST_PARSE_FLAG_NONE, &error)
        let missing = gst_parse_context_get_missing_elements(context)
        defer {
            g_clear_error(&error)
            g_strfreev(missing)
            gst_parse_context_free(context)
        }
        guard let made, error == nil else {
            if let made { gst_object_unref(made) }
            let reason = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no reason is given"
            var problem = PipelineError(
                "\(reason); GST_PLUGIN_PATH has to name the folders of plugins that are not installed")
            problem.missing = missing?[0].map { String(cString: $0) }
            throw problem
        }
        gst_object_ref_sink(made)
        defer { gst_object_unref(made) }
        let element = Element(retaining: UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self))
        guard
            g_type_check_instance_is_a(
                UnsafeMutableRawPointer(made).assumingMemoryBound(to: GTypeInstance.self), gst_pipeline_get_type()) != 0
        else { throw PipelineError("\"\(line)\" is one element, and no pipeline: link it to another one with !") }
        self.init(element)
    }

    /// A pipeline without elements; see ``add(_:)-(Element...)``.
    public convenience init() {
        Library.start
        // This fails only when out of memory.
        let made: UnsafeMutablePointer<GstElement> = gst_pipeline_new(nil)
        gst_object_ref_sink(made)
        defer { gst_object_unref(made) }
        self.init(Element(retaining: UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self)))
    }

    private init(_ root: Element) {
        self.root = root
        let bus = gst_element_get_bus(root.pointer)
        defer { gst_object_unref(bus) }
        gst_bus_set_sync_handler(
            bus,
            { _, message, data in
                if let message, let data {
                    Unmanaged<MessageHub>.fromOpaque(data).takeUnretainedValue().tell(Message(message))
                    gst_message_unref(message)
                }
                return GST_BUS_DROP
            }, Unmanaged.passRetained(hub).toOpaque(),
            { data in data.map { Unmanaged<MessageHub>.fromOpaque($0).release() } })
    }

    deinit {
        gst_element_set_state(root.pointer, GST_STATE_NULL)
        hub.finish()
    }

    /// The element with a name. A name that is not in the pipeline is a programming error.
    public subscript(name: String) -> Element {
        get throws(PipelineError) {
            let bin = UnsafeMutableRawPointer(root.object).assumingMemoryBound(to: GstBin.self)
            guard let found = gst_bin_get_by_name(bin, name) else {
                throw PipelineError("the pipeline has no element \(name): name it by name=\(name) in the launch line")
            }
            defer { gst_object_unref(found) }
            return Element(retaining: UnsafeMutableRawPointer(found).assumingMemoryBound(to: GObject.self))
        }
    }

    /// A launch line value that may contain spaces and quotes, such as a file name, with the quoting that it needs.
    public static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    // MARK: States

    /// The messages from now on, beginning with the end or the error that the pipeline has reached already.
    public var messages: AsyncStream<Message> { hub.listen() }

    /// Posts an application message among the pipeline's messages, for example from a streaming thread to the task that
    /// reads ``messages``.
    public func post(_ name: String) { hub.tell(Message(source: root.name, kind: .application(name))) }

    /// Starts a state change without waiting for it, as needed where the application pushes the first frame.
    /// - Returns: whether the change is complete.
    @discardableResult public func begin(_ state: State) throws(PipelineError) -> Bool {
        let isStop = state == .null || state == .ready
        if isStop { hub.forget() }
        defer { if isStop { hub.tell(Message(source: root.name, kind: .stopped)) } }
        switch gst_element_set_state(root.pointer, state.native) {
        case GST_STATE_CHANGE_SUCCESS, GST_STATE_CHANGE_NO_PREROLL:
            // An error during the stop is none of the next run.
            if isStop { hub.forget() }
            return true
        case GST_STATE_CHANGE_FAILURE:
            // The reason has been reported by a message before.
            throw hub.failure ?? PipelineError("the pipeline cannot be set to \(state)")
        default: return false
        }
    }

    /// Changes the state, and returns when that is done: in `.paused` and `.playing` the first frame is shown. A live
    /// source has none in a pause.
    public func set(_ state: State) async throws {
        let messages = hub.listen()
        if try begin(state) { return }
        try await Self.wait(in: messages) { if case .asyncDone = $0 { true } else { false } }
    }

    /// Blocks until a state change that was started is complete; for programs without tasks, not for use in a task.
    public func wait(nanoseconds: UInt64) throws(PipelineError) {
        switch gst_element_get_state(root.pointer, nil, nil, GstClockTime(nanoseconds)) {
        case GST_STATE_CHANGE_SUCCESS, GST_STATE_CHANGE_NO_PREROLL: return
        default: throw hub.failure ?? PipelineError("the pipeline has no frame within the time that it was given")
        }
    }

    /// Plays until the end or an error, and stops.
    /// - Throws: `CancellationError` where another task stops the pipeline or cancels this one.
    public func run() async throws {
        defer { _ = try? begin(.null) }
        let messages = hub.listen()
        try begin(.playing)
        try await end(messages)
    }

    /// Waits for the end of the stream.
    public func end() async throws { try await end(hub.listen()) }

    private func end(_ messages: AsyncStream<Message>) async throws {
        try await Self.wait(in: messages) { if case .endOfStream = $0 { true } else { false } }
    }

    /// Waits for a message; throws the error that is posted instead, or `CancellationError` where none can be posted.
    private static func wait(in messages: AsyncStream<Message>, for isIt: (Message.Kind) -> Bool) async throws {
        waiting: for await message in messages {
            if case .error(let error) = message.kind { throw error }
            if case .stopped = message.kind { break waiting }
            if isIt(message.kind) { return }
        }
        throw CancellationError()
    }

    // MARK: Time

    /// The present position in ns; `nil` where it is not known.
    public var position: UInt64? {
        var time: gint64 = 0
        guard gst_element_query_position(root.pointer, GST_FORMAT_TIME, &time) != 0, time >= 0 else { return nil }
        return UInt64(time)
    }

    /// The duration of the stream in ns; `nil` where it is not known.
    public var duration: UInt64? {
        var time: gint64 = 0
        guard gst_element_query_duration(root.pointer, GST_FORMAT_TIME, &time) != 0, time >= 0 else { return nil }
        return UInt64(time)
    }

    /// Seeks to the frame at a time in ns, and returns when it is shown.
    public func seek(to time: UInt64) async throws {
        let messages = hub.listen()
        hub.forget()
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        guard gst_element_seek_simple(root.pointer, GST_FORMAT_TIME, flags, gint64(clamping: time)) != 0 else {
            throw PipelineError("the stream cannot be sought in")
        }
        try await Self.wait(in: messages) { if case .asyncDone = $0 { true } else { false } }
    }

    /// Shows the next frame in a pause, and returns when it is shown.
    /// - Parameter sink: the sink that steps, which must have the property `last-sample`.
    /// - Returns: whether there was a next frame.
    public func step(_ sink: Element) async throws -> Bool {
        let messages = hub.listen()
        func shown() throws -> Buffer? { try sink.get("last-sample", as: Sample.self)?.buffer }
        let before = try shown()
        guard gst_element_send_event(sink.pointer, gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1, 1, 0)) != 0 else {
            throw PipelineError("does not step by frames", element: sink.name)
        }
        var hasStepped = false
        for await message in messages {
            switch message.kind {
            case .stepDone(isOver: true): return false
            case .stepDone: hasStepped = true
            // After the step comes a frame, or the end of the stream.
            case .asyncDone where hasStepped:
                let now = try shown()
                return now != nil && now != before
            case .error(let error): throw error
            case .stopped: throw CancellationError()
            default: continue
            }
        }
        throw CancellationError()
    }
}
