import HDRColor

/// CIE 1931 x, y of primaries and white.
package struct Chromaticities: Equatable, Sendable {
    package var red: SIMD2<Double>
    package var green: SIMD2<Double>
    package var blue: SIMD2<Double>
    package var white: SIMD2<Double>

    /// ColourPrimaries of H.273, table 2; `nil` for codes that are unspecified or reserved.
    package init?(primaries code: UInt8) {
        let d65 = SIMD2(0.3127, 0.3290)
        let illuminantC = SIMD2(0.310, 0.316)
        switch code {
        case 1: self.init(.bt709, white: d65)
        case 4: self.init(SIMD2(0.67, 0.33), SIMD2(0.21, 0.71), SIMD2(0.14, 0.08), illuminantC)
        case 5: self.init(.bt601x625, white: d65)
        case 6, 7: self.init(.bt601, white: d65)
        case 8: self.init(SIMD2(0.681, 0.319), SIMD2(0.243, 0.692), SIMD2(0.145, 0.049), illuminantC)
        case 9: self.init(.bt2020, white: d65)
        case 10: self.init(SIMD2(1, 0), SIMD2(0, 1), SIMD2(0, 0), SIMD2(1.0 / 3, 1.0 / 3))
        case 11: self.init(.displayP3, white: SIMD2(0.314, 0.351))
        case 12: self.init(.displayP3, white: d65)
        case 22: self.init(SIMD2(0.630, 0.340), SIMD2(0.295, 0.605), SIMD2(0.155, 0.077), d65)
        default: return nil
        }
    }

    /// Those that conversions compute with.
    private init?(_ primaries: Primaries, white: SIMD2<Double>) {
        let points = primaries.chromaticities
        guard points.count == 3 else { return nil }
        self.init(points[0], points[1], points[2], white)
    }

    private init(_ red: SIMD2<Double>, _ green: SIMD2<Double>, _ blue: SIMD2<Double>, _ white: SIMD2<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// Red, green, blue and white in steps of 0.00002, as SMPTE ST 2086 codes them.
    package var masteringPoints: [SIMD2<UInt16>] {
        [red, green, blue, white].map { point in
            func steps(_ value: Double) -> UInt16 { UInt16(min(max((value * 50000).rounded(), 0), 50000)) }
            return SIMD2(steps(point.x), steps(point.y))
        }
    }
}
