import CKernels
import HDRColor

extension KernelLayout {
    /// A layout in the kernels' terms. It must not need a ``PictureStage``.
    init(_ layout: PixelLayout) {
        self.init()
        bits = Int32(layout.bits)
        is_big_endian = layout.isBigEndian ? 1 : 0
        bytes_per_word = Int32(layout.bytesPerWord)
        horizontal_shift = Int32(layout.horizontalShift)
        vertical_shift = Int32(layout.verticalShift)
        alpha_bits = Int32(layout.alphaBits)
        has_alpha = layout.hasAlpha ? 1 : 0
        alpha_place = -1
        switch layout.packing {
        case .binary16:
            packing = Int32(KernelPackingWord64)
            places = (0, 1, 2)
            alpha_place = 3
            is_float = 1
        case .v210: packing = Int32(KernelPackingV210)
        case .packed1010102(let a, let b, let c):
            packing = Int32(KernelPackingWord32)
            places = (Int32(a), Int32(b), Int32(c))
            alpha_place = 30
        case .words: setWords(layout)
        }
    }

    private mutating func setWords(_ layout: PixelLayout) {
        let c = layout.components
        let word = layout.bytesPerWord
        shift = Int32(c[0].shift)
        func places(_ number: (ComponentLayout) -> Int) -> (Int32, Int32, Int32) {
            (Int32(number(c[0])), Int32(number(c[1])), Int32(number(c[2])))
        }
        if c[1].plane == 1 && c[2].plane == 1 {
            packing = Int32(KernelPackingSemiplanar)
            self.places = (0, Int32(c[1].offset / word), Int32(c[2].offset / word))
            return
        }
        switch c[0].step {
        case word:
            packing = Int32(KernelPackingPlanar)
            self.places = places { $0.plane }
            alpha_place = Int32(layout.alpha?.plane ?? -1)
        case 3:
            packing = Int32(KernelPackingBytes3)
            self.places = places { 8 * $0.offset }
        case 4:
            packing = Int32(KernelPackingWord32)
            self.places = places { 8 * $0.offset }
            alpha_place = Int32(8 * (layout.alpha?.offset ?? 0))
        default:
            packing = Int32(KernelPackingWord64)
            self.places = places { $0.offset / 2 }
            alpha_place = Int32((layout.alpha?.offset ?? 0) / 2)
        }
    }
}

extension KernelFrame {
    init(_ frame: FrameView) {
        self.init()
        func base(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
            frame.row(plane, 0).assumingMemoryBound(to: UInt8.self)
        }
        func stride(_ plane: Int) -> Int { frame.row(plane, 1) - frame.row(plane, 0) }
        data = (base(0), base(1), base(2), base(3))
        self.stride = (stride(0), stride(1), stride(2), stride(3))
        width = frame.width
        height = frame.height
        chroma_rows = frame.chromaRows
        chroma_place = frame.chromaPlace
        reshaping = frame.reshaper.map { UnsafePointer($0.takeUnretainedValue().kernel) }
    }
}

extension KernelPlan {
    /// The part of a conversion that concerns samples; its colour is filled in later.
    init(_ plan: ConversionPlan, _ format: FormatPlan, _ store: TableStore) {
        self.init()
        source = KernelLayout(format.source)
        target = KernelLayout(format.target)
        nearest = format.chromaMode == .nearest ? 1 : 0
        source_cosited_x = format.sourceSiting.horizontallyCosited ? 1 : 0
        source_cosited_y = format.sourceSiting.verticallyCosited ? 1 : 0
        target_cosited_x = format.targetSiting.horizontallyCosited ? 1 : 0
        target_cosited_y = format.targetSiting.verticallyCosited ? 1 : 0
        let rows = format.dither.size
        bias_rows = Int32(rows)
        bias = store.make(2 * rows * 64) { i in
            let (column, row) = (i & 63, i >> 6)
            // The second half of the table has the even columns, then the odd ones.
            let x = row < rows ? column : 2 * (column & 31) + column >> 5
            return Double(0.5 + format.dither.offset(x: x, y: row % rows))
        }
        top = format.target.packing == .binary16 ? 65504 : Float((1 << format.target.bits) - 1)
        is_direct = format.isDirect(plan) ? 1 : 0
        has_planes = format.hasPlanes(plan) ? 1 : 0
        keeps_columns = format.keepsColumns(plan) ? 1 : 0
        guard is_direct != 0 || has_planes != 0 else { return }
        let (ratio, offset) = plan.recoding
        direct_scale = (Float(ratio.x), Float(ratio.y))
        direct_offset = (Float(offset.x), Float(offset.y))
        if format.keepsCodes(plan) { setMoves(format) }
    }
}

extension KernelPlan {
    /// Sets which samples can be copied, where code values stay unchanged.
    fileprivate mutating func setMoves(_ format: FormatPlan) {
        let (source, target) = (format.source, format.target)
        keeps_codes = 1
        guard format.hasSameWords else { return }
        let changesOrder = source.isBigEndian != target.isBigEndian
        keeps_words = changesOrder ? 0 : 1
        let size = 4 * source.bytesPerWord
        guard is_direct != 0 else { return }
        func isInterleaved(_ layout: PixelLayout) -> Bool {
            layout.components.allSatisfy { $0.plane == 0 && $0.step >= size * 3 / 4 }
        }
        guard isInterleaved(source), isInterleaved(target) else { return }
        reorders = 1
        func set(_ place: ComponentLayout, from: ComponentLayout?) {
            for pixel in stride(from: 0, to: 16, by: size) {
                for byte in 0..<source.bytesPerWord {
                    let index = pixel + place.offset + byte
                    withUnsafeMutableBytes(of: &order) {
                        let byte = changesOrder ? source.bytesPerWord - 1 - byte : byte
                        $0[index] = from.map { UInt8(pixel + $0.offset + byte) } ?? 0x80
                    }
                    if from == nil { withUnsafeMutableBytes(of: &filling) { $0[index] = 0xff } }
                }
            }
        }
        withUnsafeMutableBytes(of: &order) { for index in $0.indices { $0[index] = 0x80 } }
        for (place, from) in zip(target.components, source.components) { set(place, from: from) }
        if let alpha = target.alpha { set(alpha, from: source.hasAlpha && target.hasAlpha ? source.alpha : nil) }
    }
}

extension FormatPlan {
    /// Whether each sample is converted by itself, because only depth, range or arrangement differ.
    func isDirect(_ plan: ConversionPlan) -> Bool {
        let sameSampling =
            source.horizontalShift == target.horizontalShift && source.verticalShift == target.verticalShift
        let sameSiting =
            (source.horizontalShift == 0 || sourceSiting.horizontallyCosited == targetSiting.horizontallyCosited)
            && (source.verticalShift == 0 || sourceSiting.verticallyCosited == targetSiting.verticallyCosited)
        return plan.keepsComponents && sameSampling && sameSiting && !reshapes
    }

    /// Whether luma is converted by itself, in a plane or in v210's rows of both formats.
    func hasPlanes(_ plan: ConversionPlan) -> Bool {
        plan.keepsComponents && source.hasLumaByItself && target.hasLumaByItself && !reshapes
    }

    /// Whether samples that are not resampled keep their codes.
    func keepsCodes(_ plan: ConversionPlan) -> Bool {
        let (ratio, offset) = plan.recoding
        return plan.keepsComponents && ratio == SIMD3(1, 1, 1) && offset == SIMD3(0, 0, 0) && dither == .none
            && source.bits == target.bits
    }

    /// Whether words can be copied unchanged except for their byte order. A word with more bits than its sample could
    /// contain other bits than the code's.
    fileprivate var hasSameWords: Bool {
        source.bits == 8 * source.bytesPerWord && source.packing == .words && target.packing == .words
    }

    /// Whether luma is a plane of the same words in both formats.
    func keepsLumaWords(_ plan: ConversionPlan) -> Bool {
        hasPlanes(plan) && keepsCodes(plan) && hasSameWords && source.isBigEndian == target.isBigEndian
    }

    /// Whether chroma, which both formats halve horizontally, stays in its columns: it would lose detail if it were
    /// interpolated to every column and halved again.
    func keepsColumns(_ plan: ConversionPlan) -> Bool {
        plan.keepsComponents && !reshapes && source.horizontalShift == 1 && target.horizontalShift == 1
            && (chromaMode == .nearest || sourceSiting.horizontallyCosited == targetSiting.horizontallyCosited)
    }
}

extension ConversionPlan {
    /// Whether each component of a sample depends on that component alone.
    var keepsComponents: Bool { keepsLight && source.quantization.matrix == target.quantization.matrix }

    /// The factor and the offset from the source's code values to the target's, where components do not mix.
    var recoding: (ratio: SIMD3<Double>, offset: SIMD3<Double>) {
        let (from, to) = (source.quantization, target.quantization)
        let ratio = to.scale / from.scale
        return (ratio, to.offset - from.offset * ratio)
    }
}

extension PixelLayout {
    /// Whether luma can be read and written without chroma.
    fileprivate var hasLumaByItself: Bool {
        if packing == .v210 { return true }
        guard packing == .words, !isRGB, let luma = components.first else { return false }
        return luma.plane == 0 && luma.step == bytesPerWord
    }
}
