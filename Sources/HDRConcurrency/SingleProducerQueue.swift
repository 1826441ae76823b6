import Synchronization

/// A queue of values between two threads: one that enqueues, one that dequeues. Neither ever waits, allocates or calls
/// the system, so that either may be a real-time thread. Each thread can hold the queue by a value of its own, which
/// `share` gives.
public struct SingleProducerQueue<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// The maximum number of elements that wait.
    public let capacity: Int
    @usableFromInline let owner: SingleProducerQueueMemory
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    /// The numbers of elements dequeued and enqueued so far, which only grow.
    @usableFromInline let head: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let tail: UnsafeMutablePointer<Atomic<Int>>

    /// - Parameter capacity: 1 or more; less is taken as 1.
    public init(capacity: Int) {
        self.capacity = max(capacity, 1)
        owner = SingleProducerQueueMemory(
            bytes: self.capacity * MemoryLayout<Element>.stride, alignment: MemoryLayout<Element>.alignment)
        slots = owner.slots.bindMemory(to: Element.self, capacity: self.capacity)
        head = owner.head
        tail = owner.tail
    }

    private init(_ other: borrowing SingleProducerQueue) {
        capacity = other.capacity
        owner = other.owner
        slots = other.slots
        head = other.head
        tail = other.tail
    }

    /// Another value for the same queue, for the other thread.
    public func share() -> SingleProducerQueue { SingleProducerQueue(self) }

    /// Called by the enqueueing thread: appends an element.
    /// - Returns: `false` if the queue is full; then the element is not taken.
    @inlinable public func enqueue(_ element: Element) -> Bool {
        let last = tail.pointee.load(ordering: .relaxed)
        guard last &- head.pointee.load(ordering: .acquiring) < capacity else { return false }
        slots[last % capacity] = element
        tail.pointee.store(last &+ 1, ordering: .releasing)
        return true
    }

    /// Called by the dequeueing thread.
    /// - Returns: The oldest element, which stays in the queue; `nil` where the queue is empty.
    @inlinable public func peek() -> Element? {
        let first = head.pointee.load(ordering: .relaxed)
        guard first != tail.pointee.load(ordering: .acquiring) else { return nil }
        return slots[first % capacity]
    }

    /// Called by the dequeueing thread.
    /// - Returns: The oldest element, which is removed; `nil` where the queue is empty.
    @inlinable public func dequeue() -> Element? {
        let first = head.pointee.load(ordering: .relaxed)
        guard first != tail.pointee.load(ordering: .acquiring) else { return nil }
        let element = slots[first % capacity]
        head.pointee.store(first &+ 1, ordering: .releasing)
        return element
    }

    /// The number of elements at some moment during the call. Any thread may read it.
    @inlinable public var count: Int {
        // The head is read first: it never passes the tail that is read after it.
        let first = head.pointee.load(ordering: .acquiring)
        return min(tail.pointee.load(ordering: .acquiring) &- first, capacity)
    }
}

/// The memory of a queue, with each index on a cache line of its own.
@usableFromInline final class SingleProducerQueueMemory {
    @usableFromInline let slots: UnsafeMutableRawPointer
    @usableFromInline let head: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let tail: UnsafeMutablePointer<Atomic<Int>>
    private let lines: UnsafeMutableRawPointer

    init(bytes: Int, alignment: Int) {
        slots = .allocate(byteCount: bytes, alignment: max(alignment, 64))
        // Prefetchers fetch cache lines in pairs.
        lines = .allocate(byteCount: 256, alignment: 128)
        head = (lines + 0).bindMemory(to: Atomic<Int>.self, capacity: 1)
        tail = (lines + 128).bindMemory(to: Atomic<Int>.self, capacity: 1)
        head.initialize(to: Atomic(0))
        tail.initialize(to: Atomic(0))
    }

    deinit {
        head.deinitialize(count: 1)
        tail.deinitialize(count: 1)
        slots.deallocate()
        lines.deallocate()
    }
}
