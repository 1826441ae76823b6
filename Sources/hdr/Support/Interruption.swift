import Glibc
import HDRConcurrency

/// An interruption by SIGINT, SIGTERM or SIGHUP. The exit status is 128 plus the signal's number.
struct Interruption: Error {
    let signal: CInt

    /// Stored by the handler of signals, which may do no more than that.
    private nonisolated(unsafe) static var caught: CInt = 0

    /// Starts to record these signals. Before that they end the program at once, when there is nothing to clean up.
    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(number) {
            Glibc.signal(number) { if Interruption.caught == 0 { Interruption.caught = $0 } }
        }
    }

    /// Whether the parent process had a signal ignored, as nohup does.
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
