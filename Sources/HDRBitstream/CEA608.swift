/// Captions of line 21: ANSI/CTA-608-E, the first channel of the first field, CC1, as text.
package struct CEA608: Equatable, Sendable {
    private enum Mode: Equatable {
        /// Captions are written unseen, and shown at once.
        case popOn
        case rollUp(rows: Int)
        case paintOn
        /// Text that is no caption.
        case text
    }

    private static let rows = 15
    private static let columns = 32
    private static let blank = [[Character?]](repeating: [Character?](repeating: nil, count: columns), count: rows)

    private var mode = Mode.popOn
    private var shown = Self.blank
    private var hidden = Self.blank
    private var row = rows - 1
    private var column = 0
    /// The last control code, which is sent twice.
    private var last: (UInt8, UInt8)?
    private var isOtherChannel = false

    package init() {}

    package static func == (first: CEA608, second: CEA608) -> Bool {
        first.mode == second.mode && first.shown == second.shown && first.hidden == second.hidden
            && first.row == second.row && first.column == second.column
    }

    /// The visible text: the lines that are not empty, trimmed.
    package var text: String {
        shown.compactMap { row in
            let line = String(row.map { $0 ?? " " })
            let trimmed = line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            return trimmed.isEmpty ? nil : String(trimmed)
        }.joined(separator: "\n")
    }

    // MARK: Codes

    /// Reads two bytes of the first field, with or without their parity bits.
    package mutating func read(_ first: UInt8, _ second: UInt8) {
        let (a, b) = (first & 0x7f, second & 0x7f)
        guard a >= 0x10 else {
            // These codes are padding, or no captions.
            return
        }
        guard a < 0x20 else {
            last = nil
            guard !isOtherChannel else { return }
            write(Self.basic(a))
            if b >= 0x20 { write(Self.basic(b)) }
            return
        }
        if let last, last == (a, b) {
            self.last = nil
            return
        }
        last = (a, b)
        isOtherChannel = a & 0x08 != 0
        if !isOtherChannel { control(a, b) }
    }

    private mutating func control(_ a: UInt8, _ b: UInt8) {
        switch (a, b) {
        case (0x10...0x17, 0x40...0x7f): position(a, b)
        case (0x11, 0x20...0x2f): write(" ")
        case (0x11, 0x30...0x3f): write(Self.special[Int(b - 0x30)])
        case (0x12, 0x20...0x3f): replace(Self.extended[Int(b - 0x20)])
        case (0x13, 0x20...0x3f): replace(Self.extended[Int(b - 0x20) + 32])
        case (0x17, 0x21...0x23): column = min(column + Int(b - 0x20), Self.columns - 1)
        case (0x14, 0x20...0x2f), (0x15, 0x20...0x2f): command(b)
        default: break
        }
    }

    /// Miscellaneous control codes, table 52.
    private mutating func command(_ b: UInt8) {
        switch b {
        case 0x20: mode = .popOn
        case 0x21: erase(at: column - 1)
        case 0x24:
            change { rows, row, column in
                for place in column..<Self.columns { rows[row][place] = nil }
            }
        case 0x25...0x27: rollUp(Int(b) - 0x23)
        case 0x29: mode = .paintOn
        case 0x2a, 0x2b: mode = .text
        case 0x2c: shown = Self.blank
        case 0x2d: carriageReturn()
        case 0x2e: hidden = Self.blank
        case 0x2f:
            swap(&shown, &hidden)
            mode = .popOn
        default: break
        }
    }

    private mutating func rollUp(_ count: Int) {
        if case .rollUp = mode {
        } else {
            (shown, hidden) = (Self.blank, Self.blank)
            row = Self.rows - 1
            column = 0
        }
        mode = .rollUp(rows: count)
    }

    private mutating func carriageReturn() {
        guard case .rollUp(let count) = mode else { return }
        let top = max(row - count + 1, 0)
        for line in 0..<row { shown[line] = line >= top ? shown[line + 1] : Self.blank[0] }
        shown[row] = Self.blank[0]
        column = 0
    }

    /// A preamble address code, table 53.
    private mutating func position(_ a: UInt8, _ b: UInt8) {
        let pairs: [UInt8: Int] = [0x11: 0, 0x12: 2, 0x15: 4, 0x16: 6, 0x17: 8, 0x10: 10, 0x13: 11, 0x14: 13]
        guard let first = pairs[a] else { return }
        let wanted = a == 0x10 ? first : first + (b & 0x20 != 0 ? 1 : 0)
        if case .rollUp(let count) = mode, wanted != row {
            // The lines that are shown move along.
            var moved = Self.blank
            for line in 0..<count where row - line >= 0 && wanted - line >= 0 {
                moved[wanted - line] = shown[row - line]
            }
            shown = moved
        }
        row = wanted
        column = b & 0x10 != 0 ? Int(b >> 1 & 7) * 4 : 0
    }

    // MARK: Characters

    private mutating func change(_ body: (inout [[Character?]], Int, Int) -> Void) {
        switch mode {
        case .popOn: body(&hidden, row, column)
        case .rollUp, .paintOn: body(&shown, row, column)
        case .text: break
        }
    }

    private mutating func write(_ character: Character) {
        change { rows, row, column in rows[row][column] = character }
        column = min(column + 1, Self.columns - 1)
    }

    /// Replaces the last character: an extended character follows a basic one that old decoders show instead.
    private mutating func replace(_ character: Character) {
        column = max(column - 1, 0)
        write(character)
    }

    private mutating func erase(at place: Int) {
        column = max(place, 0)
        change { rows, row, column in rows[row][column] = nil }
    }

    private static func basic(_ code: UInt8) -> Character {
        switch code {
        case 0x2a: "á"
        case 0x5c: "é"
        case 0x5e: "í"
        case 0x5f: "ó"
        case 0x60: "ú"
        case 0x7b: "ç"
        case 0x7c: "÷"
        case 0x7d: "Ñ"
        case 0x7e: "ñ"
        case 0x7f: "█"
        default: Character(Unicode.Scalar(code))
        }
    }

    /// Table 49, of which the tenth is a transparent blank.
    private static let special = Array("®°½¿™¢£♪à èâêîôû")
    /// Tables 5 to 10.
    private static let extended = Array("ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘")
}
