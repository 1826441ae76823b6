extension ToneCurve {
    public static let spline = ToneCurve(
        "spline", "libplacebo's spline in PQ, with its knee at the scene's average: much contrast in the mid tones",
        inverse: "libplacebo's spline in PQ: SDR white becomes the target's peak", followsAverage: true
    ) { range in
        let curve = SplineCurve<Double>(
            sourcePeak: range.sourcePeak, targetPeak: range.targetPeak, average: range.sourceAverage ?? 0)
        return LightCurve(corners: curve.corners(sourcePeak: range.sourcePeak)) { curve($0) }
    }
}

extension SplineCurve<Double> {
    /// The light at which the curve is not smooth, in cd/m²: the knee, the light where the cubic exceeds the target's
    /// peak and is clamped, and the source's peak.
    func corners(sourcePeak: Double) -> [Double] {
        let knee = kneePoint.source
        let peak = self(sourcePeak)
        guard self(sourcePeak * 0.999) >= peak else { return [knee, sourcePeak] }
        var (below, above) = (knee, sourcePeak)
        for _ in 0..<60 {
            let middle = (below + above) / 2
            if self(middle) < peak * (1 - 1e-12) { below = middle } else { above = middle }
        }
        return [knee, above, sourcePeak]
    }
}

/// A parabola below and a cubic above a knee, in PQ, joined with one slope; the same form maps to lower and to higher
/// peaks.
///
/// The formula and its constants are those of libplacebo's `pl_tone_map_spline` with its defaults.
public struct SplineCurve<T: ColorScalar>: Sendable {
    @usableFromInline let sourceMin: T, sourceMax: T
    @usableFromInline let targetMax: T
    @usableFromInline let knee: T, kneeOut: T
    @usableFromInline let slope: T
    @usableFromInline let parabola: T
    @usableFromInline let cubic: T, square: T

    /// - Parameters: luminances in cd/m²; `average` is the scene's average, 0 where it is not known.
    @inlinable public init(sourcePeak: T, targetPeak: T, sourceBlack: T = 0, targetBlack: T = 0, average: T = 0) {
        let s0 = PQ.inverseEOTF(sourceBlack)
        let s1 = PQ.inverseEOTF(sourcePeak)
        let d0 = PQ.inverseEOTF(targetBlack)
        let d1 = PQ.inverseEOTF(targetPeak)
        func mix(_ a: T, _ b: T, _ t: T) -> T { a + (b - a) * t }
        func smoothstep(_ a: T, _ b: T, _ x: T) -> T {
            let t = ((x - a) / (b - a)).limited(0, 1)
            return t * t * (3 - 2 * t)
        }

        let wanted = average > 0 ? PQ.inverseEOTF(average) : mix(s0, s1, 0.4)
        knee = wanted.limited(mix(s0, s1, 0.1), mix(s0, s1, 0.8))
        let position = (knee - s0) / (s1 - s0)
        let adapted = mix(d0, d1, position)
        let tuning = 1 - smoothstep(0.8, 0.4, position) * smoothstep(0.1, 0.4, position)
        kneeOut = mix(knee, adapted, mix(0.4, 1, tuning)).limited(mix(d0, d1, 0.1), mix(d0, d1, 0.8))

        let contrast: T = 0.5
        let tuned: T = (1.5 * (s1 / d1 - 1)).limited(0.2, 1.2)
        slope = T.pow((kneeOut - d0) / (knee - s0), (1 - contrast) * tuned)

        let below = s0 - knee
        parabola = (d0 - kneeOut - slope * below) / (below * below)
        let above = s1 - knee
        let excess = slope * above - (d1 - kneeOut)
        cubic = excess / (2 * above * above * above)
        square = -3 * excess / (2 * above * above)
        sourceMin = s0
        sourceMax = s1
        targetMax = d1
    }

    /// The knee, in cd/m², in the source and in the target.
    @inlinable public var kneePoint: (source: T, target: T) { (PQ.eotf(knee), PQ.eotf(kneeOut)) }

    /// Maps source luminance to target luminance, in cd/m².
    @inlinable public func callAsFunction(_ light: T) -> T {
        let x = PQ.inverseEOTF(light).limited(sourceMin, sourceMax) - knee
        // For peaks far apart the cubic would overshoot the target's peak.
        if x > 0 { return PQ.eotf(min(((cubic * x + square) * x + slope) * x + kneeOut, targetMax)) }
        return PQ.eotf((parabola * x + slope) * x + kneeOut)
    }
}
