import HDRColor

/// A 3x3 matrix and an offset on three rows.
struct AffineStage<T: KernelScalar>: Sendable {
    let matrix: Matrix3<T>
    let offset: SIMD3<T>
    /// Whether each component depends on itself alone.
    let isDiagonal: Bool

    init(_ matrix: Matrix3<Double>, offset: SIMD3<Double> = SIMD3(0, 0, 0)) {
        self.matrix = matrix.converted(to: T.self)
        self.offset = offset.converted(to: T.self)
        isDiagonal = matrix == .diagonal(SIMD3(matrix.row0.x, matrix.row1.y, matrix.row2.z))
    }

    /// Code values to R'G'B'.
    init(decoding q: Quantization) {
        let inverse = (q.matrix?.toRGB ?? .identity) * Matrix3.diagonal(SIMD3(repeating: 1) / q.scale)
        self.init(inverse, offset: inverse * (q.offset * -1))
    }

    /// R'G'B' to code values.
    init(encoding q: Quantization) {
        self.init(Matrix3.diagonal(q.scale) * (q.matrix?.fromRGB ?? .identity), offset: q.offset)
    }

    @inline(__always) func apply(_ row: RowTriple<T>, _ count: Int) {
        let (a, b, c) = (row.a, row.b, row.c)
        let (o0, o1, o2) = (offset.x, offset.y, offset.z)
        if isDiagonal {
            let (s0, s1, s2) = (matrix.row0.x, matrix.row1.y, matrix.row2.z)
            for i in 0..<count {
                a[i] = a[i] * s0 + o0
                b[i] = b[i] * s1 + o1
                c[i] = c[i] * s2 + o2
            }
            return
        }
        let (m00, m01, m02) = (matrix.row0.x, matrix.row0.y, matrix.row0.z)
        let (m10, m11, m12) = (matrix.row1.x, matrix.row1.y, matrix.row1.z)
        let (m20, m21, m22) = (matrix.row2.x, matrix.row2.y, matrix.row2.z)
        for i in 0..<count {
            let (x, y, z) = (a[i], b[i], c[i])
            a[i] = m00 * x + m01 * y + m02 * z + o0
            b[i] = m10 * x + m11 * y + m12 * z + o1
            c[i] = m20 * x + m21 * y + m22 * z + o2
        }
    }
}

/// Changes the numbers' form and not the colour: bit depth, range, matrix.
struct FormatKernel<T: KernelScalar>: ColorKernel {
    private let stage: AffineStage<T>

    init(_ plan: ConversionPlan) {
        let from = plan.source.quantization
        let to = plan.target.quantization
        let recode: Matrix3<Double> =
            from.matrix == to.matrix
            ? .identity : (to.matrix?.fromRGB ?? .identity) * (from.matrix?.toRGB ?? .identity)
        let matrix = Matrix3.diagonal(to.scale) * recode * .diagonal(SIMD3(repeating: 1) / from.scale)
        stage = AffineStage(matrix, offset: to.offset - matrix * from.offset)
    }

    @inline(__always) func convert(_ row: RowTriple<T>, count: Int) { stage.apply(row, count) }
}
