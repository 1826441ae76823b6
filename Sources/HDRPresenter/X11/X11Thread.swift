import CXCB
import Glibc

/// A thread that nobody's signals run on.
final class X11Thread: @unchecked Sendable {
    private let handle = X11Monitor<pthread_t?>(nil)

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `false` where the system has no thread left.
    func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        handle.withLock { handle in
            // A thread starts with its maker's mask. SIGPIPE too: a server that has gone is an error and no end.
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            let body = Unmanaged.passRetained(Body(run))
            var thread = pthread_t()
            let error = pthread_create(
                &thread, nil,
                { argument in
                    cxcb_name_thread("hdr-x11")
                    guard let argument else { return nil }
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            guard error == 0 else {
                body.release()
                return false
            }
            handle = thread
            return true
        }
    }

    var isCurrent: Bool {
        handle.withLock { handle in handle.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// It ends by itself some time.
    func detach() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_detach(thread) }
    }
}
