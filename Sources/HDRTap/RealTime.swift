#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Functions of the C library for use in `process`: the compiler does not know that they neither allocate nor lock.
public enum RealTime {
    @_noLocks public static func sin(_ x: Float) -> Float { _unsafePerformance { sinf(x) } }
    @_noLocks public static func cos(_ x: Float) -> Float { _unsafePerformance { cosf(x) } }
    @_noLocks public static func tan(_ x: Float) -> Float { _unsafePerformance { tanf(x) } }
    @_noLocks public static func tanh(_ x: Float) -> Float { _unsafePerformance { tanhf(x) } }
    @_noLocks public static func exp(_ x: Float) -> Float { _unsafePerformance { expf(x) } }
    @_noLocks public static func log(_ x: Float) -> Float { _unsafePerformance { logf(x) } }
    @_noLocks public static func log10(_ x: Float) -> Float { _unsafePerformance { log10f(x) } }
    @_noLocks public static func pow(_ x: Float, _ y: Float) -> Float { _unsafePerformance { powf(x, y) } }
    @_noLocks public static func squareRoot(_ x: Float) -> Float { _unsafePerformance { sqrtf(x) } }
}
