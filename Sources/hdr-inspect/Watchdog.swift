import CGStreamer
import Glibc

/// Ends the program where GStreamer itself hangs, such as in a read that never returns.
enum Watchdog {
    /// Written by the main thread before the alarm is set.
    nonisolated(unsafe) private static var message: UnsafeMutablePointer<CChar>?

    /// - Parameter seconds: what the file may take; the alarm comes a little later.
    static func start(_ path: InputPath, seconds: Int) {
        free(message)
        message = strdup("hdr-inspect: \(path.name): reading it hangs: copy it to another disk and try again\n")
        signal(SIGALRM) { _ in
            if let text = Watchdog.message { _ = write(2, text, strlen(text)) }
            _exit(2)
        }
        alarm(CUnsignedInt(clamping: seconds + 10))
    }

    static func stop() { alarm(0) }
}

/// Keeps GLib's warnings away: damaged files make GStreamer's demuxers fail checks of their own, which would stand
/// between the lines.
enum Quiet {
    static func start() {
        // Called on any thread, which a closure in main.swift may not be.
        g_log_set_default_handler({ _, _, _, _ in }, nil)
    }
}
