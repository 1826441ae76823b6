import CSIMD

/// The luma weights of BT.2446 method A.
@inline(__always) private var luma: (Float, Float, Float) { (0.2627, 0.6780, 0.0593) }

/// Converts luma and two colour differences to R'G'B'.
@inline(__always) private func rgb(luma: V, cb: V, cr: V) -> Pixels {
    let gFromCb: Float = -0.0593 * 1.8814 / 0.6780
    let gFromCr: Float = -0.2627 * 1.4746 / 0.6780
    return Pixels(
        cv_fma(cr, cv_splat(1.4746), luma), cv_fma(cb, cv_splat(gFromCb), cv_fma(cr, cv_splat(gFromCr), luma)),
        cv_fma(cb, cv_splat(1.8814), luma))
}

/// BT.2446 method A from HDR to SDR. It takes companded light in BT.2020 primaries, whose luma is in `m`, to light in
/// the target's primaries.
func methodA(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    if Int(color.pointee.compand.kind) != KernelCurveNone {
        chunk.apply(kernel_compand(color))
        chunk.measure(luma)
    }
    if color.pointee.curve_is_inside != 0 {
        evaluateInside(kernel_curve(color), chunk.m, chunk.n, chunk.count)
    } else {
        evaluate(kernel_curve(color), chunk.m, chunk.n, chunk.count)
    }
    let expand = kernel_expand(color)!
    let mapping = Mapping(offset: color.pointee.expand_offset)
    guard dividesSteps else {
        withCurve(expand, MethodALoop(chunk: chunk, mapping: mapping, matrix: color.pointee.after))
        return
    }
    eachVector(chunk.count) { mapping(chunk, $0).store(chunk.rows, $0) }
    withCurve(expand, BelowTopLoop(chunk: chunk))
    let matrix = Matrix(color.pointee.after)
    eachVector(chunk.count) { matrix.linear(Pixels(chunk.rows, $0)).store(chunk.rows, $0) }
}

private struct MethodALoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { true }
    let chunk: Chunk
    let mapping: Mapping
    let matrix: KernelMatrix

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        let mapping = self.mapping
        let matrix = Matrix(self.matrix)
        var i = 0
        while i < chunk.count {
            let mapped = mapping(chunk, i)
            let light = Pixels(
                function.belowTop(mapped.a), function.belowTop(mapped.b), function.belowTop(mapped.c))
            matrix.linear(light).store(chunk.rows, i)
            i &+= lanes
        }
    }
}

/// Replaces all samples by the curve's values. No sample exceeds the curve's upper limit.
private struct BelowTopLoop: CurveLoop {
    @inline(__always) static var givesPositions: Bool { true }
    let chunk: Chunk

    @inline(never) func run<Function: VectorFunction>(_ function: Function) {
        chunk.replace { function.belowTop($0) }
    }
}

/// Maps companded light, whose luma is in `m` and luma's factor in `n`, to arguments of the curve that follows.
private struct Mapping {
    private let offset: V

    @inline(__always) init(offset: Float) { self.offset = cv_splat(offset) }

    @inline(__always) func callAsFunction(_ chunk: Chunk, _ i: Int) -> Pixels {
        let p = Pixels(chunk.rows, i)
        let y = cv_load(chunk.m + i)
        let f = cv_load(chunk.n + i)
        // The scales of Cb and Cr cancel out. What is left of the report's formulas is a sum and a factor that all
        // three components share; the plan keeps their results below the next curve's limit.
        let sum = cv_fma(cv_max(p.a - y, cv_splat(0)), cv_splat(-0.1 / 1.4746), y * cv_splat(0.1))
        let shared = cv_fma(f, sum, offset)
        return Pixels(cv_fma(f, p.a, shared), cv_fma(f, p.b, shared), cv_fma(f, p.c, shared))
    }
}

/// BT.2446 method A from SDR to HDR. It takes light in BT.2020 primaries to light in BT.2020 primaries.
func inverseMethodA(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    chunk.apply(kernel_compand(color))
    chunk.measure(luma)
    evaluate(kernel_curve(color), chunk.m, chunk.n, chunk.count)
    let toCb = cv_splat(1.075 / 1.8814)
    let toCr = cv_splat(1.075 / 1.4746)
    eachVector(chunk.count) { i in
        let p = Pixels(chunk.rows, i)
        let y = cv_load(chunk.m + i)
        let f = cv_load(chunk.n + i)
        rgb(luma: f * y, cb: f * (p.c - y) * toCb, cr: f * (p.a - y) * toCr).store(chunk.rows, i)
    }
    chunk.apply(kernel_expand(color))
}
