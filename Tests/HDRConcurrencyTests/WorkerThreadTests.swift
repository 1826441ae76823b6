import Glibc
import Testing

@testable import HDRConcurrency

@Suite struct WorkerThreadTests {
    @Test func runsOnAThreadOfItsOwnWithSignalsBlocked() {
        let seen = Monitor<(isCurrent: Bool, blocked: Int32)?>(nil)
        let thread = WorkerThread(name: "worker-test")
        let hasStarted = thread.start {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            let found = (thread.isCurrent, sigismember(&mask, SIGTERM))
            seen.change { $0 = found }
        }
        #expect(hasStarted && !thread.isCurrent)
        let found = seen.wait { $0 }
        #expect(found?.isCurrent == true && found?.blocked == 1)
        thread.join()
        // There is no thread any more.
        thread.join()
        thread.detach()
    }

    /// The one who ends the thread from within does not wait for itself.
    @Test func endsItself() {
        let isDone = Monitor(false)
        let thread = WorkerThread(name: "worker-test")
        let hasStarted = thread.start {
            thread.joinOrDetach()
            isDone.change { $0 = true }
        }
        #expect(hasStarted)
        #expect(isDone.wait { $0 ? true : nil } == true)
    }
}
