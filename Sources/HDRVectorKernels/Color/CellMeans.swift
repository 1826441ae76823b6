import CSIMD

// The means of code values in the cells of contrast recovery.

/// The number of rows and of columns of pixels in a cell.
@inline(__always) var cellSize: Int { 8 }

@inline(__always) func cells(_ pixels: Int) -> Int { (pixels &+ cellSize &- 1) / cellSize }

/// A cell's rows in a plane, whose last row is repeated: 8, or 4 where the plane has half of the rows.
private struct CellRows {
    let first: Int, count: Int, last: Int

    /// - Parameter row: the row of cells.
    @inline(__always) init(_ row: Int, ofLuma frame: UnsafePointer<KernelFrame>) {
        first = cellSize &* row
        count = cellSize
        last = frame.pointee.height &- 1
    }

    @inline(__always) init(_ row: Int, ofChroma frame: UnsafePointer<KernelFrame>, _ layout: KernelLayout) {
        let isHalved = layout.vertical_shift != 0
        count = isHalved ? cellSize / 2 : cellSize
        first = count &* row
        last = (isHalved ? larger(frame.pointee.chroma_rows, 1) : frame.pointee.height) &- 1
    }

    @inline(__always) func callAsFunction(_ k: Int) -> Int { smaller(first &+ k, last) }
}

/// Computes the means of the code values in a row of cells, for `count` columns of pixels from column `x` on.
@inline(never)
func findMeans(
    _ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ row: Int, _ x: Int, _ count: Int, _ scratch: Scratch
) {
    let sums = scratch.chunk(0).rows
    let more = Rows(scratch.near.0, scratch.near.1, scratch.upper.0)
    let layout = reader.layout
    let isHalved = layout.horizontal_shift != 0
    let luma = CellRows(row, ofLuma: source)
    let chroma = CellRows(row, ofChroma: source, layout)
    let (chromaX, chromaCount) = isHalved ? (x / 2, (count &+ 1) / 2) : (x, count)
    let packing = Int(layout.packing)
    prefetchNext(reader, source, row, x)
    if packing == KernelPackingPlanar {
        sumPlane(reader, 0, source, luma, x, count, sums.a)
        sumPlane(reader, 1, source, chroma, chromaX, chromaCount, sums.b)
        sumPlane(reader, 2, source, chroma, chromaX, chromaCount, sums.c)
    } else if packing == KernelPackingSemiplanar {
        sumPlane(reader, 0, source, luma, x, count, sums.a)
        let isSwapped = layout.places.1 != 0
        sumPairs(
            reader, source, chroma, chromaX, chromaCount, isSwapped ? sums.c : sums.b, isSwapped ? sums.b : sums.c)
    } else {
        sumPixels(reader, source, luma, x, count, sums, more)
    }
    let length = cells(count)
    let columns = isHalved ? cellSize / 2 : cellSize
    average(sums.a, count, length, cellSize, luma.count)
    average(sums.b, chromaCount, length, columns, chroma.count)
    average(sums.c, chromaCount, length, columns, chroma.count)
}

/// Prefetches what the next call reads: the columns to the right, or those at the beginning of the next row.
@inline(__always)
private func prefetchNext(_ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ row: Int, _ x: Int) {
    let isLast = x &+ chunkLength >= source.pointee.width
    let (row, x) = isLast ? (row &+ 1, 0) : (row, x &+ chunkLength)
    let luma = CellRows(row, ofLuma: source)
    var k = 0
    while k < luma.count {
        reader.prefetchRow(source, luma(k), x)
        k &+= 1
    }
    guard reader.layout.horizontal_shift != 0 else { return }
    let chroma = CellRows(row, ofChroma: source, reader.layout)
    k = 0
    while k < chroma.count {
        reader.prefetchChroma(source, chroma(k), x / 2)
        k &+= 1
    }
}

// MARK: Sums over rows

/// Sums a component that has a plane of its own, or luma of a semiplanar layout.
@inline(never)
private func sumPlane(
    _ reader: Reader, _ component: Int, _ source: UnsafePointer<KernelFrame>, _ rows: CellRows, _ x: Int,
    _ count: Int, _ out: Row
) {
    let bytes = Int(reader.layout.bytes_per_word)
    let shift = reader.layout.shift
    @inline(__always) func row(_ k: Int) -> UnsafeMutablePointer<UInt8> {
        kernel_row(source, reader.plane(component), rows(k))! + bytes &* x
    }
    var k = 0
    while k < rows.count {
        let (p, q, r, s) = (row(k), row(k &+ 1), row(k &+ 2), row(k &+ 3))
        let isFirst = k == 0
        let whole = count &- count % lanes
        var i = 0
        if bytes == 1 {
            while i < whole {
                let two = cv_add_i(cv_load_u8(p + i), cv_load_u8(q + i))
                let sum = cv_to_float(cv_add_i(two, cv_add_i(cv_load_u8(r + i), cv_load_u8(s + i))))
                cv_store(out + i, isFirst ? sum : cv_load(out + i) + sum)
                i &+= lanes
            }
        } else {
            while i < whole {
                let at = 2 &* i
                let two = cv_add_i(cv_right(cv_load_u16(p + at), shift), cv_right(cv_load_u16(q + at), shift))
                let others = cv_add_i(cv_right(cv_load_u16(r + at), shift), cv_right(cv_load_u16(s + at), shift))
                let sum = cv_to_float(cv_add_i(two, others))
                cv_store(out + i, isFirst ? sum : cv_load(out + i) + sum)
                i &+= lanes
            }
        }
        while i < count {
            let sum = reader.single(p, i) + reader.single(q, i) + reader.single(r, i) + reader.single(s, i)
            out[i] = isFirst ? sum : out[i] + sum
            i &+= 1
        }
        k &+= 4
    }
}

/// Sums two components that alternate in their plane.
@inline(never)
private func sumPairs(
    _ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ rows: CellRows, _ x: Int, _ count: Int, _ first: Row,
    _ second: Row
) {
    let bytes = Int(reader.layout.bytes_per_word)
    let shift = reader.layout.shift
    @inline(__always) func row(_ k: Int) -> UnsafeMutablePointer<UInt8> {
        kernel_row(source, 1, rows(k))! + 2 &* bytes &* x
    }
    var k = 0
    while k < rows.count {
        let (p, q, r, s) = (row(k), row(k &+ 1), row(k &+ 2), row(k &+ 3))
        let isFirst = k == 0
        let whole = count &- count % lanes
        var i = 0
        while i < whole {
            let (low, high): (cv_i, cv_i)
            if bytes == 1 {
                let at = 2 &* i
                // No sum of four bytes reaches the upper half of its word.
                let (a, b) = (cv_load_u16(p + at), cv_load_u16(q + at))
                let (c, d) = (cv_load_u16(r + at), cv_load_u16(s + at))
                low = cv_add_i(
                    cv_add_i(cv_and(a, 0xff), cv_and(b, 0xff)), cv_add_i(cv_and(c, 0xff), cv_and(d, 0xff)))
                high = cv_add_i(cv_add_i(cv_right(a, 8), cv_right(b, 8)), cv_add_i(cv_right(c, 8), cv_right(d, 8)))
            } else {
                let at = 4 &* i
                let (a, b) = (cv_load_u32(p + at), cv_load_u32(q + at))
                let (c, d) = (cv_load_u32(r + at), cv_load_u32(s + at))
                @inline(__always) func lower(_ words: cv_i) -> cv_i { cv_right(cv_and(words, 0xffff), shift) }
                @inline(__always) func upper(_ words: cv_i) -> cv_i { cv_right(words, 16 &+ shift) }
                low = cv_add_i(cv_add_i(lower(a), lower(b)), cv_add_i(lower(c), lower(d)))
                high = cv_add_i(cv_add_i(upper(a), upper(b)), cv_add_i(upper(c), upper(d)))
            }
            cv_store(first + i, isFirst ? cv_to_float(low) : cv_load(first + i) + cv_to_float(low))
            cv_store(second + i, isFirst ? cv_to_float(high) : cv_load(second + i) + cv_to_float(high))
            i &+= lanes
        }
        while i < count {
            @inline(__always) func sum(_ at: Int) -> Float {
                reader.single(p, at) + reader.single(q, at) + reader.single(r, at) + reader.single(s, at)
            }
            first[i] = isFirst ? sum(2 &* i) : first[i] + sum(2 &* i)
            second[i] = isFirst ? sum(2 &* i &+ 1) : second[i] + sum(2 &* i &+ 1)
            i &+= 1
        }
        k &+= 4
    }
}

/// Sums the components of layouts that hold pixels in words, or pack them as v210.
@inline(never)
private func sumPixels(
    _ reader: Reader, _ source: UnsafePointer<KernelFrame>, _ rows: CellRows, _ x: Int, _ count: Int, _ sums: Rows,
    _ more: Rows
) {
    let isHalved = reader.layout.horizontal_shift != 0
    let half = (count &+ 1) / 2
    var k = 0
    while k < rows.count {
        let to = k == 0 ? sums : more
        reader.read(source, rows(k), x, count, to)
        if isHalved { reader.readChroma(source, rows(k), x / 2, half, to.b, to.c) }
        if k > 0 {
            eachVector(count) { i in
                let (own, other) = (Pixels(sums, i), Pixels(more, i))
                Pixels(own.a + other.a, own.b + other.b, own.c + other.c).store(sums, i)
            }
        }
        k &+= 1
    }
}

// MARK: Means over columns

/// Replaces each `columns` of `count` columns of sums over `rows` by their mean; the last column is repeated.
@inline(never)
private func average(_ row: Row, _ count: Int, _ length: Int, _ columns: Int, _ rows: Int) {
    var i = count
    while i < columns &* length {
        row[i] = row[count &- 1]
        i &+= 1
    }
    var parts = columns
    while parts > 1 {
        parts /= 2
        i = 0
        while i < parts &* length {
            let (a, b) = (cv_load(row + 2 &* i), cv_load(row + (2 &* i &+ lanes)))
            cv_store(row + i, cv_even(a, b) + cv_odd(a, b))
            i &+= lanes
        }
    }
    let factor = cv_splat(1 / Float(columns &* rows))
    eachVector(length) { cv_store(row + $0, cv_load(row + $0) * factor) }
}
