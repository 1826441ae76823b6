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
        /// The clock stands still at this running time; 0 before anything has played.
        case paused(UInt64)
        case playing
    }

    private struct State: @unchecked Sendable {
        var phase = Phase.stopped
        /// The base time that is no longer valid: after a flush running time begins at 0, and the pipeline sets another
        /// base time when its sinks have data again.
        var staleBase: UInt64?
        /// What the sink shows; it has been read from the sink where one can be asked.
        var line = ItemLine()
        /// Whether the rate has changed without a flush. A sink keeps that for the segments that follow, until a flush.
        var hasOtherRate = false
        /// Where the sink continues from with a new segment then; `nil` where that is not known.
        var anchor: Anchor?
        /// The segment that has passed last, and how many there were.
        var passed: PassedSegment?
        var segments: UInt64 = 0
        /// Whether the one before has the same sequence number.
        var sharesNumber = false
        /// The segment that was sent instead, to continue after a flush.
        var resumed: GstSegment?
        /// How much later a sink's segment is than the one that was sent, by the offsets of pads.
        var offset: Int64 = 0
        /// The first time of a segment that the sink may not have yet; the last frame before it stays until then.
        var next: UInt64?
        /// The time that was reached when the sink got its segment.
        var reached: UInt64 = 0
        /// The time of the frame that was shown when the pause began.
        var shownAtPause: UInt64 = 0

        /// Whether the sink may have changed what it shows.
        var mayHaveChanged: Bool {
            if case .paused = phase { true } else { next != nil }
        }

        /// The time of the frame that is shown at a running time of the pipeline.
        func shown(at time: UInt64) -> UInt64 {
            let shown = line.shown(at: time)
            guard let next, shown >= next else { return max(shown, reached) }
            return max(next &- min(next, 1), reached)
        }

        /// Forgets what a flush ends.
        mutating func forget() { self = State(phase: phase, staleBase: staleBase, segments: segments &+ 1) }

        /// Adopts what a sink says.
        /// - Parameter time: the running time of the pipeline.
        mutating func adopt(_ sink: SinkSegments, at time: UInt64) {
            guard let passed, sink.given.continues(passed),
                !sharesNumber || sink.given.isEqual(resumed ?? passed.segment),
                var read = ItemLine(sink: sink.own, passed: passed.segment)
            else { return }
            offset = sink.given.offset(from: resumed ?? passed.segment)
            if let next {
                reached = min(shown(at: time), next)
                self.next = nil
                anchor = hasOtherRate ? Anchor(of: sink.own, passed.segment) : nil
            }
            if read.rate == line.rate {
                // The same line from where the rate has changed; rounded times do not move it.
                read = ItemLine(
                    time: line.time, shown: read.place(at: line.time), rate: line.rate, rateBefore: line.rateBefore)
                if (read.shown &- line.shown).magnitude <= Self.rounding { return }
            }
            line = read
        }

        /// The error of times that were converted to positions and back, in ns.
        private static let rounding: UInt64 = 10
    }

    /// A running time of the pipeline, and the one that upstream counts there, at which a sink has changed its rate or
    /// segment.
    private struct Anchor {
        var time: UInt64
        var upstream: UInt64

        init(time: UInt64, upstream: UInt64) { (self.time, self.upstream) = (time, upstream) }

        /// - Parameter own: what a sink has made of a new segment.
        init?(of own: GstSegment, _ passed: GstSegment) {
            let place = min(max(UInt64(passed.position), UInt64(passed.start)), UInt64(passed.stop))
            guard own.start == passed.start, own.stop == passed.stop,
                let upstream = ClockTime.runningTime(passed, place)
            else { return nil }
            self.init(time: upstream &+ (UInt64(own.base) &- UInt64(passed.base)), upstream: upstream)
        }
    }

    private let state = Locked(State())
    private let reference: UnsafeMutablePointer<GWeakRef>
    /// The time by which the pipeline shows frames after their running time, in ns; for elements that are not sinks.
    let latency = Atomic<Int64>(0)
    /// Asks the sink what it shows, which frame steps and changes of the rate change.
    private let askSink: @Sendable (UnsafeMutablePointer<GstElement>) -> SinkSegments.Reading
    private let sinkDelay: (@Sendable (UnsafeMutablePointer<GstElement>) -> Int64)?

    /// - Parameters:
    ///   - sinkDelay: the time by which a sink shows frames after their running time, in ns.
    ///   - askSink: asks the sink what it shows.
    init(
        _ element: UnsafeMutablePointer<GstElement>,
        sinkDelay: (@Sendable (UnsafeMutablePointer<GstElement>) -> Int64)? = nil,
        askSink: @escaping @Sendable (UnsafeMutablePointer<GstElement>) -> SinkSegments.Reading
    ) {
        reference = .allocate(capacity: 1)
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, element)
        self.sinkDelay = sinkDelay
        self.askSink = askSink
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
            state.withLock { $0 = State(phase: .paused(0)) }
        case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
            readSink()
            state.withLock { $0.phase = .playing }
        case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
            let time = pipelineTime(at: nil) ?? 0
            state.withLock { state in
                state.phase = .paused(time)
                state.shownAtPause = state.shown(at: time)
            }
        default: break
        }
    }

    /// PAUSED to READY.
    func stop() { state.withLock { $0 = State() } }

    /// Called when a flush has ended, after which running time begins at 0.
    func restart() {
        let base = withElement { UInt64(gst_element_get_base_time($0)) }
        state.withLock { state in
            state.forget()
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
        state.withLock { state in
            state.hasOtherRate = true
            state.anchor = Anchor(time: time, upstream: shown)
            state.line = ItemLine(
                time: Int64(clamping: time), shown: Int64(clamping: shown), rate: multiplier,
                rateBefore: state.line.rate)
        }
        // The sink has changed its rate already, and knows of steps too.
        readSink()
    }

    /// Called when a segment passes, before the sink gets it.
    func begin(_ event: UnsafeMutablePointer<GstEvent>) {
        let passed = PassedSegment(event)
        state.withLock { state in
            let last = state.passed
            let isSame = last.flatMap { last in passed.map { $0.isEqual(last.segment) } } == true
            guard !isSame || last?.number != passed?.number else { return }
            (state.passed, state.resumed) = (passed, nil)
            state.segments &+= 1
            state.sharesNumber = last != nil && last?.number == passed?.number
            guard !state.line.isPlain || state.hasOtherRate else { return }
            let start = passed.map { isSame ? .max : UInt64($0.segment.base) } ?? .max
            state.next = min(state.next ?? .max, start)
        }
    }

    /// The segment that has passed last; `nil` where it does not count time.
    var segment: GstSegment? { state.withLock { $0.passed?.segment } }

    /// The segment with which a sink that was flushed, without a change of running time, shows what it would have
    /// shown: after a step it begins there, since the sink forgets with the old segment what it has skipped.
    /// - Parameter first: the running time of the first frame that it gets; `nil` for one without a time.
    func resume(from first: UInt64?) -> GstSegment? {
        let now = now()
        return state.withLock { state in
            guard let passed = state.passed, state.next == nil else { return nil }
            let (shown, base): (UInt64, Int64)
            if state.hasOtherRate {
                // A segment that begins where the sink has changed its rate leaves its times as they are.
                guard let anchor = state.anchor else { return nil }
                (shown, base) = (state.line.shown(at: anchor.time), Int64(clamping: anchor.upstream))
            } else {
                let skipped = state.line.shown &- state.line.time
                guard skipped != 0, state.line.rate == 1, let first = first ?? now else { return nil }
                shown = max(min(first, now ?? first), UInt64(max(skipped, 0)))
                base = Int64(clamping: shown) &- skipped
            }
            guard let segment = passed.begun(at: shown, UInt64(max(base &- state.offset, 0))) else { return nil }
            state.resumed = segment
            return segment
        }
    }

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

    /// The running time of what is shown at a time of CLOCK_MONOTONIC; `nil` while the element is stopped.
    func itemTime(at hostTime: UInt64?) -> UInt64? {
        if state.withLock({ $0.mayHaveChanged }) { readSink() }
        guard let time = pipelineTime(at: hostTime) else { return nil }
        return state.withLock { $0.shown(at: time) }
    }

    /// Whether frames were stepped over in the present pause.
    var hasStepped: Bool {
        guard let now = now() else { return false }
        return state.withLock { state in
            guard case .paused = state.phase else { return false }
            return now > state.shownAtPause &+ Self.leastStep
        }
    }

    /// The time in ns that a step skips at least: sinks pause a little earlier or later than other elements.
    private static let leastStep: UInt64 = 1_000_000

    /// Asks the sink what it shows. Called when it may have changed that while the clock runs.
    func readSink() {
        let segments = state.withLock { $0.segments }
        guard let reading = withElement({ askSink($0) }) else { return }
        let time = pipelineTime(at: nil) ?? 0
        state.withLock { state in
            // What was read may belong to another segment than the present one.
            guard state.segments == segments else { return }
            switch reading {
            case .unknown: state.next = nil
            case .changing: break
            case .segments(let sink): state.adopt(sink, at: time)
            }
        }
    }

    /// The pipeline's running time at a time of CLOCK_MONOTONIC; `nil` while the element is stopped.
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
