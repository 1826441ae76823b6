extension Unicode.Scalar {
    /// Whether this is a control character, a line separator, or one of Unicode's directional marks, embeddings,
    /// overrides and isolates, all of which can control a terminal or change the direction of text.
    package var steers: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The number in hexadecimal digits, with at least `count` of them.
    package func hex(_ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}
