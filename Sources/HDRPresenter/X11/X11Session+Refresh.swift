import CXCB
import HDRConcurrency

extension X11Session {
    private var wantsTicks: Bool { link.state.withLock { $0.wantsTicks } }
    private var hasTickEvents: Bool { extensions.present != nil && !isWindowGone }

    /// Asks the server for the next refresh, or reports one by the clock when it is due.
    func tick() {
        let isWanted = wantsTicks
        if hasTickEvents {
            guard refresh.question == nil, isWanted || refresh.needsSamples else { return }
            var sequence: UInt64 = 0
            if let last = refresh.last, !refresh.isStale(now: MonotonicClock.now()) {
                refresh.question = .nextRefresh
                sequence = last.sequence &+ 1
            } else {
                // A request for a counter value of the past is answered at once.
                refresh.question = .counter
            }
            xcb_present_notify_msc(connection, window.id, 0, sequence, 0, 0)
            return
        }
        guard isWanted else {
            refresh.nextByClock = 0
            return
        }
        let interval = refresh.interval != 0 ? refresh.interval : X11Refresh.usual
        let now = MonotonicClock.now()
        if refresh.nextByClock == 0 { refresh.nextByClock = now }
        guard now >= refresh.nextByClock else { return }
        let missed = (now - refresh.nextByClock) / interval
        let time = refresh.nextByClock &+ missed &* interval
        refresh.ticksByClock &+= missed &+ 1
        refresh.nextByClock = time &+ interval
        let tick = RefreshTick(
            now: time, target: time &+ interval, interval: interval, sequence: refresh.ticksByClock)
        callSink { $0.refreshed(tick) }
    }

    /// The time in ms for which the thread may sleep; -1 for no limit.
    func millisecondsToTick() -> Int32 {
        guard refresh.nextByClock != 0, !hasTickEvents else { return -1 }
        let now = MonotonicClock.now()
        guard refresh.nextByClock > now else { return 0 }
        return Int32(clamping: (refresh.nextByClock - now + 999_999) / 1_000_000)
    }

    /// The answer to the request of `tick`.
    func isRefreshed(ust: UInt64, sequence: UInt64) {
        let now = MonotonicClock.now()
        let time = X11Refresh.time(ust: ust, now: now)
        let question = refresh.question
        refresh.question = nil
        guard case .nextRefresh = question else { return refresh.count(time: time, sequence: sequence) }
        let before = refresh.interval
        let tick = refresh.tick(time: time, sequence: sequence, now: now)
        if refresh.interval != before { updateDisplay() }
        if wantsTicks { callSink { $0.refreshed(tick) } }
    }
}
