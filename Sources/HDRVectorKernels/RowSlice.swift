import CSIMD

/// Converts rows `[first, end)` of a picture; `first` is even where the target halves chroma vertically.
@inline(never)
public func convertSlice(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ target: UnsafePointer<KernelFrame>,
    _ first: Int, _ end: Int, _ memory: UnsafeMutableRawPointer
) {
    let slice = RowSlice(plan, source, target, Scratch(memory))
    if slice.hasAlphaApart { slice.convertAlpha(first, end) }
    if plan.pointee.has_planes != 0 {
        if plan.pointee.keeps_codes != 0 {
            slice.convertPlanes(Codes.self, first, end)
        } else {
            slice.convertPlanes(RecodedNumbers.self, first, end)
        }
    } else if plan.pointee.is_direct != 0 {
        if plan.pointee.reorders != 0 && CV_REORDERS != 0 {
            reorderRows(plan, source, target, first, end)
        } else if plan.pointee.keeps_codes != 0 {
            slice.copyRows(Codes.self, first, end)
        } else {
            slice.copyRows(RecodedNumbers.self, first, end)
        }
    } else if plan.pointee.target.vertical_shift != 0 {
        if slice.isPaired {
            slice.convertPairs(InPairs.self, first, end)
        } else {
            slice.convertPairs(InColumns.self, first, end)
        }
    } else if plan.pointee.target.horizontal_shift != 0 {
        if slice.isPaired {
            slice.convertHalvedRows(InPairs.self, first, end)
        } else {
            slice.convertHalvedRows(InColumns.self, first, end)
        }
    } else {
        slice.convertRows(first, end)
    }
}

/// The rows of a picture that one thread converts in one go, one chunk of pixels after the other: it reads samples,
/// interpolates chroma at luma's positions, converts colours, subsamples chroma again, rounds and writes.
struct RowSlice {
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

    /// Whether both formats halve chroma horizontally and hold luma in a plane.
    @inline(__always) var isPaired: Bool {
        reader.layout.horizontal_shift != 0 && Int(reader.layout.packing) != KernelPackingV210
            && writer.layout.horizontal_shift != 0 && Int(writer.layout.packing) != KernelPackingV210
    }

    @inline(__always) func eachChunk(_ body: (_ x: Int, _ count: Int) -> Void) {
        var x = 0
        while x < width {
            body(x, smaller(width &- x, chunkLength))
            x &+= chunkLength
        }
    }

    /// Converts rows whose chroma is not halved.
    @inline(never)
    func convertRows(_ first: Int, _ end: Int) {
        fillAlpha()
        var y = first
        while y < end {
            eachChunk { x, count in
                compute(InColumns.self, y, x, count)
                readAlpha(y, x, count)
                let code = writer.rounding(y)
                writer.writePixels(target, y, x, count, scratch.chunk(count).rows, scratch.alpha, (code, code))
            }
            y &+= 1
        }
    }

    /// Converts rows whose chroma is halved horizontally.
    @inline(never)
    func convertHalvedRows<Order: PixelOrder>(_ order: Order.Type, _ first: Int, _ end: Int) {
        var y = first
        while y < end {
            eachChunk { x, count in
                compute(order, y, x, count)
                order.halve(plan, 0, x, count, scratch, into: scratch.upper)
                if Int(writer.layout.packing) == KernelPackingV210 {
                    let code = writer.rounding(y)
                    writePackedHalves(y, x, count, scratch.upper, code, code)
                } else {
                    order.writeLuma(writer, target, y, x, count, scratch.pixels.0)
                    writer.writeChroma(target, y, x / 2, (count &+ 1) / 2, scratch.upper)
                }
            }
            y &+= 1
        }
    }

    /// Converts pairs of rows that share a row of chroma.
    @inline(never)
    func convertPairs<Order: PixelOrder>(_ order: Order.Type, _ first: Int, _ end: Int) {
        let height = source.pointee.height
        let isCosited = plan.pointee.target_cosited_y != 0 && plan.pointee.nearest == 0
        let above = scratch.above(width)
        if isCosited && first > 0 {
            eachChunk { x, count in
                compute(order, first &- 1, x, count)
                order.halve(plan, 0, x, count, scratch, into: (above.0 + x / 2, above.1 + x / 2))
            }
        }
        var y = first
        while y < end {
            // The picture's first and last rows repeat.
            let hasLower = y &+ 1 < height
            eachChunk { x, count in
                let length = (count &+ 1) / 2
                let upper = scratch.upper
                let lower = hasLower ? scratch.lower : upper
                compute(order, y, x, count)
                order.halve(plan, 0, x, count, scratch, into: upper)
                order.writeLuma(writer, target, y, x, count, scratch.pixels.0)
                if hasLower {
                    compute(order, y &+ 1, x, count)
                    order.halve(plan, 1, x, count, scratch, into: lower)
                    order.writeLuma(writer, target, y &+ 1, x, count, scratch.pixels.0)
                }
                let (aboveB, aboveC) = (above.0 + x / 2, above.1 + x / 2)
                combine(plan, target, y == 0 ? upper.0 : aboveB, upper.0, lower.0, length)
                combine(plan, target, y == 0 ? upper.1 : aboveC, upper.1, lower.1, length)
                if y / 2 < target.pointee.chroma_rows { writer.writeChroma(target, y / 2, x / 2, length, upper) }
                if isCosited && hasLower {
                    copy(lower.0, aboveB, length)
                    copy(lower.1, aboveC, length)
                }
            }
            y &+= 2
        }
    }

    /// Converts between formats that differ only in depth, range and arrangement: each component by itself.
    @inline(never)
    func copyRows<Form: SampleForm>(_ form: Form.Type, _ first: Int, _ end: Int) {
        fillAlpha()
        let reader = FormReader<Form>(layout: plan.pointee.source)
        var y = first
        while y < end {
            let code = form.codes(plan, writer, y)
            eachChunk { x, count in
                let rows = scratch.chunk(count).rows
                reader.prefetch(source, y, x &+ chunkLength)
                reader.read(source, y, x, count, rows)
                readAlpha(y, x, count)
                writer.writePixels(target, y, x, count, rows, scratch.alpha, code)
            }
            y &+= 1
        }
    }

    /// Reads and converts `count` pixels of a row.
    @inline(__always)
    private func compute<Order: PixelOrder>(_ order: Order.Type, _ y: Int, _ x: Int, _ count: Int) {
        reader.prefetch(source, y, x &+ chunkLength)
        writer.prefetch(target, y, x, count)
        let chunk = scratch.chunk(order.length(count))
        order.read(plan, reader, source, y, x, count, scratch, chunk.rows)
        if plan.pointee.color.recovery > 0 {
            findLowPass(order, plan, source, y, x, count, scratch, into: scratch.lowPass)
        }
        convert(kernel_color(plan), chunk, scratch.lowPass, source.pointee.reshaping)
    }

    /// Writes luma and halved chroma to v210, which packs both.
    @inline(__always)
    func writePackedHalves<Luma: SampleCode, Chroma: SampleCode>(
        _ y: Int, _ x: Int, _ count: Int, _ chroma: (Row, Row), _ code: Luma, _ chromaCode: Chroma
    ) {
        let half = (count &+ 1) / 2
        let (luma, b, c) = scratch.rounded
        writer.round(scratch.pixels.0, count, luma, code)
        writer.round(chroma.0, half, b, chromaCode)
        writer.round(chroma.1, half, c, chromaCode)
        writeV210(kernel_row(target, 0, y), x, count, luma, b, c)
    }

    /// Whether the target has a plane of alpha that the loops over luma and chroma leave out. These write alpha only
    /// where all components have the same size and are written together.
    var hasAlphaApart: Bool {
        let target = plan.pointee.target
        return Int(target.packing) == KernelPackingPlanar && target.alpha_place >= 0
            && (plan.pointee.has_planes != 0 || target.horizontal_shift != 0)
    }

    /// Writes the plane of alpha.
    @inline(never)
    func convertAlpha(_ first: Int, _ end: Int) {
        fillAlpha()
        var y = first
        while y < end {
            eachChunk { x, count in
                readAlpha(y, x, count)
                writer.writeAlphaPlane(target, y, x, count, scratch.alpha)
            }
            y &+= 1
        }
    }

    /// Fills the row of alpha with opaque codes, which remain where no alpha is copied.
    private func fillAlpha() {
        let target = plan.pointee.target
        let top = cv_splat_i(target.is_float != 0 ? 0x3c00 : (1 &<< target.alpha_bits) &- 1)
        eachVector(chunkLength) { cv_store_u16(scratch.alpha + $0, top) }
    }

    /// Reads alpha of some pixels of a row, where both formats have it.
    @inline(__always) private func readAlpha(_ y: Int, _ x: Int, _ count: Int) {
        guard plan.pointee.source.has_alpha != 0, plan.pointee.target.has_alpha != 0 else { return }
        copyAlpha(plan, source, y, x, count, scratch.alpha)
    }
}
