import HDRColor

/// Every step in double precision from the definition itself: what the vector kernels are compared with, and what
/// `quality=reference` runs where single precision is not enough.
struct ReferenceKernel: ColorKernel {
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

    func convert(_ row: RowTriple<Double>, count: Int) {
        for i in 0..<count {
            let codes = SIMD3(row.a[i], row.b[i], row.c[i])
            let signal = conversion(toRGB * ((codes - source.offset) / source.scale))
            let result = (fromRGB * signal) * target.scale + target.offset
            row.a[i] = result.x
            row.b[i] = result.y
            row.c[i] = result.z
        }
    }
}
