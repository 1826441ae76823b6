/// The mapping from a Dolby Vision base layer to the picture that display management starts from: the mapping of ETSI
/// GS CCM 001, section 7, for one picture, and the matrices that convert the result to a PQ signal in BT.2020
/// primaries.
///
/// A pixel is the output of the base layer's decoder with chroma at luma's position: each component as a fraction of
/// its highest code. Luma goes through a curve of polynomials, chroma through another one or through a multivariate
/// regression over all three components; the residual of an enhancement layer is not part of it.
public struct Reshaping: Equatable, Sendable {
    /// The curves of luma and both chroma components.
    public let curves: [Curve]
    /// The matrix from reshaped components, minus their offset, to non-linear R'G'B' or L'M'S'.
    public let toSignal: Matrix3<Double>
    public let offset: SIMD3<Double>
    /// The matrix from light of that signal to light in BT.2020 primaries; `nil` where the light has these already.
    public let toBT2020: Matrix3<Double>?

    /// The matrix from light in BT.2020 primaries to cone responses of Hunt, Pointer and Estevez, each of which is 1
    /// for white. RPUs of profile 8 have it in rgb_to_lms_coef, in units of 1/16384.
    public static let bt2020ToLMS: Matrix3<Double> = {
        let cones = Matrix3(
            SIMD3(0.40024, 0.70760, -0.08081), SIMD3(-0.22630, 1.16532, 0.04570), SIMD3(0, 0, 0.91822))
        let matrix = cones * Primaries.bt2020.toXYZ
        let white = SIMD3(repeating: 1.0) / (matrix * SIMD3(1, 1, 1))
        return .diagonal(white) * matrix
    }()

    /// - Parameters:
    ///   - curves: three curves.
    ///   - toSignal, offset: ycc_to_rgb_coef and ycc_to_rgb_offset.
    ///   - toLMS: rgb_to_lms_coef, from light of the signal to cone responses.
    /// - Returns: `nil` where a number is not finite, or there are not three curves.
    public init?(
        curves: [Curve], toSignal: Matrix3<Double>, offset: SIMD3<Double>, toLMS: Matrix3<Double> = bt2020ToLMS
    ) {
        let rows = [toSignal.row0, toSignal.row1, toSignal.row2, offset, toLMS.row0, toLMS.row1, toLMS.row2]
        guard curves.count == 3, rows.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
            return nil
        }
        self.curves = curves
        self.toSignal = toSignal
        self.offset = offset
        let toBT2020 = Self.bt2020ToLMS.inverse * toLMS
        self.toBT2020 = toBT2020.isNear(.identity, 1e-3) ? nil : toBT2020
    }

    /// The reshaped components of a pixel.
    public func reshaped(_ components: SIMD3<Double>) -> SIMD3<Double> {
        let inside = components.limited(0, 1)
        return SIMD3(curves[0](inside, 0), curves[1](inside, 1), curves[2](inside, 2))
    }

    /// The PQ signal R'G'B' in BT.2020 primaries of a pixel of the base layer. It lies in [0, 1] except for colours
    /// that Y'CbCr can express and R'G'B' cannot.
    public func callAsFunction(_ components: SIMD3<Double>) -> SIMD3<Double> {
        let signal = toSignal * (reshaped(components) - offset)
        guard let toBT2020 else { return signal }
        return (toBT2020 * signal.map { PQ.eotf($0) }).map { PQ.inverseEOTF($0) }
    }

    /// Whether the picture equals the base layer read as plain PQ in BT.2020 primaries, Y'CbCr in narrow range: the
    /// usual case of profile 8.1.
    ///
    /// The matrix of RPUs is for codes of 12 bits as fractions of the highest one. Taken literally, it makes signals of
    /// 10 bits larger by 0.08 %.
    public var isIdentity: Bool {
        let wanted = Quantization(bits: 12, fullRange: false, matrix: .bt2020)
        let top = Double(wanted.maxCode)
        let matrix = YCbCrMatrix.bt2020.toRGB * .diagonal(SIMD3(repeating: top) / wanted.scale)
        return toBT2020 == nil && curves.allSatisfy(\.isIdentity) && toSignal.isNear(matrix, 1e-3)
            && offset.isNear(wanted.offset / top, 1e-3)
    }

    /// The signal of a reshaped picture: PQ in BT.2020 primaries, R'G'B' in full range.
    /// - Parameter bits: any bit depth, because the signal is computed and not read.
    public static func signal(bits: Int = 16) -> ColorSignal {
        ColorSignal(
            transfer: .pq, primaries: .bt2020,
            quantization: Quantization(bits: bits, fullRange: true, matrix: nil))
    }
}

extension SIMD3<Double> {
    fileprivate func isNear(_ other: SIMD3, _ distance: Double) -> Bool {
        (self - other).map { abs($0) }.maxComponent < distance
    }
}

extension Matrix3<Double> {
    fileprivate func isNear(_ other: Matrix3, _ distance: Double) -> Bool {
        row0.isNear(other.row0, distance) && row1.isNear(other.row1, distance) && row2.isNear(other.row2, distance)
    }
}
