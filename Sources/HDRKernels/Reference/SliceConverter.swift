import HDRColor

/// Converts a slice of rows of a picture: it reads samples, interpolates chroma at luma's positions, runs the kernel,
/// subsamples chroma again, rounds and writes. It works row by row in scratch memory that stays in the cache; no
/// picture is ever held in floating point.
struct SliceConverter: Sendable {
    let kernel: ReferenceKernel
    let upsampler: ChromaUpsampler
    let downsampler: ChromaDownsampler
    let reader: SampleReader
    let writer: SampleWriter

    /// Whether both formats halve chroma horizontally and it keeps its columns.
    let keepsColumns: Bool
    let recovery: ReferenceRecovery?

    init(kernel: ReferenceKernel, format: FormatPlan, keepsColumns: Bool, recovery: ReferenceRecovery? = nil) {
        self.kernel = kernel
        self.recovery = recovery
        self.keepsColumns = keepsColumns
        reader = SampleReader(layout: format.source)
        upsampler = ChromaUpsampler(reader: reader, siting: format.sourceSiting, mode: format.chromaMode)
        downsampler = ChromaDownsampler(siting: format.targetSiting, mode: format.chromaMode)
        writer = SampleWriter(layout: format.target, dither: format.dither)
    }

    /// Converts rows `[first, end)`; `first` is even where the target halves chroma vertically.
    @inline(__always)
    func convert(_ source: FrameView, _ target: FrameView, first: Int, end: Int, scratch s: RowScratch) {
        let layout = writer.layout
        let halvesRows = layout.verticalShift > 0
        if halvesRows && downsampler.needsRowAbove && first > 0 {
            computeRow(source, first &- 1, s)
            halve(s, into: s.above, width: source.width)
        }
        for y in first..<end {
            computeRow(source, y, s)
            writer.prepareRow(target, y, width: source.width)
            if layout.horizontalShift == 0 {
                for component in 0..<3 {
                    writer.write(component, target, y, count: source.width, from: s.row[component])
                }
            } else {
                writeChroma(source, target, y, s)
                writer.write(0, target, y, count: source.width, from: s.row.a)
            }
            AlphaConverter(reader, writer).convert(source, target, y, scratch: s.alpha)
        }
    }

    /// Reads and converts one row into `scratch.row`.
    @inline(__always)
    private func computeRow(_ source: FrameView, _ y: Int, _ s: RowScratch) {
        let width = source.width
        reader.read(0, source, y, count: width, into: s.row.a)
        if reader.layout.horizontalShift == 0 {
            reader.read(1, source, y, count: width, into: s.row.b)
            reader.read(2, source, y, count: width, into: s.row.c)
        } else {
            upsampler.upsample(1, source, y, width: width, columns: !keepsColumns, into: s.row.b, spare: s.spare)
            upsampler.upsample(2, source, y, width: width, columns: !keepsColumns, into: s.row.c, spare: s.spare)
        }
        source.reshaper?.takeUnretainedValue().reshape(s.row, count: width)
        recovery?.findLowPass(source, y, into: s.lowPass)
        kernel.convert(s.row, count: width, lowPass: recovery == nil ? nil : s.lowPass)
    }

    @inline(__always)
    private func halve(_ s: RowScratch, into rows: (Row, Row), width: Int) {
        if keepsColumns {
            rows.0.update(from: s.row.b, count: (width &+ 1) / 2)
            rows.1.update(from: s.row.c, count: (width &+ 1) / 2)
            return
        }
        downsampler.halve(s.row.b, width: width, into: rows.0)
        downsampler.halve(s.row.c, width: width, into: rows.1)
    }

    @inline(__always)
    private func writeChroma(_ source: FrameView, _ target: FrameView, _ y: Int, _ s: RowScratch) {
        let count = (source.width &+ 1) / 2
        if writer.layout.verticalShift == 0 {
            halve(s, into: s.upper, width: source.width)
            writer.write(1, target, y, count: count, from: s.upper.0)
            writer.write(2, target, y, count: count, from: s.upper.1)
            return
        }
        let isUpper = y & 1 == 0
        let isLast = y &+ 1 == source.height
        halve(s, into: isUpper ? s.upper : s.lower, width: source.width)
        guard !isUpper || isLast else { return }
        // The picture's first and last rows repeat.
        let above = y <= 1 ? s.upper : s.above
        let lower = isUpper ? s.upper : s.lower
        let place = target.chromaPlace
        downsampler.combine(above: above.0, upper: s.upper.0, lower: lower.0, place: place, count: count)
        downsampler.combine(above: above.1, upper: s.upper.1, lower: lower.1, place: place, count: count)
        if y / 2 < target.chromaRows {
            writer.write(1, target, y / 2, count: count, from: s.upper.0)
            writer.write(2, target, y / 2, count: count, from: s.upper.1)
        }
        s.above.0.update(from: s.lower.0, count: count)
        s.above.1.update(from: s.lower.1, count: count)
    }
}
