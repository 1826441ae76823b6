/// The pieces of a segmented polynomial that a kernel finds by a shift of a number's bits: equal parts of each power of
/// two that `scale * x + offset` passes through, finest at the lowest argument.
struct PieceGrid {
    let scale: Float
    let offset: Float
    /// log2 of the number of pieces in each power of two.
    let bits: Int

    private init(scale: Double, offset: Double, bits: Int) {
        self.scale = Float(scale)
        self.offset = Float(offset)
        self.bits = bits
    }

    /// A grid that spreads `count` pieces over [low, high], with a piece that begins at the corner, if there is one.
    init?(low: Double, high: Double, corner: Double?, count: Int, bits: Int) {
        // A margin at both ends, so that rounding cannot choose a piece outside the grid.
        let least = Double(sign: .plus, exponent: -(count >> bits), significand: 1.0005)
        let most = 0.9995
        guard let corner else {
            let scale = (most - least) / (high - low)
            self.init(scale: scale, offset: least - scale * low, bits: bits)
            return
        }
        var best = (scale: 0.0, start: 0.0)
        for code in 1..<count {
            let start = Self.start(code, bits) / Double(1 << (count >> bits))
            let scale = min((start - least) / (corner - low), (most - start) / (high - corner))
            if scale > best.scale { best = (scale, start) }
        }
        guard best.scale > 0 else { return nil }
        self.init(scale: best.scale, offset: best.start - best.scale * corner, bits: bits)
    }

    /// Grids that spread `count` pieces over [low, high] so that the first begins anywhere in a power of two.
    static func spread(low: Double, high: Double, count: Int, bits: Int) -> [PieceGrid] {
        (0..<1 << bits).map { first in
            let least = start(first, bits) * 1.0005
            let most = start(first + count, bits) * 0.9995
            let scale = (most - least) / (high - low)
            return PieceGrid(scale: scale, offset: least - scale * low, bits: bits)
        }
    }

    /// Grids on which a piece begins at each of two corners, in descending order of resolution at an argument of 0.
    static func candidates(_ first: Double, _ second: Double, bits: Int) -> [PieceGrid] {
        var result: [PieceGrid] = []
        for lower in 0..<1 << bits {
            for upper in lower + 1..<4 << bits {
                let scale = (start(upper, bits) - start(lower, bits)) / (second - first)
                let offset = start(lower, bits) - scale * first
                guard scale.isFinite, offset > 0.01 * scale, offset < 0.5 * scale else { continue }
                result.append(PieceGrid(scale: scale, offset: offset, bits: bits))
            }
        }
        return result.sorted { $0.offset / $0.scale < $1.offset / $1.scale }
    }

    /// The start of a piece, from 1 on.
    private static func start(_ code: Int, _ bits: Int) -> Double {
        let parts = 1 << bits
        return Double(sign: .plus, exponent: code / parts, significand: 1 + Double(code % parts) / Double(parts))
    }

    func position(_ x: Double) -> Float { Float(Double(offset) + Double(scale) * x) }
    func argument(_ position: Double) -> Double { (position - Double(offset)) / Double(scale) }
}

/// Polynomials on pieces of a number's binary representation, which a kernel finds by a shift.
struct PieceFit {
    let grid: PieceGrid
    let degree: Int
    /// Whether the polynomials approximate the function's square root.
    let squares: Bool
    /// The positions of the lowest and of the highest argument.
    let low: Float
    let high: Float
    /// The coefficients by power, lowest first: one for each piece, at the piece's code modulo their count.
    private(set) var coefficients: [Float]
    private let count: Int

    /// - Parameters:
    ///   - count: how many numbers a lane can pick from, a power of two.
    ///   - joins: whether neighbouring pieces meet; errors are smaller if they need not.
    ///   - suspect: the argument at which the error is tested first; it becomes one at which the error is too large.
    ///     Most grids fail at the same place, and are given up after that piece.
    /// - Returns: `nil` where the range takes more pieces, or the error between nodes is larger than wanted.
    init?(
        _ grid: PieceGrid, low: Double = 0, high: Double, count: Int, degree: Int, squares: Bool = false,
        joins: Bool = true, _ wanted: CurveError, suspect: inout Double, _ function: (Double) -> Double
    ) {
        self.grid = grid
        self.degree = degree
        self.squares = squares
        self.count = count
        self.low = grid.position(low)
        self.high = grid.position(high)
        coefficients = [Float](repeating: 0, count: (degree + 1) * count)
        guard self.low >= Float.leastNormalMagnitude, self.low < self.high, self.high.isFinite else { return nil }
        let (first, last) = (code(self.low), code(self.high))
        guard last - first < count else { return nil }
        let isBlack = function(low) == 0
        let suspected = min(max(code(grid.position(suspect)), first), last)
        for next in first - 1...last where next != suspected {
            let code = next < first ? suspected : next
            // The inset exceeds the distance by which the rounding of scale and offset moves a corner.
            let inset = (start(code + 1) - start(code)) * 1e-6
            let from = max(start(code), Double(self.low))
            let to = min(start(code + 1) - inset, Double(self.high))
            if to > from {
                set(code, from, to, joins) { t in
                    let value = function(min(grid.argument(max(t, from + inset)), high))
                    return squares ? max(value, 0).squareRoot() : value
                }
            }
            if isBlack && code == first { blacken() }
            guard meets(wanted, code, function) else {
                suspect = grid.argument((from + to) / 2)
                return nil
            }
        }
    }

    private mutating func set(
        _ code: Int, _ from: Double, _ to: Double, _ joins: Bool, _ value: (Double) -> Double
    ) {
        let polynomial =
            joins
            ? Polynomial.interpolate(degree: degree, from: from, to: to, value)
            : Polynomial.approximate(degree: degree, from: from, to: to, value)
        for (k, c) in polynomial.enumerated() { coefficients[k * count + code % count] = Float(c) }
    }

    /// The number of bits of the representation below a piece's code.
    var shift: Int { 23 - grid.bits }
    private func code(_ t: Float) -> Int { Int(t.bitPattern) >> shift }
    private func start(_ code: Int) -> Double { Double(Float(bitPattern: UInt32(code << shift))) }

    private func polynomial(_ t: Float) -> Float {
        let place = code(t) % count
        return (0...degree).reversed().reduce(Float(0)) { $0 * t + coefficients[$1 * count + place] }
    }
    private func value(_ t: Float) -> Double {
        let value = Double(polynomial(t))
        return squares ? value * value : value
    }

    /// Makes the lowest value exactly 0 by subtracting what rounding leaves of it.
    private mutating func blacken() { coefficients[code(low) % count] -= polynomial(low) }

    /// Makes the value at an argument exact by scaling all values.
    mutating func calibrate(at x: Double, _ function: (Double) -> Double) {
        let t = grid.position(x)
        guard t >= low, t <= high else { return }
        let ratio = function(x) / value(t)
        guard ratio.isFinite, abs(ratio - 1) < 0.01 else { return }
        let factor = Float(squares ? ratio.squareRoot() : ratio)
        for i in coefficients.indices { coefficients[i] *= factor }
    }

    /// Whether a piece's error between nodes is no larger than wanted.
    private func meets(_ wanted: CurveError, _ code: Int, _ function: (Double) -> Double) -> Bool {
        let samples = 2 * degree + 2
        let from = max(start(code), Double(low))
        let to = min(start(code + 1), Double(high))
        return (0..<samples).allSatisfy { sample in
            let t = Float(from + (to - from) * (Double(sample) + 0.5) / Double(samples))
            return wanted.error(value(t), function(grid.argument(Double(t)))) <= wanted.tolerance
        }
    }
}
