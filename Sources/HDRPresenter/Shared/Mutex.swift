import Glibc

/// A lock and a condition. pthread's, because ThreadSanitizer sees through those and the waits have deadlines.
public final class Mutex: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    public init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    public func lock() { pthread_mutex_lock(mutex) }
    public func unlock() { pthread_mutex_unlock(mutex) }

    public func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }

    public func withLock<Result>(throwing body: () throws(PresenterError) -> Result) throws(PresenterError) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    public func signal() { pthread_cond_broadcast(condition) }

    /// Lets go of the lock until a signal, or for no reason.
    public func wait() { pthread_cond_wait(condition, mutex) }

    /// Lets go of the lock until a signal or `deadline` in nanoseconds of CLOCK_MONOTONIC, or for no reason.
    public func wait(until deadline: UInt64) {
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
    }
}

enum Clock {
    static let second: UInt64 = 1_000_000_000

    /// Nanoseconds of a clock, CLOCK_MONOTONIC by default; 0 for a clock that there is not.
    static func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0, time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) &* second &+ UInt64(time.tv_nsec)
    }
}
