import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// A picture that is requested from an application's compositor. The application may hold it for longer than the
/// element lives, and answers on any thread.
final class CompositionRequest: @unchecked Sendable {
    /// The answer to a request.
    enum Answer {
        /// A frame that was checked against the context; owned.
        case frame(UnsafeMutablePointer<GstBuffer>)
        /// The picture of the source with this index is the result.
        case source(Int)
        /// The element composes the picture itself.
        case builtIn
        case failed(String)
        /// The picture is skipped.
        case leftOut
        case cancelled
    }

    private struct State {
        var answer: Answer?
        /// Whether the answer was taken over, and with it the reference to its frame.
        var isTaken = false
        /// The number of references that the application holds.
        var references = 0
        /// Whether the callback start_request is still running.
        var isStarting = true
    }

    /// The structure that callbacks get for this request.
    let interface: UnsafeMutablePointer<GstHdrCompositionRequest>
    let context: RenderContext
    let sources: [CompositionSource]
    /// The stream time and running time in ns; `nil` where they are not known.
    let streamTime: UInt64?
    let runningTime: UInt64?
    let duration: UInt64?
    var instruction: Structure.Pointer? { instructed?.structure }
    private let instructed: CompositionInstruction?
    private let pointers: UnsafeMutablePointer<UnsafePointer<GstHdrCompositionSource>?>
    private let state = Monitor(State())
    /// When the request was made, in ns of CLOCK_MONOTONIC.
    private let start = MonotonicClock.now()

    init(
        _ context: RenderContext, _ sources: [CompositionSource], _ instruction: CompositionInstruction?,
        streamTime: UInt64?, runningTime: UInt64?, duration: UInt64?
    ) {
        self.context = context
        self.sources = sources
        instructed = instruction
        self.streamTime = streamTime
        self.runningTime = runningTime
        self.duration = duration
        pointers = .allocate(capacity: max(sources.count, 1))
        for (index, source) in sources.enumerated() {
            (pointers + index).initialize(to: UnsafePointer(source.interface))
        }
        interface = .allocate(capacity: 1)
        interface.initialize(to: GstHdrCompositionRequest())
        fill()
    }

    deinit {
        if case .frame(let frame) = state.withLock({ $0.isTaken ? nil : $0.answer }) { gst_buffer_unref(frame) }
        interface.deallocate()
        pointers.deallocate()
    }

    private func fill() {
        func time(_ value: UInt64?) -> GstClockTime { value.map { GstClockTime($0) } ?? GstClockTime.max }
        interface.pointee.size = gsize(MemoryLayout<GstHdrCompositionRequest>.size)
        interface.pointee.context = UnsafePointer(context.interface)
        interface.pointee.stream_time = time(streamTime)
        interface.pointee.running_time = time(runningTime)
        interface.pointee.duration = time(duration)
        interface.pointee.instruction = instruction.map { UnsafePointer($0) }
        interface.pointee.n_sources = guint(sources.count)
        interface.pointee.sources = UnsafePointer(pointers)
        interface.pointee.implementation = Unmanaged.passUnretained(self).toOpaque()
        interface.pointee.ref = { CompositionRequest.of($0)?.hold() }
        interface.pointee.unref = { CompositionRequest.of($0)?.letGo() }
        interface.pointee.new_frame = { CompositionRequest.of($0)?.context.makeFrame() }
        interface.pointee.finish = { request, frame in
            guard let frame else { return 0 }
            guard let request = CompositionRequest.of(request) else {
                gst_buffer_unref(frame)
                return 0
            }
            return request.finish(frame) ? 1 : 0
        }
        interface.pointee.finish_with_source = { request, source in
            CompositionRequest.of(request)?.finish(withSource: source) == true ? 1 : 0
        }
        interface.pointee.finish_with_error = { request, text in
            let text = text.map { String(cString: $0) } ?? ""
            let shown = text.isEmpty ? "A custom compositor has failed, and does not say why" : text
            return CompositionRequest.of(request)?.answer(.failed(shown)) == true ? 1 : 0
        }
        interface.pointee.finish_cancelled = { CompositionRequest.of($0)?.answer(.leftOut) == true ? 1 : 0 }
        interface.pointee.is_cancelled = { CompositionRequest.of($0)?.isCancelled == true ? 1 : 0 }
    }

    private static func of(_ interface: UnsafeMutablePointer<GstHdrCompositionRequest>?) -> CompositionRequest? {
        interface?.pointee.implementation.map { Unmanaged<CompositionRequest>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: The application's side

    /// Adds a reference for the application.
    private func hold() {
        state.withLock { $0.references += 1 }
        _ = Unmanaged.passUnretained(self).retain()
    }

    /// Drops one of the application's references. When the last one goes, the request can no longer be answered and
    /// fails.
    private func letGo() {
        let isHeld = state.change { state -> Bool in
            guard state.references > 0 else { return false }
            state.references -= 1
            if state.references == 0 && !state.isStarting && state.answer == nil {
                state.answer = .failed(Self.forgotten)
            }
            return true
        }
        if isHeld { Unmanaged.passUnretained(self).release() }
    }

    private static let forgotten =
        "A custom compositor has let go of a request without an answer. Call one of the functions "
        + "gst_hdr_composition_request_finish*, or hold a reference until then"

    /// Records the answer.
    /// - Returns: `false` where the request was already answered.
    @discardableResult func answer(_ answer: Answer) -> Bool {
        state.change { state in
            guard state.answer == nil else { return false }
            state.answer = answer
            return true
        }
    }

    /// Answers with a frame, and takes ownership of it. The picture of a source stands for the source: it may have
    /// another colour, format or size than the canvas.
    /// - Returns: `false` where the request was already answered, or where the frame has a defect, with which the
    ///   request fails.
    @discardableResult func finish(_ frame: UnsafeMutablePointer<GstBuffer>) -> Bool {
        if let index = sources.firstIndex(where: { gst_sample_get_buffer($0.sample) == frame }) {
            gst_buffer_unref(frame)
            return answer(.source(index))
        }
        let defect = context.defect(frame)
        if let defect {
            gst_buffer_unref(frame)
            answer(.failed(defect))
            return false
        }
        if answer(.frame(frame)) { return true }
        gst_buffer_unref(frame)
        return false
    }

    private func finish(withSource source: UnsafePointer<GstHdrCompositionSource>?) -> Bool {
        guard let index = sources.firstIndex(where: { UnsafePointer($0.interface) == source }) else {
            answer(.failed("A custom compositor has finished a request with a source that is none of the request's"))
            return false
        }
        return answer(.source(index))
    }

    private var isCancelled: Bool {
        state.withLock { if case .cancelled = $0.answer { true } else { false } }
    }

    // MARK: The element's side

    /// Withdraws an answer that has not been used yet, and refuses all further ones.
    func cancel() {
        let frame = state.change { state -> UnsafeMutablePointer<GstBuffer>? in
            guard !state.isTaken else { return nil }
            defer { state.answer = .cancelled }
            if case .frame(let frame) = state.answer { return frame }
            return nil
        }
        if let frame { gst_buffer_unref(frame) }
    }

    /// Notes that the callback start_request has returned.
    func hasStarted() {
        state.change { state in
            state.isStarting = false
            if state.references == 0 && state.answer == nil { state.answer = .failed(Self.forgotten) }
        }
    }

    /// Waits for the answer; a frame is then the caller's.
    /// - Parameter timeout: how long after the request was made, in ns; 0 for any time.
    func wait(timeout: UInt64) -> Answer {
        let (deadline, isBeyond) = start.addingReportingOverflow(timeout)
        let answer = state.wait(until: timeout == 0 || isBeyond ? nil : deadline) { state -> Answer? in
            guard let answer = state.answer else { return nil }
            state.isTaken = true
            return answer
        }
        if let answer { return answer }
        let text =
            "A custom compositor has not answered a request within \(Double(timeout) / 1e9) s, which is the element's "
            + "request-timeout"
        // The application may have answered at this very moment, so its answer takes precedence.
        self.answer(.failed(text))
        return state.withLock { state in
            state.isTaken = true
            return state.answer ?? .failed(text)
        }
    }
}
