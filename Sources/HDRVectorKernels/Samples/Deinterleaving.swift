import CSIMD

/// The order of a chunk's pixels in scratch memory. Colour conversion treats each pixel by itself, so that it works in
/// any order.
protocol PixelOrder {
    /// The length of a row of scratch memory that holds `count` pixels.
    static func length(_ count: Int) -> Int
    /// Reads `count` pixels from column `x` of row `y`, with chroma at luma's positions.
    static func read(
        _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
        _ count: Int, _ scratch: Scratch, _ rows: Rows)
    /// Halves a component horizontally.
    /// - Parameter carried: the component's last sample of the chunk to the left, which is replaced by the last one of
    ///   this chunk.
    static func halve(
        _ plan: UnsafePointer<KernelPlan>, _ row: Row, _ isFirst: Bool, _ carried: Row, _ count: Int, into out: Row)
    static func writeLuma(
        _ writer: Writer, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ row: Row)
    /// Interpolates `count` pixels from samples that each lie midway between two of them.
    static func double(_ from: Row, _ count: Int, into out: Row)
}

extension PixelOrder {
    /// Halves Cb and Cr of a chunk horizontally.
    /// - Parameter row: the row's number in its pair, 0 or 1.
    @inline(__always)
    static func halve(
        _ plan: UnsafePointer<KernelPlan>, _ row: Int, _ x: Int, _ count: Int, _ scratch: Scratch,
        into out: (Row, Row)
    ) {
        let (_, b, c) = scratch.pixels
        let carried = scratch.carried + 2 &* row
        halve(plan, b, x == 0, carried, count, into: out.0)
        halve(plan, c, x == 0, carried + 1, count, into: out.1)
    }
}

/// Pixels in the picture's own order.
enum InColumns: PixelOrder {
    @inline(__always) static func length(_ count: Int) -> Int { count }

    @inline(__always)
    static func read(
        _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
        _ count: Int, _ scratch: Scratch, _ rows: Rows
    ) {
        reader.read(frame, y, x, count, rows)
        if reader.layout.horizontal_shift != 0 { upsample(plan, reader, frame, y, x, count, scratch, rows) }
    }

    @inline(__always)
    static func double(_ from: Row, _ count: Int, into out: Row) {
        let (quarter, most) = (cv_splat(0.25), cv_splat(0.75))
        spread(from, out, (count &+ 1) / 2) { own, left, right in
            (cv_fma(left, quarter, own * most), cv_fma(right, quarter, own * most))
        }
    }

    @inline(__always)
    static func halve(
        _ plan: UnsafePointer<KernelPlan>, _ row: Row, _ isFirst: Bool, _ carried: Row, _ count: Int, into out: Row
    ) {
        halveColumns(plan, row, isFirst, carried, count, into: out)
    }

    @inline(__always)
    static func writeLuma(
        _ writer: Writer, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ row: Row
    ) {
        writer.writePlane(0, frame, y, x, count, row, writer.rounding(y))
    }
}

/// Pixels in de-interleaved order: even columns first, then odd ones from the next whole vector on. Where both formats
/// halve chroma horizontally, the two pixels of a chroma sample then stand in the same lane, and no sample has to be
/// moved to meet its neighbours.
enum InPairs: PixelOrder {
    /// The index at which odd columns begin.
    @inline(__always) static func odd(_ count: Int) -> Int { ((count &+ 1) / 2 &+ 15) & ~15 }
    @inline(__always) static func length(_ count: Int) -> Int { odd(count) &+ (count &+ 1) / 2 }

    @inline(__always)
    static func read(
        _ plan: UnsafePointer<KernelPlan>, _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
        _ count: Int, _ scratch: Scratch, _ rows: Rows
    ) {
        reader.readLuma(frame, y, x, count, even: rows.a, odd: rows.a + odd(count))
        let length = (count &+ 1) / 2
        if plan.pointee.nearest != 0 || plan.pointee.source_cosited_x != 0 {
            // Chroma lies at even columns: only the neighbour to the right is needed, where there is one.
            let column = x / 2
            let end = smaller(column &+ length &+ 1, (frame.pointee.width &+ 1) / 2)
            readBetween(plan, reader, frame, y, column, end &- column, rows.b, rows.c)
            if end == column &+ length {
                rows.b[length] = rows.b[length &- 1]
                rows.c[length] = rows.c[length &- 1]
            }
            let weight: Float = plan.pointee.nearest != 0 ? 0 : 0.5
            spread(rows.b, odd(count), length, weight)
            spread(rows.c, odd(count), length, weight)
            return
        }
        let (b, c) = scratch.near
        readWithNeighbours(plan, reader, frame, y, x, count, b, c)
        spread(b, rows.b, rows.b + odd(count), length)
        spread(c, rows.c, rows.c + odd(count), length)
    }

    @inline(__always)
    static func double(_ from: Row, _ count: Int, into out: Row) {
        spread(from, out, out + odd(count), (count &+ 1) / 2)
    }

    /// Interpolates odd columns between their neighbours. It begins with the last vector, because the right neighbour
    /// of the last sample may lie where the first odd sample will be written.
    @inline(__always) private static func spread(_ row: Row, _ odd: Int, _ length: Int, _ weight: Float) {
        let weight = cv_splat(weight)
        var i = (length &+ lanes &- 1) / lanes &* lanes
        while i > 0 {
            i &-= lanes
            let even = cv_load(row + i)
            cv_store(row + (odd &+ i), cv_fma(cv_load(row + (i &+ 1)) - even, weight, even))
        }
    }

    /// Interpolates an even and an odd column from the sample between them and its neighbours.
    @inline(__always) private static func spread(_ from: Row, _ even: Row, _ odd: Row, _ length: Int) {
        let quarter = cv_splat(0.25)
        let most = cv_splat(0.75)
        eachVector(length) { i in
            let sample = cv_load(from + i) * most
            cv_store(even + i, cv_fma(cv_load(from + (i &- 1)), quarter, sample))
            cv_store(odd + i, cv_fma(cv_load(from + (i &+ 1)), quarter, sample))
        }
    }

    @inline(__always)
    static func halve(
        _ plan: UnsafePointer<KernelPlan>, _ row: Row, _ isFirst: Bool, _ carried: Row, _ count: Int, into out: Row
    ) {
        let length = (count &+ 1) / 2
        let odd = row + self.odd(count)
        // A last column without a partner is its own neighbour.
        if count & 1 != 0 { odd[length &- 1] = row[length &- 1] }
        let half = cv_splat(0.5)
        if plan.pointee.nearest != 0 {
            copy(row, out, length)
        } else if plan.pointee.target_cosited_x != 0 {
            let quarter = cv_splat(0.25)
            var before = cv_splat(isFirst ? row[0] : carried[0])
            eachVector(length) { i in
                let right = cv_load(odd + i)
                cv_store(out + i, cv_fma(cv_load(row + i), half, (cv_slide(before, right) + right) * quarter))
                before = right
            }
        } else {
            eachVector(length) { i in cv_store(out + i, (cv_load(row + i) + cv_load(odd + i)) * half) }
        }
        carried[0] = odd[length &- 1]
    }

    @inline(__always)
    static func writeLuma(
        _ writer: Writer, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ row: Row
    ) {
        writer.writeLuma(frame, y, x, count, even: row, odd: row + odd(count))
    }
}
