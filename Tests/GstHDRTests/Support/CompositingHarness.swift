import CGStreamer
import CGstCheck
import CGstHDR
import CHDRTap
import Synchronization
import Testing

/// An `hdrcompositor` with loose pads in front of it, whose canvas comes out at a harness.
final class CompositingHarness: @unchecked Sendable {
    let element: UnsafeMutablePointer<GstElement>
    private let harness: UnsafeMutablePointer<GstHarness>
    private let bus: UnsafeMutablePointer<GstBus>
    private(set) var sources: [Source] = []
    private var isStopped = false

    /// A pad of the element and what pushes into it. It is used by one thread at a time.
    final class Source: @unchecked Sendable {
        let entry: UnsafeMutablePointer<GstPad>
        let pad: UnsafeMutablePointer<GstPad>
        private let element: UnsafeMutablePointer<GstElement>
        private(set) var info = GstVideoInfo()
        private var count = 0
        private var isReleased = false

        init(_ element: UnsafeMutablePointer<GstElement>) throws {
            self.element = element
            entry = try #require(gst_element_request_pad_simple(element, "sink_%u"))
            pad = try #require(gst_pad_new(nil, GST_PAD_SRC))
            gst_pad_set_active(pad, 1)
            gst_pad_link(pad, entry)
            gst_pad_push_event(pad, gst_event_new_stream_start("compositing"))
        }

        func start(_ text: String) throws {
            let caps = try #require(gst_caps_from_string(text))
            defer { gst_caps_unref(caps) }
            try #require(gst_video_info_from_caps(&info, caps) != 0)
            gst_pad_push_event(pad, gst_event_new_caps(caps))
            startSegment()
        }

        func startSegment() {
            count = 0
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_push_event(pad, gst_event_new_segment(&segment))
        }

        /// The next picture at 25 Hz, all of whose bytes, or samples of 16 bits, are the same.
        func frame(_ value: UInt16) -> UnsafeMutablePointer<GstBuffer>? {
            let buffer = gst_buffer_new_allocate(nil, info.size, nil)
            var map = GstMapInfo()
            if gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0, let data = map.data {
                if info.finfo.pointee.depth.0 > 8 {
                    UnsafeMutableRawPointer(data).assumingMemoryBound(to: UInt16.self).update(
                        repeating: value, count: Int(map.size) / 2)
                } else {
                    data.update(repeating: guint8(truncatingIfNeeded: value), count: Int(map.size))
                }
                gst_buffer_unmap(buffer, &map)
            }
            buffer?.pointee.pts = GstClockTime(count * 40_000_000)
            buffer?.pointee.duration = 40_000_000
            count += 1
            return buffer
        }

        @discardableResult func push(_ value: UInt16) -> GstFlowReturn { gst_pad_push(pad, frame(value)) }

        /// Pushes a picture that lacks bytes.
        func pushShort() {
            let buffer = frame(0)
            gst_buffer_resize(buffer, 0, gssize(info.size / 2))
            gst_pad_push(pad, buffer)
        }

        func end() { gst_pad_push_event(pad, gst_event_new_eos()) }

        func flush() {
            gst_pad_push_event(pad, gst_event_new_flush_start())
            gst_pad_push_event(pad, gst_event_new_flush_stop(1))
            startSegment()
        }

        func set(_ property: String, _ value: String) {
            gst_util_set_object_arg(
                UnsafeMutableRawPointer(entry).assumingMemoryBound(to: GObject.self), property, value)
        }

        /// Releases the pad.
        func release() {
            if isReleased { return }
            isReleased = true
            gst_pad_set_active(pad, 0)
            gst_pad_unlink(pad, entry)
            gst_element_release_request_pad(element, entry)
        }

        deinit {
            gst_object_unref(entry)
            gst_object_unref(pad)
        }
    }

    /// - Parameter output: caps that downstream takes; any where it is `nil`.
    init(_ output: String? = nil) throws {
        GStreamer.started
        element = try #require(gst_element_factory_make("hdrcompositor", nil))
        harness = try #require(gst_harness_new_with_element(element, nil, "src"))
        bus = try #require(gst_bus_new())
        gst_element_set_bus(element, bus)
        if let output { gst_harness_set_sink_caps_str(harness, output) }
        gst_harness_play(harness)
    }

    deinit {
        stop()
        for source in sources { source.release() }
        gst_element_set_bus(element, nil)
        gst_harness_teardown(harness)
        gst_object_unref(element)
        gst_object_unref(bus)
    }

    var object: UnsafeMutablePointer<GObject> { UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self) }
    func set(_ name: String, _ value: String) { gst_util_set_object_arg(object, name, value) }

    func source(_ caps: String) throws -> Source {
        let source = try Source(element)
        sources.append(source)
        try source.start(caps)
        return source
    }

    /// Sends an event upstream.
    func send(_ event: UnsafeMutablePointer<GstEvent>?) -> Bool { gst_harness_push_upstream_event(harness, event) != 0 }

    /// Sends a seek that flushes upstream.
    func seek() { gst_harness_push_upstream_event(harness, flushingSeek()) }

    func stop() {
        if isStopped { return }
        isStopped = true
        gst_element_set_state(element, GST_STATE_NULL)
    }

    /// The next picture of the canvas, which the caller owns; `nil` where none comes.
    func pullBuffer() -> UnsafeMutablePointer<GstBuffer>? { gst_harness_pull(harness) }

    /// The bytes of the next picture of the canvas.
    func pull() -> [UInt8]? {
        guard let buffer = pullBuffer() else { return nil }
        defer { gst_buffer_unref(buffer) }
        return bytes(of: buffer)
    }

    /// The samples of 16 bits of the next picture's first plane, of some pixels.
    func pullWords(_ count: Int) -> Set<UInt16> {
        Set((pull() ?? []).withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(count)) })
    }

    /// The next picture, which the caller owns; `nil` where there is none now.
    func tryPull() -> UnsafeMutablePointer<GstBuffer>? { gst_harness_try_pull(harness) }

    var received: Int { Int(gst_harness_buffers_received(harness)) }

    /// The caps of the canvas.
    var caps: String {
        guard let caps = gst_pad_get_current_caps(harness.pointee.sinkpad) else { return "" }
        defer { gst_caps_unref(caps) }
        guard let text = gst_caps_to_string(caps) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The text of the next error; `nil` where none comes within ten seconds.
    func error() -> String? {
        guard let message = gst_bus_timed_pop_filtered(bus, 10_000_000_000, GST_MESSAGE_ERROR) else { return nil }
        defer { gst_message_unref(message) }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        return error.map { String(cString: $0.pointee.message) }
    }

    /// The texts of all errors so far.
    func errorsSoFar() -> [String] {
        var texts: [String] = []
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) {
            var error: UnsafeMutablePointer<GError>?
            gst_message_parse_error(message, &error, nil)
            texts.append(error.map { String(cString: $0.pointee.message) } ?? "")
            g_clear_error(&error)
            gst_message_unref(message)
        }
        return texts
    }

    /// Adds an instruction that is written as GStreamer writes structures.
    /// - Returns: `nil`, or why it was refused.
    func instruct(_ text: String) -> String? {
        let structure = gst_structure_from_string(text, nil)
        defer { if let structure { gst_structure_free(structure) } }
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        return gst_hdr_compositor_add_instruction(element, structure, &problem) != 0
            ? nil : problem.map { String(cString: $0.pointee.message) } ?? ""
    }
}

typealias Request = UnsafeMutablePointer<GstHdrCompositionRequest>

/// A compositor in C's terms that checks the order of its calls.
final class CompositorWitness: @unchecked Sendable {
    struct Record {
        var isInitialized = false
        var isFinalized = false
        var notified = 0
        var hasContext = false
        var violations: [String] = []
        var contexts: [String] = []
        var requests = 0
        var cancellations = 0
        var streamTimes: [UInt64] = []
        var runningTimes: [UInt64] = []
        var streamingThread: UInt = 0
    }
    let record = Mutex(Record())
    private var callbacks = GstHdrCompositorCallbacks()
    private let body: @Sendable (Request) -> Void
    private let cancel: @Sendable () -> Void

    /// - Parameters:
    ///   - declare: what it takes, and how.
    ///   - cancel: what happens while a request is cancelled.
    ///   - body: answers a request.
    init(
        _ declare: (inout GstHdrCompositorCallbacks) -> Void = { _ in }, cancel: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (Request) -> Void
    ) {
        self.body = body
        self.cancel = cancel
        callbacks.size = gsize(MemoryLayout<GstHdrCompositorCallbacks>.size)
        declare(&callbacks)
        callbacks.`init` = { compositing, data in
            compositing?.pointee.storage = data
            CompositorWitness.of(compositing).record.withLock { record in
                if record.isInitialized { record.violations.append("init twice") }
                record.isInitialized = true
            }
        }
        callbacks.finalize = { compositing in
            CompositorWitness.of(compositing).record.withLock { record in
                if record.isFinalized { record.violations.append("finalize twice") }
                if record.streamingThread == UInt(pthread_self()) {
                    record.violations.append("finalize on the streaming thread")
                }
                record.isFinalized = true
            }
        }
        callbacks.render_context_changed = { compositing, context in
            CompositorWitness.of(compositing).noteContext(context)
        }
        callbacks.start_request = { compositing, request in
            guard let request else { return }
            CompositorWitness.of(compositing).start(request)
        }
        callbacks.cancel_all_pending_requests = { compositing in
            let witness = CompositorWitness.of(compositing)
            witness.record.withLock { record in
                if !record.isInitialized || record.isFinalized { record.violations.append("cancelled out of life") }
                record.cancellations += 1
            }
            witness.cancel()
        }
    }

    private static func of(_ compositing: UnsafeMutablePointer<GstHdrCompositing>?) -> CompositorWitness {
        let witness = Unmanaged<CompositorWitness>.fromOpaque(compositing!.pointee.user_data).takeUnretainedValue()
        return witness
    }

    private func noteContext(_ context: UnsafePointer<GstHdrRenderContext>?) {
        let text = context?.pointee.caps.flatMap { gst_caps_to_string($0) }
        defer { g_free(text) }
        record.withLock { record in
            if !record.isInitialized || record.isFinalized { record.violations.append("context out of life") }
            record.hasContext = true
            record.contexts.append(text.map { String(cString: $0) } ?? "")
        }
    }

    private func start(_ request: Request) {
        record.withLock { record in
            if !record.isInitialized || record.isFinalized { record.violations.append("request out of life") }
            if !record.hasContext { record.violations.append("request without a context") }
            record.requests += 1
            record.streamingThread = UInt(pthread_self())
            if record.streamTimes.count < 64 {
                record.streamTimes.append(UInt64(request.pointee.stream_time))
                record.runningTimes.append(UInt64(request.pointee.running_time))
            }
        }
        body(request)
    }

    /// Attaches; the element's reference to this object is given back by the destroy notify.
    /// - Returns: `nil`, or why it was refused.
    @discardableResult func attach(to element: UnsafeMutablePointer<GstElement>) -> String? {
        let data = Unmanaged.passRetained(self)
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        let isAttached = gst_hdr_compositor_set_callbacks(
            element, &callbacks, data.toOpaque(),
            { data in
                let witness = Unmanaged<CompositorWitness>.fromOpaque(data!).takeRetainedValue()
                witness.record.withLock { record in
                    record.notified += 1
                    if !record.isFinalized { record.violations.append("notified before finalize") }
                }
            }, &problem)
        if isAttached != 0 { return nil }
        data.release()
        return problem.map { String(cString: $0.pointee.message) } ?? ""
    }

    var violations: [String] { record.withLock { $0.violations } }
    var requests: Int { record.withLock { $0.requests } }
    var cancellations: Int { record.withLock { $0.cancellations } }
    /// Whether its life has ended in order.
    var isOver: Bool { record.withLock { $0.isFinalized && $0.notified == 1 && $0.violations.isEmpty } }

    /// Whether its life has ended in order by the time that a thread of GStreamer's pool needs.
    func awaitEnd() -> Bool {
        for _ in 0..<1000 where !isOver { g_usleep(10_000) }
        return isOver
    }

    /// Waits until a number of requests have begun.
    func awaitRequests(_ count: Int) { for _ in 0..<1000 where requests < count { g_usleep(10_000) } }

    /// Answers each request with a frame of one byte.
    static func filling(_ value: UInt8) -> CompositorWitness { CompositorWitness { fill($0, value) } }

    @discardableResult static func fill(_ request: Request, _ value: UInt8) -> Bool {
        guard let frame = gst_hdr_composition_request_new_frame(request) else { return false }
        gst_buffer_memset(frame, 0, value, gst_buffer_get_size(frame))
        return gst_hdr_composition_request_finish(request, frame) != 0
    }
}
