import CKernels
import Glibc
import HDRColor

/// Plans a conversion for the kernels of one instruction set: curves and matrices.
struct KernelPlanner {
    private let plan: ConversionPlan
    private let maker: CurveMaker

    /// Light below this, in cd/m², is black in every signal.
    private static let lightFloor = 0x1p-30

    /// The light, in cd/m², down to which the EOTF's errors are relative; below it they are as large as there. `nil`
    /// for the default, which depends on the target.
    private let shadows: Double?

    /// Whether the source is the result of reshaping a base layer.
    private let reshapes: Bool

    init(_ plan: ConversionPlan, _ maker: CurveMaker, shadows: Double? = nil, reshapes: Bool = false) {
        self.plan = plan
        self.maker = maker
        self.shadows = shadows
        self.reshapes = reshapes
    }

    func color() -> KernelColor {
        var color = KernelColor()
        color.clips_at = .infinity
        if plan.keepsLight {
            color.keeps_light = 1
            color.decode = KernelMatrix(recoding: plan.source.quantization, to: plan.target.quantization)
            return color
        }
        color.eotf = eotf()
        color.takes_light = ToneCurves.takesCompanded(plan) || plan.source.transfer != .pq ? 0 : 1
        let takesPositions = [KernelCurveCells, KernelCurveTable, KernelCurvePieces].contains(Int(color.eotf.kind))
        let scale = takesPositions ? Double(color.eotf.scale) : 1
        let offset = takesPositions ? Double(color.eotf.offset) : 0
        color.decode = KernelMatrix(decoding: plan.source.quantization, scale: scale, offset: offset)
        color.encode = KernelMatrix(encoding: plan.target.quantization)
        color.source_is_rgb = plan.source.quantization.matrix == nil ? 1 : 0
        color.target_is_rgb = plan.target.quantization.matrix == nil ? 1 : 0
        let hlg = HLG<Double>(peak: plan.hlgPeak)
        if plan.source.transfer == .hlg {
            color.ootf = maker.power(
                hlg.gamma - 1, factor: plan.hlgPeak, high: highestSignalLight, bits: 6, isWide: true)
        }
        ToneCurves(plan, maker, highest: highestLight, reshapes: reshapes).write(to: &color)
        if Int(color.measure) == KernelMeasureSignal {
            // The measure is a position in the EOTF.
            color.curve.offset -= color.curve.scale * Float(offset / scale)
            color.curve.scale /= Float(scale)
            color.recovery_scale = Float(1 / scale)
            color.recovery_offset = Float(-offset / scale)
            color.recovery_knee = color.recovery_knee * Float(scale) + Float(offset)
        }
        if plan.toneCurve == .clip { color.clips_at = Float(plan.targetPeak) }
        gamut(&color)
        color.peak = Float(plan.targetPeak)
        if plan.target.transfer == .hlg {
            let exponent = (1 - hlg.gamma) / hlg.gamma
            color.inverse_ootf = maker.power(
                exponent, factor: pow(1 / plan.hlgPeak, exponent) / plan.hlgPeak, high: plan.targetPeak, bits: 6,
                isWide: true)
        }
        color.oetf = maker.kept(.oetf, plan, [plan.targetWhite, plan.targetPeak, plan.hlgPeak]) { oetf($0) }
        return color
    }

    // MARK: Signals

    /// The largest component that code values express: narrow-range super-white in the most saturated colour.
    private var highestSignal: Double {
        let q = plan.source.quantization
        let most = (SIMD3(repeating: Double(q.maxCode)) - q.offset) / q.scale
        guard let matrix = q.matrix else { return most.x }
        return most.x + 2 * max(1 - matrix.kr, 1 - matrix.kb) * most.y
    }

    /// The highest light of the source's EOTF in cd/m²; for HLG, relative scene light.
    private var highestSignalLight: Double {
        plan.source.transfer.eotf(plan.source.transfer == .pq ? 1 : highestSignal, white: plan.referenceWhite)
    }

    /// The maximum light of a component of the source, in cd/m².
    private var highestLight: Double {
        guard plan.source.transfer == .hlg else { return highestSignalLight }
        let hlg = HLG<Double>(peak: plan.hlgPeak)
        return highestSignalLight * plan.hlgPeak * hlg.ootfGain(sceneLuminance: highestSignalLight)
    }

    private func eotf() -> KernelCurve {
        let numbers = [plan.referenceWhite, plan.gamutMapping == .desaturate ? 1 : 0]
        // Method A starts with a power of each component. Where EOTF and method A act on the same primaries, one curve
        // does both.
        guard ToneCurves.takesCompanded(plan) else {
            return maker.kept(.eotf, plan, numbers) { eotf($0, compandedFor: nil) }
        }
        // Another peak scales the values and changes the accuracy that they need: a curve that is accurate enough for
        // one peak is also accurate enough for all higher ones.
        let peak = 1000 * exp2((4 * log2(plan.sourcePeak / 1000)).rounded(.down) / 4)
        return maker.kept(.eotf, plan, numbers + [peak], factor: SDR.inverseBT1886(peak / plan.sourcePeak)) {
            eotf($0, compandedFor: peak)
        }
    }

    /// - Parameter peak: the peak for companding to (light / peak)^(1/2.4); `nil` for no companding.
    private func eotf(_ maker: CurveMaker, compandedFor peak: Double?) -> KernelCurve {
        let white = plan.referenceWhite
        let transfer = plan.source.transfer
        func light(_ signal: Double) -> Double {
            let light = transfer.eotf(signal, white: white)
            return peak.map { SDR.inverseBT1886(light / $0) } ?? light
        }
        // Shadows of an HDR signal are finer than those of SDR.
        let ofTarget =
            plan.target.quantization.isFloat
            ? 5 : plan.target.transfer.isHDR ? 20 : white / (maker.quality == .reference ? 4 : 2)
        let smallest = shadows ?? ofTarget
        // `desaturate` moves colours to the edge of the gamut, where every error is visible.
        let isDelicate = plan.gamutMapping == .desaturate
        let precision = isDelicate ? Precision.finest : .fine
        let steps = isDelicate ? 32768 : 8192
        if transfer == .pq, let peak {
            // Companded light is raised to a power later, and near black it is the signal itself. The higher the
            // source's peak, the more shadows the curve lifts.
            let shadows = maker.shadowTolerance * min(SDR.inverseBT1886(1000 / peak), 1)
            let wanted = CurveError(
                smallest: maker.quality == .reference ? 0.02 : 0.05, power: 2.4, absolute: shadows, whole: 1,
                tolerance: maker.compandedTolerance(precision))
            return maker.companded(steps: steps / 4, wanted, light)
        }
        switch transfer {
        case .pq: return maker.signal(high: 1, smallest: smallest, steps: steps, precision, light)
        case .hlg:
            return maker.signal(high: highestSignal, corners: [0.5], smallest: 0.01, steps: steps, precision, light)
        case .bt1886: return maker.power(2.4, factor: white, high: highestSignal, bits: 9, exact: 1, .fine)
        case .gamma(let g): return maker.power(g, factor: white, high: highestSignal, bits: 9, exact: 1, .fine)
        case .linear: return maker.linear(white)
        case .extendedLinear(let one): return maker.linear(white / one)
        case .sRGB:
            // The light of the lowest argument is subtracted, so that black stays black.
            let low = 0x1p-24
            var curve = maker.light(
                low: low, high: highestSignal, corners: [0.04045], smallest: white * 1e-6, bits: 9, precision,
                takesBlack: false
            ) { light($0) - light(low) }
            if Int(curve.kind) == KernelCurveLogCells {
                curve.negative = Float(white / 12.92)
                return curve
            }
            return maker.table(-1.25, highestSignal, steps, light)
        }
    }

    private func oetf(_ maker: CurveMaker) -> KernelCurve {
        let white = plan.targetWhite
        let peak = plan.targetPeak
        let transfer = plan.target.transfer
        func signal(_ light: Double) -> Double { transfer.inverseEOTF(light, white: white) }
        switch transfer {
        case .pq:
            // Pieces err by 1e-5, and take half as many instructions as cells of the logarithm.
            if maker.quality != .reference,
                let curve = maker.mantissas(high: peak, degree: 4, isExact: true, signal)
            {
                return curve
            }
            return maker.light(low: Self.lightFloor, high: peak, smallest: 0.5, bits: 6, exact: peak, .coarse, signal)
        case .hlg:
            // The inverse OOTF lifts saturated colours above its result for the peak.
            let high = 4 * max(1, peak / plan.hlgPeak)
            return maker.light(
                low: 0x1p-36, high: high, corners: [1.0 / 12], smallest: 0.5, bits: 6, exact: 1, .coarse, signal)
        case .bt1886: return maker.power(1 / 2.4, factor: pow(1 / white, 1 / 2.4), high: peak, bits: 6)
        case .gamma(let g): return maker.power(1 / g, factor: pow(1 / white, 1 / g), high: peak, bits: 6)
        case .linear: return maker.linear(1 / white, low: 0, high: peak)
        case .extendedLinear(let one): return maker.linear(one / white, low: 0, high: peak)
        case .sRGB:
            return maker.light(
                low: 0x1p-24 * white, high: peak, corners: [0.0031308 * white], smallest: 0.5, bits: 6, exact: peak,
                .coarse, signal)
        }
    }

    private func gamut(_ color: inout KernelColor) {
        let mapper = GamutMapper<Double>(
            plan.gamutMapping, from: plan.source.primaries, to: plan.target.primaries, peak: plan.targetPeak)
        switch plan.gamutMapping {
        case .clip: color.gamut = Int32(KernelGamutClip)
        case .softclip: color.gamut = Int32(KernelGamutSoftclip)
        case .desaturate: color.gamut = Int32(KernelGamutDesaturate)
        case .perceptual:
            color.gamut = Int32(KernelGamutPerceptual)
            // A gain of the largest component leaves no other component above the result of that one.
            var highest = PQ.peak
            if let curve = plan.lightCurve, plan.domain == .maxRGB, !plan.measuresInBT2020 {
                highest = 1.01 * max(plan.targetPeak, curve(min(highestLight, PQ.peak)))
            }
            color.perceptual = maker.perceptual(plan, highest: highest)
        }
        color.luminance = mapper.luminance.floats
        color.reach = mapper.reach.floats
    }
}

extension ConversionPlan {
    /// Whether no code can leave its range: signals end at white, and the codes beyond it leave room for rounding and
    /// dither.
    var staysInsideCodes: Bool {
        let q = target.quantization
        guard !keepsLight, !q.isFloat, q.matrix != nil, target.transfer == .bt1886, targetPeak <= 1.001 * targetWhite
        else { return false }
        // Luma starts at its offset, while colour differences lie on both sides of theirs.
        let low = SIMD3(q.offset.x, q.offset.y - q.scale.y / 2, q.offset.z - q.scale.z / 2)
        let high = SIMD3(q.offset.x + q.scale.x, q.offset.y + q.scale.y / 2, q.offset.z + q.scale.z / 2)
        return low.minComponent >= 2 && high.maxComponent <= Double(q.maxCode) - 3
    }
}

extension SIMD3<Double> {
    /// The components in single precision.
    var floats: (Float, Float, Float) { (Float(x), Float(y), Float(z)) }
}

extension KernelMatrix {
    package init(_ m: Matrix3<Double>, offset: SIMD3<Double> = SIMD3(0, 0, 0)) {
        let (a, b, c, o) = (m.row0.floats, m.row1.floats, m.row2.floats, offset.floats)
        self.init(
            m00: a.0, m01: a.1, m02: a.2, o0: o.0, m10: b.0, m11: b.1, m12: b.2, o1: o.1, m20: c.0, m21: c.1, m22: c.2,
            o2: o.2)
    }

    /// From code values to R'G'B', multiplied by `scale` and with `offset` added.
    init(decoding q: Quantization, scale: Double, offset: Double) {
        let inverse = (q.matrix?.toRGB ?? .identity) * .diagonal(SIMD3(repeating: scale) / q.scale)
        self.init(inverse, offset: inverse * (q.offset * -1) + offset)
    }

    /// From R'G'B' to code values.
    init(encoding q: Quantization) {
        self.init(.diagonal(q.scale) * (q.matrix?.fromRGB ?? .identity), offset: q.offset)
    }

    /// From code values to code values of the same colour.
    init(recoding from: Quantization, to: Quantization) {
        let affine = Affine(recoding: from, to: to)
        self.init(affine.matrix, offset: affine.offset)
    }
}
