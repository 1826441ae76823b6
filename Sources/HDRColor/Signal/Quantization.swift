/// The matrix of a Y'CbCr signal with non-constant luminance.
public struct YCbCrMatrix: Equatable, Sendable {
    public let kr: Double
    public let kb: Double
    public init(kr: Double, kb: Double) {
        self.kr = kr
        self.kb = kb
    }
    public static let bt709 = YCbCrMatrix(kr: 0.2126, kb: 0.0722)
    public static let bt601 = YCbCrMatrix(kr: 0.299, kb: 0.114)
    public static let bt2020 = YCbCrMatrix(kr: 0.2627, kb: 0.0593)
    public static let smpte240m = YCbCrMatrix(kr: 0.212, kb: 0.087)
    public static let fcc = YCbCrMatrix(kr: 0.30, kb: 0.11)

    /// The matrix from R'G'B' to Y' in [0, 1] and Cb, Cr in [-0.5, 0.5].
    public var fromRGB: Matrix3<Double> {
        let kg = 1 - kr - kb
        let y = SIMD3(kr, kg, kb)
        let cb = (SIMD3(0, 0, 1) - y) / (2 * (1 - kb))
        let cr = (SIMD3(1, 0, 0) - y) / (2 * (1 - kr))
        return Matrix3(y, cb, cr)
    }

    /// The matrix from Y', Cb, Cr to R'G'B'.
    public var toRGB: Matrix3<Double> {
        let kg = 1 - kr - kb
        let r = SIMD3(1, 0, 2 * (1 - kr))
        let b = SIMD3(1, 2 * (1 - kb), 0)
        let g = (SIMD3(1, 0, 0) - r * kr - b * kb) / kg
        return Matrix3(r, g, b)
    }
}

/// The conversion of R'G'B' or Y'CbCr to integer code values (BT.2100 table 9, BT.709 section 4).
public struct Quantization: Equatable, Sendable {
    /// The bit depth of a component, 8 to 16.
    public let bits: Int
    /// Whether the range is full; otherwise it is narrow ("video" range).
    public let fullRange: Bool
    /// The matrix; `nil` for an R'G'B' signal.
    public let matrix: YCbCrMatrix?
    /// Whether code values are the components themselves, as floating-point numbers.
    public let isFloat: Bool

    public init(bits: Int, fullRange: Bool, matrix: YCbCrMatrix?) {
        self.bits = bits
        self.fullRange = fullRange
        self.matrix = matrix
        isFloat = false
    }

    private init(floatOfBits bits: Int) {
        self.bits = bits
        fullRange = true
        matrix = nil
        isFloat = true
    }

    /// R'G'B' as binary16 numbers.
    public static let binary16 = Quantization(floatOfBits: 16)

    /// The highest code value.
    public var maxCode: Int { (1 << bits) - 1 }

    private var step: Double { Double(1 << (bits - 8)) }

    /// The factors in code value = scale * component + offset, for each component.
    public var scale: SIMD3<Double> {
        if isFloat { return SIMD3(repeating: 1) }
        let top = Double(maxCode)
        if fullRange { return SIMD3(repeating: top) }
        return matrix == nil ? SIMD3(repeating: 219 * step) : SIMD3(219, 224, 224) * step
    }
    public var offset: SIMD3<Double> {
        let base = fullRange ? 0 : 16 * step
        return matrix == nil ? SIMD3(repeating: base) : SIMD3(base, 128 * step, 128 * step)
    }

    // Definitions in Float64 convert each pixel by these, also in debug builds, whose callers specialise nothing.

    /// Unrounded code values of a normalised signal: R'G'B', or Y'CbCr where there is a matrix.
    @_specialize(where T == Double)
    @inlinable public func codes<T: ColorScalar>(_ components: SIMD3<T>) -> SIMD3<T> {
        components * scale.converted(to: T.self) + offset.converted(to: T.self)
    }

    /// The code values of R'G'B', rounded half up and limited to the codes that exist.
    @_specialize(where T == Double)
    @inlinable public func encode<T: ColorScalar>(_ rgb: SIMD3<T>) -> SIMD3<T> {
        let components = matrix.map { $0.fromRGB.converted(to: T.self) * rgb } ?? rgb
        return (codes(components) + 0.5).rounded(.down).limited(0, T(maxCode))
    }

    /// The R'G'B' of code values.
    @_specialize(where T == Double)
    @inlinable public func decode<T: ColorScalar>(_ codes: SIMD3<T>) -> SIMD3<T> {
        let components = (codes - offset.converted(to: T.self)) / scale.converted(to: T.self)
        return matrix.map { $0.toRGB.converted(to: T.self) * components } ?? components
    }
}
