import CSIMD

/// Gamut mapping that keeps hue, as `PerceptualGamut` of the colour module defines it: from light in the source's
/// primaries to light in the target's. Where the tone curve has left its gain to this step, the light is multiplied
/// with it first.
///
/// Most colours of a picture are near grey, and are only multiplied with the matrix to the target's primaries. A few
/// sums of components find the vectors where that holds for all lanes. The cone responses of the other colours are
/// packed without gaps into rows of their own, so that each further step is a short loop over them: long ones would
/// hold too few independent pixels for the processor to work on while it waits for results.
func mapPerceptually(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    let plan = kernel_perceptual(color)!
    let count = leavesGain(color) ? matrixOrCones(color, chunk, N1.self) : matrixOrCones(color, chunk, N0.self)
    if count == 0 { return }
    let (cones, signals) = (chunk.cones, chunk.signals)
    let signal = kernel_signal(plan)!
    // The planner chooses the form of the signal's curve: polynomials need registers that hold tables.
    let hasOctaves = Int(signal.pointee.kind) == KernelCurveMantissas
    if lanes == 4 || (!hasOctaves && plan.pointee.degree == 0) {
        // With four lanes a look-up takes less time than a polynomial.
        evaluate(signal, cones.a, signals.a, count)
        evaluate(signal, cones.b, signals.b, count)
        evaluate(signal, cones.c, signals.c, count)
        directions(plan, chunk, count, NoSignal.self)
    } else if hasOctaves {
        if signal.pointee.degree == 4 {
            directions(plan, chunk, count, SignalOctaves<N4>.self)
        } else {
            directions(plan, chunk, count, SignalOctaves<N5>.self)
        }
    } else if plan.pointee.degree == 5 {
        directions(plan, chunk, count, SignalPolynomial<N5, N4>.self)
    } else {
        directions(plan, chunk, count, SignalPolynomial<N7, N5>.self)
    }
    cv_look_up(signals.c, plan.pointee.reach, count)
    move(plan, color.pointee.peak, chunk, count)
}

/// The places from which the vectors in the rows of cone responses come, as offsets in the chunk's rows. They overwrite
/// measures that have been read already.
@inline(__always) private func places(_ chunk: Chunk) -> UnsafeMutablePointer<Int32> {
    UnsafeMutableRawPointer(chunk.m).assumingMemoryBound(to: Int32.self)
}

/// Applies the matrix where all lanes of a vector are near grey; otherwise appends the vector's cone responses to their
/// rows.
/// - Returns: the number of samples in these rows.
@inline(never)
private func matrixOrCones<HasGain: Constant>(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ hasGain: HasGain.Type
) -> Int {
    let plan = kernel_perceptual(color)!
    let toTarget = DifferenceMatrix(plan.pointee.to_target)
    let toCone = DifferenceMatrix(plan.pointee.to_cone)
    let test = NearGrey(plan)
    let knee = Knee(plan, color.pointee.peak)
    let black = cv_splat(color.pointee.gain_of_black)
    let threshold = cv_splat(color.pointee.black)
    let zero = cv_splat(0)
    let places = places(chunk)
    var found = 0
    var i = 0
    while i < chunk.count {
        var p = Pixels(chunk.rows, i)
        if HasGain.value != 0 {
            // Neither light nor gain is below 0.
            p = p.scaled(cv_above(cv_load(chunk.m + i), threshold, cv_load(chunk.n + i), black))
        } else {
            p = p.map { cv_max($0, zero) }
        }
        let (red, blue) = (p.a - p.b, p.c - p.b)
        if test.holds(p, red, blue) {
            knee(toTarget.plus(p.b, red, blue)).store(chunk.rows, i)
        } else {
            toCone.plus(p.b, red, blue).store(chunk.cones, found)
            places[found / lanes] = Int32(truncatingIfNeeded: i)
            found &+= lanes
        }
        i &+= lanes
    }
    return found
}

/// A matrix whose rows all have the same sum, 1 or 0, so that two differences of components suffice.
private struct DifferenceMatrix {
    private let first: Pixels, last: Pixels

    @inline(__always) init(_ m: KernelMatrix) {
        first = Pixels(cv_splat(m.m00), cv_splat(m.m10), cv_splat(m.m20))
        last = Pixels(cv_splat(m.m02), cv_splat(m.m12), cv_splat(m.m22))
    }

    /// The product of a matrix whose rows have the sum 1, from the second component and the differences of the other
    /// two from it. Greys stay exactly as they are.
    @inline(__always) func plus(_ second: V, _ x: V, _ z: V) -> Pixels {
        Pixels(
            cv_fma(x, first.a, cv_fma(z, last.a, second)), cv_fma(x, first.b, cv_fma(z, last.b, second)),
            cv_fma(x, first.c, cv_fma(z, last.c, second)))
    }

    /// The product of a matrix whose rows have the sum 0, from the same differences.
    @inline(__always) func callAsFunction(_ x: V, _ z: V) -> Pixels {
        Pixels(cv_fma(x, first.a, z * last.a), cv_fma(x, first.b, z * last.b), cv_fma(x, first.c, z * last.c))
    }
}

/// A test of whether colours are so near to grey that the mapping does not move them.
private struct NearGrey {
    private let a: Weights, b: Weights, c: Weights
    private let low: V, high: V

    @inline(__always) init(_ plan: UnsafePointer<KernelPerceptual>) {
        let s = plan.pointee.sides
        a = Weights((s.0, s.1, s.2))
        b = Weights((s.3, s.4, s.5))
        c = Weights((s.6, s.7, 0))
        low = cv_splat(plan.pointee.dark.0)
        high = cv_splat(plan.pointee.dark.1)
    }

    /// Whether the test holds for all lanes.
    /// - Parameters:
    ///   - red: R - G.
    ///   - blue: B - G.
    @inline(__always) func holds(_ p: Pixels, _ red: V, _ blue: V) -> Bool {
        let sum = p.a + p.b + p.c
        let first = cv_max(cv_fma(red, a.a, blue * a.b), cv_fma(red, a.c, blue * b.a))
        let second = cv_max(cv_fma(red, b.b, blue * b.c), cv_fma(red, c.a, blue * c.b))
        return cv_any_above(cv_max(first, second) * (sum + low), sum * (sum + high)) == 0
    }
}

/// The PQ signals of cone responses, which are in cd/m².
private protocol ConeSignal {
    init(_ plan: UnsafePointer<KernelPerceptual>)
    func callAsFunction(_ cones: Rows, _ signals: Rows, _ i: Int) -> Pixels
}

/// Signals that are in their rows already.
private struct NoSignal: ConeSignal {
    @inline(__always) init(_ plan: UnsafePointer<KernelPerceptual>) {}
    @inline(__always) func callAsFunction(_ cones: Rows, _ signals: Rows, _ i: Int) -> Pixels { Pixels(signals, i) }
}

/// PQ signals by a polynomial of the mantissa for each power of two.
private struct SignalOctaves<Degree: Constant>: ConeSignal {
    private let low: V, high: V
    private let first: Coefficients, second: Coefficients

    @inline(__always) init(_ plan: UnsafePointer<KernelPerceptual>) {
        let curve = kernel_signal(plan)!
        low = cv_splat(curve.pointee.low)
        high = cv_splat(curve.pointee.high)
        first = Coefficients(curve.pointee.table!, Degree.value, stride: 2 &* lanes)
        second = Coefficients(curve.pointee.table! + lanes, Degree.value, stride: 2 &* lanes)
    }

    @inline(__always) func callAsFunction(_ cones: Rows, _ signals: Rows, _ i: Int) -> Pixels {
        Pixels(cones, i).map { signal(cv_limit($0, low, high)) }
    }

    @inline(__always) private func signal(_ x: V) -> V {
        let exponent = cv_right(cv_bits(x), 23)
        return pairs(Degree.value, cv_fraction(x)) { cv_pick2(first[$0], second[$0], exponent) }
    }
}

/// PQ signals by a polynomial of the logarithm, in which PQ is smooth above the darkest colours that move.
private struct SignalPolynomial<Degree: Constant, LogDegree: Constant>: ConeSignal {
    private let polynomial: Coefficients, logarithm: Coefficients
    private let lowest: V, highest: V
    private let one = cv_splat_i(0x3f80_0000), unit = cv_splat(0x1p-23)

    @inline(__always) init(_ plan: UnsafePointer<KernelPerceptual>) {
        polynomial = Coefficients(numbers: kernel_polynomial(plan)!, Degree.value)
        logarithm = Coefficients(numbers: kernel_logarithm(plan)!, LogDegree.value)
        lowest = cv_splat(plan.pointee.lowest)
        highest = cv_splat(plan.pointee.highest)
    }

    @inline(__always) func callAsFunction(_ cones: Rows, _ signals: Rows, _ i: Int) -> Pixels {
        Pixels(cones, i).map { signal(cv_limit($0, lowest, highest)) }
    }

    @inline(__always) private func signal(_ x: V) -> V {
        // The bits of a floating-point number, read as an integer, form a straight line between powers of two.
        let straight = cv_fma(cv_to_float(cv_subtract_i(cv_bits(x), one)), unit, logarithm[0])
        let log2 = pairs(LogDegree.value, cv_fraction(x)) { $0 == 0 ? straight : logarithm[$0] }
        return pairs(Degree.value, log2) { polynomial[$0] }
    }
}

/// Writes |P| + |T| of cone responses to the first row of signals, and the position on the way around the square |P| +
/// |T| = 1 to the other two: the cell in the table of directions to the third row, and the place within that cell to
/// the second one.
@inline(never)
private func directions<Signal: ConeSignal>(
    _ plan: UnsafePointer<KernelPerceptual>, _ chunk: Chunk, _ count: Int, _ kind: Signal.Type
) {
    let signal = Signal(plan)
    // The weights have the sum 0: two differences suffice, and P and T of greys are 0.
    let p = (cv_splat(plan.pointee.p.0), cv_splat(plan.pointee.p.2))
    let t = (cv_splat(plan.pointee.t.0), cv_splat(plan.pointee.t.2))
    let (zero, last) = (cv_splat(0), cv_splat(plan.pointee.directions))
    let (quarter, negative) = (cv_splat(plan.pointee.directions / 4), cv_splat(plan.pointee.directions / -4))
    let threeQuarters = cv_splat(plan.pointee.directions * 3 / 4)
    let (least, unit) = (cv_splat(1e-20), cv_splat(0x1p-16))
    let (cones, signals) = (chunk.cones, chunk.signals)
    @inline(__always) func differences(_ i: Int) -> (V, V) {
        let s = signal(cones, signals, i)
        return (s.a - s.b, s.c - s.b)
    }
    @inline(__always) func slope(_ d: (V, V), _ i: Int) -> (slope: V, x: V) {
        let (x, y) = (cv_fma(d.0, p.0, d.1 * p.1), cv_fma(d.0, t.0, d.1 * t.1))
        let sum = cv_abs(x) + cv_abs(y)
        cv_store(signals.a + i, sum)
        return (y / cv_max(sum, least), x)
    }
    @inline(__always) func finish(_ s: (slope: V, x: V), _ i: Int) {
        let way = cv_above(zero, s.x, cv_fma(s.slope, negative, threeQuarters), cv_fma(s.slope, quarter, quarter))
        let inside = cv_limit(way, zero, last)
        let cell = cv_truncate(inside)
        cv_store(signals.b + i, (inside - cv_to_float(cell)) * unit)
        cv_store(signals.c + i, cv_float(cell))
    }
    // A vector takes so many instructions that the processor can have only few vectors under way. Each turn works on
    // three vectors at different stages, so that they wait for results at the same time.
    let end = count &- lanes
    var pending = slope(differences(0), 0)
    var next = differences(smaller(lanes, end))
    var i = 0
    while i < end {
        let following = differences(smaller(i &+ 2 &* lanes, end))
        let divided = slope(next, i &+ lanes)
        finish(pending, i)
        (pending, next) = (divided, following)
        i &+= lanes
    }
    finish(pending, i)
}

/// Moves colours, whose |P| + |T|, and the largest chroma as a share of that, are in the rows of signals. The result is
/// a mean of their cone responses and of those that the same components have in the target's primaries.
@inline(never)
private func move(_ plan: UnsafePointer<KernelPerceptual>, _ peak: Float, _ chunk: Chunk, _ count: Int) {
    let difference = DifferenceMatrix(plan.pointee.difference)
    let fromCone = DifferenceMatrix(plan.pointee.from_cone)
    let knee = Knee(plan, peak)
    let deadzone = cv_splat(-plan.pointee.deadzone)
    let (two, three) = (cv_splat(-2 * plan.pointee.strength), cv_splat(3 * plan.pointee.strength))
    let (middle, bend, unbend) =
        (cv_splat(plan.pointee.middle), cv_splat(plan.pointee.bend), cv_splat(-plan.pointee.bend))
    let (zero, one, least) = (cv_splat(0), cv_splat(1), cv_splat(1e-30))
    let places = places(chunk)
    /// The inverse of the largest chroma, in the unit that |P| + |T| is scaled by.
    @inline(__always) func reach(_ i: Int) -> V {
        let cell = cv_bits(cv_load(chunk.signals.c + i))
        return cv_fma(
            cv_load(chunk.signals.b + i), cv_to_float(cv_left(cell, 16)), cv_to_float(cv_right(cell, 16)))
    }
    @inline(__always) func strength(_ i: Int) -> V {
        let beyond = cv_limit(cv_fma(cv_load(chunk.signals.a + i), reach(i), deadzone), zero, one)
        return beyond * beyond * cv_fma(beyond, two, three)
    }
    // One division serves the three means.
    @inline(__always) func divided(_ i: Int, _ strength: V) -> (product: Pixels, whole: Pixels, both: V, inverse: V) {
        let bent = cv_fma(strength, unbend, bend)
        let cone = Pixels(chunk.cones, i)
        let way = difference(cone.a - cone.b, cone.c - cone.b)
        let inner = Pixels(cv_fma(way.a, middle, cone.a), cv_fma(way.b, middle, cone.b), cv_fma(way.c, middle, cone.c))
        let whole = Pixels(cv_fma(way.a, bent, inner.a), cv_fma(way.b, bent, inner.b), cv_fma(way.c, bent, inner.c))
        let both = whole.a * whole.b
        let inverse = strength / cv_max(both * whole.c, least)
        return (Pixels(way.a * inner.a, way.b * inner.b, way.c * inner.c), whole, both, inverse)
    }
    @inline(__always) func finish(_ d: (product: Pixels, whole: Pixels, both: V, inverse: V), _ i: Int) {
        let rest = d.whole.c * d.inverse
        let cone = Pixels(chunk.cones, i)
        let mean = Pixels(
            cv_fma(d.product.a, d.whole.b * rest, cone.a), cv_fma(d.product.b, d.whole.a * rest, cone.b),
            cv_fma(d.product.c, d.both * d.inverse, cone.c))
        knee(fromCone.plus(mean.b, mean.a - mean.b, mean.c - mean.b)).store(chunk.rows, Int(places[i / lanes]))
    }
    // Three vectors at a time, for the same reason as above.
    let end = count &- lanes
    var pending = divided(0, strength(0))
    var next = strength(smaller(lanes, end))
    var i = 0
    while i < end {
        let following = strength(smaller(i &+ 2 &* lanes, end))
        let divided = divided(i &+ lanes, next)
        finish(pending, i)
        (pending, next) = (divided, following)
        i &+= lanes
    }
    finish(pending, i)
}

/// Compresses the components of colours whose largest component exceeds the peak.
private struct Knee {
    private let peak: V, inverse: V, knee: V

    @inline(__always) init(_ plan: UnsafePointer<KernelPerceptual>, _ peak: Float) {
        self.peak = cv_splat(peak)
        inverse = cv_splat(1 / peak)
        knee = cv_splat(plan.pointee.knee)
    }

    @inline(__always) func callAsFunction(_ p: Pixels) -> Pixels {
        let most = p.maximum
        if cv_any_above(most, peak) == 0 { return p }
        let above = cv_max(cv_fma(most, inverse, cv_splat(-1)), cv_splat(0))
        let one = cv_splat(1)
        let free = (one - knee) * (one - knee)
        let a = free + above
        let b = cv_fma(above, one - knee - knee, free)
        let root = cv_fma(above, knee, b)
        let squared = knee * above
        let scale = root * root * peak / cv_fma(squared, squared, a * b)
        let lift = squared * knee
        @inline(__always) func fit(_ component: V) -> V {
            let x = component * inverse
            return cv_above(x, knee, scale * (a * x - lift) / cv_fma(above, x, b), component)
        }
        // Where the largest component is within the peak, the terms cancel out except for rounding.
        @inline(__always) func kept(_ component: V) -> V { cv_above(above, cv_splat(0), fit(component), component) }
        return p.map { kept($0) }
    }
}
