import CSIMD

/// Some pixels of a row, few enough to stay in the first-level cache from one step of the conversion to the next.
struct Chunk {
    let rows: Rows
    /// Rows for the measure that a tone curve acts on, and for gains.
    let m: Row, n: Row
    /// Rows for cone responses, and for their PQ signals; `n` is one of the latter.
    let cones: Rows, signals: Rows
    let count: Int

    /// Replaces each component by the curve's value of it.
    @inline(__always) func apply(_ curve: UnsafePointer<KernelCurve>) {
        evaluate(curve, rows.a, rows.a, count)
        evaluate(curve, rows.b, rows.b, count)
        evaluate(curve, rows.c, rows.c, count)
    }

    /// Replaces each component by the value of a function, which is inlined.
    @inline(__always) func replace(by function: (V) -> V) {
        eachVector(count) { cv_store(rows.a + $0, function(cv_load(rows.a + $0))) }
        eachVector(count) { cv_store(rows.b + $0, function(cv_load(rows.b + $0))) }
        eachVector(count) { cv_store(rows.c + $0, function(cv_load(rows.c + $0))) }
    }

    /// Multiplies all pixels with the matrix, and adds its offsets.
    @inline(__always) func transform(_ matrix: KernelMatrix) {
        let matrix = Matrix(matrix)
        var i = 0
        while i < count {
            matrix.affine(Pixels(rows, i)).store(rows, i)
            i &+= lanes
        }
    }

    /// Writes a weighted sum of the components to `m`.
    @inline(__always) func measure(_ weights: (Float, Float, Float)) {
        let weights = Weights(weights)
        eachVector(count) { cv_store(m + $0, Pixels(rows, $0).dot(weights)) }
    }
}

/// Converts the source's code values to the target's, not yet rounded, in place.
/// - Parameters:
///   - lowPass: the low-pass gains around the pixels, where contrast recovery acts.
///   - reshaping: the mapping of a Dolby Vision base layer, where the source is one.
@inline(__always)
func convert(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ lowPass: Row, _ reshaping: UnsafePointer<KernelReshaping>?
) {
    if color.pointee.keeps_light != 0 {
        if let reshaping { reshapeToSignal(reshaping, chunk) }
        chunk.transform(color.pointee.decode)
        return
    }
    decode(color, chunk, reshaping)
    mapTone(color, chunk, lowPass, ofLight: measuresLight(color, reshaping))
    mapGamut(color, chunk)
    encode(color, chunk)
}

/// The weights of the OOTF's luminance in BT.2100.
@inline(__always) private var hlgLuma: (Float, Float, Float) { (0.2627, 0.6780, 0.0593) }

// MARK: Code values to light, and back

/// Converts code values as the function below does, and also those of a base layer.
@inline(__always)
func decode(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ reshaping: UnsafePointer<KernelReshaping>?
) {
    if let reshaping {
        if reshaping.pointee.has_light != 0 && color.pointee.takes_light != 0 {
            reshapeToLight(reshaping, chunk)
            let kind = Int(color.pointee.measure)
            if kind == KernelMeasureSignal {
                if !measuresLight(color, reshaping) { findSignal(color, reshaping, chunk) }
            } else if kind == KernelMeasureWeighted {
                chunk.measure(color.pointee.weights)
            }
            return
        }
        reshapeToSignal(reshaping, chunk)
    }
    decode(color, chunk)
}

/// Whether the measure of a base layer stays light where that of other samples is a signal: reshaping has given the
/// light, and the signal would take another curve. Contrast recovery needs the signal.
@inline(__always)
private func measuresLight(
    _ color: UnsafePointer<KernelColor>, _ reshaping: UnsafePointer<KernelReshaping>?
) -> Bool {
    guard let reshaping else { return false }
    return reshaping.pointee.has_light != 0 && color.pointee.takes_light != 0 && color.pointee.recovery == 0
        && Int(color.pointee.gain_of_light.kind) != KernelCurveNone
}

/// Converts code values to light in the source's primaries, and computes the measure of it that the tone curve acts on.
func decode(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    let eotf = kernel_eotf(color)!
    let hasOOTF = Int(color.pointee.ootf.kind) != KernelCurveNone
    let kind = Int(color.pointee.measure)
    if color.pointee.source_is_rgb != 0 {
        let mixing = Scaling(color.pointee.decode)
        if kind == KernelMeasureSignal {
            return withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: MaximumSignal()))
        }
        withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: NoMeasure()))
        if hasOOTF { chunk.measure(hlgLuma) } else if kind != KernelMeasureNone { measure(color, chunk) }
    } else {
        let mixing = FromYCbCr(color.pointee.decode)
        if hasOOTF {
            withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: WeightedSum(hlgLuma)))
        } else if kind == KernelMeasureSignal {
            withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: MaximumSignal()))
        } else if kind == KernelMeasureMaximum {
            withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: Maximum()))
        } else if kind == KernelMeasureWeighted {
            let measure = WeightedSum(color.pointee.weights)
            withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: measure))
        } else {
            withCurve(eotf, DecodeLoop(chunk: chunk, mixing: mixing, measure: NoMeasure()))
        }
    }
    guard hasOOTF else { return }
    evaluate(kernel_ootf(color), chunk.m, chunk.m, chunk.count)
    switch kind {
    case KernelMeasureMaximum: multiply(chunk, Maximum())
    case KernelMeasureWeighted: multiply(chunk, WeightedSum(color.pointee.weights))
    default: multiply(chunk, NoMeasure())
    }
}

/// Writes the measure of light that the tone curve acts on to `m`.
private func measure(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    if Int(color.pointee.measure) == KernelMeasureMaximum {
        measureMaximum(chunk)
    } else {
        chunk.measure(color.pointee.weights)
    }
}

/// Converts the light in `m` to its signal, as a position in the EOTF.
private func findSignal(
    _ color: UnsafePointer<KernelColor>, _ reshaping: UnsafePointer<KernelReshaping>, _ chunk: Chunk
) {
    let unit = 1 / color.pointee.recovery_scale
    withCurve(
        kernel_reshaping_oetf(reshaping),
        PositionLoop(
            row: chunk.m, count: chunk.count, scale: unit, offset: -color.pointee.recovery_offset * unit))
}

/// Replaces arguments by the curve's values, scaled and shifted.
private struct PositionLoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { false }
    let row: Row
    let count: Int
    let scale: Float, offset: Float

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        let (scale, offset) = (cv_splat(scale), cv_splat(offset))
        var i = 0
        while i < count {
            cv_store(row + i, cv_fma(function(cv_load(row + i)), scale, offset))
            i &+= lanes
        }
    }
}

func measureMaximum(_ chunk: Chunk) {
    eachVector(chunk.count) { cv_store(chunk.m + $0, Pixels(chunk.rows, $0).maximum) }
}

/// Converts light in the target's primaries to code values.
func encode(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    if Int(color.pointee.inverse_ootf.kind) != KernelCurveNone {
        let peak = cv_splat(color.pointee.peak)
        let weights = Weights(hlgLuma)
        eachVector(chunk.count) { i in
            let p = Pixels(chunk.rows, i)
            let inside = p.map { cv_limit($0, cv_splat(0), peak) }
            inside.store(chunk.rows, i)
            cv_store(chunk.m + i, inside.dot(weights))
        }
        evaluate(kernel_inverse_ootf(color), chunk.m, chunk.m, chunk.count)
        multiply(chunk, NoMeasure())
    }
    if color.pointee.target_is_rgb != 0 {
        withCurve(kernel_oetf(color), EncodeLoop(chunk: chunk, mixing: Scaling(color.pointee.encode)))
    } else {
        withCurve(kernel_oetf(color), EncodeLoop(chunk: chunk, mixing: ToYCbCr(color.pointee.encode)))
    }
}

/// Converts code values to light, and computes its measure.
private struct DecodeLoop<Mix: Mixing, M: Measure>: CurveLoop {
    @inline(__always) static var givesPositions: Bool { true }
    let chunk: Chunk
    let mixing: Mix
    let measure: M

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        if dividesSteps { inSteps(function) } else { whole(function) }
    }

    @inline(__always) private func inSteps<Function: VectorFunction>(_ function: Function) {
        mix(chunk, mixing, measure, measures: !M.isOfLight)
        chunk.replace { function($0) }
        guard M.isOfLight else { return }
        var i = 0
        while i < chunk.count {
            measure.store(Pixels(chunk.rows, i), chunk.m + i)
            i &+= lanes
        }
    }

    @inline(__always) private func whole<Function: VectorFunction>(_ function: Function) {
        let mixing = self.mixing
        let measure = self.measure
        var i = 0
        while i < chunk.count {
            let p = mixing(Pixels(chunk.rows, i))
            let light = Pixels(function(p.a), function(p.b), function(p.c))
            light.store(chunk.rows, i)
            measure.store(M.isOfLight ? light : p, chunk.m + i)
            i &+= lanes
        }
    }
}

private struct EncodeLoop<Mix: Mixing>: CurveLoop {
    @inline(__always) static var givesPositions: Bool { false }
    let chunk: Chunk
    let mixing: Mix

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        if dividesSteps { inSteps(function) } else { whole(function) }
    }

    @inline(__always) private func inSteps<Function: VectorFunction>(_ function: Function) {
        chunk.replace { function($0) }
        mix(chunk, mixing, NoMeasure(), measures: false)
    }

    @inline(__always) private func whole<Function: VectorFunction>(_ function: Function) {
        let mixing = self.mixing
        var i = 0
        while i < chunk.count {
            let p = Pixels(chunk.rows, i)
            mixing(Pixels(function(p.a), function(p.b), function(p.c))).store(chunk.rows, i)
            i &+= lanes
        }
    }
}

/// Applies a matrix to all pixels and measures the result.
@inline(__always)
private func mix<Mix: Mixing, M: Measure>(_ chunk: Chunk, _ mixing: Mix, _ measure: M, measures: Bool) {
    var i = 0
    while i < chunk.count {
        let p = mixing(Pixels(chunk.rows, i))
        p.store(chunk.rows, i)
        if measures { measure.store(p, chunk.m + i) }
        i &+= lanes
    }
}

/// Multiplies all components with `m`, and measures the result.
@inline(never)
private func multiply<M: Measure>(_ chunk: Chunk, _ measure: M) {
    var i = 0
    while i < chunk.count {
        let p = Pixels(chunk.rows, i).scaled(cv_load(chunk.m + i))
        p.store(chunk.rows, i)
        measure.store(p, chunk.m + i)
        i &+= lanes
    }
}

/// The measure of light that a tone curve acts on.
protocol Measure {
    /// Whether the measure is computed from light, and not from the signal.
    static var isOfLight: Bool { get }
    func store(_ p: Pixels, _ row: Row)
}
struct NoMeasure: Measure {
    @inline(__always) static var isOfLight: Bool { false }
    @inline(__always) func store(_ p: Pixels, _ row: Row) {}
}
struct MaximumSignal: Measure {
    @inline(__always) static var isOfLight: Bool { false }
    @inline(__always) func store(_ p: Pixels, _ row: Row) { cv_store(row, p.maximum) }
}
struct Maximum: Measure {
    @inline(__always) static var isOfLight: Bool { true }
    @inline(__always) func store(_ p: Pixels, _ row: Row) { cv_store(row, p.maximum) }
}
struct WeightedSum: Measure {
    private let weights: Weights
    @inline(__always) init(_ weights: (Float, Float, Float)) { self.weights = Weights(weights) }
    @inline(__always) static var isOfLight: Bool { true }
    @inline(__always) func store(_ p: Pixels, _ row: Row) { cv_store(row, p.dot(weights)) }
}

// MARK: Light in the source's primaries to light in the target's

/// - Parameter ofLight: whether a gain is that of light, though it would be that of a signal for other samples.
private func mapTone(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ lowPass: Row, ofLight: Bool) {
    if color.pointee.has_before != 0 { chunk.transform(color.pointee.before) }
    switch Int(color.pointee.tone) {
    case KernelToneGain:
        // The gain is that of the largest component of the light that the matrix has just made.
        if color.pointee.has_before != 0 { measureMaximum(chunk) }
        evaluate(ofLight ? kernel_gain_of_light(color) : kernel_curve(color), chunk.m, chunk.n, chunk.count)
        if color.pointee.recovery > 0 { recover(color, chunk, lowPass) }
        if leavesGain(color) { return }
        if color.pointee.has_after != 0 { gain(color, chunk, N1.self) } else { gain(color, chunk, N0.self) }
        return
    case KernelToneComponents:
        component(color, chunk.rows.a, chunk)
        component(color, chunk.rows.b, chunk)
        component(color, chunk.rows.c, chunk)
    case KernelToneICtCp: ictcp(color, chunk)
    case KernelToneMethodA:
        methodA(color, chunk)
        return
    case KernelToneInverseMethodA: inverseMethodA(color, chunk)
    default: break
    }
    if color.pointee.has_after != 0 { chunk.transform(color.pointee.after) }
    if color.pointee.clips_at < .infinity {
        let top = cv_splat(color.pointee.clips_at)
        eachVector(chunk.count) { i in Pixels(chunk.rows, i).map { cv_min($0, top) }.store(chunk.rows, i) }
    }
}

/// Whether gamut mapping multiplies with the gain in `n` of the measure in `m`.
@inline(__always) func leavesGain(_ color: UnsafePointer<KernelColor>) -> Bool {
    Int(color.pointee.gamut) == KernelGamutPerceptual && Int(color.pointee.tone) == KernelToneGain
        && color.pointee.has_before == 0 && color.pointee.has_after == 0
}

/// Multiplies with the gain in `n` of the measure in `m`, and then with the matrix.
@inline(never)
private func gain<HasMatrix: Constant>(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ hasMatrix: HasMatrix.Type
) {
    // Black has a gain of its own: 0 / 0 has no value.
    let black = cv_splat(color.pointee.gain_of_black)
    let threshold = cv_splat(color.pointee.black)
    let matrix = Matrix(color.pointee.after)
    var i = 0
    while i < chunk.count {
        let gain = cv_above(cv_load(chunk.m + i), threshold, cv_load(chunk.n + i), black)
        let p = Pixels(chunk.rows, i).scaled(gain)
        (HasMatrix.value != 0 ? matrix.linear(p) : p).store(chunk.rows, i)
        i &+= lanes
    }
}

/// Multiplies one component with the curve's gain for that component.
private func component(_ color: UnsafePointer<KernelColor>, _ row: Row, _ chunk: Chunk) {
    evaluate(kernel_curve(color), row, chunk.n, chunk.count)
    let zero = cv_splat(0)
    eachVector(chunk.count) { cv_store(row + $0, cv_max(cv_load(row + $0), zero) * cv_load(chunk.n + $0)) }
}

/// Applies a tone curve to I of ICtCp, from light in BT.2020 primaries to LMS. Ct and Cp shrink in proportion.
private func ictcp(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    let toLMS = Matrix(color.pointee.to_lms)
    eachVector(chunk.count) { i in
        toLMS.affine(Pixels(chunk.rows, i).map { cv_max($0, cv_splat(0)) }).store(chunk.rows, i)
    }
    chunk.apply(kernel_compand(color))
    chunk.transform(color.pointee.to_opponent)
    evaluate(kernel_curve(color), chunk.rows.a, chunk.n, chunk.count)
    let matrix = Matrix(color.pointee.from_opponent)
    let least = cv_splat(1e-9)
    eachVector(chunk.count) { i in
        let p = Pixels(chunk.rows, i)
        let after = cv_load(chunk.n + i)
        let ratio = cv_min(p.a, after) / cv_max(cv_max(p.a, after), least)
        matrix.affine(Pixels(after, p.b * ratio, p.c * ratio)).store(chunk.rows, i)
    }
    chunk.apply(kernel_expand(color))
}
