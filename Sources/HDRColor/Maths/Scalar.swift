#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The number type of the colour maths: `Double` for the reference, `Float` where single precision is enough.
///
/// Every function of this module is written once, for both.
public protocol ColorScalar: BinaryFloatingPoint, SIMDScalar, Sendable where SIMD4Storage: Sendable {
    static func pow(_ base: Self, _ exponent: Self) -> Self
    static func exp(_ x: Self) -> Self
    static func log(_ x: Self) -> Self
}

extension Double: ColorScalar {
    @inlinable public static func pow(_ base: Double, _ exponent: Double) -> Double { _pow(base, exponent) }
    @inlinable public static func exp(_ x: Double) -> Double { _exp(x) }
    @inlinable public static func log(_ x: Double) -> Double { _log(x) }
}

extension Float: ColorScalar {
    @inlinable public static func pow(_ base: Float, _ exponent: Float) -> Float { _pow(base, exponent) }
    @inlinable public static func exp(_ x: Float) -> Float { _exp(x) }
    @inlinable public static func log(_ x: Float) -> Float { _log(x) }
}

// The C library's functions, under names that the static ones above do not hide.
@usableFromInline func _pow(_ x: Double, _ y: Double) -> Double { pow(x, y) }
@usableFromInline func _exp(_ x: Double) -> Double { exp(x) }
@usableFromInline func _log(_ x: Double) -> Double { log(x) }
@usableFromInline func _pow(_ x: Float, _ y: Float) -> Float { powf(x, y) }
@usableFromInline func _exp(_ x: Float) -> Float { expf(x) }
@usableFromInline func _log(_ x: Float) -> Float { logf(x) }

extension ColorScalar {
    @inlinable static func log2(_ x: Self) -> Self { log(x) / log(2) }
    @inlinable static func log10(_ x: Self) -> Self { log(x) / log(10) }
    /// The larger of x and 0; a NaN becomes 0, so that no invalid input can spread.
    @inlinable var nonNegative: Self { self > 0 ? self : 0 }
    /// Limits to `[low, high]`; a NaN becomes `low`.
    @inlinable func limited(_ low: Self, _ high: Self) -> Self { self > low ? (self < high ? self : high) : low }
}

extension SIMD3 where Scalar: ColorScalar {
    @inlinable public var maxComponent: Scalar { Swift.max(x, Swift.max(y, z)) }
    @inlinable public var minComponent: Scalar { Swift.min(x, Swift.min(y, z)) }
    @inlinable public func dot(_ other: SIMD3) -> Scalar { x * other.x + y * other.y + z * other.z }
    @inlinable public var nonNegative: SIMD3 { SIMD3(x.nonNegative, y.nonNegative, z.nonNegative) }
    @inlinable public func limited(_ low: Scalar, _ high: Scalar) -> SIMD3 {
        SIMD3(x.limited(low, high), y.limited(low, high), z.limited(low, high))
    }
    @inlinable public func map(_ f: (Scalar) -> Scalar) -> SIMD3 { SIMD3(f(x), f(y), f(z)) }
    /// This colour in another precision.
    @inlinable public func converted<T: ColorScalar>(to: T.Type) -> SIMD3<T> { SIMD3<T>(T(x), T(y), T(z)) }
}
