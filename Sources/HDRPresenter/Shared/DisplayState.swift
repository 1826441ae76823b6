/// What a display says of itself. Luminances in cd/m².
public struct DisplayState: Equatable, Sendable {
    /// The luminance of SDR white.
    public var referenceWhite: Double
    /// What the display can show now.
    public var peak: Double
    public var black: Double
    /// The peak over the reference white now, and the most it may become; 1 where there is no extended range.
    public var headroom: Double { max(1, peak / referenceWhite) }
    public var potentialHeadroom: Double
    /// Where the window is, in the display system's words; empty where unknown.
    public var output: String
    /// Nanoseconds from one refresh to the next; 0 where unknown.
    public var refreshInterval: UInt64
    /// What the display system offers, one short name each, as `ext_linear` or `rgba16f`.
    public var features: [String]
    /// What was not possible, as a sentence each that says why: the best rungs not taken.
    public var refusals: [String]

    /// The luminance of SDR white in HDR by Report ITU-R BT.2408, for displays that do not report theirs.
    public static let defaultReferenceWhite = 203.0

    public init(
        referenceWhite: Double = defaultReferenceWhite, peak: Double = defaultReferenceWhite, black: Double = 0,
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
