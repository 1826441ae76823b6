/// Predicts the display's refreshes from those that were reported, in nanoseconds of CLOCK_MONOTONIC.
struct RefreshClock {
    /// The last reported refresh, and its number.
    private(set) var time: UInt64 = 0
    private(set) var sequence: UInt64 = 0
    /// The display's refresh interval in ns; 1/60 s until it is known.
    private(set) var interval: UInt64 = 16_666_667

    /// - Parameter interval: the interval in ns; 0 for a display without a fixed interval.
    mutating func saw(_ time: UInt64, sequence: UInt64, interval: UInt64) {
        self.time = time
        self.sequence = sequence
        if interval > 0 { setInterval(interval) }
    }

    /// Sets the refresh interval in ns, which must be between 1 ms and 1 s; other values are reporting errors.
    mutating func setInterval(_ interval: UInt64) {
        if (1_000_000...1_000_000_000).contains(interval) { self.interval = interval }
    }

    /// The refresh tick after `now`.
    func tick(at now: UInt64) -> RefreshTick {
        guard time > 0, time <= now else {
            // The compositor may report a refresh shortly before it happens.
            let target = time > now && time - now <= interval ? time : now &+ interval
            return RefreshTick(now: now, target: target, interval: interval, sequence: sequence)
        }
        let steps = (now - time) / interval + 1
        return RefreshTick(
            now: now, target: time &+ steps &* interval, interval: interval, sequence: sequence &+ steps)
    }
}
