import Glibc

/// The present activity of a measurement or a preview, in one line of a terminal that the next one replaces. Nothing is
/// written to files and pipes.
enum Progress {
    private static let began = ContinuousClock.now
    /// Standard error itself may be nowhere (see ``Output/keepErrors()``).
    private static var isTerminal: Bool { isatty(Output.errors) != 0 }

    static func show(_ text: String) {
        if isTerminal { Output.writeError("\r\u{1B}[K\(text)") }
    }

    /// - Parameters:
    ///   - done: steps that are done.
    ///   - all: steps that there are. They take about the same time, from which the time left follows.
    static func show(_ text: String, done: Int, of all: Int) {
        guard isTerminal else { return }
        let spent = (ContinuousClock.now - began) / .nanoseconds(1)
        let left = done > 0 ? ", \(Time.clock(UInt64(spent / Double(done) * Double(max(all - done, 0))))) left" : ""
        show(text + left)
    }

    static func clear() {
        if isTerminal { Output.writeError("\r\u{1B}[K") }
    }
}
