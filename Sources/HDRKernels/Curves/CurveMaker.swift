import CKernels
import Glibc

/// The accuracy that a curve needs.
enum Precision: Sendable {
    /// The finest precision, for small differences between large values.
    case finest
    /// Fine precision, for values that a matrix mixes: where they cancel out, errors of a millionth are visible.
    case fine
    /// Coarse precision, for gains that all components share, and for signals.
    case coarse
}

/// Makes the curves of one conversion for one instruction set: segmented polynomials whose coefficients fit its
/// registers, or tables in memory where it cannot pick from registers or no polynomial is accurate enough. `CurveGrid`
/// explains the fit.
struct CurveMaker {
    let store: TableStore
    let cache: CurveCache
    let quality: Quality
    /// The length of a table that a register holds and a lane can pick from; 0 where there is no instruction for that.
    let cells: Int
    /// Polynomials of degree 5 and 7 for log2 on [0.75, 1.5), by the distance from 1.
    private let logarithm, exactLogarithm: UnsafePointer<Float>

    static let maxDegree = 7
    /// Whether the target has codes of eight bits.
    let isCoarse: Bool
    let isRGB: Bool

    init(
        cells: Int, _ quality: Quality, target: PixelLayout, store: TableStore = TableStore(),
        cache: CurveCache = CurveCache()
    ) {
        self.init(quality, cells, isCoarse: target.bits <= 8, isRGB: target.isRGB, store, cache)
    }

    private init(
        _ quality: Quality, _ cells: Int, isCoarse: Bool, isRGB: Bool, _ store: TableStore, _ cache: CurveCache
    ) {
        self.store = store
        self.cache = cache
        self.quality = quality
        self.isCoarse = isCoarse
        self.isRGB = isRGB
        self.cells = cells
        func logarithm(_ degree: Int) -> [Float] {
            let numbers = Polynomial.interpolate(degree: degree, from: -0.25, to: 0.5) { log2(1 + $0) }
            return numbers.map { Float($0) } + Array(repeating: 0, count: 7 - degree)
        }
        self.logarithm = store.make(logarithm(5))
        exactLogarithm = store.make(logarithm(7))
    }

    /// This maker with a new store for its tables.
    var withStoreOfItsOwn: CurveMaker {
        CurveMaker(quality, cells, isCoarse: isCoarse, isRGB: isRGB, TableStore(), cache)
    }

    /// The largest error, relative to the value or to the scale of the function.
    func tolerance(_ precision: Precision) -> Double {
        // Coarse codes hide larger errors. Errors of light may be larger than those of signals, because a signal is
        // about the 2.4th root of light.
        let signals = isCoarse ? 5.0 : 1
        let light = lightScale
        return switch (quality, precision) {
        case (.reference, .coarse): 1e-6 * signals
        case (.reference, .fine): 3e-7 * light
        case (.reference, .finest): 1.5e-7
        case (.balanced, .coarse): 3e-5 * signals
        case (.balanced, .fine): 1e-6 * light
        case (.balanced, .finest): 1.5e-7 * max(light, 1)
        case (.fast, .coarse): isCoarse && !isRGB ? 2.5e-3 : 1e-3
        case (.fast, .fine): isCoarse && !isRGB ? 4e-3 : 1e-3
        case (.fast, .finest): 1e-5
        }
    }

    /// Luma and colour differences show half the error of a single component.
    private var lightScale: Double {
        switch (isCoarse, isRGB) {
        case (true, false): 24
        case (true, true): 2
        case (false, false): 1
        case (false, true): 0.5
        }
    }

    /// How many times a table's number of cells may be halved without a visible difference in coarse codes.
    private var spared: Int { isCoarse ? isRGB ? 1 : 2 : 0 }

    /// The largest error of a signal near black.
    var shadowTolerance: Double {
        let signals = isCoarse ? 4.0 : 1
        return switch quality {
        case .reference: 3e-5 * signals
        case .balanced: 1.5e-4 * signals
        case .fast: 3e-3
        }
    }

    /// The largest error of light whose components cancel out in a matrix of large numbers.
    var differenceTolerance: Double { quality == .fast ? 3.6e-6 : min(6e-7 * lightScale, 3.6e-6) }

    /// The factor by which errors of an EOTF's pieces may exceed those of cells. With eight lanes, pieces take fewer
    /// instructions than cells and err less in most places, so that eight-bit codes come out more accurate
    /// nevertheless.
    var roomOfPieces: Double { cells == 8 && isCoarse && !isRGB && quality == .balanced ? 4 : 1 }

    // MARK: Curves

    /// A function of a signal on [low, high]; arguments outside get the values of the ends.
    /// - Parameters:
    ///   - corners: the arguments where it is not smooth.
    ///   - smallest: errors are relative to values above this, and to this itself below.
    ///   - steps: the number of values for each unit, where the curve becomes a table.
    func signal(
        low: Double = 0, high: Double, corners: [Double] = [], smallest: Double, steps: Int,
        _ precision: Precision = .fine, _ function: (Double) -> Double
    ) -> KernelCurve {
        let wanted = CurveError(smallest: smallest, tolerance: tolerance(precision))
        let room = precision == .fine ? roomOfPieces : 1
        return signal(low: low, high: high, corners: corners, steps: steps, wanted, room: room, function)
    }

    /// The curve of a signal, with its own measure of errors.
    /// - Parameter room: the factor by which errors of pieces may be larger.
    func signal(
        low: Double = 0, high: Double, corners: [Double] = [], steps: Int, _ wanted: CurveError, room: Double = 1,
        _ function: (Double) -> Double
    ) -> KernelCurve {
        guard cells > 0, let curve = fit(low, high, corners, wanted, false, room: room, function) else {
            return table(low, high, quality == .reference ? 4 * steps : isCoarse ? steps / 2 : steps, function)
        }
        return curve
    }

    /// A function of light on [low, high] with `low` above 0; arguments outside get the values of the ends.
    /// - Parameters:
    ///   - bits: log2 of the number of cells in each power of two, where the curve becomes a table.
    ///   - exact: the argument, white's, at which the value is exact.
    ///   - takesBlack: whether arguments from 0 up to `low` get the value of `low` too.
    func light(
        low: Double, high: Double, corners: [Double] = [], smallest: Double, bits: Int, exact: Double? = nil,
        _ precision: Precision = .coarse, takesBlack: Bool = true, _ function: (Double) -> Double
    ) -> KernelCurve {
        let logarithms = corners.map { log2($0) }
        let wanted = CurveError(smallest: smallest, tolerance: tolerance(precision))
        // A function that is not steep at black needs no logarithm.
        if cells > 0, takesBlack, corners.count <= 1,
            let curve = pieces(0, high, corners.first, wanted, [false], exact: exact, { function(max($0, low)) })
        {
            return curve
        }
        guard cells > 0,
            var curve = fit(
                log2(low), log2(high), logarithms, wanted, true, exact: exact.map { log2($0) }, { function(exp2($0)) })
        else {
            return octaves(low, high, quality == .reference ? bits + 3 : bits, corners.first, function)
        }
        // An error of the logarithm becomes an error of the light.
        let isExact = quality == .reference || precision != .coarse
        curve.logarithm = isExact ? exactLogarithm : logarithm
        curve.log_degree = isExact ? 7 : 5
        return curve
    }

    /// `factor` * x^`exponent` up to `high`; 0 for x of 0 and less.
    /// - Parameters:
    ///   - isWide: whether values below 2^-30 times `high` matter.
    ///   - exact: the argument, white's, at which the value is exact.
    func power(
        _ exponent: Double, factor: Double = 1, high: Double, bits: Int, isWide: Bool = false, exact: Double? = nil,
        _ precision: Precision = .coarse
    ) -> KernelCurve {
        guard cells > 0 else {
            let low = high * (isWide ? 0x1p-48 : 0x1p-32)
            return octaves(low, high, quality == .reference ? bits + 2 : bits > 6 ? bits - spared : bits, nil) {
                $0 < low * 1.1 ? 0 : factor * pow($0, exponent)
            }
        }
        let wanted = tolerance(precision)
        var degree = quality == .fast ? 2 : 3
        var numbers: [Float] = []
        while true {
            numbers = Polynomial.interpolate(degree: degree, from: 1, to: 2) { pow($0, exponent) }.map { Float($0) }
            let error = stride(from: 1.0, through: 2, by: 1.0 / 64).map { m in
                abs(Double(Polynomial.evaluate(numbers[...], Float(m))) / pow(m, exponent) - 1)
            }
            if error.max()! <= wanted || degree == Self.maxDegree { break }
            degree += 1
        }
        let mantissa = Double(Float(exact ?? high).significand)
        let ratio = pow(mantissa, exponent) / Double(Polynomial.evaluate(numbers[...], Float(mantissa)))
        numbers = numbers.map { $0 * Float(ratio) } + Array(repeating: 0, count: 16 - numbers.count)

        // A value for each power of two; below the lowest one all values are 0.
        let top = Int(Float(high).exponent) + 127
        let takesProduct = cells < 16 || isWide
        let lowest: Int
        func power(_ code: Int) -> Float { Float(factor * exp2(exponent * Double(code - 127))) }
        if takesProduct {
            // The value is a product of two numbers that are looked up by bits of the biased exponent.
            let group = top / cells
            // At least 33 octaves are covered, and twice as many where the curve is wide.
            let groups = max(group - (cells == 16 ? 5 : isWide ? 6 : 4), 1)...group
            numbers += (0..<cells).map { Float(exp2(exponent * Double($0))) }
            var powers = [Float](repeating: 0, count: cells)
            for g in groups { powers[g % cells] = power(g * cells) }
            numbers += powers
            lowest = groups.lowerBound * cells - 1
        } else {
            var powers = [Float](repeating: 0, count: 32)
            for code in max(top - 30, 2)...top { powers[code % 32] = power(code) }
            numbers += powers
            lowest = max(top - 31, 1)
        }
        let low = Float(sign: .plus, exponent: lowest - 127, significand: 1)
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurvePower)
        curve.is_wide = takesProduct ? 1 : 0
        curve.degree = Int32(degree)
        curve.low = low
        curve.high = Float(high)
        curve.table = store.make(numbers)
        return curve
    }

    /// `scale` * x, with x clamped first.
    func linear(_ scale: Double, low: Double = -.infinity, high: Double = .infinity) -> KernelCurve {
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveLinear)
        curve.scale = Float(scale)
        curve.low = Float(low)
        curve.high = Float(high)
        return curve
    }

    // MARK: Polynomials

    /// The segmented polynomial of the lowest degree that is accurate enough; `nil` where none is.
    private func fit(
        _ low: Double, _ high: Double, _ corners: [Double], _ wanted: CurveError, _ isLog: Bool, room: Double = 1,
        exact: Double? = nil, _ function: (Double) -> Double
    ) -> KernelCurve? {
        func made(_ fit: CurveFit, _ grid: CurveGrid) -> KernelCurve {
            var fit = fit
            if let exact { fit.calibrate(grid, at: exact, function) }
            return curve(fit, grid, isLog)
        }

        var grids = CurveGrid.candidates(low: low, high: high, corners: corners, cells: cells)
        var best: (fit: CurveFit, grid: CurveGrid)?
        // Where no cell ends at a corner, a table is preferred to a curve with a larger error.
        let limit = (wanted.tolerance < 3e-7 ? 1 : 2) * wanted.tolerance
        // Square roots of light are smoother than light.
        let isPositive = function(low) >= 0 && function(high) >= 0
        // The square of a rounding error at black is still black.
        let forms = !isPositive ? [false] : function(low) == 0 && wanted.power == 1 ? [true] : [false, true]
        // Twice as many cells, in pairs of registers, cost less time than one more degree.
        if cells == 16, !isLog, grids.allSatisfy({ !$0.hasKnots }) {
            grids += CurveGrid.candidates(low: low, high: high, corners: corners, cells: 2 * cells).filter {
                !$0.hasKnots
            }
        }
        let takesPieces = !isLog && corners.count <= 1
        var suspect = low
        for degree in (quality == .fast ? 2 : 3)...Self.maxDegree {
            if takesPieces,
                let curve = pieces(
                    low, high, corners.first, wanted.relaxed(room), forms.reversed(), degrees: degree...degree,
                    function)
            {
                return curve
            }
            for grid in grids {
                for squares in forms {
                    guard
                        let fit = CurveFit(
                            grid, degree, squares, wanted, limit: best?.fit.error.nextDown ?? limit, suspect: &suspect,
                            function)
                    else { continue }
                    best = (fit, grid)
                    if fit.error <= wanted.tolerance { return made(fit, grid) }
                }
            }
        }
        return best.map { made($0.fit, $0.grid) }
    }

    /// Pieces of the lowest degree that is accurate enough; `nil` where none is.
    private func pieces(
        _ low: Double, _ high: Double, _ corner: Double?, _ wanted: CurveError, _ forms: [Bool],
        exact: Double? = nil, degrees: ClosedRange<Int> = 2...5, _ function: (Double) -> Double
    ) -> KernelCurve? {
        // Polynomials lose their last digits where arguments are far from 0.
        guard wanted.tolerance >= 5e-7 else { return nil }
        let count = cells == 16 ? 32 : cells
        let grids = (1...3).compactMap { PieceGrid(low: low, high: high, corner: corner, count: count, bits: $0) }
        var suspect = low
        for degree in degrees where degree <= 5 {
            for grid in grids {
                for squares in forms {
                    guard
                        var fit = PieceFit(
                            grid, low: low, high: high, count: count, degree: degree, squares: squares, wanted,
                            suspect: &suspect, function)
                    else { continue }
                    if let exact { fit.calibrate(at: exact, function) }
                    return curve(fit, count)
                }
            }
        }
        return nil
    }

    func curve(_ fit: PieceFit, _ count: Int) -> KernelCurve {
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurvePieces)
        curve.degree = Int32(fit.degree)
        curve.squares = fit.squares ? 1 : 0
        curve.shift = Int32(fit.shift)
        curve.low = fit.low
        curve.high = fit.high
        curve.scale = fit.grid.scale
        curve.offset = fit.grid.offset
        // Each row fills two registers.
        curve.table = store.make((fit.degree + 1) * 2 * cells) { index in
            let place = index % (2 * cells)
            return place < count ? Double(fit.coefficients[index / (2 * cells) * count + place]) : 0
        }
        return curve
    }

    func curve(_ fit: CurveFit, _ grid: CurveGrid, _ isLog: Bool) -> KernelCurve {
        var curve = KernelCurve()
        curve.kind = Int32(isLog ? KernelCurveLogCells : KernelCurveCells)
        curve.degree = Int32(fit.degree)
        curve.squares = fit.squares ? 1 : 0
        curve.form = Int32(
            grid.hasKnots ? KernelCellsWithKnots : grid.cells > cells ? KernelCellsOfPairs : KernelCellsPlain)
        func position(_ x: Double) -> Double { (x - grid.start) / grid.width - 0.5 }
        // The logarithm is taken of the clamped argument.
        curve.low = Float(isLog ? exp2(grid.low) : position(grid.low))
        curve.high = Float(isLog ? exp2(grid.high) : position(grid.high))
        curve.scale = Float(1 / grid.width)
        curve.offset = Float(position(0))
        curve.table = store.make(fit.rows)
        curve.knots = store.make(grid.knots.map { Float(position($0)) })
        return curve
    }
}
