#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Functions of the C library for use in `process`: the compiler does not know that they neither allocate nor lock.
public enum RealTime {
    /// The sine of an angle in radians.
    @_noLocks public static func sin(_ x: Float) -> Float { _unsafePerformance { sinf(x) } }
    /// The cosine of an angle in radians.
    @_noLocks public static func cos(_ x: Float) -> Float { _unsafePerformance { cosf(x) } }
    /// The tangent of an angle in radians.
    @_noLocks public static func tan(_ x: Float) -> Float { _unsafePerformance { tanf(x) } }
    /// The hyperbolic tangent, which limits a signal softly to -1 to 1.
    @_noLocks public static func tanh(_ x: Float) -> Float { _unsafePerformance { tanhf(x) } }
    /// The exponential function.
    @_noLocks public static func exp(_ x: Float) -> Float { _unsafePerformance { expf(x) } }
    /// The natural logarithm.
    @_noLocks public static func log(_ x: Float) -> Float { _unsafePerformance { logf(x) } }
    /// The logarithm to base 10.
    @_noLocks public static func log10(_ x: Float) -> Float { _unsafePerformance { log10f(x) } }
    /// `x` to the power of `y`.
    @_noLocks public static func pow(_ x: Float, _ y: Float) -> Float { _unsafePerformance { powf(x, y) } }
    /// The square root; NaN for negative numbers.
    @_noLocks public static func squareRoot(_ x: Float) -> Float { _unsafePerformance { sqrtf(x) } }
}
