/// The times of the display's refreshes.
struct X11Refresh {
    var output = X11Output()
    /// The interval measured from the server's events; 0 before there were enough of them.
    private(set) var measured: UInt64 = 0
    /// The last reported refresh: its time in nanoseconds of CLOCK_MONOTONIC, and the server's counter.
    private(set) var last: (time: UInt64, sequence: UInt64)?
    /// Whether ``last`` is a time between two refreshes.
    private var isLastBetween = false
    private var samples = 0
    private var mean: Double = 0

    /// The request that the server has not answered yet.
    var question: Question?
    enum Question {
        /// The refresh counter, which the server reports at once, between two refreshes.
        case counter
        case nextRefresh
    }
    /// The assumed next refresh of a display without such events; 0 while ticks are not requested.
    var nextByClock: UInt64 = 0
    var ticksByClock: UInt64 = 0

    static let samplesNeeded = 8
    static let usual: UInt64 = 16_666_667

    /// The refresh interval in nanoseconds; 0 where it is unknown.
    var interval: UInt64 { output.refreshInterval != 0 ? output.refreshInterval : measured }
    /// Whether the interval has to be measured, because the output does not report it.
    var needsSamples: Bool { output.refreshInterval == 0 && samples < Self.samplesNeeded }

    /// The server's time on CLOCK_MONOTONIC: the same clock on the same machine, and meaningless otherwise.
    static func time(ust: UInt64, now: UInt64) -> UInt64 {
        let (time, overflow) = ust.multipliedReportingOverflow(by: 1000)
        guard !overflow, time <= now &+ 1_000_000_000, time &+ 1_000_000_000 >= now else { return now }
        return time
    }

    /// Whether the counter is unknown or outdated.
    func isStale(now: UInt64) -> Bool {
        guard let last else { return true }
        return now > last.time &+ 2 &* (interval != 0 ? interval : Self.usual)
    }

    mutating func count(time: UInt64, sequence: UInt64) {
        last = (time, sequence)
        isLastBetween = true
    }

    /// Records a refresh.
    /// - Returns: the tick to report.
    mutating func tick(time: UInt64, sequence: UInt64, now: UInt64) -> RefreshTick {
        if let last, !isLastBetween, sequence > last.sequence, sequence - last.sequence <= 4, time > last.time {
            let length = Double(time - last.time) / Double(sequence - last.sequence)
            // Intervals outside 1 ms to 0.2 s are ignored: a sleeping display does not refresh once a second.
            if length > 1e6, length < 2e8 {
                samples = min(samples + 1, Self.samplesNeeded * 8)
                mean += (length - mean) / Double(samples)
                if samples >= Self.samplesNeeded, abs(mean - Double(measured)) > Double(measured) / 100 {
                    measured = UInt64(mean)
                }
            }
        }
        last = (time, sequence)
        isLastBetween = false
        let interval = interval != 0 ? interval : Self.usual
        var target = time &+ interval
        if target <= now { target = target &+ (now - target) / interval * interval &+ interval }
        return RefreshTick(now: time, target: target, interval: interval, sequence: sequence)
    }
}
