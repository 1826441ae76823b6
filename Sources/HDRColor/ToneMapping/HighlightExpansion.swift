extension ToneCurve {
    /// The curve of `inverse-tone-mapping=auto`.
    public static let expansion = ToneCurve(
        "auto", "Highlights of SDR lifted into an HDR signal",
        inverse: "Highlights (above 70 % of the signal) are lifted towards the target's peak, large ones less than "
            + "small ones; faces and mid tones as with none",
        measure: .maxRGB, followsHighlights: true
    ) { range in
        let curve = HighlightExpansion<Double>(
            white: range.sourcePeak, peak: range.targetPeak,
            highlightShare: range.highlightShare ?? HighlightExpansion<Double>.usualShare)
        return LightCurve(corners: [curve.knee, range.sourcePeak]) { curve($0) }
    }
}

/// A curve from SDR light to HDR light, for luminance in cd/m². Light up to a knee keeps its level; above it a gain
/// grows smoothly up to SDR white.
///
/// With the BT.1886 signal v of the light over SDR white, SDR white W and the target's peak P:
///
///     v = (L / W)^(1/2.4)
///     L'= L (P / W)^(s t²)        t = max(v - 0.7, 0) / 0.3        s = 1 / (1 + a / 0.1)
///
/// Faces and mid tones lie below 70 % of the signal in pictures that are exposed for SDR, and keep the level that they
/// have with `none`. The gain begins there without an edge (its slope is 0), is 2 % at 75 % and grows with each step of
/// the signal, so that most of it is for light near white: lamps, reflections, sky. The result rises with the light
/// everywhere.
///
/// `a` is the share of the picture's area that consists of highlights. Small highlights reach the peak, as they would
/// in HDR; those that cover a tenth of the picture get half of the way there in stops; a white page or a bright sky,
/// which would dazzle, is lifted by 16 % for a peak of 1000 cd/m².
public struct HighlightExpansion<T: ColorScalar>: Sendable {
    /// The share of highlights that is assumed where it was not measured.
    public static var usualShare: T { 0.1 }
    /// The BT.1886 signal up to which light keeps its level.
    @inlinable static var kneeSignal: T { 0.7 }

    @usableFromInline let white: T
    /// The natural logarithm of the gain of white.
    @usableFromInline let lift: T

    /// - Parameters:
    ///   - white: the luminance of SDR white, in cd/m².
    ///   - peak: the luminance that highlights are lifted towards, in cd/m²; at or below white nothing is lifted.
    ///   - highlightShare: the share of highlights, [0, 1]; see ``weight(_:)``.
    @inlinable public init(white: T, peak: T, highlightShare: T = usualShare) {
        self.white = white
        lift = T.log(peak / white).nonNegative / (1 + highlightShare.limited(0, 1) / Self.usualShare)
    }

    /// The lift of white by small highlights towards 1000 cd/m², in PQ.
    private static var wholeLift: Double { 0.17 }

    /// The lift of white, in PQ, for a share of highlights. Scenes are followed by it rather than by the share, by
    /// which small highlights would change many times as fast as large ones.
    static func lift(ofShare share: Double) -> Double {
        wholeLift / (1 + share / HighlightExpansion<Double>.usualShare)
    }

    /// The share of highlights whose ``lift(ofShare:)`` this is, [0, 1].
    public static func share(ofLift lift: Double) -> Double {
        min(max(HighlightExpansion<Double>.usualShare * (wholeLift / max(lift, 0.001) - 1), 0), 1)
    }

    /// The light up to which the curve is the identity, in cd/m².
    @inlinable public var knee: T { white * T.pow(Self.kneeSignal, 2.4) }

    /// The weight of a pixel in the share of highlights: 0 up to the knee, 1 at SDR white, in between by its signal.
    /// The share is the mean weight over the picture.
    /// - Parameter light: the pixel's largest component divided by SDR white.
    @inlinable public static func weight(_ light: T) -> T {
        let signal = T.pow(light.limited(0, 1), 1 / 2.4)
        return (signal - kneeSignal).nonNegative / (1 - kneeSignal)
    }

    /// Maps SDR light to HDR light. Light above SDR white has the result of white.
    @inlinable public func callAsFunction(_ light: T) -> T {
        let light = light.limited(0, white)
        let weight = Self.weight(light / white)
        return light * T.exp(lift * weight * weight)
    }
}
