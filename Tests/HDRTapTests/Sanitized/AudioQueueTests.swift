import Foundation
import HDRTap
import Testing

@Suite struct AudioQueueTests {
    struct Pair: BitwiseCopyable, Equatable {
        var id: UInt8
        var value: Double
    }

    @Test func orderFullAndEmpty() {
        for capacity in [1, 2, 3, 7] {
            let queue = AudioQueue<Pair>(capacity: capacity)
            #expect(drain(queue) == [])
            for round in 0..<5 {
                let pairs = (0..<capacity).map { Pair(id: UInt8($0), value: Double(round)) }
                var taken: [Bool] = []
                for pair in pairs { taken.append(queue.enqueue(pair)) }
                taken.append(queue.enqueue(Pair(id: 99, value: 0)))
                #expect(taken == pairs.map { _ in true } + [false], "the last one finds the queue full")
                let count = queue.count
                #expect(count == capacity)
                #expect(drain(queue) == pairs)
            }
        }
        let least = AudioQueue<Int>(capacity: -4).capacity
        #expect(least == 1)
    }

    func drain<Element>(_ queue: borrowing AudioQueue<Element>) -> [Element] {
        var result: [Element] = []
        while let element = queue.dequeue() { result.append(element) }
        return result
    }

    @Test func itLivesAsLongAsOneThreadHoldsIt() {
        func make() -> AudioQueue<Int> {
            let queue = AudioQueue<Int>(capacity: 4)
            _ = queue.enqueue(5)
            return queue.share()
        }
        #expect(drain(make()) == [5])
    }

    @Test func twoThreads() async {
        let total = 200_000
        let queue = AudioQueue<Int>(capacity: 17)
        let other = queue.share()
        let writer = Thread {
            var next = 0
            while next < total { if other.enqueue(next) { next += 1 } else { sched_yield() } }
        }
        writer.start()
        var next = 0
        var isOrdered = true
        while next < total {
            guard let number = queue.dequeue() else {
                sched_yield()
                continue
            }
            isOrdered = isOrdered && number == next
            next += 1
        }
        #expect(isOrdered)
        #expect(drain(queue) == [])
    }

    @Test func parametersAreShared() {
        let parameter = AudioParameter(0.25)
        let same = parameter.share()
        var values = [same.value]
        same.value = -.infinity
        values.append(parameter.value)
        #expect(values == [0.25, -.infinity])
    }
}
