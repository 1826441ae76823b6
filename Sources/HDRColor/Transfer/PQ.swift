/// Perceptual quantizer: Rec. ITU-R BT.2100 table 4, SMPTE ST 2084.
public enum PQ {
    /// The highest luminance that a PQ signal can express, in cd/m².
    public static let peak = 10000.0

    @inlinable static func m1<T: ColorScalar>() -> T { 2610.0 / 16384.0 }
    @inlinable static func m2<T: ColorScalar>() -> T { 2523.0 / 4096.0 * 128.0 }
    @inlinable static func c1<T: ColorScalar>() -> T { 3424.0 / 4096.0 }
    @inlinable static func c2<T: ColorScalar>() -> T { 2413.0 / 4096.0 * 32.0 }
    @inlinable static func c3<T: ColorScalar>() -> T { 2392.0 / 4096.0 * 32.0 }

    /// The EOTF, from signal, limited to [0, 1], to display light in cd/m², [0, 10000].
    @inlinable public static func eotf<T: ColorScalar>(_ signal: T) -> T {
        let p = T.pow(signal.limited(0, 1), 1 / m2())
        let numerator = (p - c1()).nonNegative
        let denominator = c2() - c3() * p
        return 10000 * T.pow(numerator / denominator, 1 / m1())
    }

    /// The inverse EOTF, from display light in cd/m², limited to [0, 10000], to signal, [7.3e-7, 1].
    @inlinable public static func inverseEOTF<T: ColorScalar>(_ light: T) -> T {
        let y = T.pow((light / 10000).limited(0, 1), m1())
        let numerator = c1() + c2() * y
        let denominator = 1 + c3() * y
        return T.pow(numerator / denominator, m2())
    }
}
