import Glibc

/// A thread of the library's own, with all signals blocked, so that no signal handler of the program runs on it.
package final class WorkerThread: @unchecked Sendable {
    private let name: String
    private let handle = Locked<UncheckedSendable<pthread_t?>>(UncheckedSendable(nil))

    /// - Parameter name: for debuggers, 15 bytes at most.
    package init(name: String) { self.name = name }

    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread that runs `body` and ends with it. The one before must have been joined or detached.
    /// - Returns: `false` if the system has no thread left.
    package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        handle.withLock { handle in
            // A thread inherits its creator's mask. SIGPIPE too is blocked: the loss of a server is an error that
            // writing returns.
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            let body = Unmanaged.passRetained(Body(name, body))
            var thread = pthread_t()
            let error = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    WorkerThread.setName(body.name)
                    body.run()
                    return nil
                }, body.toOpaque())
            guard error == 0 else {
                body.release()
                return false
            }
            handle.value = thread
            return true
        }
    }

    package var isCurrent: Bool {
        handle.withLock { handle in handle.value.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Waits for the thread's end. Does nothing if there is no thread.
    package func join() { if let thread = forget() { pthread_join(thread, nil) } }

    /// Leaves the thread to end by itself.
    package func detach() { if let thread = forget() { pthread_detach(thread) } }

    /// Waits for the thread's end, unless the caller is that thread.
    package func joinOrDetach() { isCurrent ? detach() : join() }

    private func forget() -> pthread_t? {
        handle.withLock { handle in
            defer { handle.value = nil }
            return handle.value
        }
    }

    /// Sets the calling thread's name. Swift's Glibc module lacks the function, since it is a GNU extension.
    private static func setName(_ name: String) {
        typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32
        guard let function = dlsym(nil, "pthread_setname_np") else { return }
        _ = unsafeBitCast(function, to: SetName.self)(pthread_self(), name)
    }
}
