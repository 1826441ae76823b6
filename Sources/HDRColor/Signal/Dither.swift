/// Hides the steps of a coarser quantisation in a fixed pattern.
public enum Dither: CaseIterable, Sendable {
    case none
    /// The 8x8 Bayer matrix, which compresses better than noise.
    case ordered
    /// Blue noise: 64x64 thresholds without structure, whose error lies at high frequencies (``blueNoiseTile``).
    case blueNoise

    /// The Bayer matrix's offsets in code values, 64 different ones strictly inside (-0.5, 0.5) with a mean of 0, in
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

    /// The offsets of blue noise in code values, in rows of 64, with a mean of 0, all exact in single precision. The
    /// outermost ones are limited to those of the Bayer matrix, so that rounding errors do not become visible in black,
    /// white and grey.
    public static let blueNoisePattern: [Float] = blueNoiseTile.map { rank in
        min(max(Float(2 * Int(rank) - 4095) / 8192, -63.0 / 128), 63.0 / 128)
    }

    /// The number of columns, and of rows, after which the pattern repeats: a power of 2, from 8 to 64.
    public var size: Int { self == .blueNoise ? 64 : 8 }

    /// The offset for the sample in column x, row y, in code values.
    public func offset(x: Int, y: Int) -> Float {
        switch self {
        case .none: 0
        case .ordered: Self.orderedPattern[(y & 7) * 8 + (x & 7)]
        case .blueNoise: Self.blueNoisePattern[(y & 63) * 64 + (x & 63)]
        }
    }
}
