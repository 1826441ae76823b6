import HDRColor

/// Converts rows between formats whose samples differ only in bit depth, range and arrangement: each sample by itself,
/// with chroma at its own positions, so that nothing is filtered.
struct DirectConverter: Sendable {
    private let reader: SampleReader
    private let writer: SampleWriter
    private let scale: SIMD3<Double>
    private let offset: SIMD3<Double>

    init(_ plan: ConversionPlan, _ format: FormatPlan) {
        (scale, offset) = plan.recoding
        reader = SampleReader(layout: format.source)
        writer = SampleWriter(layout: format.target, dither: format.dither)
    }

    /// Converts rows `[first, end)`; `first` is even where chroma is halved vertically.
    @inline(__always)
    func convert(_ source: FrameView, _ target: FrameView, first: Int, end: Int, scratch s: RowScratch) {
        let layout = writer.layout
        for y in first..<end {
            writer.prepareRow(target, y, width: source.width)
            for component in 0..<3 {
                let isChroma = component > 0 && !layout.isRGB
                if isChroma && y & ((1 &<< layout.verticalShift) &- 1) != 0 { continue }
                let shift = isChroma ? layout.horizontalShift : 0
                let row = isChroma ? y &>> layout.verticalShift : y
                let halves = isChroma && layout.verticalShift > 0
                if halves && row >= target.chromaRows { continue }
                let from = halves ? min(row, max(source.chromaRows, 1) &- 1) : row
                let count = (source.width &+ (1 &<< shift) &- 1) &>> shift
                reader.read(component, source, from, count: count, into: s.row.a)
                let (k, o) = (scale[component], offset[component])
                for i in 0..<count { s.row.a[i] = s.row.a[i] * k + o }
                writer.write(component, target, row, count: count, from: s.row.a)
            }
            AlphaConverter(reader, writer).convert(source, target, y, scratch: s.alpha)
        }
    }
}
