import Glibc

/// Time in ns, of the wall and of this process's threads together.
struct Clock {
    var wall = 0.0
    var processor = 0.0

    static var now: Clock {
        Clock(wall: nanoseconds(CLOCK_MONOTONIC), processor: nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
    }

    static func nanoseconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    static func - (a: Clock, b: Clock) -> Clock {
        Clock(wall: a.wall - b.wall, processor: a.processor - b.processor)
    }

    /// The ratio of two times, by either clock.
    static func / (a: Clock, b: Clock) -> Clock {
        Clock(wall: a.wall / b.wall, processor: a.processor / b.processor)
    }

    static func / (a: Clock, b: Double) -> Clock { Clock(wall: a.wall / b, processor: a.processor / b) }
}
