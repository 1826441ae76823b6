import GstBridge
import HDRAudio

/// A sequence of frames without a break, and its progress.
struct ContinuousRun {
    /// The stream time of input frames.
    let clock: SampleClock
    /// Whether the stream time is known.
    let isTimed: Bool
    /// The timestamp of the first frame, and its running time, in ns.
    var pts: UInt64?
    let runningTime: UInt64?
    /// The segment's rate, by which timestamps advance faster than running time; negative in reverse.
    let speed: Double
    /// The number of input frames.
    var fed = 0
    /// The number of output frames, without those of the latency.
    var emitted = 0
    /// The number of frames of the latency that are still to be dropped.
    var toDrop: Int

    /// The timestamp of a frame, in ns.
    func pts(_ frame: Int) -> UInt64? {
        guard let pts else { return nil }
        return pts &+ ClockTime.nanoseconds(frames: frame, rate: clock.rate)
    }

    /// The running time of a frame, in ns.
    func runningTime(_ frame: Int) -> UInt64? {
        guard let runningTime else { return nil }
        let passed = ClockTime.nanoseconds(frames: frame, rate: clock.rate)
        if speed == 1 { return runningTime &+ passed }
        let scaled = Double(passed) / speed
        guard scaled.magnitude < 9e18 else { return nil }
        let time = Int64(clamping: runningTime).addingReportingOverflow(Int64(scaled))
        return time.overflow || time.partialValue < 0 ? nil : UInt64(time.partialValue)
    }

    /// The stream time of a frame, counted in frames, in the form that callbacks get.
    func streamFrame(_ frame: Int) -> Int64 {
        Int64(ClockTime.frames(nanoseconds: clock.origin, rate: clock.rate)) &+ Self.scaled(frame, clock.appliedRate)
    }

    /// The number of frames of stream time that pass while `frames` are played, rounded down. Calls no function of the
    /// C library.
    @_noLocks static func scaled(_ frames: Int, _ appliedRate: Double) -> Int64 {
        if appliedRate == 1 { return Int64(frames) }
        let product = Double(frames) * appliedRate
        guard product.magnitude < 9e18 else { return 0 }
        let whole = Int64(product)
        return Double(whole) > product ? whole &- 1 : whole
    }
}
