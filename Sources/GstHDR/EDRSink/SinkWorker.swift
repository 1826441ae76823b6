import Glibc
import HDRPresenter

/// A thread that does what is asked for as soon as it can, and once however often it was asked for meanwhile.
final class SinkWorker: @unchecked Sendable {
    private let lock = Mutex()
    private var isRunning = false
    private var work: (() -> Void)?
    private var thread: pthread_t?

    func start() {
        lock.lock()
        defer { lock.unlock() }
        guard !isRunning else { return }
        isRunning = true
        let held = Unmanaged.passRetained(self)
        var made = pthread_t()
        let failure = pthread_create(
            &made, nil,
            { argument in
                if let argument { Unmanaged<SinkWorker>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, held.toOpaque())
        if failure == 0 {
            thread = made
        } else {
            held.release()
            isRunning = false
        }
    }

    /// Asks for work; what was asked for and not yet begun is forgotten.
    func ask(_ work: @escaping () -> Void) {
        lock.lock()
        if isRunning { self.work = work }
        lock.signal()
        lock.unlock()
    }

    /// Ends the thread when it has done what it is at; not waited for where it is the caller.
    func stop() {
        lock.lock()
        isRunning = false
        work = nil
        let old = thread
        thread = nil
        lock.signal()
        lock.unlock()
        guard let old else { return }
        if pthread_equal(old, pthread_self()) == 0 { pthread_join(old, nil) } else { pthread_detach(old) }
    }

    private func run() {
        lock.lock()
        while isRunning {
            guard let next = work else {
                lock.wait()
                continue
            }
            work = nil
            lock.unlock()
            next()
            lock.lock()
        }
        lock.unlock()
    }
}
