/// Ordered dither: hides the steps of a coarser quantisation in a fixed 8x8 pattern, which compresses better than
/// noise.
public enum Dither: CaseIterable, Sendable {
    case none
    case ordered

    /// The Bayer matrix's offsets in code values, 64 different ones strictly inside (-0.5, 0.5) with a mean of 0, by
    /// rows of 8. A value that is exactly a code stays that code.
    public static let orderedPattern: [Float] = (0..<64).map { index in
        // Interleave the bits of x ^ y and y, lowest first, into a number read highest first.
        let x = index & 7
        let y = index >> 3
        var value = 0
        for bit in 0..<3 {
            value = value << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1
        }
        return (Float(value) + 0.5) / 64 - 0.5
    }

    /// The offset for the sample in column x, row y, in code values.
    public func offset(x: Int, y: Int) -> Float {
        self == .none ? 0 : Self.orderedPattern[(y & 7) * 8 + (x & 7)]
    }
}
