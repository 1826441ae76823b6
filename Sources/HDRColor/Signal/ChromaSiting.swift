/// The position of a subsampled signal's chroma samples.
public struct ChromaSiting: Equatable, Sendable {
    /// Whether chroma lies on the left luma sample of a pair; otherwise it lies midway between the two.
    public var horizontallyCosited: Bool
    /// Whether chroma lies on the upper luma sample of a pair; otherwise it lies midway between the two.
    public var verticallyCosited: Bool

    public init(horizontallyCosited: Bool, verticallyCosited: Bool) {
        self.horizontallyCosited = horizontallyCosited
        self.verticallyCosited = verticallyCosited
    }

    /// MPEG-1, JPEG: in the middle of four luma samples.
    public static let center = ChromaSiting(horizontallyCosited: false, verticallyCosited: false)
    /// MPEG-2, H.264, SDR HEVC: chroma sample location type 0.
    public static let left = ChromaSiting(horizontallyCosited: true, verticallyCosited: false)
    /// BT.2020 and BT.2100: chroma sample location type 2.
    public static let topLeft = ChromaSiting(horizontallyCosited: true, verticallyCosited: true)
}

/// How chroma is resampled from one sampling to another.
public enum ChromaMode: CaseIterable, Sendable {
    /// Linear interpolation for upsampling and its matching filter for downsampling, at the samples' true positions.
    case linear
    /// Each chroma sample is repeated for upsampling; for downsampling one of those that it represents is taken.
    case nearest
}

/// Two-tap weights that interpolate chroma rows at the height of a luma row. The resamplers have loops of their own for
/// columns.
public struct ChromaInterpolation: Equatable, Sendable {
    /// The index of the first chroma sample; the second is the next one. Both may lie one outside, where edges repeat.
    public let first: Int
    /// The weight of the second sample, [0, 1).
    public let secondWeight: Float

    /// - Parameters:
    ///   - position: the luma position, 0 or above.
    ///   - place: where chroma that is not cosited lies between the two luma positions of a pair, from 0 to 1.
    @inlinable public init(position: Int, cosited: Bool, mode: ChromaMode, place: Float = 0.5) {
        let half = position >> 1
        let odd = position & 1 == 1
        switch (mode, cosited, odd) {
        case (.nearest, _, _), (.linear, true, false): (first, secondWeight) = (half, 0)
        case (.linear, true, true): (first, secondWeight) = (half, 0.5)
        case (.linear, false, false): (first, secondWeight) = (half - 1, 1 - place / 2)
        case (.linear, false, true): (first, secondWeight) = (half, (1 - place) / 2)
        }
    }
}
