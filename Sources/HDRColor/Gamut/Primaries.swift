/// RGB primaries. All of them have the white point D65 (x 0.3127, y 0.3290).
public enum Primaries: CaseIterable, Sendable {
    /// Rec. ITU-R BT.709, also sRGB.
    case bt709
    /// SMPTE EG 432-1, P3 with D65 white (Display P3).
    case displayP3
    /// Rec. ITU-R BT.2020 and BT.2100.
    case bt2020
    /// Rec. ITU-R BT.601, 525 lines (SMPTE 170M).
    case bt601
    /// Rec. ITU-R BT.601, 625 lines (BT.470 B/G).
    case bt601x625

    /// The CIE 1931 x, y of red, green and blue.
    public var chromaticities: [SIMD2<Double>] {
        switch self {
        case .bt709: [SIMD2(0.640, 0.330), SIMD2(0.300, 0.600), SIMD2(0.150, 0.060)]
        case .displayP3: [SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060)]
        case .bt2020: [SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046)]
        case .bt601: [SIMD2(0.630, 0.340), SIMD2(0.310, 0.595), SIMD2(0.155, 0.070)]
        case .bt601x625: [SIMD2(0.640, 0.330), SIMD2(0.290, 0.600), SIMD2(0.150, 0.060)]
        }
    }

    static let d65 = SIMD2(0.3127, 0.3290)

    static func xyz(_ xy: SIMD2<Double>) -> SIMD3<Double> {
        SIMD3(xy.x / xy.y, 1, (1 - xy.x - xy.y) / xy.y)
    }

    /// The matrix from linear RGB to CIE XYZ; Y of (1, 1, 1) is 1. The middle row holds the luminance weights.
    public var toXYZ: Matrix3<Double> {
        let xy = chromaticities
        let columns = Matrix3(Self.xyz(xy[0]), Self.xyz(xy[1]), Self.xyz(xy[2])).transposed
        return columns * .diagonal(columns.inverse * Self.xyz(Self.d65))
    }

    /// The weights of linear R, G, B in the luminance.
    public var luminance: SIMD3<Double> { toXYZ.row1 }

    /// The matrix from linear RGB of these primaries to linear RGB of others.
    public func matrix(to other: Primaries) -> Matrix3<Double> {
        self == other ? .identity : other.toXYZ.inverse * toXYZ
    }
}
