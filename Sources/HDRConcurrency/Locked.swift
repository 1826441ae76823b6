/// A value behind a lock, for what any thread may change at any time.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let mutex = Mutex()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with the value while no other thread has it. `body` must not wait for this lock.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&value)
    }

    package var current: Value { withLock { $0 } }
}
