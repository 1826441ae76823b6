import CSIMD

// The mapping of a Dolby Vision base layer, as `Reshaping` of HDRColor defines it. It takes place between the reading
// of samples and the conversion of colours, when chroma is at luma's positions.

/// Converts the base layer's code values, in place, to those of a PQ signal R'G'B' in BT.2020 primaries.
@inline(never)
func reshapeToSignal(_ plan: UnsafePointer<KernelReshaping>, _ chunk: Chunk) {
    reshape(plan, chunk)
    guard plan.pointee.has_light != 0 else { return }
    makeLight(plan, chunk)
    chunk.apply(kernel_reshaping_oetf(plan))
    let top = cv_splat(plan.pointee.signal_top)
    eachVector(chunk.count) { Pixels(chunk.rows, $0).scaled(top).store(chunk.rows, $0) }
}

/// Converts the base layer's code values to light in BT.2020 primaries, in cd/m², for plans that compute light on the
/// way to the signal. The chunk's `m` becomes the largest component.
@inline(never)
func reshapeToLight(_ plan: UnsafePointer<KernelReshaping>, _ chunk: Chunk) {
    reshape(plan, chunk)
    withCurve(kernel_reshaping_eotf(plan), LightLoop(chunk: chunk, matrix: plan.pointee.to_bt2020))
}

/// Converts signals of other primaries to light in BT.2020 primaries, limited to what PQ signals of these can express,
/// and computes the largest component.
private struct LightLoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { false }
    let chunk: Chunk
    let matrix: KernelMatrix

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        if dividesSteps { chunk.replace { function($0) } }
        let matrix = Matrix(matrix)
        let (black, peak) = (cv_splat(0), cv_splat(10000))
        var i = 0
        while i < chunk.count {
            let p = Pixels(chunk.rows, i)
            let own = dividesSteps ? p : Pixels(function(p.a), function(p.b), function(p.c))
            let light = matrix.affine(own).map { cv_limit($0, black, peak) }
            light.store(chunk.rows, i)
            cv_store(chunk.m + i, light.maximum)
            i &+= lanes
        }
    }
}

/// Converts signals of other primaries to light in BT.2020 primaries.
@inline(__always)
private func makeLight(_ plan: UnsafePointer<KernelReshaping>, _ chunk: Chunk) {
    chunk.apply(kernel_reshaping_eotf(plan))
    chunk.transform(plan.pointee.to_bt2020)
}

/// Applies the mapping, and then the matrix to the signal.
@inline(__always)
private func reshape(_ plan: UnsafePointer<KernelReshaping>, _ chunk: Chunk) {
    let (luma, cb, cr) = (chunk.cones.a, chunk.cones.b, chunk.cones.c)
    mapComponent(plan, 0, chunk, luma)
    let chroma = Int(plan.pointee.chroma)
    if chroma == KernelReshapingRegressions {
        mapChroma(plan, chunk, luma, Regressions(plan))
    } else if chroma == KernelReshapingPolynomials {
        mapChroma(plan, chunk, luma, SinglePolynomials(plan))
    } else {
        mapComponent(plan, 1, chunk, cb)
        mapComponent(plan, 2, chunk, cr)
        let matrix = Matrix(plan.pointee.to_signal)
        eachVector(chunk.count) { matrix.affine(Pixels(chunk.cones, $0)).store(chunk.rows, $0) }
    }
}

/// The products of a pixel's components that a regression consists of.
private struct Terms {
    private let y: V, u: V, v: V, yu: V, yv: V, uv: V, yuv: V

    /// - Parameter unit: the factor from codes to fractions of the highest code, of which luma becomes one.
    @inline(__always) init(_ codes: Pixels, _ unit: V) {
        y = codes.a * unit
        u = codes.b
        v = codes.c
        yu = y * u
        yv = y * v
        uv = u * v
        yuv = yu * v
    }

    /// The weighted sum of the terms' powers and a constant.
    @inline(__always) func sum(_ constant: V, _ c: UnsafePointer<Float>) -> V {
        // Two sums that do not wait for each other's results.
        let first = power(y, c, power(yu, c + 9, power(uv, c + 15, constant)))
        let second = power(u, c + 3, power(v, c + 6, power(yv, c + 12, power(yuv, c + 18, cv_splat(0)))))
        return first + second
    }

    /// Adds the first three powers of a term, times their coefficients, to `sum`.
    @inline(__always) private func power(_ x: V, _ c: UnsafePointer<Float>, _ sum: V) -> V {
        cv_fma(x, cv_fma(x, cv_fma(x, cv_splat(c[2]), cv_splat(c[1])), cv_splat(c[0])), sum)
    }
}

/// A mapping of a pixel's codes to both chroma components.
private protocol ChromaMapping {
    func callAsFunction(_ codes: Pixels) -> (V, V)
}

private struct Regressions: ChromaMapping {
    private let unit: V
    private let cb: Regression, cr: Regression

    @inline(__always) init(_ plan: UnsafePointer<KernelReshaping>) {
        unit = cv_splat(plan.pointee.unit)
        cb = Regression(plan, 1)
        cr = Regression(plan, 2)
    }

    @inline(__always) func callAsFunction(_ codes: Pixels) -> (V, V) {
        let terms = Terms(codes, unit)
        return (cb(terms), cr(terms))
    }
}

private struct SinglePolynomials: ChromaMapping {
    private let cb: OnePiece, cr: OnePiece
    private let lowCb: V, highCb: V, lowCr: V, highCr: V

    @inline(__always) init(_ plan: UnsafePointer<KernelReshaping>) {
        let (b, c) = (kernel_reshaping_curve(plan, 1)!, kernel_reshaping_curve(plan, 2)!)
        cb = OnePiece(b, 0)
        cr = OnePiece(c, 0)
        lowCb = cv_splat(b.pointee.low)
        highCb = cv_splat(b.pointee.high)
        lowCr = cv_splat(c.pointee.low)
        highCr = cv_splat(c.pointee.high)
    }

    @inline(__always) func callAsFunction(_ codes: Pixels) -> (V, V) {
        (cv_limit(cb(codes.b), lowCb, highCb), cv_limit(cr(codes.c), lowCr, highCr))
    }
}

/// Maps chroma by means of luma that has been mapped, and applies the matrix.
@inline(never)
private func mapChroma<Chroma: ChromaMapping>(
    _ plan: UnsafePointer<KernelReshaping>, _ chunk: Chunk, _ luma: Row, _ chroma: Chroma
) {
    let matrix = Matrix(plan.pointee.to_signal)
    var i = 0
    while i < chunk.count {
        let (cb, cr) = chroma(Pixels(chunk.rows, i))
        matrix.affine(Pixels(cv_load(luma + i), cb, cr)).store(chunk.rows, i)
        i &+= lanes
    }
}

/// A mapping of a component that consists of one regression.
private struct Regression {
    private let coefficients: UnsafePointer<Float>
    private let constant: V, low: V, high: V

    @inline(__always) init(_ plan: UnsafePointer<KernelReshaping>, _ component: Int32) {
        let curve = kernel_reshaping_curve(plan, component)!
        coefficients = UnsafePointer(kernel_reshaping_coefficients(curve, 0))
        constant = cv_splat(kernel_reshaping_constants(curve)[0])
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
    }

    @inline(__always) func callAsFunction(_ terms: Terms) -> V {
        cv_limit(terms.sum(constant, coefficients), low, high)
    }
}

/// Maps one component, whose codes stay in the chunk, to another row.
private func mapComponent(_ plan: UnsafePointer<KernelReshaping>, _ component: Int32, _ chunk: Chunk, _ to: Row) {
    let curve = UnsafePointer(kernel_reshaping_curve(plan, component)!)
    let row = component == 0 ? chunk.rows.a : component == 1 ? chunk.rows.b : chunk.rows.c
    if curve.pointee.regressions != 0 { return mapMixed(plan, curve, chunk, row, to) }
    switch curve.pointee.pieces {
    case 1: mapPieces(curve, OnePiece(curve, 0), row, to, chunk.count)
    case 2: mapPieces(curve, TwoPieces(curve, 1), row, to, chunk.count)
    case 3: mapPieces(curve, ThreePieces(curve, 2), row, to, chunk.count)
    default:
        #if HDR_REGISTER_TABLES
            mapPieces(curve, EightPieces(curve), row, to, chunk.count)
        #else
            mapPieces(curve, SomePieces(curve), row, to, chunk.count)
        #endif
    }
}

/// A function that consists of polynomials on ranges of codes, the pieces.
private protocol Polynomials {
    func callAsFunction(_ code: V) -> V
}

@inline(never)
private func mapPieces<Function: Polynomials>(
    _ curve: UnsafePointer<KernelReshapingCurve>, _ function: Function, _ from: Row, _ to: Row, _ count: Int
) {
    let (low, high) = (cv_splat(curve.pointee.low), cv_splat(curve.pointee.high))
    var i = 0
    while i < count {
        cv_store(to + i, cv_limit(function(cv_load(from + i)), low, high))
        i &+= lanes
    }
}

/// The polynomials of the pieces up to a certain one.
private protocol PiecesUpTo: Polynomials {
    init(_ curve: UnsafePointer<KernelReshapingCurve>, _ piece: Int)
}

private struct OnePiece: PiecesUpTo {
    private let a: V, b: V, c: V

    @inline(__always) init(_ curve: UnsafePointer<KernelReshapingCurve>, _ piece: Int) {
        a = cv_splat(kernel_reshaping_polynomial(curve, 0)[piece])
        b = cv_splat(kernel_reshaping_polynomial(curve, 1)[piece])
        c = cv_splat(kernel_reshaping_polynomial(curve, 2)[piece])
    }

    @inline(__always) func callAsFunction(_ code: V) -> V { cv_fma(cv_fma(c, code, b), code, a) }
}

/// The polynomials of one more piece. All pieces are computed, and of those that begin at or below the code the last
/// one is taken.
private struct OneMore<Before: PiecesUpTo>: PiecesUpTo {
    private let before: Before
    private let last: OnePiece
    private let start: V

    @inline(__always) init(_ curve: UnsafePointer<KernelReshapingCurve>, _ piece: Int) {
        before = Before(curve, piece &- 1)
        last = OnePiece(curve, piece)
        start = cv_splat(kernel_reshaping_starts(curve)[piece &- 1])
    }

    @inline(__always) func callAsFunction(_ code: V) -> V { cv_above(start, code, before(code), last(code)) }
}

private typealias TwoPieces = OneMore<OnePiece>
private typealias ThreePieces = OneMore<TwoPieces>

#if HDR_REGISTER_TABLES
    /// Up to eight pieces, whose coefficients are picked from tables in registers. The piece is found by halves: by the
    /// start of the fifth one, of the third or the seventh one, and of the one between those.
    private struct EightPieces: Polynomials {
        private let a: V, b: V, c: V
        private let middle: V, quarters: V, eighths: V

        /// The steps of the index from one piece to the next. In registers of 16 lanes each piece has two places: a
        /// step of 1 would take three instructions more there.
        @inline(__always) private static var unit: Int32 { lanes == 16 ? 2 : 1 }

        @inline(__always) init(_ curve: UnsafePointer<KernelReshapingCurve>) {
            let starts = kernel_reshaping_starts(curve)!
            a = Self.places(kernel_reshaping_polynomial(curve, 0))
            b = Self.places(kernel_reshaping_polynomial(curve, 1))
            c = Self.places(kernel_reshaping_polynomial(curve, 2))
            middle = cv_splat(starts[3])
            quarters = Self.places(starts + 1)
            eighths = Self.places(starts)
        }

        @inline(__always) private static func places(_ table: UnsafePointer<Float>) -> V {
            lanes == 16 ? cv_low(cv_load(table), cv_load(table)) : cv_load(table)
        }

        @inline(__always) func callAsFunction(_ code: V) -> V {
            var index = cv_step(cv_splat_i(0), code, middle, cv_splat_i(4 &* Self.unit))
            index = cv_step(index, code, cv_pick(quarters, index), cv_splat_i(2 &* Self.unit))
            index = cv_step(index, code, cv_pick(eighths, index), cv_splat_i(Self.unit))
            return cv_fma(cv_fma(cv_pick(c, index), code, cv_pick(b, index)), code, cv_pick(a, index))
        }
    }
#else
    /// Any number of pieces.
    private struct SomePieces: Polynomials {
        private let curve: UnsafePointer<KernelReshapingCurve>

        @inline(__always) init(_ curve: UnsafePointer<KernelReshapingCurve>) { self.curve = curve }

        @inline(__always) func callAsFunction(_ code: V) -> V {
            let starts = kernel_reshaping_starts(curve)!
            let pieces = Int(curve.pointee.pieces)
            var value = OnePiece(curve, 0)(code)
            var piece = 1
            while piece < pieces {
                value = cv_above(cv_splat(starts[piece &- 1]), code, value, OnePiece(curve, piece)(code))
                piece &+= 1
            }
            return value
        }
    }
#endif

/// A component that has regressions in some of its pieces.
@inline(never)
private func mapMixed(
    _ plan: UnsafePointer<KernelReshaping>, _ curve: UnsafePointer<KernelReshapingCurve>, _ chunk: Chunk, _ row: Row,
    _ to: Row
) {
    let unit = cv_splat(plan.pointee.unit)
    let (low, high) = (cv_splat(curve.pointee.low), cv_splat(curve.pointee.high))
    let starts = kernel_reshaping_starts(curve)!
    let constants = kernel_reshaping_constants(curve)!
    let pieces = Int(curve.pointee.pieces)
    var i = 0
    while i < chunk.count {
        let code = cv_load(row + i)
        let terms = Terms(Pixels(chunk.rows, i), unit)
        var value = cv_splat(0)
        var piece = 0
        while piece < pieces {
            let isRegression = curve.pointee.regressions &>> Int32(truncatingIfNeeded: piece) & 1 != 0
            let own =
                isRegression
                ? terms.sum(cv_splat(constants[piece]), UnsafePointer(kernel_reshaping_coefficients(curve, piece)))
                : OnePiece(curve, piece)(code)
            let start = piece == 0 ? cv_splat(-1) : cv_splat(starts[piece &- 1])
            value = cv_above(start, code, value, own)
            piece &+= 1
        }
        cv_store(to + i, cv_limit(value, low, high))
        i &+= lanes
    }
}
