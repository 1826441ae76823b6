/// A value behind a lock, for state that any thread may change at any time.
///
/// It is public and inlinable, because the compiler does not specialise generic functions of package access in other
/// modules, and this one is called for every buffer.
public final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let mutex = Mutex()
    @usableFromInline var value: Value

    public init(_ value: Value) { self.value = value }

    /// Runs `body` with the value while no other thread has it. `body` must not wait for this lock.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&value)
    }

    @inlinable public var current: Value { withLock { $0 } }
}
