import CSIMD

/// A vector of samples, as many as a register holds.
typealias V = cv_f

/// A row of samples in scratch memory, which has room for whole vectors beyond its end.
typealias Row = UnsafeMutablePointer<Float>

/// Three components of a row of pixels.
struct Rows {
    let a: Row, b: Row, c: Row

    @inline(__always) init(_ a: Row, _ b: Row, _ c: Row) {
        self.a = a
        self.b = b
        self.c = c
    }
}

/// The number of samples in a vector.
@inline(__always) var lanes: Int { Int(CV_LANES) }

/// Whether each step has a loop of its own. With short registers a pixel takes so many instructions that a loop over
/// several steps holds too few independent pixels for the processor to work on while it waits for results.
@inline(__always) var dividesSteps: Bool { lanes < 16 }

/// The standard library's `min` and `max` are generic: the linker could share their code between modules of different
/// instruction sets.
@inline(__always) func smaller(_ a: Int, _ b: Int) -> Int { a < b ? a : b }
@inline(__always) func larger(_ a: Int, _ b: Int) -> Int { a > b ? a : b }

/// Calls `body` with the index of each vector in a row of `count` samples; the last vector may reach beyond the end.
@inline(__always) func eachVector(_ count: Int, _ body: (Int) -> Void) {
    var i = 0
    while i < count {
        body(i)
        i &+= lanes
    }
}

/// The three components of as many pixels as a vector holds.
struct Pixels {
    var a: V, b: V, c: V

    @inline(__always) init(_ a: V, _ b: V, _ c: V) {
        self.a = a
        self.b = b
        self.c = c
    }

    @inline(__always) init(_ rows: Rows, _ i: Int) {
        self.init(cv_load(rows.a + i), cv_load(rows.b + i), cv_load(rows.c + i))
    }

    @inline(__always) func store(_ rows: Rows, _ i: Int) {
        cv_store(rows.a + i, a)
        cv_store(rows.b + i, b)
        cv_store(rows.c + i, c)
    }

    @inline(__always) func scaled(_ gain: V) -> Pixels { Pixels(a * gain, b * gain, c * gain) }
    @inline(__always) func map(_ f: (V) -> V) -> Pixels { Pixels(f(a), f(b), f(c)) }
    @inline(__always) var maximum: V { cv_max(a, cv_max(b, c)) }
    @inline(__always) func dot(_ w: Weights) -> V { cv_fma(a, w.a, cv_fma(b, w.b, c * w.c)) }
}

/// The weights of the components in a sum.
struct Weights {
    let a: V, b: V, c: V

    @inline(__always) init(_ w: (Float, Float, Float)) {
        a = cv_splat(w.0)
        b = cv_splat(w.1)
        c = cv_splat(w.2)
    }
}

/// A 3x3 matrix and offsets, with each number spread over a vector.
struct Matrix {
    private let r0: Weights, r1: Weights, r2: Weights
    private let o: Pixels

    @inline(__always) init(_ m: KernelMatrix) {
        r0 = Weights((m.m00, m.m01, m.m02))
        r1 = Weights((m.m10, m.m11, m.m12))
        r2 = Weights((m.m20, m.m21, m.m22))
        o = Pixels(cv_splat(m.o0), cv_splat(m.o1), cv_splat(m.o2))
    }

    @inline(__always) func linear(_ p: Pixels) -> Pixels { Pixels(p.dot(r0), p.dot(r1), p.dot(r2)) }
    @inline(__always) func affine(_ p: Pixels) -> Pixels {
        Pixels(row(p, r0, o.a), row(p, r1, o.b), row(p, r2, o.c))
    }
    @inline(__always) private func row(_ p: Pixels, _ w: Weights, _ offset: V) -> V {
        cv_fma(p.a, w.a, cv_fma(p.b, w.b, cv_fma(p.c, w.c, offset)))
    }
}

/// A function of a pixel's three components.
protocol Mixing {
    func callAsFunction(_ p: Pixels) -> Pixels
}

/// Converts Y', Cb, Cr to R', G', B'. Two of the nine coefficients are 0.
struct FromYCbCr: Mixing {
    private let y: Weights, o: Pixels
    private let cr: V, gb: V, gr: V, cb: V

    @inline(__always) init(_ m: KernelMatrix) {
        y = Weights((m.m00, m.m10, m.m20))
        o = Pixels(cv_splat(m.o0), cv_splat(m.o1), cv_splat(m.o2))
        cr = cv_splat(m.m02)
        gb = cv_splat(m.m11)
        gr = cv_splat(m.m12)
        cb = cv_splat(m.m21)
    }

    @inline(__always) func callAsFunction(_ p: Pixels) -> Pixels {
        Pixels(
            cv_fma(p.c, cr, cv_fma(p.a, y.a, o.a)), cv_fma(p.c, gr, cv_fma(p.b, gb, cv_fma(p.a, y.b, o.b))),
            cv_fma(p.b, cb, cv_fma(p.a, y.c, o.c)))
    }
}

/// Converts R', G', B' to Y', Cb, Cr, whose colour differences are scaled B' - Y' and R' - Y'.
struct ToYCbCr: Mixing {
    private let y: Weights
    private let offset: V
    private let cb: V, cr: V, cbLuma: V, crLuma: V, cbOffset: V, crOffset: V

    @inline(__always) init(_ m: KernelMatrix) {
        y = Weights((m.m00, m.m01, m.m02))
        offset = cv_splat(m.o0)
        // Cb = k * (B' - Y') has a negative part of Y' in its weight of R'.
        let cbFromLuma = m.m10 / m.m00
        let crFromLuma = m.m22 / m.m02
        cb = cv_splat(m.m12 - cbFromLuma * m.m02)
        cr = cv_splat(m.m20 - crFromLuma * m.m00)
        cbLuma = cv_splat(cbFromLuma)
        crLuma = cv_splat(crFromLuma)
        cbOffset = cv_splat(m.o1 - cbFromLuma * m.o0)
        crOffset = cv_splat(m.o2 - crFromLuma * m.o0)
    }

    @inline(__always) func callAsFunction(_ p: Pixels) -> Pixels {
        let luma = cv_fma(p.a, y.a, cv_fma(p.b, y.b, cv_fma(p.c, y.c, offset)))
        return Pixels(
            luma, cv_fma(p.c, cb, cv_fma(luma, cbLuma, cbOffset)), cv_fma(p.a, cr, cv_fma(luma, crLuma, crOffset)))
    }
}

/// Scales each component by itself.
struct Scaling: Mixing {
    private let scale: Pixels, offset: Pixels

    @inline(__always) init(_ m: KernelMatrix) {
        scale = Pixels(cv_splat(m.m00), cv_splat(m.m11), cv_splat(m.m22))
        offset = Pixels(cv_splat(m.o0), cv_splat(m.o1), cv_splat(m.o2))
    }

    @inline(__always) func callAsFunction(_ p: Pixels) -> Pixels {
        Pixels(cv_fma(p.a, scale.a, offset.a), cv_fma(p.b, scale.b, offset.b), cv_fma(p.c, scale.c, offset.c))
    }
}
