import Glibc

/// State that threads share and can wait on.
package final class Monitor<State>: @unchecked Sendable {
    private let mutex = Mutex()
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: State) {
        self.state = state
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deinitialize(count: 1)
        condition.deallocate()
    }

    /// Runs `body` with the state while no other thread has it. `body` must not wait for this monitor.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&state)
    }

    /// Does the same as `withLock`, and then wakes all threads that wait.
    package func change<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex.lock()
        defer {
            pthread_cond_broadcast(condition)
            mutex.unlock()
        }
        return try body(&state)
    }

    /// Wakes all threads that wait. It may also be called from within `withLock`.
    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// Runs `body` at once and after each change, until it returns something.
    /// - Parameter deadline: the deadline in ns of CLOCK_MONOTONIC; `nil` for none. After it `body` runs once more.
    /// - Returns: `nil` if the deadline has passed and `body` still returns nothing.
    package func wait<Result, Failure: Error>(
        until deadline: UInt64? = nil, _ body: (inout State) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        mutex.lock()
        defer { mutex.unlock() }
        while true {
            if let answer = try body(&state) { return answer }
            guard let deadline else {
                pthread_cond_wait(condition, mutex.pointer)
                continue
            }
            let second = MonotonicClock.second
            var time = timespec(tv_sec: Int(clamping: deadline / second), tv_nsec: Int(deadline % second))
            if pthread_cond_timedwait(condition, mutex.pointer, &time) == ETIMEDOUT { return try body(&state) }
        }
    }
}
