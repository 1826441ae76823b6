import HDRColor

/// How much accuracy is bought with time.
public enum Quality: CaseIterable, Sendable {
    /// Single precision with short polynomials: within two 8-bit codes.
    case fast
    /// Single precision with polynomials whose error a code hides: within two 10-bit codes.
    case balanced
    /// Within one code at any depth: single precision with long polynomials where that is enough, else the definition in
    /// double precision.
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
    /// What pictures go through on their way whose layouts it does not take; `nil` where there are none.
    private let stages: PictureStages?
    public let width: Int
    public let threads: Int
    private let curves: CurveCache

    /// - Parameters:
    ///   - width: of the pictures, in pixels.
    ///   - threads: how many bands may be converted at a time, 1 or more.
    ///   - instructionSet: one of those that the machine supports.
    ///   - previous: the converter that this one replaces, whose curves are taken over where they are the same. It can
    ///     still run, but no two converters may replace it, or one of its followers, at the same time.
    public init(
        plan: ConversionPlan, format: FormatPlan, quality: Quality, width: Int, threads: Int,
        instructionSet: InstructionSet = .best, replacing previous: PictureConverter? = nil
    ) {
        self.width = width
        self.threads = max(threads, 1)
        curves = previous?.curves ?? CurveCache()
        stages = PictureStages(format, width: width, threads: self.threads, instructionSet)
        let plan = format.source.isGray ? plan.ofGray : plan
        let format = format.converted
        // Light in single precision is exact to a code of ten bits, and not where curves act on sums that cancel out.
        let isDeep =
            format.target.bits > 10 || plan.target.transfer == .linear || plan.gamutMapping != .clip
            || plan.domain == .ictcp
        if quality == .reference && isDeep && !plan.keepsLight {
            convertBand = Self.definition(plan, format, width, self.threads)
            return
        }
        let converter = VectorConverter(
            plan, format, quality, width: width, threads: self.threads, instructionSet, curves)
        convertBand = { source, target, first, end, thread in
            converter.convert(source, target, first, end, thread: thread)
        }
    }

    /// The definition in double precision, for any conversion and format: what every kernel is compared with.
    static func definition(_ plan: ConversionPlan, _ format: FormatPlan, width: Int, threads: Int = 1)
        -> PictureConverter
    {
        let plan = format.source.isGray ? plan.ofGray : plan
        let stages = PictureStages(format, width: width, threads: threads, .baseline)
        return PictureConverter(definition(plan, format.converted, width, threads), stages, width, threads)
    }

    private init(
        _ convertBand: @escaping @Sendable (FrameView, FrameView, Int, Int, Int) -> Void, _ stages: PictureStages?,
        _ width: Int, _ threads: Int
    ) {
        self.convertBand = convertBand
        self.stages = stages
        self.width = width
        self.threads = threads
        curves = CurveCache()
    }

    private static func definition(
        _ plan: ConversionPlan, _ format: FormatPlan, _ width: Int, _ threads: Int
    ) -> @Sendable (FrameView, FrameView, Int, Int, Int) -> Void {
        if format.isDirect(plan) {
            let direct = DirectConverter(plan, format)
            let scratch = (0..<threads).map { _ in RowScratch<Double>(width: width) }
            return { source, target, first, end, thread in
                direct.convert(source, target, first: first, end: end, scratch: scratch[thread])
            }
        }
        // Each kernel is named with its concrete type here, so that the whole row loop is compiled for it.
        return plan.keepsLight
            ? band(FormatKernel<Double>(plan), format, format.keepsColumns(plan), width, threads)
            : band(ReferenceKernel(plan), format, false, width, threads)
    }

    @inline(__always)
    private static func band<Kernel: ColorKernel>(
        _ kernel: Kernel, _ format: FormatPlan, _ keepsColumns: Bool, _ width: Int, _ threads: Int
    ) -> @Sendable (FrameView, FrameView, Int, Int, Int) -> Void {
        let converter = BandConverter(kernel: kernel, format: format, keepsColumns: keepsColumns)
        let scratch = (0..<threads).map { _ in RowScratch<Kernel.Scalar>(width: width) }
        return { source, target, first, end, thread in
            converter.convert(source, target, first: first, end: end, scratch: scratch[thread])
        }
    }

    /// Rows that band `index` of `threads` holds in a picture of `height` rows: even at its start, so that no pair of rows
    /// is split.
    public func rows(ofBand index: Int, height: Int) -> Range<Int> {
        rows(ofPart: index, of: threads, height: height)
    }

    private func rows(ofPart index: Int, of parts: Int, height: Int) -> Range<Int> {
        let pairs = (height + 1) / 2
        let first = min(pairs * index / parts * 2, height)
        let end = min(pairs * (index + 1) / parts * 2, height)
        return first..<max(first, end)
    }

    /// Parts of a picture of `height` rows that threads take in turn: some for each, so that none waits long for one that
    /// started late or on a slower processor, and no smaller than what it costs to start one.
    public func parts(height: Int) -> Int { threads == 1 ? 1 : max(threads, min(16 * threads, height / 32)) }

    /// Converts one of `parts` parts. Parts of one picture may run at the same time, each thread's one after the other.
    /// Pictures of another width than planned, or of different sizes, are left alone.
    /// - Parameter thread: 0 to `threads` - 1.
    public func convert(_ source: FrameView, _ target: FrameView, part index: Int, of parts: Int, thread: Int) {
        guard source.width == width, target.width == width, source.height == target.height,
            index >= 0, index < parts, thread >= 0, thread < threads
        else { return }
        let rows = rows(ofPart: index, of: parts, height: source.height)
        guard !rows.isEmpty else { return }
        if let stages {
            stages.convert(source, target, rows.lowerBound, rows.upperBound, thread: thread, convertBand)
        } else {
            convertBand(source, target, rows.lowerBound, rows.upperBound, thread)
        }
    }

    /// Converts one band. Bands of one picture may run at the same time, each index at most once.
    /// Pictures of another width than planned, or of different sizes, are left alone.
    public func convert(_ source: FrameView, _ target: FrameView, band index: Int) {
        convert(source, target, part: index, of: threads, thread: index)
    }
}
