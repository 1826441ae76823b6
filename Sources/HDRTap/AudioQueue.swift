import Synchronization

/// A queue of values between two threads: one that enqueues, one that dequeues. Neither ever waits, and both
/// functions may be used in `process`. Each thread holds the queue by a value of its own:
///
///     let levels = AudioQueue<Float>(capacity: 64)
///     let tap = try AudioTap(Meter(levels: levels.share()), on: element)
public struct AudioQueue<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// Most elements that wait.
    public let capacity: Int
    @usableFromInline let owner: AudioQueueMemory
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    /// Elements dequeued so far, and enqueued so far. They only grow.
    @usableFromInline let head: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let tail: UnsafeMutablePointer<Atomic<Int>>

    /// - Parameter capacity: At least 1; less is taken for 1.
    public init(capacity: Int) {
        self.capacity = max(capacity, 1)
        owner = AudioQueueMemory(
            bytes: self.capacity * MemoryLayout<Element>.stride, alignment: MemoryLayout<Element>.alignment)
        slots = owner.slots.bindMemory(to: Element.self, capacity: self.capacity)
        head = owner.head
        tail = owner.tail
    }

    private init(_ other: borrowing AudioQueue) {
        capacity = other.capacity
        owner = other.owner
        slots = other.slots
        head = other.head
        tail = other.tail
    }

    /// The same queue, for the other thread.
    public func share() -> AudioQueue { AudioQueue(self) }

    /// - Returns: `false` if the queue is full; then the element is not taken.
    @inlinable public func enqueue(_ element: Element) -> Bool {
        let last = tail.pointee.load(ordering: .relaxed)
        guard last &- head.pointee.load(ordering: .acquiring) < capacity else { return false }
        slots[last % capacity] = element
        tail.pointee.store(last &+ 1, ordering: .releasing)
        return true
    }

    /// - Returns: The oldest element; `nil` from an empty queue.
    @inlinable public func dequeue() -> Element? {
        let first = head.pointee.load(ordering: .relaxed)
        guard first != tail.pointee.load(ordering: .acquiring) else { return nil }
        let element = slots[first % capacity]
        head.pointee.store(first &+ 1, ordering: .releasing)
        return element
    }

    /// Elements that wait, at some moment during the call; on any thread.
    @inlinable public var count: Int {
        // The head first: it never passes the tail that is read after it.
        let first = head.pointee.load(ordering: .acquiring)
        return min(tail.pointee.load(ordering: .acquiring) &- first, capacity)
    }
}

/// The memory of a queue, with each index on a cache line of its own.
@usableFromInline final class AudioQueueMemory {
    @usableFromInline let slots: UnsafeMutableRawPointer
    @usableFromInline let head: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let tail: UnsafeMutablePointer<Atomic<Int>>
    private let lines: UnsafeMutableRawPointer

    init(bytes: Int, alignment: Int) {
        slots = .allocate(byteCount: bytes, alignment: max(alignment, 64))
        lines = .allocate(byteCount: 192, alignment: 64)
        head = (lines + 0).bindMemory(to: Atomic<Int>.self, capacity: 1)
        tail = (lines + 64).bindMemory(to: Atomic<Int>.self, capacity: 1)
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
