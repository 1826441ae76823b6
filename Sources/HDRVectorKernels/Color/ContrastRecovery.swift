import CSIMD

// Contrast recovery, as `ContrastRecovery` of HDRColor defines it. Before a picture is converted, its cells are
// measured and smoothed; while it is converted, each row interpolates the gains of the cells around it.

@inline(__always)
private func cellRow(_ plan: UnsafePointer<KernelPlan>, _ map: UnsafeMutablePointer<Float>, _ row: Int) -> Row {
    map + row &* plan.pointee.cell_stride
}

// MARK: Before a picture is converted

/// Finds the PQ signals of rows `[first, end)` of a picture's cells.
@inline(never)
func measureCells(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ first: Int, _ end: Int,
    _ memory: UnsafeMutableRawPointer
) {
    let reader = Reader(layout: plan.pointee.source)
    let scratch = Scratch(memory)
    let color = kernel_color(plan)!
    let width = source.pointee.width
    guard let map = plan.pointee.cells else { return }
    var row = first
    while row < end {
        let out = cellRow(plan, map, row)
        var x = 0
        while x < width {
            let count = smaller(width &- x, chunkLength)
            findMeans(reader, source, row, x, count, scratch)
            let chunk = scratch.chunk(cells(count))
            findSignals(color, chunk, source.pointee.reshaping)
            copy(chunk.n, out + x / cellSize, chunk.count)
            x &+= chunkLength
        }
        repeatEdges(out, cells(width))
        row &+= 1
    }
}

/// Repeats a row's first and last cell beyond its ends.
@inline(__always) private func repeatEdges(_ row: Row, _ count: Int) {
    row[-1] = row[0]
    row[count] = row[count &- 1]
}

/// Converts code values in a chunk to the PQ signals of the light that the tone curve acts on, and writes these to its
/// `n`.
@inline(never)
private func findSignals(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ reshaping: UnsafePointer<KernelReshaping>?
) {
    decode(color, chunk, reshaping)
    if color.pointee.has_before != 0 {
        chunk.transform(color.pointee.before)
        measureMaximum(chunk)
    }
    if Int(color.pointee.recovery_signal.kind) == KernelCurveNone {
        let (scale, offset) = (cv_splat(color.pointee.recovery_scale), cv_splat(color.pointee.recovery_offset))
        eachVector(chunk.count) { cv_store(chunk.n + $0, cv_fma(cv_load(chunk.m + $0), scale, offset)) }
    } else {
        evaluate(kernel_recovery_signal(color), chunk.m, chunk.n, chunk.count)
    }
    let (zero, one) = (cv_splat(0), cv_splat(1))
    eachVector(chunk.count) { cv_store(chunk.n + $0, cv_limit(cv_load(chunk.n + $0), zero, one)) }
}

/// Finds the gains of rows `[first, end)` of a picture's cells. The signals of these rows and of their neighbours are
/// known.
@inline(never)
func smoothCells(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ first: Int, _ end: Int,
    _ memory: UnsafeMutableRawPointer
) {
    guard let map = plan.pointee.cells, let gains = plan.pointee.cell_gains else { return }
    let scratch = Scratch(memory)
    let color = kernel_color(plan)!
    let width = cells(source.pointee.width)
    let last = cells(source.pointee.height) &- 1
    let (half, quarter) = (cv_splat(0.5), cv_splat(0.25))
    let (columns, values) = scratch.near
    var row = first
    while row < end {
        let above = cellRow(plan, map, larger(row &- 1, 0))
        let own = cellRow(plan, map, row)
        let below = cellRow(plan, map, smaller(row &+ 1, last))
        let out = cellRow(plan, gains, row)
        var x = 0
        while x < width {
            let count = smaller(width &- x, chunkLength)
            var i = -1
            while i <= count {
                let outer = cv_load(above + (x &+ i)) + cv_load(below + (x &+ i))
                cv_store(columns + i, cv_fma(cv_load(own + (x &+ i)), half, outer * quarter))
                i &+= lanes
            }
            eachVector(count) { i in
                let outer = cv_load(columns + (i &- 1)) + cv_load(columns + (i &+ 1))
                cv_store(values + i, cv_fma(cv_load(columns + i), half, outer * quarter))
            }
            evaluate(kernel_recovery_gain(color), values, values, count)
            copy(values, out + x, count)
            x &+= chunkLength
        }
        repeatEdges(out, width)
        row &+= 1
    }
}

// MARK: While a picture is converted

/// The weights of a row of cells and of its two neighbours for each of the cells' rows of pixels.
@inline(__always) private func weights(_ y: Int) -> (above: Float, own: Float, below: Float) {
    switch y & 7 {
    case 0: (0.4375, 0.5625, 0)
    case 1: (0.328125, 0.65625, 0.015625)
    case 2: (0.234375, 0.71875, 0.046875)
    case 3: (0.15625, 0.75, 0.09375)
    case 4: (0.09375, 0.75, 0.15625)
    case 5: (0.046875, 0.71875, 0.234375)
    case 6: (0.015625, 0.65625, 0.328125)
    default: (0, 0.5625, 0.4375)
    }
}

/// Interpolates the gains of the low-pass at `count` pixels from column `x` of row `y`, in the chunk's order.
@inline(__always)
func findLowPass<Order: PixelOrder>(
    _ order: Order.Type, _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ scratch: Scratch, into out: Row
) {
    guard let gains = plan.pointee.cell_gains else { return }
    let (cellRow, half, quarter) = (scratch.near.1, scratch.chunk(0).m, scratch.chunk(0).n)
    let length = cells(count)
    mixRows(plan, gains, cells(source.pointee.height), y, x / cellSize, length, cellRow)
    double(cellRow, length, into: quarter)
    double(quarter, 2 &* length, into: half)
    order.double(half, count, into: out)
}

/// Doubles the columns of a row, with one more on each side.
@inline(never)
private func double(_ row: Row, _ length: Int, into out: Row) {
    let (quarter, most) = (cv_splat(0.25), cv_splat(0.75))
    spread(row, out, length) { own, left, right in
        (cv_fma(left, quarter, own * most), cv_fma(right, quarter, own * most))
    }
    // The next doubling needs these neighbours.
    out[-1] = row[-1] * 0.75 + row[0] * 0.25
    out[2 &* length] = row[length] * 0.75 + row[length &- 1] * 0.25
}

/// Interpolates the gains of cells at the height of a row of pixels, with one more cell on each side.
@inline(never)
private func mixRows(
    _ plan: UnsafePointer<KernelPlan>, _ gains: UnsafeMutablePointer<Float>, _ height: Int, _ y: Int, _ column: Int,
    _ count: Int, _ out: Row
) {
    let row = y / cellSize
    let above = cellRow(plan, gains, larger(row &- 1, 0)) + column
    let own = cellRow(plan, gains, row) + column
    let below = cellRow(plan, gains, smaller(row &+ 1, height &- 1)) + column
    let weights = weights(y)
    let (a, b, c) = (cv_splat(weights.above), cv_splat(weights.own), cv_splat(weights.below))
    var i = -1
    while i <= count {
        let sum = cv_fma(cv_load(above + i), a, cv_fma(cv_load(own + i), b, cv_load(below + i) * c))
        cv_store(out + i, sum)
        i &+= lanes
    }
}

/// Mixes the low-pass gain around each pixel into the pixel's own gain in `n`.
@inline(__always)
func recover(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ lowPass: Row) {
    if Int(color.pointee.measure) == KernelMeasureWeighted {
        recover(color, chunk, lowPass, N1.self)
    } else {
        recover(color, chunk, lowPass, N0.self)
    }
}

/// - Parameter isSum: whether `m` is the light that the curve acts on; otherwise that light is the largest component.
@inline(never)
private func recover<IsSum: Constant>(
    _ color: UnsafePointer<KernelColor>, _ chunk: Chunk, _ lowPass: Row, _ isSum: IsSum.Type
) {
    let own = cv_splat(1 - color.pointee.recovery)
    let rise = cv_splat(color.pointee.recovery_rise)
    let knee = cv_splat(color.pointee.recovery_knee)
    let (peak, least) = (cv_splat(color.pointee.peak), cv_splat(1e-9))
    let (zero, minusQuarter) = (cv_splat(0), cv_splat(-0.25))
    var i = 0
    while i < chunk.count {
        let gain = cv_load(chunk.n + i)
        var mixed = cv_min(cv_fma(gain, own, cv_load(lowPass + i)), gain * rise)
        // Most of a picture stays far below the peak, and divisions take longer than all of the rest.
        if cv_any_above(cv_load(chunk.m + i), knee) != 0 {
            let light = IsSum.value != 0 ? cv_load(chunk.m + i) : Pixels(chunk.rows, i).maximum
            let room = cv_max(peak / cv_max(light, least) - gain, zero)
            let raise = mixed - gain
            let near = cv_fma(room * room / raise, minusQuarter, gain + room)
            mixed = cv_above(raise + raise, room, near, mixed)
        }
        cv_store(chunk.n + i, mixed)
        i &+= lanes
    }
}
