extension Unicode.Scalar {
    /// Control characters, line separators, and Unicode's directional marks, embeddings, overrides and isolates: what
    /// controls a terminal or changes the direction of text.
    package var steers: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Hexadecimal digits, at least as many as asked for.
    package func hex(_ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}
