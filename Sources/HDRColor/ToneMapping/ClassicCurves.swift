/// Curves of long use on light relative to the target's peak (1 = target peak); `peak` is the source's peak in that unit,
/// above 1, and maps to 1.
public enum ClassicCurves {
    /// Reinhard's global operator, scaled so that `peak` becomes white; contrast 0.5.
    @inlinable public static func reinhard<T: ColorScalar>(_ x: T, peak: T) -> T {
        x / (x + 1) * (peak + 1) / peak
    }

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

    /// Identity up to `knee`, then a Möbius transform with the same slope that reaches 1 at `peak`.
    @inlinable public static func mobius<T: ColorScalar>(_ x: T, knee j: T = 0.3, peak p: T) -> T {
        if x <= j || p <= 1 { return x }
        let a = -j * j * (p - 1) / (j * j - 2 * j + p)
        let b = (j * j - 2 * j * p + p) / (p - 1)
        let scale = (b * b + 2 * b * j + j * j) / (b - a)
        return scale * (x + a) / (x + b)
    }

    /// 1 - ``mobius(_:knee:peak:)`` above the knee, without the cancellation near the peak.
    @inlinable public static func mobiusComplement<T: ColorScalar>(_ x: T, knee j: T, peak p: T) -> T {
        let b = (j * j - 2 * j * p + p) / (p - 1)
        let numerator = b * b + 2 * b * j + j * j
        return numerator * (p - x) / ((p + b) * (x + b))
    }
}
