import Glibc
import Synchronization
import Testing

@testable import HDRConcurrency

@Suite struct SingleProducerQueueTests {
    /// The capacity is exact, and the order is kept three times around.
    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 100]) func orderFullAndEmpty(_ capacity: Int) {
        let queue = SingleProducerQueue<Int>(capacity: capacity)
        #expect(queue.capacity == capacity && queue.count == 0)
        #expect(queue.peek() == nil && queue.dequeue() == nil)
        for round in 0..<(3 * capacity) {
            for element in 1...capacity {
                #expect(queue.enqueue(round * 1000 + element) == true)
                #expect(queue.count == element)
            }
            #expect(!queue.enqueue(9) && queue.count == capacity)
            for element in 1...capacity {
                #expect(queue.peek() == round * 1000 + element)
                #expect(queue.count == capacity - element + 1)
                #expect(queue.dequeue() == round * 1000 + element)
            }
            #expect(queue.dequeue() == nil && queue.count == 0)
            // The next round begins at another slot.
            #expect(queue.enqueue(.max) && queue.dequeue() == .max)
        }
    }

    @Test(arguments: [0, -1, .min]) func capacityIsAtLeastOne(_ capacity: Int) {
        let queue = SingleProducerQueue<Int>(capacity: capacity)
        #expect(queue.capacity == 1 && queue.enqueue(1) && !queue.enqueue(2))
    }

    final class Shared: Sendable {
        let queue: SingleProducerQueue<Int>
        let isInOrder = Atomic(true)
        let isDone = Atomic(false)
        init(_ capacity: Int) { queue = SingleProducerQueue(capacity: capacity) }
    }

    @Test(arguments: [1, 3, 64]) func orderBetweenThreads(_ capacity: Int) {
        let shared = Shared(capacity)
        let items = 200_000
        let producer = WorkerThread(name: "producer")
        let hasStarted = producer.start {
            var next = 1
            while next <= items { if shared.queue.enqueue(next) { next += 1 } else { sched_yield() } }
        }
        #expect(hasStarted)
        var expected = 1
        while expected <= items {
            guard let item = shared.queue.dequeue() else {
                sched_yield()
                continue
            }
            if item != expected { shared.isInOrder.store(false, ordering: .relaxed) }
            expected += 1
        }
        producer.join()
        let wasInOrder = shared.isInOrder.load(ordering: .relaxed)
        #expect(wasInOrder && shared.queue.count == 0)
    }

    /// The count is in range on any thread.
    @Test func countFromOutside() {
        let shared = Shared(4)
        let observer = WorkerThread(name: "observer")
        let hasStarted = observer.start {
            while !shared.isDone.load(ordering: .acquiring) {
                if !(0...4).contains(shared.queue.count) { shared.isInOrder.store(false, ordering: .releasing) }
                sched_yield()
            }
        }
        #expect(hasStarted)
        for item in 1...100_000 {
            _ = shared.queue.enqueue(item)
            if item % 3 == 0 { while shared.queue.dequeue() != nil {} }
        }
        shared.isDone.store(true, ordering: .releasing)
        observer.join()
        let wasInRange = shared.isInOrder.load(ordering: .acquiring)
        #expect(wasInRange)
    }

    @Test func livesAsLongAsOneThreadHoldsIt() {
        func make() -> SingleProducerQueue<Int> {
            let queue = SingleProducerQueue<Int>(capacity: 4)
            _ = queue.enqueue(5)
            return queue.share()
        }
        let queue = make()
        let element = queue.dequeue()
        #expect(element == 5)
    }
}
