import Foundation
import Synchronization
import Testing

@testable import HDRAudio

/// Runs two threads to their ends.
func concurrently(_ one: @escaping @Sendable () -> Void, _ other: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        one()
        done.signal()
    }
    thread.start()
    other()
    done.wait()
}

@Suite struct SimpleQueueTests {
    final class Shared: Sendable {
        let queue: SimpleQueue
        let isInOrder = Atomic(true)
        init(_ capacity: Int) { queue = SimpleQueue(capacity: capacity)! }
    }

    /// CMSimpleQueue's behaviour, call by call. The capacity is exact.
    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 100]) func conformance(_ capacity: Int) {
        let queue = SimpleQueue(capacity: capacity)!
        #expect(queue.capacity == capacity && queue.count == 0 && queue.fullness == 0)
        #expect(queue.peek() == nil && queue.dequeue() == nil)
        #expect(queue.enqueue(0) == .invalidArgument && queue.count == 0)
        // Three times around.
        for round in 0..<(3 * capacity) {
            for element in 1...capacity {
                #expect(queue.enqueue(UInt(round * 1000 + element)) == .ok)
                #expect(queue.count == element && queue.fullness == Double(element) / Double(capacity))
            }
            #expect(queue.enqueue(9) == .full && queue.count == capacity)
            #expect(queue.enqueue(0) == .invalidArgument)
            for element in 1...capacity {
                #expect(queue.peek() == UInt(round * 1000 + element))
                #expect(queue.count == capacity - element + 1)
                #expect(queue.dequeue() == UInt(round * 1000 + element))
            }
            #expect(queue.dequeue() == nil && queue.count == 0)
            // Begins at another slot each time.
            #expect(queue.enqueue(.max) == .ok && queue.dequeue() == .max)
        }
    }

    @Test(arguments: [0, -1, .min]) func noCapacity(_ capacity: Int) {
        var isMade = false
        if SimpleQueue(capacity: capacity) != nil { isMade = true }
        #expect(!isMade)
    }

    @Test func resetEmpties() {
        let queue = SimpleQueue(capacity: 3)!
        for element in 1...3 { queue.enqueue(UInt(element)) }
        _ = queue.dequeue()
        queue.reset()
        #expect(queue.count == 0 && queue.peek() == nil)
        for element in 4...6 { #expect(queue.enqueue(UInt(element)) == .ok) }
        #expect(queue.enqueue(7) == .full && queue.dequeue() == 4)
    }

    @Test func pointers() {
        let queue = SimpleQueue(capacity: 2)!
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { memory.deallocate() }
        #expect(queue.enqueue(pointer: nil) == .invalidArgument)
        #expect(queue.enqueue(pointer: memory) == .ok)
        #expect(queue.dequeuePointer() == memory && queue.dequeuePointer() == nil)
        let typed = PointerQueue<Int>(capacity: 1)!
        let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { number.deallocate() }
        #expect(typed.enqueue(nil) == .invalidArgument && typed.enqueue(number) == .ok)
        #expect(typed.enqueue(number) == .full && typed.dequeue() == number && typed.dequeue() == nil)
    }

    @Test(arguments: [1, 3, 64]) func orderBetweenThreads(_ capacity: Int) {
        let shared = Shared(capacity)
        let items: UInt = 200_000
        concurrently {
            var next: UInt = 1
            while next <= items { if shared.queue.enqueue(next) == .ok { next += 1 } else { sched_yield() } }
        } _: {
            var expected: UInt = 1
            while expected <= items {
                guard let item = shared.queue.dequeue() else {
                    sched_yield()
                    continue
                }
                if item != expected { shared.isInOrder.store(false, ordering: .relaxed) }
                expected += 1
            }
        }
        let wasInOrder = shared.isInOrder.load(ordering: .relaxed)
        #expect(wasInOrder && shared.queue.count == 0)
    }

    final class Watch: Sendable {
        let queue = SimpleQueue(capacity: 4)!
        let isDone = Atomic(false)
        let isInRange = Atomic(true)
    }

    /// The count is true on any thread.
    @Test func countFromOutside() {
        let shared = Watch()
        concurrently {
            while !shared.isDone.load(ordering: .acquiring) {
                if !(0...4).contains(shared.queue.count) { shared.isInRange.store(false, ordering: .releasing) }
                sched_yield()
            }
        } _: {
            for item in 1...100_000 {
                shared.queue.enqueue(UInt(item))
                if item % 3 == 0 { while shared.queue.dequeue() != nil {} }
            }
            shared.isDone.store(true, ordering: .releasing)
        }
        let wasInRange = shared.isInRange.load(ordering: .acquiring)
        #expect(wasInRange)
    }
}

@Suite struct ParameterQueueTests {
    final class Shared: Sendable {
        let queue: ParameterQueue
        let isDone = Atomic(false)
        let failures = Atomic(0)
        let values = Mutex([Double]())
        init(_ initial: [Double]) { queue = ParameterQueue(initial: initial) }
    }

    @Test func newestValueOnce() {
        let queue = ParameterQueue(initial: [1, 2, 3])
        #expect(queue.next() == nil && queue.value(1) == 2)
        for value in 0..<1000 { queue.set(2, to: Double(value)) }
        queue.set(0, to: -1)
        queue.set(2, to: 7)
        var read = queue.next()
        #expect(read?.id == 2 && read?.value == 7)
        read = queue.next()
        #expect(read?.id == 0 && read?.value == -1)
        #expect(queue.next() == nil)
        queue.set(2, to: 8)
        #expect(queue.next()?.value == 8 && queue.next() == nil && queue.value(2) == 8)
    }

    @Test(arguments: [-1, 3, .max, .min]) func otherIdsAreIgnored(_ id: Int) {
        let queue = ParameterQueue(initial: [1, 2, 3])
        queue.set(id, to: 5)
        #expect(queue.next() == nil)
    }

    /// Whatever the timing, the last value of each parameter arrives, and values never go back.
    @Test(arguments: [1, 2, 16]) func nothingIsLostBetweenThreads(_ parameters: Int) {
        let shared = Shared([Double](repeating: 0, count: parameters))
        let rounds = 50_000
        concurrently {
            var values = [Double](repeating: 0, count: parameters)
            while true {
                let wasDone = shared.isDone.load(ordering: .acquiring)
                while let (id, value) = shared.queue.next() {
                    if value < values[id] { shared.failures.add(1, ordering: .relaxed) }
                    values[id] = value
                }
                if wasDone { break }
                sched_yield()
            }
            shared.values.withLock { $0 = values }
        } _: {
            for round in 1...rounds {
                for id in 0..<parameters { shared.queue.set(id, to: Double(round)) }
            }
            shared.isDone.store(true, ordering: .releasing)
        }
        let failed = shared.failures.load(ordering: .relaxed)
        #expect(failed == 0)
        let values = shared.values.withLock { $0 }
        #expect(values == [Double](repeating: Double(rounds), count: parameters))
    }
}
