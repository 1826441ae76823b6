import HDRColor

/// Converts rows of the source's code values to the target's, not yet rounded, in double precision, straight from the
/// definition. Vector kernels are compared with it, and `quality=reference` uses it where single precision is not
/// accurate enough.
struct ReferenceKernel: Sendable {
    /// A conversion through light, or from code values to code values of the same colour.
    private enum Step {
        case color(ColorStep)
        case recoding(Affine)
    }
    private let step: Step

    init(_ plan: ConversionPlan) { step = .color(ColorStep(plan)) }

    /// Converts only the form of code values: bit depth, range and matrix.
    init(recoding plan: ConversionPlan) {
        step = .recoding(Affine(recoding: plan.source.quantization, to: plan.target.quantization))
    }

    /// Converts `count` samples in place.
    /// - Parameter lowPass: the low-pass gains around the pixels, for contrast recovery.
    func convert(_ row: RowTriple, count: Int, lowPass: Row? = nil) {
        switch step {
        case .color(let step): step.convert(row, count, lowPass)
        case .recoding(let affine): affine.apply(row, count)
        }
    }
}

/// All steps of a colour conversion, one pixel at a time.
private struct ColorStep: Sendable {
    private let source: Quantization
    private let target: Quantization
    private let conversion: Conversion<Double>
    private let toRGB: Matrix3<Double>
    private let fromRGB: Matrix3<Double>

    init(_ plan: ConversionPlan) {
        source = plan.source.quantization
        target = plan.target.quantization
        conversion = Conversion(plan)
        toRGB = source.matrix?.toRGB ?? .identity
        fromRGB = target.matrix?.fromRGB ?? .identity
    }

    func convert(_ row: RowTriple, _ count: Int, _ lowPass: Row?) {
        for i in 0..<count {
            let codes = SIMD3(row.a[i], row.b[i], row.c[i])
            let signal = conversion(toRGB * ((codes - source.offset) / source.scale), lowPass: lowPass?[i])
            let result = (fromRGB * signal) * target.scale + target.offset
            row.a[i] = result.x
            row.b[i] = result.y
            row.c[i] = result.z
        }
    }
}

/// A 3x3 matrix and offsets.
struct Affine: Sendable {
    let matrix: Matrix3<Double>
    let offset: SIMD3<Double>

    /// From code values to code values of the same colour.
    init(recoding from: Quantization, to: Quantization) {
        let recode: Matrix3<Double> =
            from.matrix == to.matrix
            ? .identity : (to.matrix?.fromRGB ?? .identity) * (from.matrix?.toRGB ?? .identity)
        matrix = Matrix3.diagonal(to.scale) * recode * .diagonal(SIMD3(repeating: 1) / from.scale)
        offset = to.offset - matrix * from.offset
    }

    fileprivate func apply(_ row: RowTriple, _ count: Int) {
        for i in 0..<count {
            let result = matrix * SIMD3(row.a[i], row.b[i], row.c[i]) + offset
            row.a[i] = result.x
            row.b[i] = result.y
            row.c[i] = result.z
        }
    }
}
