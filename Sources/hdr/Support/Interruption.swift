import Glibc
import HDRConcurrency

/// The user or the system asked for an end: SIGINT, SIGTERM or SIGHUP. The exit status is 128 and the signal's number.
struct Interruption: Error {
    let signal: CInt

    /// Stored by the handler of signals, which may do no more than that.
    private nonisolated(unsafe) static var caught: CInt = 0

    /// From now on these signals are noted. Until then they end the program at once, which has nothing to clean up.
    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(number) {
            Glibc.signal(number) { if Interruption.caught == 0 { Interruption.caught = $0 } }
        }
    }

    /// Whether who started this program wants it to go on in spite of a signal, as nohup does.
    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else {
            return false
        }
        // SIG_IGN is no function, but 1.
        return unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Throws where a signal has come.
    static func check() throws(Interruption) {
        if caught != 0 { throw Interruption(signal: caught) }
    }
}
