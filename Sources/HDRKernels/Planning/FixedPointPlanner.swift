import CKernels
import Glibc
import HDRColor

/// Plans a conversion for the kernels of 16-bit fixed point: PQ to SDR, Y'CbCr to Y'CbCr, at `quality=fast`.
///
/// Numbers are Q15: 15 bits and a sign. The range of light does not fit them, but that of its fourth root does, and a
/// gain of the root is a gain of the light. Only the matrix between primaries needs light itself, in single precision.
struct FixedPointPlanner {
    private let plan: ConversionPlan
    private let format: FormatPlan
    private let store: TableStore

    /// The words of R', G' and B' at the target's peak.
    private static let white = 32000.0
    /// The largest value in a table, with a margin for errors.
    private static let most = 32600.0

    /// - Returns: `nil` for conversions that these kernels do not support.
    static func fixedPointPlan(_ plan: ConversionPlan, _ format: FormatPlan, _ store: TableStore) -> FixedPointPlan? {
        guard takes(plan, format) else { return nil }
        return FixedPointPlanner(plan: plan, format: format, store: store).fixedPointPlan()
    }

    /// Fixed point is accurate enough where neither peak is very low.
    private static func takes(_ plan: ConversionPlan, _ format: FormatPlan) -> Bool {
        func isPlain(_ layout: PixelLayout) -> Bool {
            let packing = Int(KernelLayout(layout).packing)
            return !layout.isRGB && layout.alpha == nil
                && (packing == KernelPackingPlanar
                    || packing == KernelPackingSemiplanar && layout.horizontalShift == 1)
        }
        return plan.source.transfer == .pq && format.source.bits >= 10 && isPlain(format.source)
            && plan.staysInsideCodes && format.target.bits <= 10 && isPlain(format.target) && plan.gamutMapping == .clip
            && plan.sourcePeak >= 300 && plan.targetPeak >= 40
            && plan.inverseToneCurve == .none && plan.contrastRecovery == 0 && !format.reshapes
            && (ToneCurves.takesCompanded(plan)
                || plan.lightCurve != nil && plan.domain == .maxRGB && !plan.measuresInBT2020)
    }

    private func fixedPointPlan() -> FixedPointPlan {
        var fixed = FixedPointPlan()
        fixed.source = KernelLayout(format.source)
        fixed.target = KernelLayout(format.target)
        fixed.is_nearest = format.chromaMode == .nearest ? 1 : 0
        fixed.source_cosited_x = format.sourceSiting.horizontallyCosited ? 1 : 0
        fixed.source_cosited_y = format.sourceSiting.verticallyCosited ? 1 : 0
        fixed.target_cosited_y = format.targetSiting.verticallyCosited ? 1 : 0
        decode(&fixed)
        if let curve = plan.lightCurve { gain(curve, &fixed) } else { methodA(&fixed) }
        encode(&fixed)
        dither(&fixed)
        return fixed
    }

    // MARK: Source

    private func decode(_ fixed: inout FixedPointPlan) {
        let q = plan.source.quantization
        guard let toRGB = q.matrix?.toRGB else { return }
        // Chroma has one bit more below its code than a position has.
        let ratio = q.scale.x / q.scale.y / 2
        fixed.red_cr = factor(toRGB.row0.z * ratio)
        fixed.green_cb = factor(-toRGB.row1.y * ratio)
        fixed.green_cr = factor(-toRGB.row1.z * ratio)
        fixed.blue_cb = factor(toRGB.row2.y * ratio)
        fixed.low = Int16(position(0).rounded())
        fixed.high = Int16(min(position(1).rounded(), 32767))
    }

    private func factor(_ value: Double) -> Int16 { Int16(min(max((value * 32768).rounded(), -32767), 32767)) }

    private var positionsPerCode: Double { Double(1 << 15) / Double(plan.source.quantization.maxCode + 1) }

    private func position(_ signal: Double) -> Double {
        let q = plan.source.quantization
        return (signal * q.scale.x + q.offset.x) * positionsPerCode
    }

    /// The light of a position, in cd/m².
    private func light(_ position: Double) -> Double {
        let q = plan.source.quantization
        return PQ.eotf(min(max((position / positionsPerCode - q.offset.x) / q.scale.x, 0), 1))
    }

    // MARK: Tone

    private func gain(_ curve: LightCurve, _ fixed: inout FixedPointPlan) {
        fixed.tone = Int32(FixedPointToneGain)
        let positions = Int(fixed.low)...Int(fixed.high)
        let root = { (x: Double) in sqrt(sqrt(x)) }
        // The largest scale at which no line is steeper than 1.
        let parts = stride(from: Double(fixed.low), to: 32767, by: 512)
        let steepest = parts.map { (root(light($0 + 512)) - root(light($0))) / 512 }.max() ?? 1
        let lightScale = min(Self.most / root(PQ.peak), 0.99 / steepest)
        fixed.eotf = FixedPointTable(.parts64, positions, up: 0, seen: { pow(max($0, 0), 4 / 2.4) }) {
            lightScale * root(light($0))
        }
        // Black gets the gain of the light next to it.
        func gain(_ position: Double) -> Double { root(curve.gain(max(light(position), 1e-4))) }
        let largest = (0...1024).map { gain(Double(32 * $0)) }.max() ?? 1
        let gainScale = Self.most / largest
        fixed.curve = FixedPointTable(.parts32, positions, up: 3) { gainScale * gain($0) }
        // This is the fraction of the peak that the lowest bit of a mapped root represents.
        let unit = root(1 / plan.targetPeak) * 32768 / (lightScale * gainScale)
        mix(plan.source.primaries.matrix(to: plan.target.primaries), unit: pow(unit, 4), spare: 1, &fixed)
    }

    private func methodA(_ fixed: inout FixedPointPlan) {
        fixed.tone = Int32(FixedPointToneMethodA)
        let positions = Int(fixed.low)...Int(fixed.high)
        let curve = BT2446A<Double>(sourcePeak: plan.sourcePeak)
        // This leaves room for what method A adds to each component.
        let scale = min(0.87 * Self.most / SDR.inverseBT1886(PQ.peak / plan.sourcePeak), 16384)
        fixed.eotf = FixedPointTable(.parts64, positions, up: 3) {
            scale * SDR.inverseBT1886(light($0) / plan.sourcePeak)
        }
        let luma = BT2446A<Double>.luma
        fixed.luma_red = factor(luma.x)
        fixed.luma_green = factor(luma.y)
        fixed.luma_blue = factor(luma.z)
        fixed.luma_part = factor(0.1)
        fixed.red_part = factor(0.1 / 1.4746)
        func mapping(_ y: Double) -> Double { curve.toneMappedLuma(max(y, 0x1p-18)) / (1.1 * max(y, 0x1p-18)) }
        let largest = (0...1024).map { mapping(Double(32 * $0) / scale) }.max() ?? 1
        let mappingScale = min(Self.most / largest, 32768 / scale * 6900)
        fixed.curve = FixedPointTable(.parts64, 0...32767, up: 5) { mappingScale * mapping($0 / scale) }
        // The signal of a saturated colour exceeds that of white by far.
        let unit = scale * mappingScale / 32768
        let rootScale = Self.most / pow(32768 / unit, 1.2)
        fixed.expand = FixedPointTable(.fineAtZero, 0...32767, up: 1, seen: { pow(max($0, 0), 1 / 1.2) }) {
            rootScale * pow($0 / unit, 1.2)
        }
        // The square of a higher word is 2^32 times that of a lower one, but their fourth roots have to differ by 2^16.
        mix(
            Primaries.bt2020.matrix(to: plan.target.primaries), unit: pow(1 / rootScale, 2), spare: 0x1p32, &fixed)
    }

    /// Sets the matrix of light, and the table from fourth roots of its results to signals.
    /// - Parameters:
    ///   - unit: the light of the number 1 in the kernels, where 1 is the target's peak.
    ///   - spare: an extra factor of the matrix for higher words.
    private func mix(_ matrix: Matrix3<Double>, unit: Double, spare: Double, _ fixed: inout FixedPointPlan) {
        func scaled(_ scale: Double) -> KernelMatrix {
            KernelMatrix(Matrix3(matrix.row0 * scale, matrix.row1 * scale, matrix.row2 * scale))
        }
        let peak = pow(Self.white, 4)
        fixed.lower = scaled(unit * peak)
        fixed.higher = scaled(unit * peak * spare)
        fixed.lower_peak = Float(peak)
        // Higher words represent numbers 2^16 times as large as lower ones.
        fixed.higher_peak = Float(peak * 0x1p64)
        // The kernel truncates roots.
        fixed.oetf = FixedPointTable(.parts32, 0...Int(Self.white), up: 1) { word in
            let root = min((word + (word > 0 ? 0.5 : 0)) / Self.white, 1)
            let light = pow(root, 4) * plan.targetPeak
            return Self.white * plan.target.transfer.inverseEOTF(light, white: plan.targetWhite)
        }
    }

    // MARK: Target

    private func encode(_ fixed: inout FixedPointPlan) {
        let q = plan.target.quantization
        guard let matrix = q.matrix else { return }
        let step = Double(1 << (16 - q.bits))
        fixed.red = factor(matrix.kr)
        fixed.blue = factor(matrix.kb)
        fixed.green = Int16(32768 - Int(fixed.red) - Int(fixed.blue))
        // White has exactly its code.
        let code = (q.scale.x * step / 2).rounded()
        let peak = fixed.oetf.value(Int16(Self.white), .parts32)
        let white = part(peak, fixed.red) + part(peak, fixed.green) + part(peak, fixed.blue)
        let scale = factor(code / Double(white))
        fixed.luma_scale = [scale, scale - 1, scale + 1].first { Double(part(white, $0)) == code } ?? scale
        // B' - Y' of (R', G', B') = (0, 0, 1) is 1 - kb, and corresponds to a Cb of 1/2.
        let cb = q.scale.y * step / Self.white / (2 * (1 - matrix.kb))
        let cr = q.scale.z * step / Self.white / (2 * (1 - matrix.kr))
        fixed.chroma_scale = (factor(cb / 2), factor(cr / 2))
        fixed.halving = (halving(cb), halving(cr))
    }

    private func part(_ a: Int16, _ b: Int16) -> Int16 { Int16(truncatingIfNeeded: (Int(a) * Int(b) + 0x4000) >> 15) }

    /// The weights of a column and of those to its right and left: the sum of four halved rows is a code in the highest
    /// bits of a word.
    private func halving(_ scale: Double) -> (Int16, Int16, Int16) {
        func weight(_ part: Double) -> Int16 { Int16(min((scale / 4 * 65536 * part).rounded(), 32767)) }
        if format.chromaMode == .nearest { return (weight(1), 0, 0) }
        if format.targetSiting.horizontallyCosited { return (weight(0.5), weight(0.25), weight(0.25)) }
        return (weight(0.5), weight(0.5), 0)
    }

    private func dither(_ fixed: inout FixedPointPlan) {
        let q = plan.target.quantization
        let step = Double(1 << (16 - q.bits))
        let rows = format.dither.size
        fixed.bias_rows = Int32(rows)
        /// - Parameter words: the number of words of each column.
        func bias(_ offset: Double, words: Int) -> UnsafePointer<UInt16> {
            store.makeWords(rows * 64 * words) { i in
                // A little less than the full dither is added, so that rounding errors do not become visible in grey,
                // black and white areas.
                let rounding = 0.5 + 0.94 * Double(format.dither.offset(x: i / words % 64, y: i / words / 64))
                return UInt16((offset * step + (rounding * step).rounded(.down)).rounded())
            }
        }
        fixed.luma_bias = bias(q.offset.x, words: 1)
        fixed.chroma_bias = bias(q.offset.y, words: 1)
        fixed.pair_bias = bias(q.offset.y, words: 2)
    }
}
