import CSIMD

/// Multiplies colour with a matrix, and adds its offsets times alpha.
@inline(never)
func applyColorMatrix(_ matrix: UnsafePointer<KernelMatrix>, _ light: KernelLightRows, _ count: Int) {
    let m = Matrix(matrix.pointee)
    let rows = Rows(light.red, light.green, light.blue)
    let offset = Pixels(cv_splat(matrix.pointee.o0), cv_splat(matrix.pointee.o1), cv_splat(matrix.pointee.o2))
    let hasOffset = matrix.pointee.o0 != 0 || matrix.pointee.o1 != 0 || matrix.pointee.o2 != 0
    guard hasOffset, let alpha = light.alpha else {
        eachVector(count) { m.linear(Pixels(rows, $0)).store(rows, $0) }
        return
    }
    eachVector(count) { i in
        let p = m.linear(Pixels(rows, i))
        let share = cv_load(alpha + i)
        Pixels(cv_fma(share, offset.a, p.a), cv_fma(share, offset.b, p.b), cv_fma(share, offset.c, p.c)).store(rows, i)
    }
}
