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
