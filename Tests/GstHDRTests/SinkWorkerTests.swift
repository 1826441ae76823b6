import HDRConcurrency
import TestSupport
import Testing

@testable import GstHDR

@Suite struct SinkWorkerTests {
    @Test func theNewestJobRuns() {
        let worker = SinkWorker()
        let done = Monitor(0)
        worker.ask { done.change { $0 = -1 } }
        worker.start()
        worker.start()
        worker.ask { done.change { $0 = 1 } }
        #expect(done.wait(until: MonotonicClock.now() + 10 * MonotonicClock.second) { $0 == 0 ? nil : $0 } == 1)
        worker.stop()
        worker.ask { done.change { $0 = 2 } }
        worker.stop()
        #expect(done.withLock { $0 } == 1)
    }

    /// A thread that starts the worker while another one waits for its end keeps it running, and the other's wait ends.
    @Test func threadsMeet() {
        let worker = SinkWorker()
        let jobs = Locked(0)
        let count = TestWork.scaled(20_000, least: 2000)
        let body: @Sendable () -> Void = {
            for index in 0..<count {
                worker.start()
                worker.ask { jobs.withLock { $0 += 1 } }
                if index % 3 == 0 { worker.stop() }
            }
        }
        onThreads([body, body, body])
        let done = Monitor(false)
        worker.start()
        worker.ask { done.change { $0 = true } }
        #expect(done.wait(until: MonotonicClock.now() + 10 * MonotonicClock.second) { $0 ? true : nil } == true)
        worker.stop()
        let before = jobs.current
        worker.ask { jobs.withLock { $0 += 1 } }
        #expect(jobs.current == before)
    }

    /// Whoever waits for the thread's end gets it, though another one starts the worker in that moment.
    @Test func aStopEndsBesideAStart() {
        let ended = Monitor(0)
        let rounds = TestWork.scaled(20_000, least: 1000)
        let storm = WorkerThread(name: "storm")
        let started = storm.start {
            let worker = SinkWorker()
            let turn = Monitor((start: 0, done: 0))
            let other = WorkerThread(name: "starts")
            _ = other.start {
                for round in 1...rounds {
                    _ = turn.wait { $0.start >= round ? true : nil }
                    worker.start()
                    turn.change { $0.done = round }
                }
            }
            for round in 1...rounds {
                worker.start()
                turn.change { $0.start = round }
                worker.stop()
                _ = turn.wait { $0.done >= round ? true : nil }
                ended.change { $0 = round }
            }
            other.join()
            worker.stop()
        }
        #expect(started)
        let deadline = MonotonicClock.now() + 60 * MonotonicClock.second
        guard ended.wait(until: deadline, { $0 == rounds ? true : nil }) == true else {
            Issue.record("\(ended.withLock { $0 }) of \(rounds) stops ended")
            return
        }
        storm.join()
    }

    @Test func aJobMayStopItsWorker() {
        let worker = SinkWorker()
        let done = Monitor(false)
        worker.start()
        worker.ask {
            worker.stop()
            done.change { $0 = true }
        }
        #expect(done.wait(until: MonotonicClock.now() + 10 * MonotonicClock.second) { $0 ? true : nil } == true)
        worker.start()
        worker.stop()
    }
}
