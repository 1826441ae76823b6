import HDRColor

/// How much accuracy is bought with time.
public enum Quality: CaseIterable, Sendable {
    /// Tables without interpolation: within two 8-bit codes.
    case fast
    /// Interpolated tables in single precision: within two 10-bit codes.
    case balanced
    /// The definition in double precision: within one code at any depth.
    case reference
}

/// What a picture's samples go through beside their colour.
public struct FormatPlan: Equatable, Sendable {
    public var source: PixelLayout
    public var target: PixelLayout
    public var sourceSiting: ChromaSiting
    public var targetSiting: ChromaSiting
    public var chromaMode: ChromaMode
    /// Applied by the writer; the caller decides whether bits are lost.
    public var dither: Dither

    public init(
        source: PixelLayout, target: PixelLayout, sourceSiting: ChromaSiting, targetSiting: ChromaSiting,
        chromaMode: ChromaMode, dither: Dither
    ) {
        self.source = source
        self.target = target
        self.sourceSiting = sourceSiting
        self.targetSiting = targetSiting
        self.chromaMode = chromaMode
        self.dither = dither
    }
}

/// A planned conversion of whole pictures: immutable, made once at negotiation, run by any number of threads.
public final class PictureConverter: Sendable {
    /// Converts one band with one thread's scratch memory.
    private let convertBand: @Sendable (FrameView, FrameView, Int, Int, Int) -> Void
    public let width: Int
    public let threads: Int

    /// - Parameters:
    ///   - width: of the pictures, in pixels.
    ///   - threads: how many bands may be converted at a time, 1 or more.
    public init(plan: ConversionPlan, format: FormatPlan, quality: Quality, width: Int, threads: Int) {
        self.width = width
        self.threads = max(threads, 1)
        if let direct = DirectConverter(plan, format) {
            let scratch = (0..<self.threads).map { _ in RowScratch<Float>(width: width) }
            convertBand = { source, target, first, end, thread in
                direct.convert(source, target, first: first, end: end, scratch: scratch[thread])
            }
            return
        }
        // Each kernel is named with its concrete type here, so that the whole row loop is compiled for it.
        switch (plan.keepsLight, quality) {
        case (true, .reference):
            convertBand = Self.band(FormatKernel<Double>(plan), format, width, self.threads)
        case (true, _):
            convertBand = Self.band(FormatKernel<Float>(plan), format, width, self.threads)
        case (false, .reference):
            convertBand = Self.band(ReferenceKernel(plan), format, width, self.threads)
        case (false, _):
            let kernel = TableKernel(plan, interpolates: quality == .balanced)
            convertBand = Self.band(kernel, format, width, self.threads)
        }
    }

    @inline(__always)
    private static func band<Kernel: ColorKernel>(
        _ kernel: Kernel, _ format: FormatPlan, _ width: Int, _ threads: Int
    ) -> @Sendable (FrameView, FrameView, Int, Int, Int) -> Void {
        let converter = BandConverter(kernel: kernel, format: format)
        let scratch = (0..<threads).map { _ in RowScratch<Kernel.Scalar>(width: width) }
        return { source, target, first, end, thread in
            converter.convert(source, target, first: first, end: end, scratch: scratch[thread])
        }
    }

    /// Rows that band `index` of `threads` holds in a picture of `height` rows: even at its start, so that no pair of rows
    /// is split.
    public func rows(ofBand index: Int, height: Int) -> Range<Int> {
        let pairs = (height + 1) / 2
        let first = min(pairs * index / threads * 2, height)
        let end = min(pairs * (index + 1) / threads * 2, height)
        return first..<max(first, end)
    }

    /// Converts one band. Bands of one picture may run at the same time, each index at most once.
    /// Pictures of another width than planned, or of different sizes, are left alone.
    public func convert(_ source: FrameView, _ target: FrameView, band index: Int) {
        guard source.width == width, target.width == width, source.height == target.height,
            index >= 0, index < threads
        else { return }
        let rows = rows(ofBand: index, height: source.height)
        guard !rows.isEmpty else { return }
        convertBand(source, target, rows.lowerBound, rows.upperBound, index)
    }
}
