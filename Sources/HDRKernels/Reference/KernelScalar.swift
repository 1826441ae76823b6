import CSIMD
import HDRColor

/// A scalar that rows are computed in.
public protocol KernelScalar: ColorScalar {
    /// Limits to `[low, high]` without a branch; a NaN becomes `low`.
    static func limit(_ x: Self, _ low: Self, _ high: Self) -> Self
    /// Integer part of a value in [0, 65535].
    static func truncate(_ x: Self) -> UInt16
}

extension Float: KernelScalar {
    @inline(__always) public static func limit(_ x: Float, _ low: Float, _ high: Float) -> Float {
        cv_limit_f32(x, low, high)
    }
    @inline(__always) public static func truncate(_ x: Float) -> UInt16 { cv_truncate_f32(x) }
}

extension Double: KernelScalar {
    @inline(__always) public static func limit(_ x: Double, _ low: Double, _ high: Double) -> Double {
        cv_limit_f64(x, low, high)
    }
    @inline(__always) public static func truncate(_ x: Double) -> UInt16 { cv_truncate_f64(x) }
}

/// A pointer to a row of computed samples.
typealias Row<T> = UnsafeMutablePointer<T>

/// Three component rows of one picture row.
struct RowTriple<T> {
    var a: Row<T>, b: Row<T>, c: Row<T>

    @inline(__always) subscript(component: Int) -> Row<T> {
        component == 0 ? a : component == 1 ? b : c
    }
}

/// Turns a row of the source's code values into a row of the target's, not yet rounded, in place.
///
/// This is the seam between what a conversion computes and how fast: a kernel is made from a plan at negotiation, and
/// only `convert` runs on the streaming threads.
protocol ColorKernel: Sendable {
    associatedtype Scalar: KernelScalar
    func convert(_ row: RowTriple<Scalar>, count: Int)
}
