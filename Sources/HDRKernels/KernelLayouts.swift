import CVector
import HDRColor

extension KernelLayout {
    /// A layout as the kernels want it.
    init(_ layout: PixelLayout) {
        self.init()
        bits = Int32(layout.bits)
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
        case .packed1010102(let redLowest):
            packing = Int32(KernelPackingWord32)
            places = redLowest ? (0, 10, 20) : (20, 10, 0)
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
            self.places = places { $0.offset }
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
    }
}

extension KernelPlan {
    /// The samples' side of a conversion; its colour is left to be filled in.
    init(_ plan: ConversionPlan, _ format: FormatPlan, _ store: TableStore) {
        self.init()
        source = KernelLayout(format.source)
        target = KernelLayout(format.target)
        nearest = format.chromaMode == .nearest ? 1 : 0
        source_cosited_x = format.sourceSiting.horizontallyCosited ? 1 : 0
        source_cosited_y = format.sourceSiting.verticallyCosited ? 1 : 0
        target_cosited_x = format.targetSiting.horizontallyCosited ? 1 : 0
        target_cosited_y = format.targetSiting.verticallyCosited ? 1 : 0
        bias = store.make(128 + 256) { i in
            // Column and row of the pattern.
            let (x, y) = i < 128 ? (i & 7, i >> 4) : ((2 * i + (i >> 4 & 1)) & 7, (i - 128) >> 5)
            return Double(0.5 + format.dither.offset(x: x, y: y))
        }
        top = format.target.packing == .binary16 ? 65504 : Float((1 << format.target.bits) - 1)
        if format.isDirect(plan) {
            is_direct = 1
            let ratio = plan.target.quantization.scale / plan.source.quantization.scale
            direct_scale = ratio.floats
            direct_offset = (plan.target.quantization.offset - plan.source.quantization.offset * ratio).floats
        }
    }
}

extension FormatPlan {
    /// Whether each sample is converted by itself, chroma at its own places: only depth, range or arrangement differ.
    func isDirect(_ plan: ConversionPlan) -> Bool {
        let sameSampling =
            source.horizontalShift == target.horizontalShift && source.verticalShift == target.verticalShift
        let sameSiting =
            (source.horizontalShift == 0 || sourceSiting.horizontallyCosited == targetSiting.horizontallyCosited)
            && (source.verticalShift == 0 || sourceSiting.verticallyCosited == targetSiting.verticallyCosited)
        return plan.keepsLight && plan.source.quantization.matrix == plan.target.quantization.matrix && sameSampling
            && sameSiting
    }
}
