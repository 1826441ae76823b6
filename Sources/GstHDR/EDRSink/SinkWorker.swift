import HDRConcurrency

/// A thread that runs one job at a time, always the newest that was asked for: a job that has not begun when the next
/// one comes is dropped.
final class SinkWorker: @unchecked Sendable {
    private struct State {
        var isRunning = false
        var job: (() -> Void)?
    }

    private let state = Monitor(State())
    private let thread = WorkerThread(name: "edrsink-worker")

    func start() {
        state.withLock { state in
            if !state.isRunning { state.isRunning = thread.start { [self] in run() } }
        }
    }

    func ask(_ job: @escaping () -> Void) {
        state.change { state in
            if state.isRunning { state.job = job }
        }
    }

    /// Ends the thread after its present job. Waits for it, unless the caller is that job.
    func stop() {
        state.change { $0 = State() }
        thread.joinOrDetach()
    }

    private func run() {
        while let job = nextJob() { job() }
    }

    /// `nil` when the thread is to end.
    private func nextJob() -> (() -> Void)? {
        let next: (() -> Void)?? = state.wait { state in
            guard state.isRunning else { return .some(nil) }
            guard let job = state.job else { return nil }
            state.job = nil
            return .some(job)
        }
        return next ?? nil
    }
}
