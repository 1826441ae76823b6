import Glibc

/// The command line.
struct Options {
    private(set) var isJSON = false
    private(set) var isQuiet = false
    /// Access units to read of each video stream; `nil` for those of one second.
    private(set) var frames: Int?
    /// Seconds for a file.
    private(set) var limit = 20
    /// Where the file names stand in the command line.
    private(set) var positions: [Int] = []

    /// What a child process is asked to do: see `Supervisor`.
    private(set) var job: (first: Int, isColored: Bool)?

    /// An option for this program's own use.
    static let worker = "--inspect-as-child"
    static let version = "0.1.0"

    /// Ends the program after --help and --version, and where an option cannot be understood.
    init(_ words: ArraySlice<String>) {
        var index = words.startIndex
        while index < words.endIndex {
            let word = words[index]
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts.first ?? ""
            func value(_ example: String) -> String {
                if parts.count == 2 { return parts[1] }
                index += 1
                guard index < words.endIndex else { Self.fail("\(name) wants a number, such as \(name) \(example)") }
                return words[index]
            }
            switch name {
            case "--":
                positions += Array(index + 1..<words.endIndex)
                index = words.endIndex
            case "--help" where parts.count == 1, "-h":
                Output.write(Usage.text)
                exit(0)
            case "--version" where parts.count == 1:
                Output.write("hdr-inspect \(Self.version)\n")
                exit(0)
            case "--json" where parts.count == 1: isJSON = true
            case "--quiet" where parts.count == 1, "-q": isQuiet = true
            case "--frames": frames = Self.number(name, value("60"), in: 1...1_000_000)
            case "--timeout": limit = Self.number(name, value("20"), in: 1...3600)
            case Self.worker where parts.count == 2:
                let digits = parts[1].prefix { $0.isNumber }
                job = (Int(digits) ?? 0, parts[1].hasSuffix("c"))
            default:
                if word.hasPrefix("-"), word != "-" {
                    Self.fail(
                        "no option is called \(name): there are --json, --frames, --timeout, --quiet, --help, --version"
                    )
                }
                positions.append(index)
            }
            index += 1
        }
        if positions.isEmpty { Self.fail("name a video file: hdr-inspect FILE... (--help tells more)") }
    }

    private static func number(_ name: String, _ text: String, in range: ClosedRange<Int>) -> Int {
        guard let value = Int(text), range.contains(value) else {
            fail("\(name) wants a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// The names as the bytes that the system has, which need not be UTF-8.
    static func paths(_ positions: [Int]) -> [InputPath] {
        positions.compactMap { position in
            guard position < Int(CommandLine.argc), let bytes = CommandLine.unsafeArgv[position] else { return nil }
            return InputPath(bytes)
        }
    }

    static func say(_ text: String) {
        let line = Output.printable(text) + "\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }

    static func fail(_ text: String) -> Never {
        say("hdr-inspect: \(text)")
        exit(2)
    }
}

enum Output {
    static func write(_ text: String) { write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(2) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Text from a file in which what would steer a terminal, or turn the line's direction, is spelled out: a line feed
    /// is \n, an escape \x1b.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard steers(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result += (scalar.value < 0x100 ? "\\x" : "\\u") + hex(scalar, scalar.value < 0x100 ? 2 : 4)
            }
        }
        return result
    }

    /// Control characters, separators of lines, and marks, embeddings, overrides and isolates of the direction.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    static func hex(_ scalar: Unicode.Scalar, _ count: Int) -> String {
        let digits = String(scalar.value, radix: 16)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}
