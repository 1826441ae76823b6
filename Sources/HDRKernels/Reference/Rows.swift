import CSIMD

/// A pointer to a row of computed samples.
typealias Row = UnsafeMutablePointer<Double>

/// The rows of a picture row's three components.
struct RowTriple {
    var a: Row, b: Row, c: Row

    @inline(__always) subscript(component: Int) -> Row {
        component == 0 ? a : component == 1 ? b : c
    }
}

/// Clamps to `[low, high]` without a branch; a NaN becomes `low`.
@inline(__always) func clamp(_ x: Double, _ low: Double, _ high: Double) -> Double { cv_limit_f64(x, low, high) }

/// The integer part of a value in [0, 65535].
@inline(__always) func truncate(_ x: Double) -> UInt16 { cv_truncate_f64(x) }
