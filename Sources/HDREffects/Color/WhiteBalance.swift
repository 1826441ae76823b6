import HDRColor

/// Colours adapted to D65 from the assumed light of the scene: a chromatic adaptation by CAT16 (Li et al., 2017; CIE
/// 248:2022).
package struct WhiteBalance: VideoEffect {
    package static let temperatureRange = 2000.0...25000.0
    package static let tintRange = -150.0...150.0
    /// The correlated colour temperature of D65 with today's constants, in kelvin.
    package static let neutral = 6504.0

    /// The assumed colour temperature of the scene's light, in kelvin: more makes the picture warmer.
    package var temperature = neutral
    /// The assumed offset of the scene's light towards green from daylight, in 1/3000 of CIE 1960 uv: more makes the
    /// picture more magenta.
    package var tint = 0.0

    package init(temperature: Double = neutral, tint: Double = 0) {
        self.temperature = temperature
        self.tint = tint
    }

    /// - Parameter primaries: the primaries of the colours.
    package func matrix(_ primaries: Primaries) -> ColorMatrix {
        // Rounding would leave the identity almost, which is another effect than none.
        guard temperature != Self.neutral || tint != 0 else { return .identity }
        let source = Self.xyz(temperature, tint: tint)
        let target = Self.xyz(Self.neutral, tint: 0)
        let gains = (Self.cat16 * target) / (Self.cat16 * source)
        let adaptation = Self.cat16.inverse * .diagonal(gains) * Self.cat16
        return ColorMatrix(primaries.toXYZ.inverse * adaptation * primaries.toXYZ)
    }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(matrix(context.primaries)) }

    private static let cat16 = Matrix3(
        SIMD3(0.401288, 0.650173, -0.051461), SIMD3(-0.250268, 1.204414, 0.045854),
        SIMD3(-0.002079, 0.048952, 0.953127))

    // MARK: White by temperature

    /// The XYZ, with Y of 1, of light with a colour temperature.
    static func xyz(_ kelvin: Double, tint: Double) -> SIMD3<Double> {
        let place = uv(kelvin)
        // The tint acts along the normal of the daylight locus, towards green.
        let ahead = uv(kelvin * 1.001) - uv(kelvin / 1.001)
        let length = (ahead * ahead).sum().squareRoot()
        let normal = SIMD2(-ahead.y, ahead.x) / length
        let towardsGreen = normal.y > 0 ? normal : normal * -1
        let moved = place + towardsGreen * (tint / 3000)
        let scale = 2 * moved.x - 8 * moved.y + 4
        let (x, y) = (3 * moved.x / scale, 2 * moved.y / scale)
        return SIMD3(x / y, 1, (1 - x - y) / y)
    }

    /// CIE 1960 uv. From 4000 K on the daylight locus (CIE 015:2018, 4.1.2); below 4000 K, where it is not defined, a
    /// transition to the Planckian locus, which is reached at 2000 K.
    static func uv(_ kelvin: Double) -> SIMD2<Double> {
        let limit = 4000.0
        guard kelvin < limit else { return daylight(kelvin) }
        let share = max((kelvin - 2000) / (limit - 2000), 0)
        return blackBody(kelvin) + (daylight(limit) - blackBody(limit)) * share
    }

    private static func daylight(_ kelvin: Double) -> SIMD2<Double> {
        let t = 1000 / kelvin
        let x =
            kelvin <= 7000
            ? 0.244063 + t * (0.09911 + t * (2.9678 - t * 4.6070))
            : 0.237040 + t * (0.24748 + t * (1.9018 - t * 2.0064))
        let y = x * (2.870 - 3 * x) - 0.275
        let scale = -2 * x + 12 * y + 3
        return SIMD2(4 * x / scale, 6 * y / scale)
    }

    /// The Planckian locus by Krystek (1985), within 9e-5 from 1000 to 15000 K.
    private static func blackBody(_ kelvin: Double) -> SIMD2<Double> {
        let t = kelvin
        let u =
            (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t)
            / (1 + 8.42420235e-4 * t + 7.08145163e-7 * t * t)
        let v =
            (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t)
            / (1 - 2.89741816e-5 * t + 1.61456053e-7 * t * t)
        return SIMD2(u, v)
    }
}
