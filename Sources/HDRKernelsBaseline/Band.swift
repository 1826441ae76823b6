import CVector

/// Bytes of scratch memory that a thread needs for pictures of a width; aligned to 64.
public func scratchSize(width: Int) -> Int { Scratch.size(width: width) }

/// Numbers of a table that fit a register and that lanes can pick from; 0 where there is no such instruction.
@inline(never)
public func registerTableSize() -> Int {
    #if HDR_REGISTER_TABLES
        lanes
    #else
        0
    #endif
}

/// Converts rows `[first, end)` of a picture; `first` is even where the target halves chroma vertically.
@inline(never)
public func convert(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ target: UnsafePointer<KernelFrame>,
    _ first: Int, _ end: Int, _ memory: UnsafeMutableRawPointer
) {
    let band = Band(plan, source, target, Scratch(memory))
    if plan.pointee.is_direct != 0 {
        band.copyRows(first, end)
    } else if plan.pointee.target.vertical_shift != 0 {
        band.convertPairs(first, end)
    } else {
        band.convertRows(first, end)
    }
}

/// One thread's part of a picture: reads samples, brings chroma to luma positions, converts, takes chroma back, rounds
/// and writes, some pixels at a time.
private struct Band {
    let plan: UnsafePointer<KernelPlan>
    let source: UnsafePointer<KernelFrame>
    let target: UnsafePointer<KernelFrame>
    let scratch: Scratch
    let reader: Reader
    let writer: Writer
    let width: Int

    @inline(__always) init(
        _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ target: UnsafePointer<KernelFrame>,
        _ scratch: Scratch
    ) {
        self.plan = plan
        self.source = source
        self.target = target
        self.scratch = scratch
        reader = Reader(layout: plan.pointee.source)
        writer = Writer(plan)
        width = source.pointee.width
    }

    @inline(__always) private func eachChunk(_ body: (_ x: Int, Chunk) -> Void) {
        var x = 0
        while x < width {
            body(x, scratch.chunk(smaller(width &- x, chunkLength)))
            x &+= chunkLength
        }
    }

    /// Rows whose chroma is not halved vertically.
    func convertRows(_ first: Int, _ end: Int) {
        fillAlpha()
        let isHalved = plan.pointee.target.horizontal_shift != 0
        var y = first
        while y < end {
            eachChunk { x, chunk in
                compute(y, x, chunk)
                if isHalved {
                    halve(plan, 0, x, scratch, chunk, into: scratch.upper)
                    writeHalved(y, x, chunk, scratch.upper)
                } else {
                    readAlpha(y, x, chunk.count)
                    writer.writePixels(target, y, x, chunk.count, chunk.rows, scratch.alpha)
                }
            }
            y &+= 1
        }
    }

    /// Pairs of rows that share a row of chroma.
    func convertPairs(_ first: Int, _ end: Int) {
        let height = source.pointee.height
        let isCosited = plan.pointee.target_cosited_y != 0 && plan.pointee.nearest == 0
        let above = scratch.above(width)
        if isCosited && first > 0 {
            eachChunk { x, chunk in
                compute(first &- 1, x, chunk)
                halve(plan, 0, x, scratch, chunk, into: (above.0 + x / 2, above.1 + x / 2))
            }
        }
        var y = first
        while y < end {
            // Edge rows repeat: nothing above the first, nothing below a last one without a partner.
            let hasLower = y &+ 1 < height
            eachChunk { x, chunk in
                let count = (chunk.count &+ 1) / 2
                let upper = scratch.upper
                let lower = hasLower ? scratch.lower : upper
                compute(y, x, chunk)
                halve(plan, 0, x, scratch, chunk, into: upper)
                writer.writePlane(0, target, y, x, chunk.count, chunk.rows.a)
                if hasLower {
                    compute(y &+ 1, x, chunk)
                    halve(plan, 1, x, scratch, chunk, into: lower)
                    writer.writePlane(0, target, y &+ 1, x, chunk.count, chunk.rows.a)
                }
                let (aboveB, aboveC) = (above.0 + x / 2, above.1 + x / 2)
                combine(plan, y == 0 ? upper.0 : aboveB, upper.0, lower.0, count)
                combine(plan, y == 0 ? upper.1 : aboveC, upper.1, lower.1, count)
                if y / 2 < target.pointee.chroma_rows { writeChroma(y / 2, x / 2, count, upper) }
                if isCosited && hasLower {
                    copy(lower.0, aboveB, count)
                    copy(lower.1, aboveC, count)
                }
            }
            y &+= 2
        }
    }

    /// Each sample by itself: formats that are the same but for depth, range and arrangement.
    func copyRows(_ first: Int, _ end: Int) {
        fillAlpha()
        let layout = plan.pointee.target
        let (scaleA, scaleB, scaleC) = plan.pointee.direct_scale
        let (offsetA, offsetB, offsetC) = plan.pointee.direct_offset
        var y = first
        while y < end {
            let chromaRow = y &>> Int(layout.vertical_shift)
            let hasChroma =
                layout.horizontal_shift != 0 && chromaRow &<< Int(layout.vertical_shift) == y
                && (layout.vertical_shift == 0 || chromaRow < target.pointee.chroma_rows)
            let from = layout.vertical_shift == 0 ? y : smaller(chromaRow, larger(source.pointee.chroma_rows, 1) &- 1)
            eachChunk { x, chunk in
                let (count, rows) = (chunk.count, chunk.rows)
                reader.prefetch(source, y, x &+ chunkLength)
                reader.read(source, y, x, count, rows)
                recode(rows.a, scaleA, offsetA, count)
                if layout.horizontal_shift == 0 {
                    recode(rows.b, scaleB, offsetB, count)
                    recode(rows.c, scaleC, offsetC, count)
                    readAlpha(y, x, count)
                    writer.writePixels(target, y, x, count, rows, scratch.alpha)
                    return
                }
                if hasChroma {
                    let half = (count &+ 1) / 2
                    reader.readChroma(source, from, x / 2, half, rows.b, rows.c)
                    recode(rows.b, scaleB, offsetB, half)
                    recode(rows.c, scaleC, offsetC, half)
                }
                if layout.vertical_shift == 0 {
                    writeHalved(y, x, chunk, (rows.b, rows.c))
                } else {
                    writer.writePlane(0, target, y, x, count, rows.a)
                    if hasChroma { writeChroma(chromaRow, x / 2, (count &+ 1) / 2, (rows.b, rows.c)) }
                }
            }
            y &+= 1
        }
    }

    @inline(__always) private func recode(_ row: Row, _ scale: Float, _ offset: Float, _ count: Int) {
        let scale = cv_splat(scale)
        let offset = cv_splat(offset)
        eachVector(count) { cv_store(row + $0, cv_fma(cv_load(row + $0), scale, offset)) }
    }

    /// Reads and converts some pixels of a row.
    private func compute(_ y: Int, _ x: Int, _ chunk: Chunk) {
        reader.prefetch(source, y, x &+ chunkLength)
        writer.prefetch(target, y, x, chunk.count)
        reader.read(source, y, x, chunk.count, chunk.rows)
        if reader.layout.horizontal_shift != 0 { upsample(plan, reader, source, y, x, scratch, chunk) }
        convert(kernel_color(plan), chunk)
    }

    /// Writes luma and, of every row, chroma.
    private func writeHalved(_ y: Int, _ x: Int, _ chunk: Chunk, _ chroma: (Row, Row)) {
        let count = (chunk.count &+ 1) / 2
        if Int(writer.layout.packing) == KernelPackingV210 {
            let (luma, b, c) = scratch.rounded
            writer.round(chunk.rows.a, y, chunk.count, luma)
            writer.round(chroma.0, y, count, b)
            writer.round(chroma.1, y, count, c)
            writeV210(kernel_row(target, 0, y), x, chunk.count, luma, b, c)
        } else {
            writer.writePlane(0, target, y, x, chunk.count, chunk.rows.a)
            writeChroma(y, x / 2, count, chroma)
        }
    }

    private func writeChroma(_ y: Int, _ x: Int, _ count: Int, _ chroma: (Row, Row)) {
        if Int(writer.layout.packing) == KernelPackingSemiplanar {
            writer.writePairs(target, y, x, count, chroma.0, chroma.1)
        } else {
            writer.writePlane(writer.layout.places.1, target, y, x, count, chroma.0)
            writer.writePlane(writer.layout.places.2, target, y, x, count, chroma.1)
        }
    }

    /// Opaque alpha, where none is copied.
    private func fillAlpha() {
        let top = cv_splat_i((1 &<< plan.pointee.target.alpha_bits) &- 1)
        eachVector(chunkLength) { cv_store_u16(scratch.alpha + $0, top) }
    }

    /// Alpha of some pixels of a row, where both formats have it.
    @inline(__always) private func readAlpha(_ y: Int, _ x: Int, _ count: Int) {
        guard plan.pointee.source.has_alpha != 0, plan.pointee.target.has_alpha != 0 else { return }
        copyAlpha(plan, source, y, x, count, scratch.alpha)
    }
}
