import CGStreamer
import GstBridge
import HDRConcurrency
import Synchronization

/// The time at which an element's pipeline shows frames: running time, by the pipeline's clock.
///
/// It corresponds to the timebase of AVPlayerItem. It may outlive its element, and then has no time.
final class ItemClock: @unchecked Sendable {
    private enum Phase {
        case stopped
        /// The clock stands still at this running time; `nil` before anything has played.
        case paused(UInt64?)
        case playing
    }

    private struct State {
        var phase = Phase.stopped
        /// The base time that is no longer valid: after a flush running time begins at 0, and the pipeline sets another
        /// base time when its sinks have data again.
        var staleBase: UInt64?
        /// The time that frame steps have skipped, in ns: sinks show frames earlier by it.
        var skipped: UInt64 = 0
        /// How much of it the segment takes into account that the sink was given last.
        var skippedBySegment: UInt64 = 0
        /// The change of the rate by a seek without a flush, the last one of several; frames keep the running times of
        /// the rate before the first.
        var instantRate: InstantRate?
        /// The running time at which a segment begins that knows neither steps nor other rates.
        var segmentStart: UInt64?

        /// Forgets what a segment has ended that has begun.
        mutating func settle(at time: UInt64) {
            if let segmentStart, time >= segmentStart { (skipped, instantRate, self.segmentStart) = (0, nil, nil) }
        }

        /// The running time of the frame that is shown at a running time of the pipeline.
        func shown(at time: UInt64) -> UInt64 {
            let (skippedTo, overflow) = time.addingReportingOverflow(skipped)
            let shown = instantRate?.shown(at: time) ?? (overflow ? time : skippedTo)
            guard let segmentStart, shown > segmentStart else { return shown }
            // The last frame before it stays until the time comes.
            return max(segmentStart, time)
        }
    }

    /// From a running time of the pipeline on, frames are shown `multiplier` times as fast: then the one with the
    /// running time `shown` is.
    private struct InstantRate {
        var multiplier: Double
        var time: Int64
        var shown: Int64

        func shown(at time: UInt64) -> UInt64 {
            let since = Double(Int64(clamping: time) &- self.time)
            guard since > 0 else { return time }
            return UInt64(min(max(Double(shown) + since * multiplier, 0), 9e18))
        }
    }

    private let state = Locked(State())
    private let reference: UnsafeMutablePointer<GWeakRef>
    /// The time by which the pipeline shows frames after their running time, in ns; for elements that are not sinks.
    let latency = Atomic<Int64>(0)
    /// Called before the time is told in a pause, and when it goes on, since a sink may have stepped.
    private let noteSteps: (@Sendable (UnsafeMutablePointer<GstElement>, ItemClock) -> Void)?
    private let sinkDelay: (@Sendable (UnsafeMutablePointer<GstElement>) -> Int64)?

    /// - Parameters:
    ///   - sinkDelay: the time by which a sink shows frames after their running time, in ns.
    ///   - noteSteps: called before the time is told in a pause, and when it goes on; it may call
    ///     ``noteSkipped(_:)``.
    init(
        _ element: UnsafeMutablePointer<GstElement>,
        sinkDelay: (@Sendable (UnsafeMutablePointer<GstElement>) -> Int64)? = nil,
        noteSteps: (@Sendable (UnsafeMutablePointer<GstElement>, ItemClock) -> Void)? = nil
    ) {
        reference = .allocate(capacity: 1)
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, element)
        self.sinkDelay = sinkDelay
        self.noteSteps = noteSteps
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// Calls `body` with the element; `nil` where it no longer exists. No lock may be held: the element may be disposed
    /// of when this ends.
    func withElement<Result>(_ body: (UnsafeMutablePointer<GstElement>) -> Result) -> Result? {
        guard let object = g_weak_ref_get(reference) else { return nil }
        defer { g_object_unref(object) }
        return body(object.assumingMemoryBound(to: GstElement.self))
    }

    // MARK: The element's

    /// Called before the element's state changes.
    func stateChanges(_ transition: GstStateChange) {
        switch transition {
        case GST_STATE_CHANGE_READY_TO_PAUSED:
            latency.store(0, ordering: .relaxed)
            state.withLock { $0 = State(phase: .paused(nil)) }
        case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
            if let noteSteps { withElement { noteSteps($0, self) } }
            state.withLock { $0.phase = .playing }
        case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
            let time = pipelineTime(at: nil)
            state.withLock { $0.phase = .paused(time) }
        default: break
        }
    }

    /// PAUSED to READY.
    func stop() { state.withLock { $0 = State() } }

    /// Called when a flush has ended, after which running time begins at 0.
    func restart() {
        let base = withElement { UInt64(gst_element_get_base_time($0)) }
        state.withLock { state in
            (state.skipped, state.skippedBySegment, state.instantRate, state.segmentStart) = (0, 0, nil, nil)
            switch state.phase {
            case .stopped: break
            case .paused: state.phase = .paused(0)
            case .playing: state.staleBase = base
            }
        }
    }

    /// Called for GST_EVENT_INSTANT_RATE_SYNC_TIME.
    func changeRate(_ event: UnsafeMutablePointer<GstEvent>) {
        var multiplier = 1.0
        var (time, shown): (GstClockTime, GstClockTime) = (0, 0)
        gst_event_parse_instant_rate_sync_time(event, &multiplier, &time, &shown)
        guard multiplier.isFinite, abs(multiplier) < 1e6, let time = ClockTime.known(time),
            let shown = ClockTime.known(shown)
        else { return }
        let rate = InstantRate(multiplier: multiplier, time: Int64(clamping: time), shown: Int64(clamping: shown))
        state.withLock { state in
            state.settle(at: time)
            state.instantRate = rate
        }
    }

    /// Called when a segment passes whose frames have running times at its own rate and without steps, from its start
    /// on.
    /// - Parameter start: its first running time in ns.
    func beginSegment(at start: UInt64) {
        state.withLock { state in
            guard state.skipped > 0 || state.instantRate != nil else { return }
            state.segmentStart = min(state.segmentStart ?? .max, start)
        }
    }

    /// Called for the time that a sink has skipped.
    /// - Parameter time: in ns, since the segment that it was given.
    func noteSkipped(_ time: UInt64) {
        state.withLock { state in
            if case .paused(let time) = state.phase { state.settle(at: time ?? 0) }
            guard state.segmentStart == nil, state.instantRate == nil else { return }
            let (total, overflow) = state.skippedBySegment.addingReportingOverflow(time)
            if !overflow { state.skipped = total }
        }
    }

    /// The time in ns that steps have skipped.
    var skippedTime: UInt64 { state.withLock { $0.segmentStart == nil ? $0.skipped : 0 } }

    /// Called for each segment that a sink is given.
    /// - Parameter time: the skipped time that its running times take into account, in ns.
    func giveSegment(skipping time: UInt64) { state.withLock { $0.skippedBySegment = time } }

    // MARK: Anyone's

    /// Whether the clock is running.
    var isRunning: Bool {
        if case .playing = state.withLock({ $0.phase }) { true } else { false }
    }

    /// Whether the clock stands still until the pipeline plays.
    var isPaused: Bool {
        if case .paused = state.withLock({ $0.phase }) { true } else { false }
    }

    /// The running time of what is shown now; `nil` where it is not known.
    func now() -> UInt64? { itemTime(at: nil) }

    /// The running time of what is shown at a time of CLOCK_MONOTONIC; `nil` where nothing has played yet.
    func itemTime(at hostTime: UInt64?) -> UInt64? {
        if let noteSteps, isPaused { withElement { noteSteps($0, self) } }
        guard let time = pipelineTime(at: hostTime) else {
            // A sink may step before anything has played.
            return state.withLock { $0.skipped > 0 ? $0.shown(at: 0) : nil }
        }
        return state.withLock { $0.shown(at: time) }
    }

    /// The pipeline's running time at a time of CLOCK_MONOTONIC; `nil` where nothing has played yet.
    private func pipelineTime(at hostTime: UInt64?) -> UInt64? {
        switch state.withLock({ $0.phase }) {
        case .stopped: return nil
        case .paused(let time): return time
        case .playing: break
        }
        return withElement { element -> UInt64? in
            guard let clock = gst_element_get_clock(element) else { return nil }
            defer { gst_object_unref(clock) }
            let clockNow = Int64(bitPattern: UInt64(gst_clock_get_time(clock)))
            let base = UInt64(gst_element_get_base_time(element))
            let isStale = state.withLock { state in
                if state.staleBase != base { state.staleBase = nil }
                return state.staleBase != nil
            }
            if isStale { return 0 }
            // The pipeline's clock may differ from the host's, so only the distance from now is used.
            let ahead = hostTime.map { Int64(clamping: $0) &- Int64(clamping: MonotonicClock.now()) } ?? 0
            let delay = sinkDelay?(element) ?? latency.load(ordering: .relaxed)
            let running = clockNow &- Int64(bitPattern: base) &+ ahead &- delay
            return running < 0 ? 0 : UInt64(running)
        }.flatMap { $0 }
    }
}

/// The running times at which a frame is shown.
struct ShownTimes {
    /// The start in ns; `nil` for a frame without a time, which is shown at once.
    var start: UInt64?
    /// The end in ns; `nil` where the duration is not known.
    var end: UInt64?

    /// A picture that begins before its segment is shown from the segment's start, and in reverse a picture is shown
    /// from its end.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ segment: GstSegment) {
        guard segment.format == GST_FORMAT_TIME, let pts = ClockTime.known(buffer.pointee.pts) else { return }
        let duration = ClockTime.known(buffer.pointee.duration)
        let (sum, overflow) = pts.addingReportingOverflow(duration ?? 0)
        let (first, last) = (inside(pts, segment), inside(overflow ? .max - 1 : sum, segment))
        start = ClockTime.runningTime(segment, segment.rate < 0 ? last : first)
        end = duration == nil ? nil : ClockTime.runningTime(segment, segment.rate < 0 ? first : last)
    }

    /// The frame for applications, with the running time from which it is shown; the caller owns the sample.
    func sample(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: Caps.Pointer, _ segment: GstSegment
    ) -> OpaquePointer? {
        var segment = segment
        let none = UInt64(GstClockTime.max)
        let info = Structure.make(
            "video-output-frame", [("item-time", .uint64(start ?? none)), ("end-time", .uint64(end ?? none))])
        return gst_sample_new(buffer, caps, &segment, info)
    }

    private func inside(_ time: UInt64, _ segment: GstSegment) -> UInt64 {
        let late = max(time, UInt64(segment.start))
        return ClockTime.known(segment.stop).map { min(late, $0) } ?? late
    }
}
