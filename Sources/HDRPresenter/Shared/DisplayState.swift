import HDRColor

/// The properties that a display reports. Luminances are in cd/m²; a display that does not report its reference white
/// gets BT.2408's.
public struct DisplayState: Equatable, Sendable {
    /// The luminance of SDR white.
    public var referenceWhite: Double
    /// The highest and the lowest luminance that the display can show now.
    public var peak: Double
    public var black: Double
    /// The peak divided by the reference white, now and at most; 1 for a display without extended range.
    public var headroom: Double { max(1, peak / referenceWhite) }
    public var potentialHeadroom: Double
    /// The display that the window is on, by the display system's name for it; empty where it is unknown.
    public var output: String
    /// The refresh interval in nanoseconds; 0 where it is unknown.
    public var refreshInterval: UInt64
    /// Short names of what the display system offers, such as `ext_linear` or `rgba16f`.
    public var features: [String]
    /// The reasons why better ways to show pictures were not taken, a sentence for each.
    public var refusals: [String]

    public init(
        referenceWhite: Double = BT2408.referenceWhite, peak: Double = BT2408.referenceWhite, black: Double = 0,
        potentialHeadroom: Double = 1,
        output: String = "", refreshInterval: UInt64 = 0, features: [String] = [], refusals: [String] = []
    ) {
        self.referenceWhite = referenceWhite
        self.peak = peak
        self.black = black
        self.potentialHeadroom = potentialHeadroom
        self.output = output
        self.refreshInterval = refreshInterval
        self.features = features
        self.refusals = refusals
    }
}
