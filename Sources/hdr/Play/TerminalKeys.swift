import Glibc

/// Reads single keys from standard input while it is a terminal, one name each, as X and GStreamer's navigation events
/// name them. ``close()`` gives the terminal back.
final class TerminalKeys {
    private static let sequences: [(bytes: [UInt8], name: String)] = [
        ("[A", "Up"), ("[B", "Down"), ("[C", "Right"), ("[D", "Left"), ("OA", "Up"), ("OB", "Down"), ("OC", "Right"),
        ("OD", "Left"), ("[5~", "Prior"), ("[6~", "Next"),
    ].map { ([0x1b] + Array($0.0.utf8), $0.1) }

    /// Keys whose names are not what they write.
    private static let names = [
        "space": " ", "period": ".", "plus": "+", "KP_Add": "+", "minus": "-", "KP_Subtract": "-", "equal": "=",
        "less": "<", "greater": ">", "question": "?", "Escape": "q", "Page_Up": "Prior", "Page_Down": "Next",
    ]

    /// The terminal as it was, which the handler of SIGCONT must not see half written: it is set before that.
    private nonisolated(unsafe) static var mode = termios()
    private var before: termios?

    /// One name for a key, whether it comes from a window or a terminal: what it writes, or its name.
    static func normal(_ name: String) -> String { names[name] ?? name }

    init() {
        // In the background the terminal belongs to another program.
        guard isatty(0) != 0, tcgetpgrp(0) == getpgrp() else { return }
        var found = termios()
        guard tcgetattr(0, &found) == 0 else { return }
        before = found
        found.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // VMIN and VTIME, of which Swift sees no subscripts: a read gives what there is.
        withUnsafeMutableBytes(of: &found.c_cc) { bytes in
            bytes[Int(VMIN)] = 1
            bytes[Int(VTIME)] = 0
        }
        Self.mode = found
        tcsetattr(0, TCSAFLUSH, &Self.mode)
        // After Ctrl-Z and fg the shell has changed the terminal.
        signal(SIGCONT) { _ in tcsetattr(0, TCSADRAIN, &TerminalKeys.mode) }
    }

    func close() {
        guard var former = before else { return }
        before = nil
        signal(SIGCONT, SIG_DFL)
        tcsetattr(0, TCSADRAIN, &former)
    }

    deinit { close() }

    /// The keys since the last call; does not wait.
    func read() -> [String] {
        var state = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard before != nil, poll(&state, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(0, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal has gone.
            if count == 0 || errno != EINTR { before = nil }
            return []
        }
        return Self.split(bytes[..<count])
    }

    /// The keys for bytes from the terminal.
    static func split(_ bytes: ArraySlice<UInt8>) -> [String] {
        var keys: [String] = []
        var rest = bytes
        while let first = rest.first {
            if let known = sequences.first(where: { rest.starts(with: $0.bytes) }) {
                keys.append(known.name)
                rest = rest.dropFirst(known.bytes.count)
            } else if first == 0x1b, rest.count > 1 {
                // The sequence of some other key, up to its last letter.
                let end = rest.dropFirst(2).firstIndex { (0x40...0x7e).contains($0) } ?? rest.endIndex - 1
                rest = rest[(end + 1)...]
            } else {
                keys.append(first == 0x1b ? "q" : String(Unicode.Scalar(first)))
                rest = rest.dropFirst()
            }
        }
        return keys
    }
}
