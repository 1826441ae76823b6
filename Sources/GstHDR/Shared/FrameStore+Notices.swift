import CGStreamer
import CGstHDR
import HDRConcurrency

/// Notifies video outputs of new data and of flushes. The store's own thread does so, so that a handler does not block
/// a stream; it also drops frames that the clock has passed while no output asks for any.
extension FrameStore {
    enum Notice { case mediaDataWillChange, flushed }

    /// Requests one notice before the next frame that an output has not taken.
    /// - Parameter advance: how long before the frame's time, in ns.
    func requestNotice(_ advance: UInt64, for id: ObjectIdentifier) {
        withEntry(id) { $0.advance = advance }
        help()
    }

    /// Called when the clock has changed, started or stopped.
    func timeHasChanged() {
        state.change { $0.version &+= 1 }
    }

    /// Called when a frame has arrived.
    func wakeForNotice() {
        if state.withLock({ state in state.outputs.contains { $0.advance != nil } }) { help() }
    }

    /// Makes the thread check the present state, and starts it where it does not run.
    func help() {
        state.change { state in
            state.version &+= 1
            guard !state.isHelping, state.hasWork(policy) else { return }
            // The thread keeps the store alive until it ends, which it does when nothing is left to be done.
            let thread = WorkerThread(name: "hdr-frames")
            state.isHelping = thread.start { [self] in run() }
            thread.detach()
        }
    }

    private enum Step {
        case tell([(VideoOutput, Notice)])
        /// Wait until the state changes, or for a time in ns.
        case wait(UInt64?)
        case end
    }

    private func run() {
        while true {
            let now = clock.now()
            let isRunning = clock.isRunning
            let (dropped, step, version) = state.withLock { state in
                let dropped = policy == .clock ? state.dropPast(now) : []
                let step = nextStep(&state, now, isRunning: isRunning)
                return (dropped, step, state.version)
            }
            Self.release(dropped)
            switch step {
            case .tell(let notices): for (output, notice) in notices { output.emit(notice) }
            case .wait(let time):
                let deadline = time.map { MonotonicClock.now() &+ $0 }
                _ = state.wait(until: deadline) { $0.version == version ? nil : () }
            case .end: return
            }
        }
    }

    /// The longest time that the thread waits while the clock runs, in ns: the pipeline's clock may run at another
    /// speed than the host's.
    private static let longestWait: UInt64 = 100_000_000

    private func nextStep(_ state: inout State, _ now: UInt64?, isRunning: Bool) -> Step {
        var notices: [(VideoOutput, Notice)] = []
        var wait: UInt64? = isRunning && policy == .clock && state.frames.count > 1 ? Self.longestWait : nil
        for index in state.outputs.indices {
            let entry = state.outputs[index]
            guard entry.canTell else { continue }
            if entry.isFlushed {
                state.outputs[index].isFlushed = false
                notices.append((entry.output, .flushed))
            }
            guard let advance = entry.advance,
                let frame = state.frames.first(where: { $0.number > entry.taken.number })
            else { continue }
            let (due, _) = (frame.running ?? 0).subtractingReportingOverflow(min(advance, frame.running ?? 0))
            if let now, due > now {
                if isRunning { wait = min(wait ?? .max, min(due - now, Self.longestWait)) }
            } else {
                state.outputs[index].advance = nil
                notices.append((entry.output, .mediaDataWillChange))
            }
        }
        if !notices.isEmpty { return .tell(notices) }
        if !state.hasWork(policy) {
            state.isHelping = false
            return .end
        }
        return .wait(wait)
    }
}

extension FrameStore.State {
    /// Whether the thread is needed.
    fileprivate func hasWork(_ policy: FrameStore.Policy) -> Bool {
        if isClosed { return false }
        if policy == .clock, !outputs.isEmpty, !frames.isEmpty { return true }
        return outputs.contains { $0.canTell && ($0.advance != nil || $0.isFlushed) }
    }
}
