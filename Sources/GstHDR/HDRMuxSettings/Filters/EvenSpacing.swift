import CGStreamer

/// Detects packets at even intervals, to correct a duration that a parser before the bin has guessed.
struct EvenSpacing {
    private var first: GstClockTime?
    private var last: GstClockTime?
    private var steps: GstClockTime = 0
    private var isEven = true
    private var step: GstClockTime = 0
    /// Containers round times to a millisecond.
    private static let tolerance: GstClockTime = 1_500_000

    mutating func add(_ time: GstClockTime) {
        defer { last = time }
        guard isEven, time != GstClockTime.max else {
            isEven = false
            return
        }
        guard let first, let last else {
            first = time
            return
        }
        guard time > last else {
            isEven = false
            return
        }
        steps += 1
        if step == 0 { step = time - last }
        isEven = Self.distance(time - last, step) <= Self.tolerance
        if isEven, steps > 0 { step = (time - first) / steps }
    }

    /// The interval of the timestamps where it contradicts the duration; else the duration.
    func correction(of duration: GstClockTime) -> GstClockTime? {
        guard isEven, steps >= 2, Self.distance(duration, step) > Self.tolerance else { return duration }
        return step
    }

    private static func distance(_ a: GstClockTime, _ b: GstClockTime) -> GstClockTime { a > b ? a - b : b - a }
}
