import CWayland
import HDRConcurrency

/// The events that the sink gets, and their times.
extension WaylandSession {
    typealias Event = (any PresenterEvents) -> Void

    /// The next action of the event thread.
    enum Turn {
        case deliver(Event, any PresenterEvents)
        /// Sleeps until there is something to read, or until this time of CLOCK_MONOTONIC.
        case sleep(until: UInt64)
        case end
    }

    /// Handles the events that have come. The event thread calls it.
    func nextTurn() -> Turn {
        guard phase == .open, let connection else { return .end }
        if failure == nil, !connection.dispatch(connection.queue) { fail(PresenterError(connection.errorSentence)) }
        let deadline = tickIfDue()
        guard !outbox.isEmpty, let events else {
            outbox = []
            return .sleep(until: deadline)
        }
        return .deliver(outbox.removeFirst(), events)
    }

    /// Handles the events that a pump outside of the event loop has read.
    func dispatch(after pumped: Connection.Pumped) {
        guard let connection else { return }
        if pumped == .broken || !connection.dispatch(connection.queue) {
            fail(PresenterError(connection.errorSentence))
        }
    }

    /// Queues an event, which the event thread passes to the sink.
    func post(_ event: @escaping Event) {
        outbox.append(event)
        // The thread waits in `pump`, or, after a failure, for a change.
        connection?.wake()
        monitor?.wakeAll()
    }

    /// Enters the failed state, in which only `close` works.
    func fail(_ error: PresenterError) {
        guard failure == nil else { return }
        failure = error
        post { $0.failed(error) }
    }

    /// Reports a refresh in place of the compositor, which reports none because the window cannot be seen.
    /// - Returns: the time when the next one is due.
    private func tickIfDue() -> UInt64 {
        let now = MonotonicClock.now()
        guard wantsTicks, failure == nil else { return now + 60 * MonotonicClock.second }
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
