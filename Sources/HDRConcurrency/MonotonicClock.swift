import Glibc

/// Times in nanoseconds.
package enum MonotonicClock {
    package static let second: UInt64 = 1_000_000_000

    /// The time of a clock, CLOCK_MONOTONIC by default; 0 for a clock that does not exist.
    package static func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0, time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) &* second &+ UInt64(time.tv_nsec)
    }
}
