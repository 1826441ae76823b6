import Testing

@testable import HDRConcurrency

@Suite struct MonitorTests {
    @Test func waitersWakeAtAChange() {
        let monitor = Monitor(0)
        let thread = WorkerThread(name: "waiter")
        let hasStarted = thread.start {
            let answer = monitor.wait { $0 == 1 ? true : nil }
            if answer == true { monitor.change { $0 = 2 } }
        }
        #expect(hasStarted)
        monitor.change { $0 = 1 }
        #expect(monitor.wait { $0 == 2 ? "done" : nil } == "done")
        thread.join()
    }

    @Test func theDeadlineEndsAWait() {
        let monitor = Monitor(0)
        let start = MonotonicClock.now()
        #expect(monitor.wait(until: start + 20_000_000) { _ in Int?.none } == nil)
        #expect(MonotonicClock.now() >= start + 20_000_000)
        // A deadline that has passed still asks.
        #expect(monitor.wait(until: 0) { $0 == 0 ? true : nil } == true)
    }

    struct Failure: Error {}

    @Test func errorsLeaveTheMonitorUnlocked() {
        let monitor = Monitor(7)
        #expect(throws: Failure.self) { try monitor.withLock { _ throws(Failure) in throw Failure() } }
        #expect(throws: Failure.self) { try monitor.change { _ throws(Failure) in throw Failure() } }
        #expect(throws: Failure.self) { try monitor.wait { _ throws(Failure) -> Int? in throw Failure() } }
        #expect(monitor.withLock { $0 } == 7)
    }
}
