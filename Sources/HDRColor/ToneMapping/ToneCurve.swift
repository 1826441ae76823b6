/// A mapping of the source's range of luminance to the target's, and for some curves also its inverse: one entry of
/// the registry.
///
/// To add a curve of light, write a file with its formula and its entry, and name it in ``choices``. `hdrconvert`'s
/// property with its description, the kernels and the parametrised tests follow from the entry.
public struct ToneCurve: Sendable {
    /// The way in which a conversion applies the curve.
    public enum Operation: Sendable {
        /// Nothing is compressed; colours that the target cannot show are left to the gamut mapping.
        case none
        /// Each component is clamped at the target's peak.
        case clip
        /// A curve of light, in the domain that the user chooses.
        case light
        /// The curve processes all components at once, in its own colour space.
        case bt2446a, bt2446c
    }

    /// The quantity that a curve of light maps.
    public enum Measure: Sendable {
        /// The domain that the user chooses.
        case chosen
        /// The largest of R, G, B in the source's primaries.
        case maxRGB
        /// The largest of R, G, B in BT.2020, whatever the source's primaries.
        case maxRGBOfBT2020
    }

    /// The property's value as users type it.
    public let name: String
    /// The curve's effect on a picture, for the description of the property.
    public let summary: String
    /// The effect of its inverse on SDR in an HDR signal; `nil` where there is no inverse.
    public let inverseSummary: String?
    public let operation: Operation
    /// The quantity that a curve of light maps.
    public let measure: Measure
    /// Whether the curve is made for the scene's peak, where that is known.
    public let followsPeak: Bool
    /// Whether the curve of light follows the scene's average, or its share of highlights, where that is known.
    public let followsAverage, followsHighlights: Bool
    /// The curve of light between two peaks.
    let light: (@Sendable (ToneRange) -> LightCurve)?

    /// A curve of light.
    init(
        _ name: String, _ summary: String, inverse: String? = nil, measure: Measure = .chosen,
        followsAverage: Bool = false, followsHighlights: Bool = false,
        light: @escaping @Sendable (ToneRange) -> LightCurve
    ) {
        self.name = name
        self.summary = summary
        inverseSummary = inverse
        operation = .light
        self.measure = measure
        followsPeak = true
        self.followsAverage = followsAverage
        self.followsHighlights = followsHighlights
        self.light = light
    }

    /// A curve that is not just a function of light.
    init(
        _ name: String, _ summary: String, inverse: String? = nil, _ operation: Operation, followsPeak: Bool = false
    ) {
        self.name = name
        self.summary = summary
        inverseSummary = inverse
        self.operation = operation
        measure = .chosen
        self.followsPeak = followsPeak
        (followsAverage, followsHighlights) = (false, false)
        light = nil
    }

    /// Whether it is defined from HDR to SDR only; between other pairs of signals ``clip`` replaces it.
    public var isFromHDRToSDROnly: Bool { operation == .bt2446a || operation == .bt2446c }
}

// MARK: The registry

extension ToneCurve: CaseIterable {
    /// The curves that users of `hdrconvert` can choose. The index in this list plus 1 is the value of the property,
    /// since 0 is `auto`.
    public static let choices: [ToneCurve] = [
        .none, .clip, .bt2390, .bt2446a, .bt2446c, .spline, .reinhard, .hable, .mobius, .referenceWhite,
    ]
    /// The curves that users of `edrsink` can choose, in the order of the property's values; the first one is the
    /// default.
    public static let displayChoices: [ToneCurve] = [.rolloff, .clip, .bt2390, .referenceWhite]
    /// Every curve that compresses a range into a lower one.
    public static let allCases: [ToneCurve] = choices + [.rolloff]
    /// The inverse tone mappings from SDR to an HDR signal, in the order of the property's values: inverses of the
    /// curves above, and a curve that exists only as an inverse.
    public static let inverses: [ToneCurve] = choices.filter { $0.inverseSummary != nil } + [.expansion]

    /// The description of the automatic choice: see ``ConversionPlan``.
    public static let automaticSummary =
        "reference-white from HDR to SDR, bt2390 from HDR to HDR of a lower peak, none where nothing has to be "
        + "compressed"

    public static let none = ToneCurve(
        "none", "No curve: light keeps its level, and what exceeds the target's peak is left to gamut-mapping",
        inverse: "No expansion: SDR white is placed at reference white", .none)
    public static let clip = ToneCurve(
        "clip",
        "Each component is clipped at the target's peak: exact below it, bright whites merge and blue sky turns cyan",
        .clip)
}

extension ToneCurve: Hashable, CustomStringConvertible {
    public static func == (a: ToneCurve, b: ToneCurve) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    public var description: String { name }
}

/// The quantity to which a tone curve is applied.
public enum ToneDomain: CaseIterable, Sendable {
    /// The largest of R, G, B, whose gain all three get: hue is kept and no component leaves the range.
    case maxRGB
    /// The luminance, whose gain all three components get: saturated colours can leave the range.
    case luminance
    /// Each component by itself, which shifts hues towards the primaries' mixtures and desaturates.
    case rgb
    /// I of ICtCp; Ct and Cp shrink in proportion, as BT.2390 section 5.4.1 describes.
    case ictcp
}

/// The range for which a curve of light is made, in cd/m².
public struct ToneRange: Sendable {
    public let sourcePeak: Double
    public let targetPeak: Double
    /// The luminance of SDR white.
    public let white: Double
    /// The scene's average: the light whose PQ signal is the mean of the PQ signals of the pixels' largest components.
    /// `nil` where it was not measured.
    public let sourceAverage: Double?
    /// The share of highlights in an SDR picture, weighted by ``HighlightExpansion/weight(_:)``, from 0 to 1. `nil`
    /// where it was not measured.
    public let highlightShare: Double?
    /// The scene's own curve; `nil` where it has none.
    public let sceneCurve: SceneToneCurve?

    public init(
        sourcePeak: Double, targetPeak: Double, white: Double = BT2408.referenceWhite, sourceAverage: Double? = nil,
        highlightShare: Double? = nil, sceneCurve: SceneToneCurve? = nil
    ) {
        self.sourcePeak = sourcePeak
        self.targetPeak = targetPeak
        self.white = white
        self.sourceAverage = sourceAverage
        self.highlightShare = highlightShare
        self.sceneCurve = sceneCurve
    }
}

/// A curve of light, from source light to target light in cd/m².
public struct LightCurve: Sendable {
    /// The light at which the curve is not smooth, in cd/m².
    public let corners: [Double]
    /// Whether the curve is one gain below its first corner and consists of short segments above it whose second
    /// derivatives differ, so that a polynomial fits little more than one of them.
    public let isSegmented: Bool
    @usableFromInline let map: @Sendable (Double) -> Double

    /// - Parameter map: maps source light to target light; light above the source's peak has the result of the peak.
    init(corners: [Double], isSegmented: Bool = false, _ map: @escaping @Sendable (Double) -> Double) {
        self.corners = corners
        self.isSegmented = isSegmented
        self.map = map
    }

    /// The curve for a range, or `nil` for tone curves that are no curve of light (none, clip, BT.2446).
    public init?(_ curve: ToneCurve, _ range: ToneRange) {
        guard let light = curve.light else { return nil }
        self = light(range)
    }

    /// The curve between two peaks in cd/m², for a scene whose average is not known.
    /// - Parameter white: the luminance of SDR white, in cd/m².
    public init?(_ curve: ToneCurve, sourcePeak: Double, targetPeak: Double, white: Double = BT2408.referenceWhite) {
        self.init(curve, ToneRange(sourcePeak: sourcePeak, targetPeak: targetPeak, white: white))
    }

    /// Maps source light to target light, in cd/m².
    @inlinable public func callAsFunction<T: ColorScalar>(_ light: T) -> T { T(map(Double(light))) }

    /// Target light divided by source light: the factor for a colour whose measure is `light`.
    @inlinable public func gain<T: ColorScalar>(_ light: T) -> T {
        light > 1e-9 ? self(light) / light : 1
    }
}
