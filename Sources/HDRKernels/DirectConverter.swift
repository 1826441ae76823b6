import HDRColor

/// Converts bands between formats whose samples are the same but for depth, range and arrangement: each sample by itself,
/// chroma at its own places, so that nothing is filtered.
struct DirectConverter: Sendable {
    private let reader: SampleReader
    private let writer: SampleWriter
    private let scale: SIMD3<Float>
    private let offset: SIMD3<Float>

    /// `nil` where samples mix: another matrix, sampling or siting.
    init?(_ plan: ConversionPlan, _ format: FormatPlan) {
        let from = format.source
        let to = format.target
        let sameSampling = from.horizontalShift == to.horizontalShift && from.verticalShift == to.verticalShift
        let sameSiting =
            (from.horizontalShift == 0
                || format.sourceSiting.horizontallyCosited == format.targetSiting.horizontallyCosited)
            && (from.verticalShift == 0
                || format.sourceSiting.verticallyCosited == format.targetSiting.verticallyCosited)
        guard plan.keepsLight, plan.source.quantization.matrix == plan.target.quantization.matrix, sameSampling,
            sameSiting
        else { return nil }
        let ratio = plan.target.quantization.scale / plan.source.quantization.scale
        scale = ratio.converted(to: Float.self)
        offset = (plan.target.quantization.offset - plan.source.quantization.offset * ratio).converted(to: Float.self)
        reader = SampleReader(layout: from)
        writer = SampleWriter(layout: to, dither: format.dither)
    }

    /// Converts rows `[first, end)`; `first` is even where chroma is halved vertically.
    @inline(__always)
    func convert(_ source: FrameView, _ target: FrameView, first: Int, end: Int, scratch s: RowScratch<Float>) {
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

/// Alpha of one row, or the opaque filling where there is none.
struct AlphaConverter {
    private let reader: SampleReader
    private let writer: SampleWriter

    @inline(__always) init(_ reader: SampleReader, _ writer: SampleWriter) {
        self.reader = reader
        self.writer = writer
    }

    @inline(__always)
    func convert(_ source: FrameView, _ target: FrameView, _ y: Int, scratch: Row<UInt16>) {
        let layout = writer.layout
        guard layout.alpha != nil || layout.hasAlpha else { return }
        if reader.layout.hasAlpha && layout.hasAlpha {
            reader.readAlpha(source, y, count: source.width, into: scratch)
            writer.writeAlpha(target, y, count: source.width, from: scratch, bits: reader.layout.alphaBits)
        } else {
            writer.writeAlpha(target, y, count: source.width, from: nil, bits: layout.alphaBits)
        }
    }
}
