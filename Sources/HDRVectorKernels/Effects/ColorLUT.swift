import CSIMD

/// Replaces colours by those of a look-up table.
@inline(never)
func applyLut(_ lut: UnsafePointer<KernelLut>, _ light: KernelLightRows, _ count: Int) {
    let rows = Rows(light.red, light.green, light.blue)
    let isOpaque = light.alpha == nil || areOnes(light.alpha, count)
    if isOpaque {
        eachVector(count) { Pixels(rows, $0).map(cv_number).store(rows, $0) }
    } else {
        divideByAlpha(rows, light.alpha, count)
    }
    withEachRow(rows) { row, _ in shape(kernel_lut_to_signal(lut), row, count) }
    if lut.pointee.lines.0 != nil { withEachRow(rows) { row, k in lookUpLines(lut, k, row, count) } }
    if lut.pointee.nodes != nil { lookUpNodes(lut, rows, count) }
    withEachRow(rows) { row, _ in shape(kernel_lut_to_light(lut), row, count) }
    if !isOpaque { multiplyWithAlpha(rows, light.alpha, count) }
}

@inline(__always) private func withEachRow(_ rows: Rows, _ body: (Row, Int) -> Void) {
    body(rows.a, 0)
    body(rows.b, 1)
    body(rows.c, 2)
}

@inline(__always) private func shape(_ curve: UnsafePointer<KernelCurve>?, _ row: Row, _ count: Int) {
    guard let curve, Int(curve.pointee.kind) != KernelCurveNone else { return }
    evaluate(curve, row, row, count)
}

// MARK: Alpha

private func areOnes(_ row: Row, _ count: Int) -> Bool {
    var differences = cv_splat(0)
    let one = cv_splat(1)
    eachVector(count) { differences = cv_max(cv_differ(cv_load(row + $0), one), differences) }
    return cv_any_above(differences, cv_splat(0)) == 0
}

/// Where alpha is 0, so is colour.
@inline(never)
private func divideByAlpha(_ rows: Rows, _ alpha: Row, _ count: Int) {
    let (zero, one) = (cv_splat(0), cv_splat(1))
    eachVector(count) { i in
        let share = cv_load(alpha + i)
        // A smaller alpha is 0 in every format, and its reciprocal may be infinite.
        let least = cv_splat(0x1p-60)
        let scale = cv_above(share, least, one / cv_max(share, least), zero)
        Pixels(rows, i).map(cv_number).scaled(scale).store(rows, i)
    }
}

@inline(never)
private func multiplyWithAlpha(_ rows: Rows, _ alpha: Row, _ count: Int) {
    eachVector(count) { Pixels(rows, $0).scaled(cv_number(cv_load(alpha + $0))).store(rows, $0) }
}

// MARK: Tables

/// Looks a component up in its table.
@inline(never)
private func lookUpLines(_ lut: UnsafePointer<KernelLut>, _ component: Int, _ row: Row, _ count: Int) {
    let lines = lut.pointee.lines
    let (scales, offsets) = (lut.pointee.line_scale, lut.pointee.line_offset)
    let table: UnsafePointer<Float>? = component == 0 ? lines.0 : component == 1 ? lines.1 : lines.2
    let scale = cv_splat(component == 0 ? scales.0 : component == 1 ? scales.1 : scales.2)
    let offset = cv_splat(component == 0 ? offsets.0 : component == 1 ? offsets.1 : offsets.2)
    let (low, high) = (cv_splat(0), cv_splat(lut.pointee.last_line))
    guard let table else { return }
    eachVector(count) { i in
        let position = cv_limit(cv_fma(cv_load(row + i), scale, offset), low, high)
        let index = cv_truncate(position)
        cv_store(row + i, cv_line(table, index, position - cv_to_float(index)))
    }
}

/// Interpolates colours in tetrahedra of four nodes of the cube: the nodes on the path from the cell's lowest node to
/// its highest one that follows the axes in the order of the position's fractions, the largest first.
@inline(never)
private func lookUpNodes(_ lut: UnsafePointer<KernelLut>, _ rows: Rows, _ count: Int) {
    guard let nodes = lut.pointee.nodes else { return }
    let scale = Weights(lut.pointee.node_scale)
    let offset = Weights(lut.pointee.node_offset)
    let last = lut.pointee.last_node
    let (low, high) = (cv_splat(0), cv_splat(last))
    let top = cv_splat_i(Int32(last) &- 1)
    // Steps and indices are doubled, since addresses are computed from doubled indices.
    let size = last + 1
    let (red, green, blue) = (cv_splat(2), cv_splat(2 * size), cv_splat(2 * size * size))
    let all = cv_truncate(red + green + blue)
    let one = cv_splat(1)
    eachVector(count) { i in
        let p = Pixels(rows, i)
        let a = cv_limit(cv_fma(p.a, scale.a, offset.a), low, high)
        let b = cv_limit(cv_fma(p.b, scale.b, offset.b), low, high)
        let c = cv_limit(cv_fma(p.c, scale.c, offset.c), low, high)
        // The last node has no cell of its own.
        let lowest = Pixels(
            cv_to_float(cv_min_i(cv_truncate(a), top)), cv_to_float(cv_min_i(cv_truncate(b), top)),
            cv_to_float(cv_min_i(cv_truncate(c), top)))
        let f = Pixels(a - lowest.a, b - lowest.b, c - lowest.c)

        // The axes of the largest and of the smallest fraction are never the same one.
        let firstStep = cv_above(
            f.b, f.a, cv_above(f.c, f.b, blue, green), cv_above(f.c, f.a, blue, red))
        let lastStep = cv_above(
            f.b, f.a, cv_above(f.c, f.a, red, blue), cv_above(f.c, f.b, green, blue))
        let largest = f.maximum
        let smallest = cv_min(f.a, cv_min(f.b, f.c))
        let middle = cv_max(cv_min(f.a, f.b), cv_min(cv_max(f.a, f.b), f.c))

        // These are even integers up to 2^25, which single precision represents exactly.
        let start = cv_truncate(cv_fma(lowest.c, blue, cv_fma(lowest.b, green, lowest.a * red)))
        let end = cv_add_i(start, all)
        cv_point_sums(
            nodes, start, cv_add_i(start, cv_truncate(firstStep)), cv_subtract_i(end, cv_truncate(lastStep)), end,
            one - largest, largest - middle, middle - smallest, smallest, rows.a + i, rows.b + i, rows.c + i)
    }
}
