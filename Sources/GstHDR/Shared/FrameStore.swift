import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// The frames of an element that applications can take, by time, and what each video output has taken of them.
///
/// A frame gets here before its time: when a sink prepares it, or when a tap passes it on, which in front of a queue is
/// even earlier. The frame for a time is the newest one whose time has come by then. Frames before the one that is
/// shown are dropped: by a sink when it shows the next one, otherwise by the pipeline's clock.
final class FrameStore: @unchecked Sendable {
    struct Frame: @unchecked Sendable {
        /// The sample; a reference is owned.
        let sample: OpaquePointer
        /// The running time in ns from which the frame is shown; `nil` for a frame without a time, which is shown at
        /// once.
        let running: UInt64?
        /// The number of the frame; a frame that arrives again keeps its number.
        let number: UInt64
        let bytes: UInt64
    }

    /// Whether the sink or the clock decides which frame is shown.
    enum Policy { case sink, clock }

    /// The record of the frames that an output has taken.
    struct Consumption {
        /// The number of the last frame that was taken.
        var number: UInt64 = 0
        var running: UInt64?
        var copied: UInt64 = 0
        /// The number of frames between two that were taken.
        var missed: UInt64 = 0
        var repeated: UInt64 = 0
    }

    /// The store's data about an output.
    struct Entry {
        let output: VideoOutput
        let id: ObjectIdentifier
        /// Whether the output can emit signals.
        var canTell = false
        var taken = Consumption()
        /// How far ahead in ns the output wants frames, and the maximum number of bytes of frames to hold.
        var lookAhead = UInt64(GST_HDR_VIDEO_OUTPUT_DEFAULT_LOOK_AHEAD)
        var maxBytes = UInt64(GST_HDR_VIDEO_OUTPUT_DEFAULT_MAX_BYTES)
        /// How long before the next new frame it wants a notice, in ns; `nil` where it wants none.
        var advance: UInt64?
        /// Whether it has not been notified of a flush yet.
        var isFlushed = false
    }

    struct State {
        /// The frames that are shown now and later, in the order of arrival.
        var frames: [Frame] = []
        var bytes: UInt64 = 0
        /// The number of the last frame.
        var number: UInt64 = 0
        /// The number of the last frame that a sink has shown.
        var shown: UInt64 = 0
        /// Whether no frame has arrived since the start, or since a flush.
        var isFresh = true
        /// Whether a flush is in progress, during which frames are discarded.
        var isFlushing = false
        var isClosed = false
        var outputs: [Entry] = []
        /// A counter that increases with each change that the helper thread has to handle.
        var version: UInt64 = 0
        var isHelping = false
        /// The number of frames that were not kept because they were further ahead, or took more memory, than outputs
        /// want.
        var refused: UInt64 = 0
    }

    let policy: Policy
    let clock: ItemClock
    let state = Monitor(State())

    init(_ policy: Policy, _ clock: ItemClock) {
        self.policy = policy
        self.clock = clock
    }

    deinit { clear() }

    // MARK: The element's

    /// Whether any output may take frames.
    var isWanted: Bool { state.withLock { !$0.outputs.isEmpty && !$0.isFlushing && !$0.isClosed } }

    /// Adds a frame that a sink has prepared, replacing one that was prepared and never shown.
    func prepare(_ sample: OpaquePointer, _ times: ShownTimes) {
        let dropped: [Frame] = state.withLock { state in
            guard !state.isFlushing else { return [Frame(sample, times)] }
            // The frame shown in a pause arrives again when the pipeline plays.
            if let last = state.frames.last, last.running == times.start, times.start != nil,
                gst_sample_get_buffer(last.sample) == gst_sample_get_buffer(sample)
            {
                return [Frame(sample, times)]
            }
            let shown = state.shown
            let replaced = state.removeAll { $0.number > shown }
            state.append(Frame(sample, times, number: state.number + 1))
            return replaced
        }
        Self.release(dropped)
        wakeForNotice()
    }

    /// Marks the frame that a sink has prepared as the one that is shown.
    func advance() {
        Self.release(
            state.withLock { state in
                guard let next = state.frames.last else { return [] }
                state.shown = next.number
                return state.removeAll { $0.number < next.number }
            })
    }

    /// Adds a frame that has passed a tap, unless its time has passed already, or it is too far ahead.
    /// - Returns: whether this is the first frame since the start that was too far ahead.
    func pass(_ sample: OpaquePointer, _ times: ShownTimes) -> Bool {
        let now = clock.now()
        var isFirstRefusal = false
        let dropped: [Frame] = state.withLock { state in
            let frame = Frame(sample, times, number: state.number &+ 1)
            guard !state.isFlushing, !state.outputs.isEmpty, !state.isClosed else { return [frame] }
            guard let start = times.start else {
                defer { state.append(frame) }
                return state.removeAll { _ in true }
            }
            state.number &+= 1
            // Sinks, too, drop frames that are late, but show the first one in any case.
            let end = max(times.end ?? 0, start &+ Self.tolerance)
            if let now, end <= now, !state.isFresh { return [frame] }
            var dropped = state.dropPast(now)
            let lookAhead = state.outputs.reduce(0) { max($0, $1.lookAhead) }
            let maxBytes = state.outputs.reduce(0) { max($0, $1.maxBytes) }
            // One future frame is always held, so that the next one that is shown is available however far ahead frames
            // pass.
            let shown = now ?? state.frames.first?.running ?? 0
            let next = state.frames.first { $0.running ?? 0 > shown }?.running
            let isTooFar = next.map { start > $0 && start - $0 > lookAhead } ?? false
            if isTooFar || (state.frames.count > 1 && state.bytes &+ frame.bytes > maxBytes) {
                isFirstRefusal = state.refused == 0
                state.refused &+= 1
                dropped.append(frame)
                return dropped
            }
            state.append(frame)
            return dropped
        }
        Self.release(dropped)
        help()
        return isFirstRefusal
    }

    /// How late a frame without a duration may be, in ns; the same as for video sinks.
    private static let tolerance: UInt64 = 20_000_000

    /// Called when a stream begins.
    func open() {
        state.withLock { state in
            (state.isFlushing, state.isFresh, state.refused) = (false, true, 0)
        }
    }

    /// Called when a flush begins: frames are discarded until it ends.
    func beginFlush() {
        state.withLock { $0.isFlushing = true }
        clear()
    }

    /// Called at the event FLUSH_STOP, which ends a flush.
    func endFlush(_ event: UnsafeMutablePointer<GstEvent>) {
        var restarts: gboolean = 0
        gst_event_parse_flush_stop(event, &restarts)
        if restarts != 0 { clock.restart() }
        clear()
        state.withLock { state in
            state.isFlushing = false
            for index in state.outputs.indices { state.outputs[index].isFlushed = true }
        }
        help()
    }

    func clear() {
        Self.release(
            state.change { state in
                state.isFresh = true
                state.version &+= 1
                // Frames that are discarded before their time are not missed.
                for index in state.outputs.indices { state.outputs[index].taken.number = state.number }
                return state.removeAll { _ in true }
            })
    }

    /// Called when the element is disposed of.
    func close() {
        state.change { state in
            state.isClosed = true
            state.version &+= 1
            for index in state.outputs.indices { state.outputs[index].advance = nil }
        }
        clear()
    }

    // MARK: The outputs'

    func register(_ output: VideoOutput) {
        state.withLock { $0.outputs.append(Entry(output: output, id: ObjectIdentifier(output))) }
    }

    func unregister(_ id: ObjectIdentifier) {
        let isLast = state.change { state in
            state.outputs.removeAll { $0.id == id }
            state.version &+= 1
            return state.outputs.isEmpty
        }
        if isLast, policy == .clock { clear() }
    }

    /// Calls `body` with the data about an output; `nil` where it is not registered.
    func withEntry<Result>(_ id: ObjectIdentifier, _ body: (inout Entry) -> Result) -> Result? {
        state.withLock { state in
            state.outputs.firstIndex { $0.id == id }.map { body(&state.outputs[$0]) }
        }
    }

    /// Whether the output has not taken the frame for a time yet.
    func hasNew(_ itemTime: UInt64, for id: ObjectIdentifier) -> Bool {
        update()
        return state.withLock { state in
            guard let frame = state.frame(at: itemTime), let entry = state.outputs.first(where: { $0.id == id }) else {
                return false
            }
            return frame.number > entry.taken.number
        }
    }

    /// Takes the newest frame whose time has come by `itemTime`; the caller owns its sample. `nil` if there is none.
    func take(_ itemTime: UInt64, for id: ObjectIdentifier) -> Frame? {
        update()
        return state.withLock { state in
            guard let frame = state.frame(at: itemTime), let index = state.outputs.firstIndex(where: { $0.id == id })
            else { return nil }
            state.outputs[index].taken.take(frame)
            gst_sample_ref(frame.sample)
            return frame
        }
    }

    /// The sample of the frame that a sink shows, which the caller owns.
    func shown() -> OpaquePointer? {
        state.withLock { state in
            guard let frame = state.frames.last(where: { $0.number <= state.shown }) else { return nil }
            return gst_sample_ref(frame.sample)
        }
    }

    /// Drops the frames that the clock has passed.
    private func update() {
        guard policy == .clock, let now = clock.now() else { return }
        Self.release(state.withLock { $0.dropPast(now) })
    }

    /// Drops references. The lock must not be held, since freeing a buffer's memory may call any code.
    static func release(_ frames: [Frame]) {
        for frame in frames { gst_sample_unref(frame.sample) }
    }
}

extension FrameStore.Frame {
    fileprivate init(_ sample: OpaquePointer, _ times: ShownTimes, number: UInt64 = 0) {
        self.init(
            sample: sample, running: times.start, number: number,
            bytes: gst_sample_get_buffer(sample).map { UInt64(gst_buffer_get_size($0)) } ?? 0)
    }
}

extension FrameStore.State {
    fileprivate mutating func append(_ frame: FrameStore.Frame) {
        number = max(number, frame.number)
        isFresh = false
        bytes &+= frame.bytes
        frames.append(frame)
    }

    /// Removes frames.
    /// - Returns: the removed frames, whose references the caller has to drop.
    mutating func removeAll(_ isDropped: (FrameStore.Frame) -> Bool) -> [FrameStore.Frame] {
        let dropped = frames.filter(isDropped)
        guard !dropped.isEmpty else { return [] }
        frames.removeAll(where: isDropped)
        bytes = frames.reduce(0) { $0 &+ $1.bytes }
        return dropped
    }

    /// Drops the frames before the one that is shown at a time.
    mutating func dropPast(_ now: UInt64?) -> [FrameStore.Frame] {
        guard let now, let shown = frame(at: now) else { return [] }
        return removeAll { $0.number < shown.number }
    }

    /// The newest frame whose time has come.
    func frame(at itemTime: UInt64) -> FrameStore.Frame? { frames.last { ($0.running ?? 0) <= itemTime } }
}

extension FrameStore.Consumption {
    fileprivate mutating func take(_ frame: FrameStore.Frame) {
        guard frame.number > number else {
            repeated += 1
            return
        }
        if copied > 0 { missed += frame.number - number - 1 }
        copied += 1
        number = frame.number
        running = frame.running
    }
}
