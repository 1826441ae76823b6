import HDRColor

/// The trade-off between time and accuracy.
package enum Quality: CaseIterable, Sendable {
    /// Single precision with short polynomials; from PQ to SDR with AVX-512 also 16-bit fixed point. Results are within
    /// two 8-bit codes.
    case fast
    /// Single precision with polynomials whose errors are below a code: within two 10-bit codes.
    case balanced
    /// Within one code at any depth: single precision with long polynomials where that is enough, otherwise the
    /// definition in double precision.
    case reference
}

/// The formats of a conversion: layouts, chroma siting and dither.
package struct FormatPlan: Equatable, Sendable {
    package var source: PixelLayout
    package var target: PixelLayout
    package var sourceSiting: ChromaSiting
    package var targetSiting: ChromaSiting
    package var chromaMode: ChromaMode
    /// The dither that the writer applies; the caller decides whether bits are lost.
    package var dither: Dither
    /// Whether sources are Dolby Vision base layers, which a ``Reshaper`` maps to PQ in BT.2020 primaries. Each has to
    /// be ``FrameView/reshaped(by:)-(Reshaper?)``, and the plan's source is ``HDRColor/Reshaping/signal(bits:)``,
    /// whatever the source's layout.
    package var reshapes = false
    /// Whether pictures may be converted by their fields, ``FrameView/field(_:)``. Fixed point has no chroma between
    /// other places of rows than those of whole pictures.
    package var hasFields = false

    package init(
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
package final class PictureConverter: Sendable {
    /// Converts rows `[first, end)` with one thread's scratch memory.
    private let convertSlice: @Sendable (FrameView, FrameView, Int, Int, Int) -> Void
    /// The staging buffers for layouts that `convertSlice` does not support; `nil` where it supports both.
    private let stages: PictureStages?
    /// The analysis for contrast recovery before a picture is converted; `nil` without contrast recovery.
    private let preparation: RecoveryPreparation?
    package let width: Int
    package let threads: Int
    private let reshapes: Bool
    private let curves: CurveCache

    /// - Parameters:
    ///   - width: the width of the pictures, in pixels.
    ///   - threads: how many slices may be converted at a time, 1 or more.
    ///   - instructionSet: a set that the machine supports.
    ///   - previous: the converter that this one replaces, whose curves are reused where they are the same. It can
    ///     still run, but no two converters may replace it, or one of its successors, at the same time.
    ///   - map: the memory for contrast recovery, which does not take place without it. Converters that share a map run
    ///     one after the other.
    package init(
        plan: ConversionPlan, format: FormatPlan, quality: Quality, width: Int, threads: Int,
        instructionSet: InstructionSet = .best, replacing previous: PictureConverter? = nil, map: RecoveryMap? = nil
    ) {
        self.width = width
        self.threads = max(threads, 1)
        reshapes = format.reshapes
        curves = previous?.curves ?? CurveCache()
        let map = plan.contrastRecovery > 0 && map?.width == width ? map : nil
        var plan = format.source.isGray ? plan.ofGray : plan
        if map == nil { plan = plan.withoutContrastRecovery }
        let converted = format.converted(for: plan)
        stages = PictureStages(plan, format, converted, width: width, threads: self.threads, instructionSet.kernels)
        let stage = RecoveryPreparation.stage(
            map, format.source, converted.source, width: width, threads: self.threads, instructionSet.kernels)
        let format = converted
        // Single precision is accurate to a code of ten bits, unless a curve acts on differences that nearly cancel
        // out.
        let isDeep =
            format.target.bits > 10 || plan.target.transfer == .linear || plan.gamutMapping != .clip
            || plan.domain == .ictcp || plan.measuresInBT2020
        if quality == .reference && isDeep && !plan.keepsLight {
            let (convert, prepare) = Self.definition(plan, format, width, self.threads, map)
            convertSlice = convert
            preparation = map.map { RecoveryPreparation(map: $0, stage: stage, run: prepare) }
            return
        }
        let converter = VectorConverter(
            plan, format, quality, width: width, threads: self.threads, instructionSet, curves, map: map)
        preparation = map.map { map in
            RecoveryPreparation(map: map, stage: stage) { source, step, rows, thread in
                converter.prepare(source, step, rows, thread: thread)
            }
        }
        convertSlice = { source, target, first, end, thread in
            converter.convert(source, target, first, end, thread: thread)
        }
    }

    /// The definition in double precision, for any conversion and format, which every kernel is compared with.
    static func definition(
        _ plan: ConversionPlan, _ format: FormatPlan, width: Int, threads: Int = 1, map: RecoveryMap? = nil
    ) -> PictureConverter {
        let map = plan.contrastRecovery > 0 && map?.width == width ? map : nil
        var plan = format.source.isGray ? plan.ofGray : plan
        if map == nil { plan = plan.withoutContrastRecovery }
        let converted = format.converted
        let kernels = InstructionSet.baseline.kernels
        let stages = PictureStages(plan, format, converted, width: width, threads: threads, kernels)
        let (convert, prepare) = definition(plan, converted, width, threads, map)
        let stage = RecoveryPreparation.stage(
            map, format.source, converted.source, width: width, threads: threads, kernels)
        let preparation = map.map { RecoveryPreparation(map: $0, stage: stage, run: prepare) }
        return PictureConverter(convert, preparation, stages, width, threads, format.reshapes)
    }

    private init(
        _ convertSlice: @escaping @Sendable (FrameView, FrameView, Int, Int, Int) -> Void,
        _ preparation: RecoveryPreparation?, _ stages: PictureStages?, _ width: Int, _ threads: Int, _ reshapes: Bool
    ) {
        self.convertSlice = convertSlice
        self.preparation = preparation
        self.stages = stages
        self.width = width
        self.threads = threads
        self.reshapes = reshapes
        curves = CurveCache()
    }

    /// - Returns: the function that converts rows `[first, end)`, and the preparation for contrast recovery.
    private static func definition(
        _ plan: ConversionPlan, _ format: FormatPlan, _ width: Int, _ threads: Int, _ map: RecoveryMap?
    ) -> (@Sendable (FrameView, FrameView, Int, Int, Int) -> Void, RecoveryPreparation.Run) {
        let scratch = (0..<threads).map { _ in RowScratch(width: width) }
        if format.isDirect(plan) {
            let direct = DirectConverter(plan, format)
            return (
                { source, target, first, end, thread in
                    direct.convert(source, target, first: first, end: end, scratch: scratch[thread])
                }, { _, _, _, _ in }
            )
        }
        let kernel = plan.keepsLight ? ReferenceKernel(recoding: plan) : ReferenceKernel(plan)
        let recovery = map.map { ReferenceRecovery(plan, format, $0) }
        let converter = SliceConverter(
            kernel: kernel, format: format, keepsColumns: plan.keepsLight && format.keepsColumns(plan),
            recovery: recovery)
        return (
            { source, target, first, end, thread in
                converter.convert(source, target, first: first, end: end, scratch: scratch[thread])
            },
            { source, step, rows, thread in recovery?.prepare(source, step, rows, scratch: scratch[thread]) }
        )
    }

    /// Whether pictures of this size are converted.
    package func takes(width: Int, height: Int) -> Bool {
        width == self.width && height <= preparation?.map.height ?? .max
    }

    /// Whether each picture has to be prepared, whole and by both steps, before it is converted.
    package var needsPreparation: Bool { preparation != nil }

    /// Runs one of `slices` slices of a step before a picture is converted. Slices of one step may run at the same
    /// time, each thread's one after the other; the second step begins when the first one is done.
    package func prepare(_ source: FrameView, _ step: RecoveryStep, slice index: Int, of slices: Int, thread: Int) {
        guard let preparation, source.width == width, source.height <= preparation.map.height, index >= 0,
            index < slices, thread >= 0, thread < threads, (source.reshaper != nil) == reshapes
        else { return }
        preparation(source, step, slice: index, of: slices, thread: thread)
    }

    /// The rows of slice `index` of `slices` in a picture of `height` rows. They start at an even row, so that no pair
    /// of rows is split.
    package func rows(ofSlice index: Int, of slices: Int, height: Int) -> Range<Int> {
        let pairs = (height + 1) / 2
        let first = min(pairs * index / slices * 2, height)
        let end = min(pairs * (index + 1) / slices * 2, height)
        return first..<max(first, end)
    }

    /// The number of slices of a picture of `height` rows that threads take in turn: several for each thread, so that
    /// none waits long for one that started late or on a slower processor, but not so many that starting a slice costs
    /// more than it saves.
    package func slices(height: Int) -> Int { threads == 1 ? 1 : max(threads, min(16 * threads, height / 32)) }

    /// Converts one of `slices` slices. Slices of one picture may run at the same time, each thread's one after the
    /// other. Pictures of another width than planned, or of different sizes, are ignored; so are sources with a
    /// reshaper where none is planned, and those without one where one is.
    /// - Parameter thread: 0 to `threads` - 1.
    package func convert(_ source: FrameView, _ target: FrameView, slice index: Int, of slices: Int, thread: Int) {
        guard source.width == width, target.width == width, source.height == target.height,
            index >= 0, index < slices, thread >= 0, thread < threads, (source.reshaper != nil) == reshapes
        else { return }
        if let preparation, source.height > preparation.map.height { return }
        let rows = rows(ofSlice: index, of: slices, height: source.height)
        guard !rows.isEmpty else { return }
        if let stages {
            stages.convert(source, target, rows.lowerBound, rows.upperBound, thread: thread, convertSlice)
        } else {
            convertSlice(source, target, rows.lowerBound, rows.upperBound, thread)
        }
    }

    /// Converts one of `threads` slices. Slices of one picture may run at the same time, each index at most once.
    /// Pictures of another width than planned, or of different sizes, are ignored.
    package func convert(_ source: FrameView, _ target: FrameView, slice index: Int) {
        convert(source, target, slice: index, of: threads, thread: index)
    }
}
