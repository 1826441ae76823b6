import HDRConcurrency

/// A thread that runs one job at a time, always the newest one: a job that has not begun when the next
/// one comes is dropped.
final class SinkWorker: @unchecked Sendable {
    private struct State {
        /// The thread that runs the jobs; `nil`: none.
        var thread: WorkerThread?
        var job: (() -> Void)?
    }

    private let state = Monitor(State())

    /// Starts the thread, unless it runs. A thread that has been told to end may still be at its last job.
    func start() {
        state.withLock { state in
            guard state.thread == nil else { return }
            let thread = WorkerThread(name: "edrsink-worker")
            if thread.start({ [self] in run(on: thread) }) { state.thread = thread }
        }
    }

    func ask(_ job: @escaping () -> Void) {
        state.change { state in
            if state.thread != nil { state.job = job }
        }
    }

    /// Ends the thread after its present job. Waits for it, unless the caller is that job.
    func stop() {
        let thread = state.change { state in
            defer { state = State() }
            return state.thread
        }
        thread?.joinOrDetach()
    }

    private func run(on thread: WorkerThread) {
        while let job = nextJob(of: thread) { job() }
    }

    /// The next job of a thread; `nil` when the thread is to end, because it was stopped or another one replaces it.
    private func nextJob(of thread: WorkerThread) -> (() -> Void)? {
        let next: (() -> Void)?? = state.wait { state in
            guard state.thread === thread else { return .some(nil) }
            guard let job = state.job else { return nil }
            state.job = nil
            return .some(job)
        }
        return next ?? nil
    }
}
