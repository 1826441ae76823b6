extension ToneCurve {
    public static let bt2446c = ToneCurve(
        "bt2446c",
        "Report ITU-R BT.2446 method C: for sources of 1000 cd/m2, in its own domain; bright: sky turns cyan, "
            + "near-whites almost merge; from HDR to SDR only, else the same as clip",
        inverse: "Inverse of Report ITU-R BT.2446 method C: SDR white becomes 332 cd/m2", .bt2446c)
}

/// Method C of Report ITU-R BT.2446-1 in both directions: a curve on luminance between a 1000 cd/m² HDR system and a
/// 100 cd/m² SDR system, with a crosstalk matrix before it and the inverse of that after it. It works in BT.2020
/// primaries.
///
/// The crosstalk matrices are linear and the curve is one gain for all components, so they cancel out except in the
/// luminance that the curve acts on, which has `weights`.
public struct BT2446C<T: ColorScalar>: Sendable {
    /// The weights of linear BT.2020 R, G, B in the luminance after crosstalk.
    public let weights: SIMD3<T>

    /// - Parameter crosstalk: alpha of the report, [0, 0.33]; 0.04 is its typical value.
    @inlinable public init(crosstalk: T = 0.04) {
        let luminance = Primaries.bt2020.luminance.converted(to: T.self)
        let total = luminance.x + luminance.y + luminance.z
        weights = luminance * (1 - 3 * crosstalk) + crosstalk * total
    }

    @inlinable static var k1: T { 0.83802 }
    @inlinable static var k2: T { 15.09968 }
    @inlinable static var k3: T { 0.74204 }
    @inlinable static var k4: T { 78.99439 }
    /// The luminance of the inflection point, in cd/m²: on the HDR side and on the SDR side. The report's rounded
    /// constants leave a step of 0.035 cd/m² there.
    @inlinable public static var inflection: T { 58.5 / k1 }
    @inlinable public static var inflectionSDR: T { 58.5 }

    /// Maps HDR luminance to SDR luminance, in cd/m²; 1000 results in 118.39, SDR's super-white.
    @inlinable public static func curve(_ y: T) -> T {
        if y < inflection { return k1 * y }
        return k2 * T.log(y / inflection - k3) + k4
    }

    /// Maps SDR luminance to HDR luminance, in cd/m².
    @inlinable public static func inverseCurve(_ y: T) -> T {
        if y < inflectionSDR { return y / k1 }
        return inflection * (T.exp((y - k4) / k2) + k3)
    }

    /// Converts BT.2020 display light of the HDR system to that of the SDR system, in cd/m².
    @inlinable public func toSDR(_ light: SIMD3<T>) -> SIMD3<T> { scaled(light, by: Self.curve) }

    /// Converts BT.2020 display light of the SDR system to that of the HDR system, in cd/m².
    @inlinable public func toHDR(_ light: SIMD3<T>) -> SIMD3<T> { scaled(light, by: Self.inverseCurve) }

    @inlinable func scaled(_ light: SIMD3<T>, by curve: (T) -> T) -> SIMD3<T> {
        let y = light.dot(weights)
        return y > 0 ? light * (curve(y) / y) : SIMD3(0, 0, 0)
    }
}
