import CXCB
import Glibc

/// A file that a thread polls in addition to its socket, so that other threads can wake it.
final class WakeUp: Sendable {
    /// Readable after `signal` and before `clear`; -1 if the process has too many open files.
    let file: Int32

    init() { file = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

    deinit { if file >= 0 { close(file) } }

    /// Wakes the thread. Any thread may call it.
    func signal() {
        var one: UInt64 = 1
        _ = write(file, &one, 8)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(file, &count, 8)
    }
}
