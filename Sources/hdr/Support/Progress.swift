import Glibc

/// What a command is doing, in one line of a terminal that the next one replaces. Files and pipes get nothing.
enum Progress {
    static func show(_ text: String) {
        if isatty(2) != 0 { Output.writeError("\r\u{1B}[K\(text)") }
    }

    static func clear() {
        if isatty(2) != 0 { Output.writeError("\r\u{1B}[K") }
    }
}
