import HDRConcurrency
import Synchronization

/// Numbers that an application sets and a real-time thread reads.
///
/// Each number is an atomic; the queue holds the indices of those that have changed. An index is in the queue at most
/// once, so that the queue is never full and the newest value counts.
public struct ParameterQueue: ~Copyable, @unchecked Sendable {
    private let count: Int
    private let values: UnsafeMutablePointer<Atomic<UInt64>>
    private let isWaiting: UnsafeMutablePointer<Atomic<Bool>>
    /// The indices of the numbers that have changed.
    private let queue: SingleProducerQueue<Int>

    /// - Parameter initial: the initial numbers, which do not count as changed.
    public init(initial: [Double]) {
        queue = SingleProducerQueue(capacity: initial.count)
        count = initial.count
        values = .allocate(capacity: count)
        isWaiting = .allocate(capacity: count)
        for (index, value) in initial.enumerated() {
            (values + index).initialize(to: Atomic(value.bitPattern))
            (isWaiting + index).initialize(to: Atomic(false))
        }
    }

    deinit {
        values.deinitialize(count: count)
        isWaiting.deinitialize(count: count)
        values.deallocate()
        isWaiting.deallocate()
    }

    /// Sets a number. Any thread may call it, but only one at a time.
    @_noLocks public func set(_ id: Int, to value: Double) {
        guard id >= 0, id < count else { return }
        values[id].store(value.bitPattern, ordering: .releasing)
        // If the index is still in the queue, the reader will clear the flag and then see this value.
        if !isWaiting[id].exchange(true, ordering: .acquiringAndReleasing) { _ = queue.enqueue(id) }
    }

    /// The newest value of a number. Any thread may call it.
    @_noLocks public func value(_ id: Int) -> Double {
        id >= 0 && id < count ? Double(bitPattern: values[id].load(ordering: .acquiring)) : 0
    }

    /// The next number that has changed, and its newest value; `nil` if none has. The real-time thread calls it.
    @_noLocks public func next() -> (id: Int, value: Double)? {
        guard let id = queue.dequeue() else { return nil }
        // A value that is set from here on puts the index into the queue again.
        _ = isWaiting[id].exchange(false, ordering: .acquiringAndReleasing)
        return (id, Double(bitPattern: values[id].load(ordering: .acquiring)))
    }
}
