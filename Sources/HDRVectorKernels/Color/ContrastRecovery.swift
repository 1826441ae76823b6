import CSIMD

// Contrast recovery, as `ContrastRecovery` of HDRColor defines it. Before a picture is converted, its cells are
// measured and smoothed; while it is converted, each row interpolates the gains of the cells around it.

/// The number of rows and of columns of pixels in a cell.
@inline(__always) private var cellSize: Int { 4 }

@inline(__always) private func cells(_ pixels: Int) -> Int { (pixels &+ cellSize &- 1) / cellSize }

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

/// The number of sample rows that are read in a row of cells: the middle two rows of pixels, and both rows of chroma
/// where it is halved vertically.
@inline(__always) private var rowsRead: Int { 2 }

@inline(__always) private func lumaRow(_ row: Int, _ k: Int, _ source: UnsafePointer<KernelFrame>) -> Int {
    smaller(cellSize &* row &+ 1 &+ k, source.pointee.height &- 1)
}

@inline(__always)
private func chromaRow(_ row: Int, _ k: Int, _ reader: Reader, _ source: UnsafePointer<KernelFrame>) -> Int {
    if reader.layout.vertical_shift == 0 { return lumaRow(row, k, source) }
    return smaller(2 &* row &+ k, larger(source.pointee.chroma_rows, 1) &- 1)
}

/// Computes the means of the code values in a row of cells, for `count` columns of pixels from column `x` on.
@inline(never)
private func findMeans(
    _ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ row: Int, _ x: Int, _ count: Int, _ scratch: Scratch
) {
    let sums = scratch.chunk(0).rows
    let more = Rows(scratch.near.0, scratch.near.1, scratch.upper.0)
    let isHalved = reader.layout.horizontal_shift != 0
    prefetchNext(reader, source, row, x)
    var k = 0
    while k < rowsRead {
        reader.read(source, lumaRow(row, k, source), x, count, k == 0 ? sums : more)
        k &+= 1
    }
    let length = cells(count)
    join(sums.a, more.a, count, length)
    guard isHalved else {
        join(sums.b, more.b, count, length)
        join(sums.c, more.c, count, length)
        return
    }
    let half = (count &+ 1) / 2
    k = 0
    while k < rowsRead {
        let y = chromaRow(row, k, reader, source)
        reader.readChroma(source, y, x / 2, half, k == 0 ? sums.b : more.a, k == 0 ? sums.c : more.b)
        k &+= 1
    }
    joinPairs(sums.b, more.a, half, length)
    joinPairs(sums.c, more.b, half, length)
}

/// Prefetches what the next call reads: the columns to the right, or those at the beginning of the next row.
@inline(__always)
private func prefetchNext(_ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ row: Int, _ x: Int) {
    let isLast = x &+ chunkLength >= source.pointee.width
    let (row, x) = isLast ? (row &+ 1, 0) : (row, x &+ chunkLength)
    var k = 0
    while k < rowsRead {
        reader.prefetchRow(source, lumaRow(row, k, source), x)
        if reader.layout.horizontal_shift != 0 {
            reader.prefetchChroma(source, chromaRow(row, k, reader, source), x / 2)
        }
        k &+= 1
    }
}

/// Replaces each four of `count` columns of two rows by their mean, in the first row; the last column is repeated.
@inline(__always) private func join(_ row: Row, _ other: Row, _ count: Int, _ length: Int) {
    pad(row, count, 4 &* length)
    pad(other, count, 4 &* length)
    let scale = cv_splat(0.125)
    eachVector(length) { i in
        @inline(__always) func sum(_ k: Int) -> V {
            cv_load(row + (4 &* i &+ k &* lanes)) + cv_load(other + (4 &* i &+ k &* lanes))
        }
        let (a, b, c, d) = (sum(0), sum(1), sum(2), sum(3))
        let left = cv_even(a, b) + cv_odd(a, b)
        let right = cv_even(c, d) + cv_odd(c, d)
        cv_store(row + i, (cv_even(left, right) + cv_odd(left, right)) * scale)
    }
}

/// Replaces each two of `count` columns of two rows by their mean, in the first row; the last column is repeated.
@inline(__always) private func joinPairs(_ row: Row, _ other: Row, _ count: Int, _ length: Int) {
    pad(row, count, 2 &* length)
    pad(other, count, 2 &* length)
    let scale = cv_splat(0.25)
    eachVector(length) { i in
        let a = cv_load(row + 2 &* i) + cv_load(other + 2 &* i)
        let b = cv_load(row + (2 &* i &+ lanes)) + cv_load(other + (2 &* i &+ lanes))
        cv_store(row + i, (cv_even(a, b) + cv_odd(a, b)) * scale)
    }
}

@inline(__always) private func pad(_ row: Row, _ count: Int, _ end: Int) {
    var i = count
    while i < end {
        row[i] = row[count &- 1]
        i &+= 1
    }
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
@inline(__always) private func weights(_ row: Int) -> (above: Float, own: Float, below: Float) {
    switch row & 3 {
    case 0: (0.375, 0.625, 0)
    case 1: (0.1875, 0.75, 0.0625)
    case 2: (0.0625, 0.75, 0.1875)
    default: (0, 0.625, 0.375)
    }
}

/// Interpolates the gains of the low-pass at `count` pixels from column `x` of row `y`, in the chunk's order.
@inline(__always)
func findLowPass<Order: PixelOrder>(
    _ order: Order.Type, _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ scratch: Scratch, into out: Row
) {
    guard let gains = plan.pointee.cell_gains else { return }
    let (rows, doubled) = (scratch.near.1, scratch.chunk(0).m)
    let length = cells(count)
    mixRows(plan, gains, cells(source.pointee.height), y, x / cellSize, length, rows)
    let (quarter, most) = (cv_splat(0.25), cv_splat(0.75))
    spread(rows, doubled, length) { own, left, right in
        (cv_fma(left, quarter, own * most), cv_fma(right, quarter, own * most))
    }
    // The second doubling needs these neighbours.
    doubled[-1] = rows[-1] * 0.75 + rows[0] * 0.25
    doubled[2 &* length] = rows[length] * 0.75 + rows[length &- 1] * 0.25
    order.double(doubled, count, into: out)
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
    let strength = cv_splat(color.pointee.recovery)
    let (low, high) = (cv_splat(-color.pointee.recovery_slack), cv_splat(color.pointee.recovery_slack))
    let (peak, least) = (cv_splat(color.pointee.peak), cv_splat(1e-9))
    let (zero, half) = (cv_splat(0), cv_splat(0.5))
    eachVector(chunk.count) { i in
        let gain = cv_load(chunk.n + i)
        let limit = gain * half
        let difference = cv_limit(cv_load(lowPass + i) - gain, zero - limit, limit)
        let mixed = cv_fma(difference - cv_limit(difference, low, high), strength, gain)
        let light = IsSum.value != 0 ? cv_load(chunk.m + i) : Pixels(chunk.rows, i).maximum
        cv_store(chunk.n + i, cv_min(mixed, cv_max(gain, peak / cv_max(light, least))))
    }
}
