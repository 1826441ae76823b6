/// Transfer functions of standard dynamic range. Light is relative: 1 is SDR white.
public enum SDR {
    /// The EOTF of Rec. ITU-R BT.1886 for a black of 0, a power of 2.4, by which a reference display shows BT.709,
    /// BT.601 and BT.2020 signals.
    @inlinable public static func bt1886<T: ColorScalar>(_ signal: T) -> T { T.pow(signal.nonNegative, 2.4) }
    @inlinable public static func inverseBT1886<T: ColorScalar>(_ light: T) -> T { T.pow(light.nonNegative, 1 / 2.4) }

    /// The EOTF of Rec. ITU-R BT.1886 Annex 1 in cd/m², for a display with the white and black given in cd/m².
    @inlinable public static func bt1886<T: ColorScalar>(_ signal: T, white: T, black: T) -> T {
        let w = T.pow(white, 1 / 2.4)
        let b = T.pow(black, 1 / 2.4)
        let gain = T.pow(w - b, 2.4)
        return gain * T.pow((signal + b / (w - b)).nonNegative, 2.4)
    }

    /// The transfer function of sRGB, IEC 61966-2-1, from signal to light.
    @inlinable public static func sRGB<T: ColorScalar>(_ signal: T) -> T {
        if signal <= 0.04045 { return signal / 12.92 }
        return T.pow((signal + 0.055) / 1.055, 2.4)
    }
    @inlinable public static func inverseSRGB<T: ColorScalar>(_ light: T) -> T {
        let l = light.nonNegative
        if l <= 0.0031308 { return 12.92 * l }
        return 1.055 * T.pow(l, 1 / 2.4) - 0.055
    }

    /// The OETF of Rec. ITU-R BT.709 and BT.2020, from scene light to signal, with its 10-bit constants.
    @inlinable public static func oetf<T: ColorScalar>(_ scene: T) -> T {
        let e = scene.nonNegative
        if e < 0.018 { return 4.5 * e }
        return 1.099 * T.pow(e, 0.45) - 0.099
    }
    @inlinable public static func inverseOETF<T: ColorScalar>(_ signal: T) -> T {
        let v = signal.nonNegative
        if v < 0.081 { return v / 4.5 }
        return T.pow((v + 0.099) / 1.099, 1 / 0.45)
    }
}
