extension ToneCurve {
    public static let hable = ToneCurve(
        "hable", "Hable's filmic curve: keeps highlight detail, darkens more than all others"
    ) { range in
        LightCurve(range) { ClassicCurves.hable($0, peak: $1) }
    }
}

extension ClassicCurves {
    /// Hable's filmic curve with its published constants, scaled so that `peak` becomes white.
    @inlinable public static func hable<T: ColorScalar>(_ x: T, peak: T) -> T {
        filmic(x) / filmic(peak)
    }

    @inlinable static func filmic<T: ColorScalar>(_ x: T) -> T {
        let a: T = 0.15
        let b: T = 0.50
        let cb: T = 0.10 * 0.50
        let de: T = 0.20 * 0.02
        let df: T = 0.20 * 0.30
        let ef: T = 0.02 / 0.30
        let numerator = x * (a * x + cb) + de
        let denominator = x * (a * x + b) + df
        return numerator / denominator - ef
    }
}
