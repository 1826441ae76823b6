extension ToneCurve {
    public static let reinhard = ToneCurve(
        "reinhard", "Reinhard's curve: soft, compresses the whole range, darkens mid tones"
    ) { range in
        LightCurve(range) { ClassicCurves.reinhard($0, peak: $1) }
    }
}

/// Well-known curves on light relative to the target's peak (1 = target peak); `peak` is the source's peak in that
/// unit, above 1, and maps to 1.
public enum ClassicCurves {
    /// Reinhard's global operator, scaled so that `peak` becomes white; contrast 0.5.
    @inlinable public static func reinhard<T: ColorScalar>(_ x: T, peak: T) -> T {
        x / (x + 1) * (peak + 1) / peak
    }
}

extension LightCurve {
    /// A curve on light relative to the target's peak.
    /// - Parameters:
    ///   - corners: light at which it is not smooth, besides the source's peak, in cd/m².
    ///   - curve: maps relative light, given the source's relative peak, to relative light.
    init(_ range: ToneRange, corners: [Double] = [], _ curve: @escaping @Sendable (Double, Double) -> Double) {
        let (source, target) = (range.sourcePeak, range.targetPeak)
        self.init(corners: corners + [source]) { target * curve($0.limited(0, source) / target, source / target) }
    }
}
