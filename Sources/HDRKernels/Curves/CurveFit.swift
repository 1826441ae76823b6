import Glibc

/// Cells of equal width that cover the range of a function's argument.
///
/// How a curve is fitted: a register holds as many numbers as it has lanes, 8 or 16, and an instruction picks one for
/// each lane. So the range is divided into that many cells, and on each cell the function is replaced by a polynomial
/// that meets it at a few nodes. The coefficients of one power, one for each cell, fill a register. A polynomial
/// follows a smooth function closely, but not across a corner (a knee, the end of a linear segment). The grid is
/// therefore shifted and stretched until a corner falls where two cells meet; any other corner becomes a knot, which
/// splits its cell into two with polynomials of their own. `CurveMaker` tries degree after degree, with and without
/// knots, takes the first fit whose largest error, measured in single precision halfway between the nodes, is within
/// the tolerance, and falls back to a table in memory.
struct CurveGrid {
    let low: Double
    let high: Double
    let start: Double
    let width: Double
    let cells: Int
    /// The argument at which each cell is split; above all arguments where it is not split.
    let knots: [Double]
    let hasKnots: Bool
    /// The knot of a cell that is not split.
    private static let none = 0x1p100

    /// Grids to try: first those without knots, which take less time, then one with knots if there are several corners.
    static func candidates(low: Double, high: Double, corners: [Double], cells: Int) -> [CurveGrid] {
        let grid = CurveGrid(low: low, high: high, corners: corners, cells: cells)
        guard grid.hasKnots else { return [grid] }
        let plain = corners.map { CurveGrid(low: low, high: high, corners: [$0], cells: cells) }
        // Registers of eight lanes would need two picks and a blend for a knot.
        return cells == 16 ? plain + [grid] : plain
    }

    init(low: Double, high: Double, corners: [Double], cells: Int) {
        self.low = low
        self.high = high
        self.cells = cells
        // A margin at both ends, so that rounding cannot choose a cell outside the grid.
        let slack = 1.0005
        // A corner at an end of the range does not matter.
        let inside = corners.filter { $0 > low + 1e-4 * (high - low) && $0 < high - 1e-4 * (high - low) }
        var grids: [(start: Double, width: Double)] = []
        for corner in inside {
            let widths = (1..<cells).map {
                max((corner - low) / Double($0), (high - corner) / Double(cells - $0)) * slack
            }
            let best = widths.indices.min { widths[$0] < widths[$1] }!
            grids.append((corner - Double(best + 1) * widths[best], widths[best]))
        }
        let plain = (high - low) / Double(cells) * slack
        if grids.isEmpty { grids.append((low - (plain * Double(cells) - (high - low)) / 2, plain)) }
        /// Corners that can be neither a border nor a knot, because their cell has a knot already.
        func lost(_ grid: (start: Double, width: Double)) -> Int {
            var taken = Set<Int>()
            return inside.filter { corner in
                let position = (corner - grid.start) / grid.width
                if abs(position - position.rounded()) < 1e-6 { return false }
                return !taken.insert(Int(position.rounded(.down))).inserted
            }.count
        }
        let grid = grids.min { (lost($0), $0.width) < (lost($1), $1.width) }!
        start = grid.start
        width = grid.width
        var knots = [Double](repeating: Self.none, count: cells)
        var hasKnots = false
        for corner in inside {
            let position = (corner - start) / width
            if abs(position - position.rounded()) < 1e-6 { continue }
            let cell = min(max(Int(position.rounded(.down)), 0), cells - 1)
            if knots[cell] == Self.none { knots[cell] = corner }
            hasKnots = true
        }
        self.knots = knots
        self.hasKnots = hasKnots
    }

    /// The arguments of a cell, and of its part below or above its knot. `nil` for an empty one.
    func range(_ cell: Int, above: Bool) -> (from: Double, to: Double)? {
        let from = max(start + Double(cell) * width, low)
        let to = min(start + Double(cell + 1) * width, high)
        let knot = knots[cell]
        guard knot < to else { return above || to <= from ? nil : (from, to) }
        return above ? (max(knot, from), to) : (from, knot)
    }

    /// The argument's place in its cell, [-0.5, 0.5].
    func place(_ x: Double, in cell: Int) -> Double { (x - start) / width - Double(cell) - 0.5 }
}

/// The measure for the errors of a curve.
struct CurveError {
    /// Errors are relative to values above this, and to this itself below.
    let smallest: Double
    /// The power that values will be raised to: errors are measured after that.
    var power = 1.0
    /// The largest absolute error of the values themselves; above `whole` it grows with the value.
    var absolute = Double.infinity
    var whole = Double.infinity
    /// The error that the fit has to stay within.
    let tolerance: Double

    func error(_ value: Double, _ exact: Double) -> Double {
        let own = abs(value - exact)
        if power == 1 { return own / max(abs(exact), smallest) }
        let raised = pow(max(exact, 0), power)
        let limit = absolute * max(exact / whole, 1)
        return max(abs(pow(max(value, 0), power) - raised) / max(raised, smallest), own / limit * tolerance)
    }

    /// This measure with its tolerance multiplied by a factor.
    func relaxed(_ factor: Double) -> CurveError {
        CurveError(
            smallest: smallest, power: power, absolute: absolute, whole: whole, tolerance: tolerance * factor)
    }
}

/// A segmented polynomial for a function on a grid, in the kernels' order: for each power a row with the coefficients
/// of all cells, and a row with those of the parts above knots.
struct CurveFit {
    let degree: Int
    /// Whether the polynomials approximate the function's square root.
    let squares: Bool
    private(set) var coefficients: [Float]

    /// The largest error halfway between nodes, measured by `CurveError`.
    let error: Double

    /// - Parameters:
    ///   - limit: the largest error that is accepted.
    ///   - suspect: the argument at which the error is tested first; it becomes one at which the error is too large.
    /// - Returns: `nil` where the error is larger; the cells after the first that fails are not fitted.
    init?(
        _ grid: CurveGrid, _ degree: Int, _ squares: Bool, _ wanted: CurveError, limit: Double, suspect: inout Double,
        _ function: (Double) -> Double
    ) {
        self.degree = degree
        self.squares = squares
        coefficients = [Float](repeating: 0, count: (degree + 1) * 2 * grid.cells)
        let isBlack = function(grid.low) == 0
        var largest = 0.0
        var own = [Float](repeating: 0, count: degree + 1)
        let place = (suspect - grid.start) / grid.width
        let suspected = place > 0 ? min(Int(place), grid.cells - 1) : 0
        for next in -1..<grid.cells where next != suspected {
            let cell = next < 0 ? suspected : next
            for part in 0..<2 {
                let range = grid.range(cell, above: part == 1)
                if let range {
                    Self.fit(grid, cell, range, squares, into: &own, function)
                } else {
                    for k in 0...degree { own[k] = 0 }
                }
                if isBlack && cell == 0 && part == 0 {
                    // The lowest value is 0, so that what rounding leaves of it is subtracted.
                    own[0] -= Polynomial.evaluate(own[...], Float(grid.place(grid.low, in: 0)))
                }
                for k in 0...degree { coefficients[(2 * k + part) * grid.cells + cell] = own[k] }
                guard let range else { continue }
                largest = max(largest, Self.error(grid, cell, range, squares, own, wanted, function))
                guard largest <= limit else {
                    suspect = (range.from + range.to) / 2
                    return nil
                }
            }
        }
        error = largest
    }

    /// The polynomial on a cell or a part of it.
    private static func fit(
        _ grid: CurveGrid, _ cell: Int, _ range: (from: Double, to: Double), _ squares: Bool, into own: inout [Float],
        _ function: (Double) -> Double
    ) {
        let from = grid.place(range.from, in: cell)
        let to = grid.place(range.to, in: cell)
        guard to - from > 1e-3 else {
            let value = function((range.from + range.to) / 2)
            for k in own.indices { own[k] = 0 }
            own[0] = Float(squares ? max(value, 0).squareRoot() : value)
            return
        }
        // A corner may be a step: the node lies on this cell's side of it.
        let inset = (to - from) * 1e-9
        let polynomial = Polynomial.interpolate(degree: own.count - 1, from: from, to: to) { u in
            let inside = min(max(u, from + inset), to - inset)
            let value = function(grid.start + (Double(cell) + 0.5 + inside) * grid.width)
            return squares ? max(value, 0).squareRoot() : value
        }
        for (k, c) in polynomial.enumerated() { own[k] = Float(c) }
    }

    private static func error(
        _ grid: CurveGrid, _ cell: Int, _ range: (from: Double, to: Double), _ squares: Bool, _ own: [Float],
        _ wanted: CurveError, _ function: (Double) -> Double
    ) -> Double {
        let samples = 2 * own.count
        var largest = 0.0
        for sample in 0..<samples {
            let x = range.from + (range.to - range.from) * (Double(sample) + 0.5) / Double(samples)
            let exact = function(x)
            var value = Double(Polynomial.evaluate(own[...], Float(grid.place(x, in: cell))))
            if squares { value *= value }
            let error = wanted.error(value, exact)
            guard error.isFinite else { return .infinity }
            largest = max(largest, error)
        }
        return largest
    }

    /// The coefficients as registers hold them: for each power two rows, for 16 cells and the parts above their knots,
    /// or for 32 cells.
    var rows: [Float] {
        let cells = coefficients.count / (degree + 1) / 2
        guard cells == 32 else { return coefficients }
        return (0...degree).flatMap { coefficients[$0 * 64..<$0 * 64 + 32] }
    }

    /// Makes the value at an argument exact by scaling all values.
    mutating func calibrate(_ grid: CurveGrid, at x: Double, _ function: (Double) -> Double) {
        let position = (x - grid.start) / grid.width
        guard position >= 0, position < Double(grid.cells) else { return }
        let cell = Int(position)
        let part = x >= grid.knots[cell] ? 1 : 0
        let own = (0...degree).map { coefficients[(2 * $0 + part) * grid.cells + cell] }
        var value = Double(Polynomial.evaluate(own[...], Float(grid.place(x, in: cell))))
        if squares { value *= value }
        let ratio = function(x) / value
        guard ratio.isFinite, abs(ratio - 1) < 0.01 else { return }
        let factor = Float(squares ? ratio.squareRoot() : ratio)
        for i in coefficients.indices { coefficients[i] *= factor }
    }
}
