/// When the display refreshes.
struct X11Refresh {
    var output = X11Output()
    /// From the server's events; 0 before there were enough of them.
    private(set) var measured: UInt64 = 0
    /// The last refresh that was told of: nanoseconds of CLOCK_MONOTONIC, and the server's counter.
    private(set) var last: (time: UInt64, sequence: UInt64)?
    /// ``last`` is a time between refreshes.
    private var isLastBetween = false
    private var samples = 0
    private var mean: Double = 0

    /// What the server was asked for and has not answered.
    var question: Question?
    enum Question {
        /// Its counter, which it tells at once, between two refreshes.
        case counter
        case nextRefresh
    }
    /// When a display without such events is taken to refresh next; 0 while nobody wants to know.
    var nextByClock: UInt64 = 0
    var ticksByClock: UInt64 = 0

    static let samplesNeeded = 8
    static let usual: UInt64 = 16_666_667

    /// Nanoseconds; 0 where unknown.
    var interval: UInt64 { output.refreshInterval != 0 ? output.refreshInterval : measured }
    /// What the output says needs no measuring.
    var needsSamples: Bool { output.refreshInterval == 0 && samples < Self.samplesNeeded }

    /// The server's time as ours: its clock is ours on the same machine, and means nothing here otherwise.
    static func time(ust: UInt64, now: UInt64) -> UInt64 {
        let (time, overflow) = ust.multipliedReportingOverflow(by: 1000)
        guard !overflow, time <= now &+ 1_000_000_000, time &+ 1_000_000_000 >= now else { return now }
        return time
    }

    /// The counter is not known, or is of long ago.
    func isStale(now: UInt64) -> Bool {
        guard let last else { return true }
        return now > last.time &+ 2 &* (interval != 0 ? interval : Self.usual)
    }

    mutating func count(time: UInt64, sequence: UInt64) {
        last = (time, sequence)
        isLastBetween = true
    }

    /// Takes in a refresh; the tick to tell.
    mutating func tick(time: UInt64, sequence: UInt64, now: UInt64) -> RefreshTick {
        if let last, !isLastBetween, sequence > last.sequence, sequence - last.sequence <= 4, time > last.time {
            let length = Double(time - last.time) / Double(sequence - last.sequence)
            // From 1 ms to 0.2 s: a display that sleeps is not one that refreshes once a second.
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
