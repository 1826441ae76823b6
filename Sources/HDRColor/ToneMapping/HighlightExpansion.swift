extension ToneCurve {
    /// `inverse-tone-mapping=auto`.
    public static let expansion = ToneCurve(
        "auto", "Highlights of SDR lifted into an HDR signal",
        inverse: "Faces and mid tones as with none, highlights lifted towards the peak, the less the larger they are",
        measure: .maxRGB, followsHighlights: true
    ) { range in
        let curve = HighlightExpansion<Double>(
            white: range.sourcePeak, peak: range.targetPeak,
            highlightShare: range.highlightShare ?? HighlightExpansion<Double>.usualShare)
        return LightCurve(corners: [curve.knee, range.sourcePeak]) { curve($0) }
    }
}

/// SDR light to HDR light: the same up to a knee, and above it a gain that grows smoothly to SDR white, for luminance
/// in cd/m².
///
/// With the BT.1886 signal v of the light over SDR white, SDR white W and the target's peak P:
///
///     v = (L / W)^(1/2.4)
///     L'= L (P / W)^(s t²)        t = max(v - 0.7, 0) / 0.3        s = 1 / (1 + a / 0.1)
///
/// Faces and mid tones lie below 70 % of the signal in pictures that are exposed for SDR, and stay where `none` puts
/// them. The gain begins there without an edge (its slope is 0), is 2 % at 75 % and grows with each step of the signal,
/// so that most of it is for what is nearly white: lamps, reflections, sky. It rises with light, so that light never
/// falls.
///
/// `a` is the share of the picture's area that lies in highlights. Small ones reach the peak, as they would in HDR; a
/// tenth of the picture gets half of the way there in stops; a white page or a bright sky, which would dazzle, is
/// lifted by 16 % for a peak of 1000 cd/m².
public struct HighlightExpansion<T: ColorScalar>: Sendable {
    /// The share of highlights that is assumed where it was not measured.
    public static var usualShare: T { 0.1 }
    /// The signal, of BT.1886, up to which light keeps its level.
    @inlinable static var kneeSignal: T { 0.7 }

    @usableFromInline let white: T
    /// Natural logarithm of the gain of white.
    @usableFromInline let lift: T

    /// - Parameters:
    ///   - white: luminance of SDR white, in cd/m².
    ///   - peak: luminance that highlights are lifted towards, in cd/m²; at or below white nothing is lifted.
    ///   - highlightShare: see ``weight(_:)``; [0, 1].
    @inlinable public init(white: T, peak: T, highlightShare: T = usualShare) {
        self.white = white
        lift = T.log(peak / white).nonNegative / (1 + highlightShare.limited(0, 1) / Self.usualShare)
    }

    /// Light up to which the curve is the identity, in cd/m².
    @inlinable public var knee: T { white * T.pow(Self.kneeSignal, 2.4) }

    /// How much a pixel counts in the share of highlights: 0 up to the knee, 1 at SDR white, in between by its signal.
    /// The share is the mean of it over the picture.
    /// - Parameter light: the pixel's largest component over SDR white.
    @inlinable public static func weight(_ light: T) -> T {
        let signal = T.pow(light.limited(0, 1), 1 / 2.4)
        return (signal - kneeSignal).nonNegative / (1 - kneeSignal)
    }

    /// SDR light to HDR light. Light above SDR white gives what white gives.
    @inlinable public func callAsFunction(_ light: T) -> T {
        let light = light.limited(0, white)
        let weight = Self.weight(light / white)
        return light * T.exp(lift * weight * weight)
    }
}
