import Synchronization

/// A queue of non-zero words between two threads: one that enqueues, one that dequeues. Neither ever waits, allocates or
/// calls the system. The semantics are those of Apple's CMSimpleQueue.
public struct SimpleQueue: ~Copyable, @unchecked Sendable {
    public enum Status: Sendable {
        case ok
        /// The element was not taken.
        case full
        /// The element is 0.
        case invalidArgument
    }

    /// The most elements at once.
    public let capacity: Int
    private let mask: UInt
    private let slots: UnsafeMutablePointer<UInt>
    // Each index has a cache line of its own; both only grow.
    private let memory: UnsafeMutableRawPointer
    private let head: UnsafeMutablePointer<Atomic<UInt>>
    private let tail: UnsafeMutablePointer<Atomic<UInt>>

    /// nil for a capacity below 1, or above 2^48.
    public init?(capacity: Int) {
        guard capacity >= 1, capacity <= 1 << 48 else { return nil }
        self.init(limitedCapacity: capacity)
    }

    /// With a capacity that is limited to 1 to 2^48.
    public init(limitedCapacity: Int) {
        let capacity = min(max(limitedCapacity, 1), 1 << 48)
        self.capacity = capacity
        var size = 1
        while size < capacity { size *= 2 }
        mask = UInt(size - 1)
        slots = .allocate(capacity: size)
        slots.initialize(repeating: 0, count: size)
        memory = .allocate(byteCount: 256, alignment: 128)
        head = memory.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        tail = (memory + 128).bindMemory(to: Atomic<UInt>.self, capacity: 1)
        head.initialize(to: Atomic(0))
        tail.initialize(to: Atomic(0))
    }

    /// After both threads are done with it. Elements left in it are the caller's.
    deinit {
        head.deinitialize(count: 1)
        tail.deinitialize(count: 1)
        memory.deallocate()
        slots.deallocate()
    }

    /// Enqueueing thread.
    @_noLocks @discardableResult public func enqueue(_ element: UInt) -> Status {
        if element == 0 { return .invalidArgument }
        let index = tail.pointee.load(ordering: .relaxed)
        if index &- head.pointee.load(ordering: .acquiring) >= UInt(bitPattern: capacity) { return .full }
        slots[Int(bitPattern: index & mask)] = element
        tail.pointee.store(index &+ 1, ordering: .releasing)
        return .ok
    }

    /// Dequeueing thread. The oldest element, which stays; nil from an empty queue.
    @_noLocks public func peek() -> UInt? {
        let index = head.pointee.load(ordering: .relaxed)
        if index == tail.pointee.load(ordering: .acquiring) { return nil }
        return slots[Int(bitPattern: index & mask)]
    }

    /// Dequeueing thread. Takes the oldest element; nil from an empty queue.
    @_noLocks public func dequeue() -> UInt? {
        let index = head.pointee.load(ordering: .relaxed)
        if index == tail.pointee.load(ordering: .acquiring) { return nil }
        let element = slots[Int(bitPattern: index & mask)]
        head.pointee.store(index &+ 1, ordering: .releasing)
        return element
    }

    /// Any thread; the number of elements at some moment during the call.
    public var count: Int {
        @_noLocks get {
            // The head first: it never passes the tail that is read after it.
            let first = head.pointee.load(ordering: .acquiring)
            let elements = Int(bitPattern: tail.pointee.load(ordering: .acquiring) &- first)
            return elements < capacity ? elements : capacity
        }
    }

    /// count / capacity, 0 to 1.
    public var fullness: Double {
        @_noLocks get { Double(count) / Double(capacity) }
    }

    /// Empties the queue; while neither thread uses it.
    @_noLocks public func reset() {
        head.pointee.store(0, ordering: .relaxed)
        tail.pointee.store(0, ordering: .relaxed)
    }

    /// Enqueueing thread; nil is an invalid argument.
    @_noLocks @discardableResult public func enqueue(pointer: UnsafeMutableRawPointer?) -> Status {
        enqueue(UInt(bitPattern: pointer))
    }

    /// Dequeueing thread.
    @_noLocks public func dequeuePointer() -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: dequeue() ?? 0)
    }
}

/// A `SimpleQueue` of pointers to one type.
public struct PointerQueue<Element>: ~Copyable, @unchecked Sendable {
    public let words: SimpleQueue

    /// nil for a capacity below 1.
    public init?(capacity: Int) {
        guard let words = SimpleQueue(capacity: capacity) else { return nil }
        self.words = words
    }

    /// Enqueueing thread.
    @inlinable @_noLocks @discardableResult
    public func enqueue(_ element: UnsafeMutablePointer<Element>?) -> SimpleQueue.Status {
        words.enqueue(UInt(bitPattern: element))
    }

    /// Dequeueing thread.
    @inlinable @_noLocks public func dequeue() -> UnsafeMutablePointer<Element>? {
        UnsafeMutablePointer(bitPattern: words.dequeue() ?? 0)
    }
}
