import CSIMD

/// Interpolates subsampled chroma of row `y` at the luma positions of `columns` pixels from column `x`, which is even.
@inline(__always)
func upsample(
    _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ columns: Int, _ scratch: Scratch, _ rows: Rows
) {
    let length = (columns &+ 1) / 2
    let (nearB, nearC) = scratch.near
    readWithNeighbours(plan, reader, frame, y, x, columns, nearB, nearC)
    if plan.pointee.nearest != 0 {
        spread(nearB, rows.b, length) { even, _, _ in (even, even) }
        spread(nearC, rows.c, length) { even, _, _ in (even, even) }
    } else if plan.pointee.source_cosited_x != 0 {
        let half = cv_splat(0.5)
        spread(nearB, rows.b, length) { even, _, right in (even, (even + right) * half) }
        spread(nearC, rows.c, length) { even, _, right in (even, (even + right) * half) }
    } else {
        let quarter = cv_splat(0.25)
        let most = cv_splat(0.75)
        spread(nearB, rows.b, length) { even, left, right in
            (cv_fma(left, quarter, even * most), cv_fma(right, quarter, even * most))
        }
        spread(nearC, rows.c, length) { even, left, right in
            (cv_fma(left, quarter, even * most), cv_fma(right, quarter, even * most))
        }
    }
}

/// Reads Cb and Cr at the height of luma row `y` for `columns` pixels from the even column `x`, with one more sample on
/// each side; at the picture's edges that sample repeats the last one.
@inline(__always)
func readWithNeighbours(
    _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ columns: Int, _ b: Row, _ c: Row
) {
    let total = (frame.pointee.width &+ 1) / 2
    let column = x / 2
    let length = (columns &+ 1) / 2
    let start = larger(column &- 1, 0)
    let count = smaller(column &+ length &+ 1, total) &- start
    let skip = start &- column
    readBetween(plan, reader, frame, y, start, count, b + skip, c + skip)
    if column == 0 {
        b[-1] = b[0]
        c[-1] = c[0]
    }
    if column &+ length == total {
        b[length] = b[length &- 1]
        c[length] = c[length &- 1]
    }
}

/// Reads Cb and Cr at the height of luma row `y`, from chroma column `x` on.
@inline(__always)
func readBetween(
    _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ b: Row, _ c: Row
) {
    if reader.layout.vertical_shift == 0 {
        reader.readChroma(frame, y, x, count, b, c)
        return
    }
    let last = larger(frame.pointee.chroma_rows, 1) &- 1
    let (row, weight) = verticalPosition(y, plan, frame.pointee.chroma_place)
    let first = smaller(larger(row, 0), last)
    reader.readChroma(frame, first, smaller(row &+ 1, last), weight, x, count, b, c)
}

/// The first of the two chroma rows that a luma row is interpolated between, and the weight of the second one.
@inline(__always)
func verticalPosition(
    _ y: Int, _ plan: UnsafePointer<KernelPlan>, _ place: Float
) -> (row: Int, weight: Float) {
    let half = y &>> 1
    let isOdd = y & 1 == 1
    if plan.pointee.nearest != 0 { return (half, 0) }
    if plan.pointee.source_cosited_y != 0 { return (half, isOdd ? 0.5 : 0) }
    return isOdd ? (half, (1 - place) * 0.5) : (half &- 1, 1 - place * 0.5)
}

/// Interpolates two samples from each one and its neighbours.
@inline(__always)
func spread(_ from: Row, _ to: Row, _ count: Int, _ body: (V, _ left: V, _ right: V) -> (V, V)) {
    eachVector(count) { i in
        let (even, odd) = body(cv_load(from + i), cv_load(from + (i &- 1)), cv_load(from + (i &+ 1)))
        cv_store(to + 2 &* i, cv_low(even, odd))
        cv_store(to + (2 &* i &+ lanes), cv_high(even, odd))
    }
}

/// Halves a component horizontally; its samples are in the picture's order.
@inline(__always)
func halveColumns(
    _ plan: UnsafePointer<KernelPlan>, _ row: Row, _ isFirst: Bool, _ carried: Row, _ count: Int, into out: Row
) {
    row[-1] = isFirst ? row[0] : carried[0]
    row[count] = row[count &- 1]
    carried[0] = row[count &- 1]
    let half = cv_splat(0.5)
    let length = (count &+ 1) / 2
    if plan.pointee.nearest != 0 {
        eachVector(length) { i in
            cv_store(out + i, cv_even(cv_load(row + 2 &* i), cv_load(row + (2 &* i &+ lanes))))
        }
    } else if plan.pointee.target_cosited_x != 0 {
        let quarter = cv_splat(0.25)
        eachVector(length) { i in
            let (first, second) = (cv_load(row + 2 &* i), cv_load(row + (2 &* i &+ lanes)))
            let left = cv_even(cv_load(row + (2 &* i &- 1)), cv_load(row + (2 &* i &- 1 &+ lanes)))
            cv_store(out + i, cv_fma(cv_even(first, second), half, (left + cv_odd(first, second)) * quarter))
        }
    } else {
        eachVector(length) { i in
            let (first, second) = (cv_load(row + 2 &* i), cv_load(row + (2 &* i &+ lanes)))
            cv_store(out + i, (cv_even(first, second) + cv_odd(first, second)) * half)
        }
    }
}

/// Filters an output row of chroma of a picture from the two rows of its pair and the row above them. The result
/// replaces `upper`.
@inline(__always)
func combine(
    _ plan: UnsafePointer<KernelPlan>, _ frame: UnsafePointer<KernelFrame>, _ above: Row, _ upper: Row, _ lower: Row,
    _ count: Int
) {
    if plan.pointee.nearest != 0 { return }
    if plan.pointee.target_cosited_y != 0 {
        let (half, quarter) = (cv_splat(0.5), cv_splat(0.25))
        eachVector(count) { i in
            let outer = (cv_load(above + i) + cv_load(lower + i)) * quarter
            cv_store(upper + i, cv_fma(cv_load(upper + i), half, outer))
        }
    } else {
        let place = frame.pointee.chroma_place
        let (first, second) = (cv_splat(1 - place), cv_splat(place))
        eachVector(count) { i in
            cv_store(upper + i, cv_fma(cv_load(lower + i), second, cv_load(upper + i) * first))
        }
    }
}

@inline(__always) func copy(_ from: Row, _ to: Row, _ count: Int) {
    eachVector(count) { cv_store(to + $0, cv_load(from + $0)) }
}
