extension ToneCurve {
    public static let bt2390 = ToneCurve(
        "bt2390",
        "EETF of Report ITU-R BT.2390: unchanged below a knee, a Hermite spline in PQ above it; bright, near-whites "
            + "come close together"
    ) { range in
        let curve = BT2390<Double>(sourcePeak: range.sourcePeak, targetPeak: range.targetPeak)
        return LightCurve(corners: [curve.kneePoint, range.sourcePeak]) { curve($0) }
    }
}

/// The electrical-electrical transfer function of Report ITU-R BT.2390 section 5.4.1 (BT.2408 Annex 5): a Hermite
/// spline above a knee in PQ, for luminance in cd/m².
public struct BT2390<T: ColorScalar>: Sendable {
    @usableFromInline let sourcePeak: T
    @usableFromInline let sourceBlack: T
    @usableFromInline let low: T
    @usableFromInline let span: T
    @usableFromInline let targetBlack: T
    @usableFromInline let targetWhite: T
    @usableFromInline let knee: T

    /// - Parameters: luminances in cd/m²; a black of 0 is exactly 0.
    @inlinable public init(sourcePeak: T, targetPeak: T, sourceBlack: T = 0, targetBlack: T = 0) {
        self.sourcePeak = sourcePeak
        self.sourceBlack = sourceBlack
        low = sourceBlack > 0 ? PQ.inverseEOTF(sourceBlack) : 0
        span = PQ.inverseEOTF(sourcePeak) - low
        self.targetBlack = ((targetBlack > 0 ? PQ.inverseEOTF(targetBlack) : 0) - low) / span
        targetWhite = (PQ.inverseEOTF(targetPeak) - low) / span
        knee = 1.5 * targetWhite - 0.5
    }

    /// The source luminance above which the spline departs from the identity, in cd/m².
    @inlinable public var kneePoint: T { PQ.eotf(knee.nonNegative * span + low) }

    /// Maps source luminance to target luminance. Light above the source's peak results in the target's peak.
    @inlinable public func callAsFunction(_ light: T) -> T {
        let e1 = (PQ.inverseEOTF(light.limited(sourceBlack, sourcePeak)) - low) / span
        var e2 = e1
        if e1 >= knee && knee < 1 {
            let t = (e1 - knee) / (1 - knee)
            let t2 = t * t
            let t3 = t2 * t
            let atKnee = (2 * t3 - 3 * t2 + 1) * knee
            let slope = (t3 - 2 * t2 + t) * (1 - knee)
            let atWhite = (3 * t2 - 2 * t3) * targetWhite
            e2 = atKnee + slope + atWhite
        }
        let toBlack = (1 - e2) * (1 - e2)
        let e3 = e2 + targetBlack * toBlack * toBlack
        return PQ.eotf(e3 * span + low)
    }
}
