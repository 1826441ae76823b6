import CWayland
import Glibc

/// The thread that dispatches events and calls the sink back.
extension WaylandPresenter {
    func startThread() throws(PresenterError) {
        // Signals are the application's.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        var new = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &new, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<WaylandPresenter>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard status == 0 else {
            context.release()
            throw PresenterError("No thread for Wayland's events: \(String(cString: strerror(status))).")
        }
        cwayland_name_thread(new, "edrsink-wayland")
        thread = new
    }

    private func run() {
        while let deadline = step() {
            guard let connection = mutex.withLock({ connection }) else { break }
            if mutex.withLock({ failure != nil }) {
                mutex.withLock { if phase == .open, outbox.isEmpty { mutex.wait(until: deadline) } }
                continue
            }
            if connection.pump(connection.queue, deadline: deadline, isWoken: true) == .broken {
                mutex.withLock { fail(PresenterError(connection.errorSentence)) }
            }
        }
        mutex.withLock { tearDown() }
    }

    /// Handles what came, and tells it. When to look again, in nanoseconds of CLOCK_MONOTONIC; `nil` at the end.
    private func step() -> UInt64? {
        mutex.lock()
        while true {
            guard phase == .open, let connection else {
                mutex.unlock()
                return nil
            }
            if failure == nil, !connection.dispatch(connection.queue) { fail(PresenterError(connection.errorSentence)) }
            let deadline = tickIfDue()
            guard !outbox.isEmpty, let events else {
                outbox = []
                mutex.unlock()
                return deadline
            }
            let next = outbox.removeFirst()
            mutex.unlock()
            next(events)
            mutex.lock()
        }
    }

    /// Leaves an event for the event thread to tell. Under the lock.
    func post(_ event: @escaping (any PresenterEvents) -> Void) {
        outbox.append(event)
        // It may wait in `pump`, or, after a failure, for the signal.
        connection?.wake()
        mutex.signal()
    }

    /// The end of everything but `close`. Under the lock.
    func fail(_ error: PresenterError) {
        guard failure == nil else { return }
        failure = error
        post { $0.failed(error) }
    }

    /// Tells a refresh that the compositor does not, because nothing of the window is to be seen. When the next one is due.
    private func tickIfDue() -> UInt64 {
        let now = Clock.now()
        guard wantsTicks, failure == nil else { return now + 60 * Clock.second }
        let due = lastTick + (isTicking ? refresh.interval : 2 * refresh.interval + 50_000_000)
        if now < due { return due }
        isTicking = true
        tick(at: now)
        return now + refresh.interval
    }

    func tick(at now: UInt64) {
        guard wantsTicks else { return }
        lastTick = now
        let tick = refresh.tick(at: now)
        post { $0.refreshed(tick) }
    }
}
