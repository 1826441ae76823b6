extension ToneCurve {
    public static let mobius = ToneCurve(
        "mobius", "Unchanged below 30 % of the target's peak, a smooth shoulder above"
    ) { range in
        LightCurve(range, corners: [ClassicCurves.mobiusKnee * range.targetPeak]) { ClassicCurves.mobius($0, peak: $1) }
    }
}

extension ClassicCurves {
    /// The light up to which the tone curve is the identity, relative to the target's peak.
    static var mobiusKnee: Double { 0.3 }

    /// The identity up to `knee`, then a Möbius transform with the same slope that reaches 1 at `peak`.
    @inlinable public static func mobius<T: ColorScalar>(_ x: T, knee j: T = 0.3, peak p: T) -> T {
        if x <= j || p <= 1 { return x }
        let a = -j * j * (p - 1) / (j * j - 2 * j + p)
        let b = (j * j - 2 * j * p + p) / (p - 1)
        let scale = (b * b + 2 * b * j + j * j) / (b - a)
        return scale * (x + a) / (x + b)
    }

    /// The value of 1 - ``mobius(_:knee:peak:)`` above the knee, without cancellation near the peak.
    @inlinable public static func mobiusComplement<T: ColorScalar>(_ x: T, knee j: T, peak p: T) -> T {
        let b = (j * j - 2 * j * p + p) / (p - 1)
        let numerator = b * b + 2 * b * j + j * j
        return numerator * (p - x) / ((p + b) * (x + b))
    }
}
