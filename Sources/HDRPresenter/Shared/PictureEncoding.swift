/// The relation of a picture's code values to light on the display.
public struct PictureEncoding: Equatable, Sendable {
    public enum Transfer: Equatable, Sendable {
        /// Linear light in which SDR white is `whiteValue`.
        case extendedLinear
        /// The absolute PQ signal of SMPTE ST 2084.
        case pq
        /// The sRGB signal of IEC 61966-2-1.
        case sRGB
    }
    public enum Primaries: Equatable, Sendable { case sRGB, displayP3, bt2020 }

    public var transfer: Transfer
    public var primaries: Primaries
    /// The value of SDR white in linear light: 1, or less for a display that takes no values above 1.0.
    public var whiteValue: Double

    public init(_ transfer: Transfer, _ primaries: Primaries, whiteValue: Double = 1) {
        self.transfer = transfer
        self.primaries = primaries
        self.whiteValue = whiteValue
    }
}
