/// Captions of digital television: ANSI/CTA-708-E, service 1, as text: the lines of the windows that are visible.
package struct CEA708: Equatable, Sendable {
    private struct Window: Equatable {
        var isVisible = false
        /// Lines that it can hold, 1...16.
        var height = 1
        var lines: [String] = [""]
        var row = 0

        mutating func write(_ character: Character) {
            // A window has 42 columns at most.
            if lines[row].count < 42 { lines[row].append(character) }
        }

        mutating func carriageReturn() {
            if row + 1 < height {
                move(to: row + 1)
            } else {
                lines.removeFirst()
                lines.append("")
                row = lines.count - 1
            }
        }

        mutating func move(to wanted: Int) {
            while lines.count <= wanted { lines.append("") }
            row = wanted
        }

        mutating func clear() { (lines, row) = ([""], 0) }
    }

    private var windows = [Window?](repeating: nil, count: 8)
    private var current = 0
    private var packet: [UInt8] = []

    package init() {}

    /// The visible text: the lines that are not empty, trimmed.
    package var text: String {
        windows.compactMap { $0 }.filter(\.isVisible).flatMap(\.lines).compactMap { line in
            let trimmed = line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            return trimmed.isEmpty ? nil : String(trimmed)
        }.joined(separator: "\n")
    }

    /// Reads two bytes of a caption channel packet.
    /// - Parameter isStart: whether a packet begins with them.
    package mutating func read(_ first: UInt8, _ second: UInt8, isStart: Bool) {
        if isStart {
            finish()
            packet = []
        } else if packet.isEmpty {
            // The packet began before the stream was joined.
            return
        }
        // The largest packet has 128 bytes.
        guard packet.count < 128 else { return }
        packet += [first, second]
        if packet.count >= size { finish() }
    }

    /// Bytes of the packet, its header included.
    private var size: Int { packet.first.map { $0 & 0x3f == 0 ? 128 : Int($0 & 0x3f) * 2 } ?? 0 }

    /// Reads the service blocks of a packet, section 6.2.
    private mutating func finish() {
        let bytes = packet.prefix(size).dropFirst()
        packet = []
        var rest = bytes
        while let header = rest.popFirst() {
            var service = header >> 5
            let count = Int(header & 0x1f)
            if service == 7 {
                guard let extended = rest.popFirst() else { return }
                service = extended & 0x3f
            }
            guard count > 0, rest.count >= count else { return }
            if service == 1 { read(block: rest.prefix(count)) }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: Codes

    private mutating func read(block: ArraySlice<UInt8>) {
        var rest = block
        while let code = rest.popFirst() {
            switch code {
            case 0x08: change { if !$0.lines[$0.row].isEmpty { $0.lines[$0.row].removeLast() } }
            case 0x0c: change { $0.clear() }
            case 0x0d: change { $0.carriageReturn() }
            case 0x0e: change { $0.lines[$0.row] = "" }
            case 0x10: extended(&rest)
            case 0x11...0x17: rest = rest.dropFirst(1)
            case 0x18...0x1f: rest = rest.dropFirst(2)
            case 0x7f: change { $0.write("♪") }
            case 0x20...0x7e, 0xa0...0xff: change { $0.write(Character(Unicode.Scalar(code))) }
            case 0x80...0x9f: command(code, &rest)
            default: break
            }
        }
    }

    /// The code sets C2, C3, G2 and G3, section 7.1.
    private mutating func extended(_ rest: inout ArraySlice<UInt8>) {
        guard let code = rest.popFirst() else { return }
        switch code {
        case 0x00...0x1f: rest = rest.dropFirst(Int(code >> 3))
        case 0x80...0x87: rest = rest.dropFirst(4)
        case 0x88...0x8f: rest = rest.dropFirst(5)
        case 0x90...0x9f:
            // The command has a variable length, which is in the next byte.
            if let count = rest.popFirst() { rest = rest.dropFirst(Int(count & 0x1f)) }
        default: if let character = Self.second[code] { change { $0.write(character) } }
        }
    }

    /// The code set C1, section 7.1.5.
    private mutating func command(_ code: UInt8, _ rest: inout ArraySlice<UInt8>) {
        let counts: [UInt8: Int] = [
            0x88: 1, 0x89: 1, 0x8a: 1, 0x8b: 1, 0x8c: 1, 0x8d: 1, 0x90: 2, 0x91: 3, 0x92: 2, 0x97: 4,
        ]
        let count = code >= 0x98 ? 6 : counts[code] ?? 0
        guard rest.count >= count else {
            rest = []
            return
        }
        let values = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        switch code {
        case 0x80...0x87: current = Int(code - 0x80)
        case 0x88: each(values[0]) { $0?.clear() }
        case 0x89: each(values[0]) { $0?.isVisible = true }
        case 0x8a: each(values[0]) { $0?.isVisible = false }
        case 0x8b: each(values[0]) { $0?.isVisible.toggle() }
        case 0x8c: each(values[0]) { $0 = nil }
        case 0x8f: windows = [Window?](repeating: nil, count: 8)
        case 0x92: change { $0.move(to: Int(values[0] & 0x0f)) }
        case 0x98...0x9f:
            current = Int(code - 0x98)
            var window = windows[current] ?? Window()
            window.isVisible = values[0] & 0x20 != 0
            window.height = Int(values[3] & 0x0f) + 1
            windows[current] = window
        default: break
        }
    }

    private mutating func change(_ body: (inout Window) -> Void) {
        guard var window = windows[current] else { return }
        body(&window)
        windows[current] = window
    }

    /// Changes the windows of a bit mask.
    private mutating func each(_ mask: UInt8, _ body: (inout Window?) -> Void) {
        for index in windows.indices where mask >> UInt8(index) & 1 != 0 { body(&windows[index]) }
    }

    /// Characters of G2 that are no blanks.
    private static let second: [UInt8: Character] = [
        0x20: " ", 0x21: " ", 0x25: "…", 0x2a: "Š", 0x2c: "Œ", 0x30: "█", 0x31: "‘", 0x32: "’", 0x33: "“", 0x34: "”",
        0x35: "•", 0x39: "™", 0x3a: "š", 0x3c: "œ", 0x3d: "℠", 0x3f: "Ÿ", 0x76: "⅛", 0x77: "⅜", 0x78: "⅝", 0x79: "⅞",
    ]
}
