/// CIE 1931 x, y of primaries and white.
struct Chromaticities: Equatable {
    var red: SIMD2<Double>
    var green: SIMD2<Double>
    var blue: SIMD2<Double>
    var white: SIMD2<Double>

    /// ColourPrimaries of H.273, table 2; `nil` for codes that are unspecified or reserved.
    init?(primaries code: UInt8) {
        let d65 = SIMD2(0.3127, 0.3290)
        let illuminantC = SIMD2(0.310, 0.316)
        switch code {
        case 1: self.init(SIMD2(0.640, 0.330), SIMD2(0.300, 0.600), SIMD2(0.150, 0.060), d65)
        case 4: self.init(SIMD2(0.67, 0.33), SIMD2(0.21, 0.71), SIMD2(0.14, 0.08), illuminantC)
        case 5: self.init(SIMD2(0.64, 0.33), SIMD2(0.29, 0.60), SIMD2(0.15, 0.06), d65)
        case 6, 7: self.init(SIMD2(0.630, 0.340), SIMD2(0.310, 0.595), SIMD2(0.155, 0.070), d65)
        case 8: self.init(SIMD2(0.681, 0.319), SIMD2(0.243, 0.692), SIMD2(0.145, 0.049), illuminantC)
        case 9: self.init(SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046), d65)
        case 10: self.init(SIMD2(1, 0), SIMD2(0, 1), SIMD2(0, 0), SIMD2(1.0 / 3, 1.0 / 3))
        case 11: self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), SIMD2(0.314, 0.351))
        case 12: self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), d65)
        case 22: self.init(SIMD2(0.630, 0.340), SIMD2(0.295, 0.605), SIMD2(0.155, 0.077), d65)
        default: return nil
        }
    }

    private init(_ red: SIMD2<Double>, _ green: SIMD2<Double>, _ blue: SIMD2<Double>, _ white: SIMD2<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }
}
