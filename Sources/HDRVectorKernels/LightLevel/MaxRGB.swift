import CSIMD

// MARK: The largest component

/// The quantity that decides a pixel's light: the maximum of R', G', B' (maxRGB in CTA-861.3), or light itself.
protocol Peak {
    init(_ plan: UnsafePointer<KernelLightPlan>, _ scratch: Scratch)
    func callAsFunction(_ i: Int) -> V
}

/// A peak that also gives R', G' and B' themselves, each as a position in a curve.
protocol Components: Peak {
    func pixels(_ i: Int) -> Pixels
}

/// The largest of R', G' and B', as a position in a curve.
struct PeakOfRGB: Components {
    private let rows: Rows
    private let scale: V, offset: V

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>, _ scratch: Scratch) {
        rows = scratch.chunk(0).rows
        scale = cv_splat(plan.pointee.scale)
        offset = cv_splat(plan.pointee.offset)
    }

    @inline(__always) func callAsFunction(_ i: Int) -> V { cv_fma(Pixels(rows, i).maximum, scale, offset) }
    @inline(__always) func pixels(_ i: Int) -> Pixels { Pixels(rows, i).map { cv_fma($0, scale, offset) } }
}

/// The largest of R', G' and B' from Y', Cb and Cr.
struct PeakOfYCbCr: Components {
    private let rows: Rows
    private let decoding: PeakDecoding

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>, _ scratch: Scratch) {
        rows = scratch.chunk(0).rows
        decoding = PeakDecoding(plan)
    }

    @inline(__always) func callAsFunction(_ i: Int) -> V { pixels(i).maximum }
    @inline(__always) func pixels(_ i: Int) -> Pixels {
        decoding(cv_load(rows.a + i), decoding.difference(rows.b + i), decoding.difference(rows.c + i))
    }
}

/// The largest of R', G' and B' of even and of odd columns. Chroma is cosited with the even columns (1), lies between
/// both (0), or is shared by both (2).
struct PeaksOfPairs<Siting: Constant> {
    private let even: Row, odd: Row, b: Row, c: Row
    private let decoding: PeakDecoding

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>, _ scratch: Scratch, _ odd: Int) {
        even = scratch.pixels.0
        self.odd = even + odd
        (b, c) = scratch.near
        decoding = PeakDecoding(plan)
    }

    @inline(__always) func callAsFunction(_ i: Int) -> (V, V) {
        let (even, odd) = pixels(i)
        return (even.maximum, odd.maximum)
    }

    @inline(__always) func pixels(_ i: Int) -> (Pixels, Pixels) {
        let (firstB, secondB) = spread(b + i)
        let (firstC, secondC) = spread(c + i)
        return (decoding(cv_load(even + i), firstB, firstC), decoding(cv_load(odd + i), secondB, secondC))
    }

    @inline(__always) private func spread(_ row: Row) -> (V, V) {
        let own = cv_load(row)
        let difference = own - decoding.grey
        if Siting.value == 2 { return (difference, difference) }
        let right = cv_load(row + 1)
        if Siting.value == 1 { return (difference, cv_fma(own + right, cv_splat(0.5), decoding.minusGrey)) }
        let quarter = cv_splat(0.25)
        let left = cv_load(row - 1)
        return (cv_fma(left - own, quarter, difference), cv_fma(right - own, quarter, difference))
    }
}

/// Converts code values of luma and chroma to positions of the components. The code of grey is an integer and the scale
/// a power of two, so that the position of a grey is exact.
struct PeakDecoding {
    private let scale: V, offset: V
    let grey: V, minusGrey: V
    private let redCr: V, greenCb: V, greenCr: V, blueCb: V

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>) {
        scale = cv_splat(plan.pointee.scale)
        offset = cv_splat(plan.pointee.offset)
        grey = cv_splat(plan.pointee.grey)
        minusGrey = cv_splat(-plan.pointee.grey)
        redCr = cv_splat(plan.pointee.red_cr)
        greenCb = cv_splat(plan.pointee.green_cb)
        greenCr = cv_splat(plan.pointee.green_cr)
        blueCb = cv_splat(plan.pointee.blue_cb)
    }

    @inline(__always) func difference(_ row: Row) -> V { cv_load(row) - grey }

    @inline(__always) func callAsFunction(_ y: V, _ cb: V, _ cr: V) -> Pixels {
        let luma = cv_fma(y, scale, offset)
        let green = cv_fma(cr, greenCr, cv_fma(cb, greenCb, luma))
        return Pixels(cv_fma(cr, redCr, luma), green, cv_fma(cb, blueCb, luma))
    }
}

/// Light that has been computed before.
struct LightInMemory: Peak {
    private let row: Row
    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>, _ scratch: Scratch) { row = scratch.chunk(0).m }
    @inline(__always) func callAsFunction(_ i: Int) -> V { cv_load(row + i) }
}

// MARK: Light

/// The light of a position.
protocol LightFunction {
    init(_ curve: UnsafePointer<KernelCurve>)
    func callAsFunction(_ position: V) -> V
}

struct SameLight: LightFunction {
    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {}
    @inline(__always) func callAsFunction(_ light: V) -> V { light }
}

struct LightTable: LightFunction {
    private let table: TableCurve
    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) { table = TableCurve(curve) }
    @inline(__always) func callAsFunction(_ position: V) -> V { table(position) }
}

/// A segmented polynomial for the square root of light, on as many cells as there are lanes. The cells' middles are
/// integers.
struct LightCells: LightFunction {
    private let low: V, high: V
    private let table: Coefficients

    /// Eight cells are twice as wide as sixteen.
    @inline(__always) private static var degree: Int { lanes == 16 ? 4 : 5 }

    @inline(__always) init(_ curve: UnsafePointer<KernelCurve>) {
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        table = Coefficients(curve.pointee.table!, Self.degree, stride: lanes)
    }

    @inline(__always) func callAsFunction(_ position: V) -> V {
        let inside = cv_limit(position, low, high)
        // Adding 1.5 * 2^23 rounds to an integer, which then stands in the lowest bits.
        let magic = cv_splat(12_582_912)
        let rounded = inside + magic
        let u = inside - (rounded - magic)
        let index = cv_bits(rounded)
        var y = cv_pick(table.c4, index)
        if Self.degree >= 5 { y = cv_fma(cv_pick(table.c5, index), u, y) }
        y = cv_fma(y, u, cv_pick(table.c3, index))
        y = cv_fma(y, u, cv_pick(table.c2, index))
        y = cv_fma(y, u, cv_pick(table.c1, index))
        y = cv_fma(y, u, cv_pick(table.c0, index))
        return cv_square(y)
    }
}

/// PQ's light of a position, from one polynomial for its square root. It is less exact than cells and tables, and
/// faster on any processor.
struct RootOfLight {
    private let scale: V, offset: V, black: V
    private let c: (V, V, V, V, V, V, V, V, V, V)

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>) {
        scale = cv_splat(plan.pointee.root_scale)
        offset = cv_splat(plan.pointee.root_offset)
        black = cv_splat(-plan.pointee.root_black)
        // The coefficients are whole vectors in memory: where registers are scarce, spreading one number over a
        // register takes two instructions each time.
        let row = plan.pointee.root!
        c = (
            cv_load(row), cv_load(row + 16), cv_load(row + 32), cv_load(row + 48), cv_load(row + 64),
            cv_load(row + 80), cv_load(row + 96), cv_load(row + 112), cv_load(row + 128), cv_load(row + 144)
        )
    }

    @inline(__always) func callAsFunction(_ position: V) -> V {
        let t = cv_limit(cv_fma(position, scale, offset), cv_splat(-1), cv_splat(1))
        // Pairs of coefficients form linear terms, which Horner's rule combines, so that the chain of operations is
        // about half as long.
        let square = cv_square(t)
        var y = cv_fma(cv_fma(c.9, t, c.8), square, cv_fma(c.7, t, c.6))
        y = cv_fma(y, square, cv_fma(c.5, t, c.4))
        y = cv_fma(y, square, cv_fma(c.3, t, c.2))
        y = cv_fma(y, square, cv_fma(c.1, t, c.0))
        return cv_max(cv_fma(y, y, black), cv_splat(0))
    }
}
