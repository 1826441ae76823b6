import Glibc
import HDRJSON

/// Writes to the standard streams.
enum Output {
    /// Whether nothing has been written to standard output yet.
    private(set) nonisolated(unsafe) static var isUntouched = true
    /// The exit status where standard output takes no more: what the command calls an error.
    nonisolated(unsafe) static var failureStatus: CInt = 1

    /// Whether whoever started this program has closed its standard output.
    private nonisolated(unsafe) static var isClosed = false

    /// Opens the standard streams that are closed, on nothing: the next file to be opened would become one of them, and
    /// get what is printed.
    static func fillStreams() {
        for stream in 0...2 as ClosedRange<CInt> where fcntl(stream, F_GETFD) < 0 {
            if stream == 1 { isClosed = true }
            // The lowest number that is free is this one.
            _ = open("/dev/null", stream == 0 ? O_RDONLY : O_WRONLY)
        }
    }

    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Prints a value on lines of its own.
    static func write(_ json: JSON) {
        var text = ""
        json.write(to: &text, indent: "")
        write(text + "\n")
    }

    /// Ends the program where nothing more can be written: silently where the reader has closed the stream.
    static func write(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if !bytes.isEmpty { isUntouched = false }
        guard bytes.isEmpty || !isClosed else {
            report("hdr: cannot write to standard output: it is closed")
            exit(failureStatus)
        }
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count < 0, errno != EPIPE {
                    report("hdr: cannot write to standard output: \(String(cString: strerror(errno)))")
                }
                exit(failureStatus)
            }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Writes a line to standard error, without characters that control a terminal.
    static func report(_ text: String) { writeError(printable(text) + "\n") }

    static func writeError(_ text: String) { _ = text.withCString { Glibc.write(errors, $0, strlen($0)) } }

    /// The file descriptor for errors and progress: standard error, or the copy of it that ``keepErrors()`` has made.
    private(set) nonisolated(unsafe) static var errors: CInt = 2

    /// Reserves standard error for this program's own lines, since libraries write to it, too. If GST_DEBUG is set
    /// without GST_DEBUG_FILE, the libraries' lines are kept. Called once, before there is any other thread.
    static func keepErrors() {
        guard errors == 2, getenv("GST_DEBUG") == nil || getenv("GST_DEBUG_FILE") != nil else { return }
        let own = fcntl(2, F_DUPFD_CLOEXEC, 3)
        let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard own >= 0, silent >= 0 else { return }
        dup2(silent, 2)
        close(silent)
        errors = own
    }

    /// Text from a file or a command line, with those characters escaped that would control a terminal or change the
    /// direction of text: a line feed is \n, an escape \x1b.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard scalar.steers else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result += (scalar.value < 0x100 ? "\\x" : "\\u") + scalar.hex(scalar.value < 0x100 ? 2 : 4)
            }
        }
        return result
    }
}
