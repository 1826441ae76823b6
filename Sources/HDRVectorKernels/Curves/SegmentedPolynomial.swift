import CSIMD

/// A segmented polynomial on cells of equal width. The position's integer part chooses the cell, whose coefficients are
/// picked from registers; the remainder, in [-0.5, 0.5], is the polynomial's argument.
///
/// `Form` is one of the constants `KernelCells...`.
struct Cells<Degree: Constant, Form: Constant>: VectorFunction {
    private let low: V, high: V
    private let knots: V
    private let first: Coefficients
    private let second: Coefficients
    private let squares: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        first = Coefficients(curve.pointee.table!, Degree.value, stride: 2 &* lanes)
        second = Coefficients(curve.pointee.table! + lanes, Form.value != 0 ? Degree.value : -1, stride: 2 &* lanes)
        knots = Form.value == 1 ? cv_load(curve.pointee.knots!) : low
        squares = cv_splat(curve.pointee.squares != 0 ? 1 : -1)
    }

    @inline(__always) func callAsFunction(_ position: V) -> V { value(cv_limit(position, low, high)) }

    /// The value at a position that has been clamped.
    @inline(__always) func value(_ position: V) -> V {
        // Adding 1.5 * 2^23 rounds to an integer, which then stands in the lowest bits.
        let magic = cv_splat(12_582_912)
        let rounded = position + magic
        let u = position - (rounded - magic)
        let plain = cv_bits(rounded)
        let index = Form.value == 1 ? cv_pair_index(plain, position, cv_pick(knots, plain)) : plain
        let y = horner(Degree.value, u) { pick(first[$0], second[$0], index) }
        return cv_above(squares, cv_splat(0), y * y, y)
    }

    @inline(__always) private func pick(_ table: V, _ other: V, _ index: cv_i) -> V {
        Form.value != 0 ? cv_pick2(table, other, index) : cv_pick(table, index)
    }
}

/// The same polynomial, evaluated by the argument in place of the position.
struct ScaledCells<Degree: Constant, Form: Constant>: VectorFunction {
    private let cells: Cells<Degree, Form>
    private let scale: V, offset: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        cells = Cells(curve)
        scale = cv_splat(curve.pointee.scale)
        offset = cv_splat(curve.pointee.offset)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { cells(cv_fma(x, scale, offset)) }
}

/// A segmented polynomial on cells of the argument's logarithm.
struct LogCells<Degree: Constant, Form: Constant, LogDegree: Constant>: VectorFunction {
    private let cells: Cells<Degree, Form>
    private let low: V, high: V, scale: V, offset: V
    private let logarithm: Coefficients
    private let negative: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        cells = Cells(curve)
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        scale = cv_splat(curve.pointee.scale)
        offset = cv_splat(curve.pointee.offset)
        logarithm = Coefficients(numbers: curve.pointee.logarithm!, LogDegree.value)
        negative = cv_splat(curve.pointee.negative)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V {
        let inside = cv_limit(x, low, high)
        let mantissa = cv_mantissa(inside)
        let log2 = logarithm(mantissa - 1, LogDegree.value) + cv_exponent(inside, mantissa)
        let y = cells.value(cv_fma(log2, scale, offset))
        // Only EOTFs take arguments below 0, and they have neither knots nor short logarithms.
        if Form.value != 0 || LogDegree.value < 7 { return y }
        return cv_fma(cv_min(x, cv_splat(0)), negative, y)
    }
}

/// A segmented polynomial on equal parts of each power of two, as a binary floating-point number has them: the
/// position's exponent and the highest bits of its mantissa choose the part.
struct Pieces<Degree: Constant, Squares: Constant>: VectorFunction {
    private let low: V, high: V
    private let first: Coefficients
    private let second: Coefficients
    private let shift: Int32

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        first = Coefficients(curve.pointee.table!, Degree.value, stride: 2 &* lanes)
        // Registers of eight lanes would need two picks and a blend to use both rows.
        second = Coefficients(curve.pointee.table! + lanes, lanes == 16 ? Degree.value : -1, stride: 2 &* lanes)
        shift = curve.pointee.shift
    }

    @inline(__always) func callAsFunction(_ position: V) -> V { inside(cv_limit(position, low, high)) }
    @inline(__always) func belowTop(_ position: V) -> V { inside(cv_max(position, low)) }

    @inline(__always) func inside(_ t: V) -> V {
        let index = cv_right(cv_bits(t), shift)
        let y = horner(Degree.value, t) { pick(first[$0], second[$0], index) }
        return Squares.value != 0 ? y * y : y
    }

    @inline(__always) private func pick(_ table: V, _ other: V, _ index: cv_i) -> V {
        lanes == 16 ? cv_pick2(table, other, index) : cv_pick(table, index)
    }
}

/// The same polynomial, evaluated by the argument in place of the position.
struct ScaledPieces<Degree: Constant, Squares: Constant>: VectorFunction {
    private let pieces: Pieces<Degree, Squares>
    private let scale: V, offset: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        pieces = Pieces(curve)
        scale = cv_splat(curve.pointee.scale)
        offset = cv_splat(curve.pointee.offset)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { pieces(cv_fma(x, scale, offset)) }
    @inline(__always) func inside(_ x: V) -> V { pieces.inside(cv_fma(x, scale, offset)) }
}

/// A polynomial of the argument's mantissa for each power of two: the cells end where numbers change their exponent, so
/// that nothing is rounded before the polynomial.
struct Mantissas<Degree: Constant>: VectorFunction {
    private let low: V, high: V, offset: V
    private let first: Coefficients
    private let second: Coefficients

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        offset = cv_splat(curve.pointee.offset)
        first = Coefficients(curve.pointee.table!, Degree.value, stride: 2 &* lanes)
        second = Coefficients(curve.pointee.table! + lanes, Degree.value, stride: 2 &* lanes)
    }

    @inline(__always) func callAsFunction(_ x: V) -> V {
        let inside = cv_limit(x + offset, low, high)
        let index = cv_right(cv_bits(inside), 23)
        let u = cv_fraction(inside) - 1.5
        return horner(Degree.value, u) { cv_pick2(first[$0], second[$0], index) }
    }
}

/// The function x^p = mantissa^p * (2^exponent)^p, with the first factor from a polynomial and the second one from
/// tables.
struct PowerCurve<Degree: Constant, IsWide: Constant>: VectorFunction {
    private let low: V, high: V
    private let polynomial: Coefficients
    private let table: V, second: V

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        polynomial = Coefficients(numbers: curve.pointee.table!, Degree.value)
        // The polynomial's coefficients fill a row of 16 numbers.
        table = cv_load(curve.pointee.table! + 16)
        second = cv_load(curve.pointee.table! + (16 &+ lanes))
    }

    @inline(__always) func callAsFunction(_ x: V) -> V { inside(cv_limit(x, low, high)) }
    @inline(__always) func belowTop(_ x: V) -> V { inside(cv_max(x, low)) }

    @inline(__always) func inside(_ x: V) -> V {
        let exponent = cv_right(cv_bits(x), 23)
        let power =
            IsWide.value != 0
            ? cv_pick(table, exponent) * cv_pick(second, cv_right(cv_bits(x), lanes == 16 ? 27 : 26))
            : cv_pick2(table, second, exponent)
        return polynomial(cv_fraction(x), Degree.value) * power
    }
}

/// Up to eight vectors of coefficients, in ascending order of powers.
struct Coefficients {
    let c0: V, c1: V, c2: V, c3: V, c4: V, c5: V, c6: V, c7: V

    /// - Parameter stride: the number of floats from one vector to the next.
    @inline(__always) init(_ table: UnsafePointer<Float>, _ degree: Int, stride: Int) {
        c0 = degree >= 0 ? cv_load(table) : cv_splat(0)
        c1 = degree >= 1 ? cv_load(table + stride) : c0
        c2 = degree >= 2 ? cv_load(table + 2 &* stride) : c0
        c3 = degree >= 3 ? cv_load(table + 3 &* stride) : c0
        c4 = degree >= 4 ? cv_load(table + 4 &* stride) : c0
        c5 = degree >= 5 ? cv_load(table + 5 &* stride) : c0
        c6 = degree >= 6 ? cv_load(table + 6 &* stride) : c0
        c7 = degree >= 7 ? cv_load(table + 7 &* stride) : c0
    }

    /// - Parameter numbers: one coefficient for each power.
    @inline(__always) init(numbers: UnsafePointer<Float>, _ degree: Int) {
        c0 = cv_splat(numbers[0])
        c1 = degree >= 1 ? cv_splat(numbers[1]) : c0
        c2 = degree >= 2 ? cv_splat(numbers[2]) : c0
        c3 = degree >= 3 ? cv_splat(numbers[3]) : c0
        c4 = degree >= 4 ? cv_splat(numbers[4]) : c0
        c5 = degree >= 5 ? cv_splat(numbers[5]) : c0
        c6 = degree >= 6 ? cv_splat(numbers[6]) : c0
        c7 = degree >= 7 ? cv_splat(numbers[7]) : c0
    }

    /// The polynomial's value; `degree` is known at compile time.
    @inline(__always) func callAsFunction(_ x: V, _ degree: Int) -> V {
        horner(degree, x) { self[$0] }
    }

    /// The coefficients of a power that is known at compile time.
    @inline(__always) subscript(power: Int) -> V {
        switch power {
        case 0: c0
        case 1: c1
        case 2: c2
        case 3: c3
        case 4: c4
        case 5: c5
        case 6: c6
        default: c7
        }
    }
}

/// The value of a polynomial by Horner's rule. It is written out for degrees 1 to 7, because a loop would keep
/// coefficients in memory and not in registers.
/// - Parameters:
///   - degree: the degree, which is known at compile time.
///   - coefficient: returns the coefficient of a power.
@inline(__always)
func horner(_ degree: Int, _ x: V, _ coefficient: (Int) -> V) -> V {
    var y = coefficient(degree)
    if degree >= 7 { y = cv_fma(y, x, coefficient(6)) }
    if degree >= 6 { y = cv_fma(y, x, coefficient(5)) }
    if degree >= 5 { y = cv_fma(y, x, coefficient(4)) }
    if degree >= 4 { y = cv_fma(y, x, coefficient(3)) }
    if degree >= 3 { y = cv_fma(y, x, coefficient(2)) }
    if degree >= 2 { y = cv_fma(y, x, coefficient(1)) }
    return cv_fma(y, x, coefficient(0))
}

/// The value of a polynomial whose coefficients form linear terms in pairs, which Horner's rule combines in the
/// argument's square. That is one more operation, but a chain of them about half as long, for loops that wait for
/// results.
/// - Parameter degree: 4 to 7, known at compile time.
@inline(__always)
func pairs(_ degree: Int, _ x: V, _ coefficient: (Int) -> V) -> V {
    let square = cv_square(x)
    @inline(__always) func line(_ power: Int) -> V {
        power == degree ? coefficient(power) : cv_fma(coefficient(power &+ 1), x, coefficient(power))
    }
    var y = degree >= 6 ? cv_fma(line(6), square, line(4)) : line(4)
    y = cv_fma(y, square, line(2))
    return cv_fma(y, square, line(0))
}
