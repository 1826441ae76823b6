import CSIMD

/// A function of samples.
protocol VectorFunction {
    func callAsFunction(_ x: V) -> V
    /// The function's value for arguments that do not exceed the upper limit.
    func belowTop(_ x: V) -> V
    /// The function's value for arguments that are within both limits.
    func inside(_ x: V) -> V
}

extension VectorFunction {
    @inline(__always) func belowTop(_ x: V) -> V { self(x) }
    @inline(__always) func inside(_ x: V) -> V { self(x) }
}

/// A loop over samples that is compiled once for each kind of curve, so that the curve's coefficients stay in
/// registers.
protocol CurveLoop {
    /// Whether the loop hands positions among cells or steps, in place of arguments, to curves that have cells or
    /// steps.
    static var givesPositions: Bool { get }
    func run<Function: VectorFunction>(_ function: Function)
}

/// Runs a loop with a curve.
@inline(__always)
func withCurve<Loop: CurveLoop>(_ curve: UnsafePointer<KernelCurve>, _ loop: Loop) {
    #if HDR_REGISTER_TABLES
        switch curve.pointee.degree {
        case 1: withPieces(curve, N1.self, loop)
        case 2: withPolynomials(curve, N2.self, loop)
        case 3: withPolynomials(curve, N3.self, loop)
        case 4: withPolynomials(curve, N4.self, loop)
        case 5: withPolynomials(curve, N5.self, loop)
        case 6: withPolynomials(curve, N6.self, loop)
        case 7: withPolynomials(curve, N7.self, loop)
        default: withSimpleCurve(curve, loop)
        }
    #else
        withSimpleCurve(curve, loop)
    #endif
}

/// Runs a loop with a curve that is no polynomial: a table or lines.
private func withSimpleCurve<Loop: CurveLoop>(_ curve: UnsafePointer<KernelCurve>, _ loop: Loop) {
    switch Int(curve.pointee.kind) {
    case KernelCurveTable:
        if Loop.givesPositions { loop.run(TableCurve(curve)) } else { loop.run(ScaledTableCurve(curve)) }
    case KernelCurveOctaves: loop.run(OctaveCurve(curve))
    case KernelCurveScaledOctaves: loop.run(ScaledOctaveCurve(curve))
    default: loop.run(LinearCurve(curve))
    }
}

private func withPolynomials<Loop: CurveLoop, Degree: Constant>(
    _ curve: UnsafePointer<KernelCurve>, _ degree: Degree.Type, _ loop: Loop
) {
    let kind = Int(curve.pointee.kind)
    let form = Int(curve.pointee.form)
    let hasKnots = form == KernelCellsWithKnots
    // Zeros follow the coefficients of a short logarithm. Only sRGB has an EOTF with a logarithm, the exact one.
    let hasShortLogarithm = !Loop.givesPositions && curve.pointee.log_degree <= 5
    if kind == KernelCurvePower {
        if curve.pointee.is_wide != 0 {
            loop.run(PowerCurve<Degree, N1>(curve))
        } else {
            loop.run(PowerCurve<Degree, N0>(curve))
        }
    } else if kind == KernelCurveCells {
        if Loop.givesPositions {
            // EOTFs have one corner at most.
            if form == KernelCellsPlain {
                loop.run(Cells<Degree, N0>(curve))
            } else {
                loop.run(Cells<Degree, N2>(curve))
            }
        } else {
            switch form {
            case KernelCellsPlain: loop.run(ScaledCells<Degree, N0>(curve))
            case KernelCellsWithKnots: loop.run(ScaledCells<Degree, N1>(curve))
            default: loop.run(ScaledCells<Degree, N2>(curve))
            }
        }
    } else if kind == KernelCurvePieces {
        withPieces(curve, degree, loop)
    } else if kind == KernelCurveMantissas {
        withMantissas(curve, degree, loop)
    } else if hasKnots && hasShortLogarithm {
        loop.run(LogCells<Degree, N1, N5>(curve))
    } else if hasKnots {
        loop.run(LogCells<Degree, N1, N7>(curve))
    } else if hasShortLogarithm {
        loop.run(LogCells<Degree, N0, N5>(curve))
    } else {
        loop.run(LogCells<Degree, N0, N7>(curve))
    }
}

private func withPieces<Loop: CurveLoop, Degree: Constant>(
    _ curve: UnsafePointer<KernelCurve>, _ degree: Degree.Type, _ loop: Loop
) {
    // Polynomials of a higher degree lose digits where their arguments are far from 0.
    if Degree.value > 5 { return }
    switch (Loop.givesPositions, curve.pointee.squares != 0) {
    case (true, false): loop.run(Pieces<Degree, N0>(curve))
    case (true, true): loop.run(Pieces<Degree, N1>(curve))
    case (false, false): loop.run(ScaledPieces<Degree, N0>(curve))
    case (false, true): loop.run(ScaledPieces<Degree, N1>(curve))
    }
}

private func withMantissas<Loop: CurveLoop, Degree: Constant>(
    _ curve: UnsafePointer<KernelCurve>, _ degree: Degree.Type, _ loop: Loop
) {
    // Only registers of 16 lanes hold that many coefficients. The planner makes no curves of this kind with other
    // degrees, nor as EOTFs.
    if lanes != 16 || Loop.givesPositions || Degree.value < 4 || Degree.value == 5 { return }
    loop.run(Mantissas<Degree>(curve))
}

/// Evaluates a curve on a row of samples; `from` and `to` may be the same row.
func evaluate(_ curve: UnsafePointer<KernelCurve>, _ from: Row, _ to: Row, _ count: Int) {
    withCurve(curve, RowLoop(from: from, to: to, count: count))
}

/// Evaluates a curve of pieces on a row of samples, all of which are known to be within its limits.
func evaluateInside(_ curve: UnsafePointer<KernelCurve>, _ from: Row, _ to: Row, _ count: Int) {
    let loop = InsideLoop(from: from, to: to, count: count)
    switch curve.pointee.degree {
    case 1: withPieces(curve, N1.self, loop)
    case 2: withPieces(curve, N2.self, loop)
    case 3: withPieces(curve, N3.self, loop)
    case 4: withPieces(curve, N4.self, loop)
    default: withPieces(curve, N5.self, loop)
    }
}

private struct InsideLoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { false }
    let from: Row, to: Row
    let count: Int

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        var i = 0
        while i < count {
            cv_store(to + i, function.inside(cv_load(from + i)))
            i &+= lanes
        }
    }
}

private struct RowLoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { false }
    let from: Row, to: Row
    let count: Int

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        var i = 0
        while i < count {
            cv_store(to + i, function(cv_load(from + i)))
            i &+= lanes
        }
    }
}

// MARK: Simple curves and tables in memory

struct LinearCurve: VectorFunction {
    private let low: V, high: V, scale: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        scale = cv_splat(curve.pointee.scale)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { cv_limit(x, low, high) * scale }
}

/// A table of values at equal steps and their differences to the next value, looked up by the position among the steps.
struct TableCurve: VectorFunction {
    private let low: V, high: V
    private let table: UnsafePointer<Float>

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        table = curve.pointee.table!
    }

    @inline(__always) func callAsFunction(_ position: V) -> V {
        let inside = cv_limit(position, low, high)
        let index = cv_truncate(inside)
        return cv_line(table, index, inside - cv_to_float(index))
    }
}

/// The same table, looked up by the argument.
struct ScaledTableCurve: VectorFunction {
    private let table: TableCurve
    private let scale: V, offset: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        table = TableCurve(curve)
        scale = cv_splat(curve.pointee.scale)
        offset = cv_splat(curve.pointee.offset)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { table(cv_fma(x, scale, offset)) }
}

/// Lines on equal parts of each power of two.
struct OctaveCurve: VectorFunction {
    private let low: V, high: V
    private let table: UnsafePointer<Float>
    private let shift: Int32

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        table = curve.pointee.table!
        shift = curve.pointee.shift
    }

    @inline(__always) func callAsFunction(_ x: V) -> V {
        let inside = cv_limit(x, low, high)
        return cv_line(table, cv_right(cv_bits(inside), shift), inside)
    }
}

/// Lines on equal parts of each power of two of the scaled argument; the scale places corners of the curve between
/// steps.
struct ScaledOctaveCurve: VectorFunction {
    private let octaves: OctaveCurve
    private let scale: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        octaves = OctaveCurve(curve)
        scale = cv_splat(curve.pointee.scale)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { octaves(x * scale) }
}

// MARK: Constants

/// A number that is known at compile time.
protocol Constant { static var value: Int { get } }
enum N0: Constant { @inline(__always) static var value: Int { 0 } }
enum N1: Constant { @inline(__always) static var value: Int { 1 } }
enum N2: Constant { @inline(__always) static var value: Int { 2 } }
enum N3: Constant { @inline(__always) static var value: Int { 3 } }
enum N4: Constant { @inline(__always) static var value: Int { 4 } }
enum N5: Constant { @inline(__always) static var value: Int { 5 } }
enum N6: Constant { @inline(__always) static var value: Int { 6 } }
enum N7: Constant { @inline(__always) static var value: Int { 7 } }
