import CKernels
import Glibc
import HDRColor

/// Plans the tone curve of a conversion, and the matrices before and after it, for the kernels.
struct ToneCurves {
    private let plan: ConversionPlan
    private let maker: CurveMaker
    /// The maximum light of a component of the source, in cd/m².
    private let highest: Double
    /// Whether pictures may be reshaped before the conversion, which may give their light.
    private let reshapes: Bool
    private let toBT2020: Matrix3<Double>?
    private let fromBT2020: Matrix3<Double>?

    init(_ plan: ConversionPlan, _ maker: CurveMaker, highest: Double, reshapes: Bool = false) {
        self.plan = plan
        self.maker = maker
        self.highest = highest
        self.reshapes = reshapes
        let source = plan.source.primaries
        let target = plan.mappedPrimaries
        toBT2020 = source == .bt2020 ? nil : source.matrix(to: .bt2020)
        fromBT2020 = target == .bt2020 ? nil : Primaries.bt2020.matrix(to: target)
    }

    /// Whether method A is passed (light / source peak)^(1/2.4) in place of light, which is the case where nothing
    /// mixes the components before it.
    static func takesCompanded(_ plan: ConversionPlan) -> Bool {
        plan.toneCurve == .bt2446a && plan.source.transfer != .hlg && plan.source.primaries == .bt2020
    }

    func write(to color: inout KernelColor) {
        color.tone = Int32(KernelToneNone)
        color.gain_of_black = 1
        color.black = 1e-9
        let source = plan.source.primaries
        let target = plan.mappedPrimaries
        after(source == target ? nil : source.matrix(to: target), &color)
        switch plan.inverseToneCurve.operation {
        case .bt2446a: inverseMethodA(&color)
        case .bt2446c:
            let toSystem = 100 / plan.referenceWhite
            let corner = BT2446C<Double>.inflectionSDR / toSystem
            methodC(&color, corner) { BT2446C.inverseCurve($0 * toSystem) / $0 }
        case .light, .none, .clip:
            if let light = plan.lightCurve {
                scalar(light, &color)
                if plan.contrastRecovery > 0 { recovery(light, &color) }
            } else {
                compress(&color)
            }
        }
    }

    /// Sets the curves that act on all components at once.
    private func compress(_ color: inout KernelColor) {
        switch plan.toneCurve.operation {
        case .bt2446a: methodA(&color)
        case .bt2446c:
            methodC(&color, BT2446C<Double>.inflection) { BT2446C.curve($0) / $0 * (plan.targetPeak / 100) }
        case .none, .clip, .light: break
        }
    }

    private func after(_ matrix: Matrix3<Double>?, _ color: inout KernelColor) {
        color.has_after = matrix == nil ? 0 : 1
        color.after = KernelMatrix(matrix ?? .identity)
    }

    private func before(_ matrix: Matrix3<Double>?, _ color: inout KernelColor) {
        color.has_before = matrix == nil ? 0 : 1
        color.before = KernelMatrix(matrix ?? .identity)
    }

    /// The function from a component's light to its signal, where light depends on the signal alone.
    private var inverseEOTF: ((Double) -> Double)? {
        let transfer = plan.source.transfer
        guard reshapes || plan.source.quantization.matrix != nil else { return nil }
        switch transfer {
        case .pq, .bt1886, .gamma: return { transfer.inverseEOTF($0, white: plan.referenceWhite) }
        case .hlg, .sRGB, .linear, .extendedLinear: return nil
        }
    }

    private func measure(_ weights: SIMD3<Double>, _ color: inout KernelColor) {
        color.measure = Int32(KernelMeasureWeighted)
        color.weights = weights.floats
    }

    // MARK: Gains of light

    /// Sets a curve on light in its domain.
    private func scalar(_ light: LightCurve, _ color: inout KernelColor) {
        switch plan.domain {
        case .maxRGB:
            color.tone = Int32(KernelToneGain)
            if plan.measuresInBT2020 {
                // The kernel measures the result of the matrix before the curve.
                before(toBT2020, &color)
                after(fromBT2020, &color)
                break
            }
            if let inverse = inverseEOTF {
                // The largest light belongs to the largest signal, and the gain is smoother as a function of the
                // signal.
                color.measure = Int32(KernelMeasureSignal)
                color.black = -.infinity
                var corners = light.corners.map(inverse)
                // Below its lower end a curve keeps the value of that end.
                let low = light.isSegmented ? corners.removeFirst() : inverse(1e-4)
                color.curve = maker.signal(
                    low: low, high: max(inverse(highest), low + 0.01), corners: corners, smallest: 1e-6, steps: 2048,
                    .coarse
                ) { light.gain(plan.source.transfer.eotf($0, white: plan.referenceWhite)) }
                if reshapes { color.gain_of_light = gain(light.corners, bits: 6) { light.gain($0) } }
                return
            }
            color.measure = Int32(KernelMeasureMaximum)
        case .luminance:
            color.tone = Int32(KernelToneGain)
            measure(plan.source.primaries.luminance, &color)
        case .rgb: color.tone = Int32(KernelToneComponents)
        case .ictcp:
            ictcp(light, &color)
            return
        }
        // Components with gains of their own can cancel out in the matrix, so that errors become visible.
        let isFine = plan.domain == .rgb
        color.curve = gain(light.corners, bits: isFine ? 9 : 6, isFine ? .fine : .coarse) { light.gain($0) }
    }

    /// Sets the data that contrast recovery needs in addition to the curve.
    private func recovery(_ light: LightCurve, _ color: inout KernelColor) {
        let isSignal = Int(color.measure) == KernelMeasureSignal
        let strength = plan.contrastRecovery
        color.recovery = Float(strength)
        let rise = 1 + strength * ContrastRecovery.reach
        color.recovery_rise = Float(rise)
        // The curve rises, so that light above the knee is found by halving. Its approximations have errors.
        var (knee, above) = (0.0, PQ.peak)
        for _ in 0..<50 {
            let middle = (knee + above) / 2
            let isAbove = middle * light.gain(middle) * (2 * rise - 1) > 0.999 * plan.targetPeak
            (knee, above) = isAbove ? (knee, middle) : (middle, above)
        }
        color.recovery_knee = Float(inverseEOTF.map { isSignal ? $0(knee) : knee } ?? knee)
        let corners = light.corners.map { PQ.inverseEOTF($0) }
        color.recovery_gain = maker.signal(
            low: PQ.inverseEOTF(1e-4), high: 1, corners: corners, smallest: 1e-6, steps: 2048, .coarse
        ) { strength * light.gain(PQ.eotf($0)) }
        guard !isSignal || plan.source.transfer != .pq else { return }
        color.recovery_signal = maker.light(
            low: 0x1p-20, high: PQ.peak, smallest: 0.01, bits: 6, exact: PQ.peak, .coarse
        ) { PQ.inverseEOTF($0) }
    }

    /// Sets a gain of light. It is constant below the lowest corner where its value at the corner equals that near
    /// black.
    private func gain(
        _ corners: [Double], bits: Int, _ precision: Precision = .coarse, _ function: (Double) -> Double
    ) -> KernelCurve {
        var low = 1e-4
        if let knee = corners.min(), knee > low, abs(function(knee) / function(low) - 1) < 1e-9 { low = knee }
        let high = max(highest, 2 * low)
        return maker.light(
            low: low, high: high, corners: corners.filter { $0 > low * 1.0001 }.sorted(by: >), smallest: 1e-6,
            bits: bits, precision,
            function)
    }

    /// Sets method C, which is one gain; its crosstalk is part of the weights, which here act on the source's own
    /// primaries.
    private func methodC(_ color: inout KernelColor, _ corner: Double, _ function: (Double) -> Double) {
        let weights = plan.source.primaries.matrix(to: .bt2020).transposed * BT2446C<Double>().weights
        color.tone = Int32(KernelToneGain)
        measure(weights, &color)
        color.gain_of_black = 0
        color.curve = maker.light(
            low: corner / 2, high: max(highest, 2 * corner), corners: [corner], smallest: 1e-6, bits: 6, .coarse,
            function)
    }

    // MARK: Spaces of their own

    private func ictcp(_ light: LightCurve, _ color: inout KernelColor) {
        color.tone = Int32(KernelToneICtCp)
        before(toBT2020, &color)
        color.to_lms = KernelMatrix(ICtCp.toLMS)
        color.to_opponent = KernelMatrix(ICtCp.toOpponent)
        func intensity(_ signal: Double) -> Double { PQ.inverseEOTF(light(PQ.eotf(signal))) }
        let degree = maker.isCoarse && !maker.isRGB ? 6 : 7
        // Coarse codes hide the errors of short tables, which fit the first-level cache.
        let takesShort = maker.isCoarse || maker.quality == .fast
        color.compand = maker.kept(.compand, plan, []) { maker in
            maker.mantissas(high: PQ.peak, degree: degree) { PQ.inverseEOTF($0) }
                ?? maker.octaves(0x1p-30, PQ.peak, takesShort ? 7 : 9, nil) { PQ.inverseEOTF($0) }
        }
        if Int(color.compand.kind) == KernelCurveMantissas {
            let corners = light.corners.map { PQ.inverseEOTF($0) }
            color.curve = maker.signal(high: 1, corners: corners, smallest: 0.2, steps: 16384, .fine, intensity)
            let wanted = CurveError(smallest: maker.isCoarse ? 100 : 20, tolerance: maker.differenceTolerance)
            color.expand = maker.kept(.expand, plan, []) { maker in
                maker.signal(high: 1, steps: 32768, wanted) { PQ.eotf($0) }
            }
        } else {
            color.curve = maker.table(0, 1, takesShort ? 4096 : 16384, intensity)
            color.expand = maker.kept(.expand, plan, []) { maker in
                maker.table(0, 1, takesShort ? 8192 : 32768) { PQ.eotf($0) }
            }
        }
        color.from_opponent = KernelMatrix(ICtCp.fromOpponent)
        after(Primaries.bt2020.matrix(to: plan.mappedPrimaries) * ICtCp.fromLMS, &color)
    }

    private func methodA(_ color: inout KernelColor) {
        color.tone = Int32(KernelToneMethodA)
        before(toBT2020, &color)
        after(fromBT2020, &color)
        let curve = BT2446A<Double>(sourcePeak: plan.sourcePeak)
        // The largest component and luma have room for the error of the preceding curve.
        let room = 1.02
        var most = SDR.inverseBT1886(highest * 4 / plan.sourcePeak) * room
        if Self.takesCompanded(plan) {
            measure(BT2446A<Double>.luma, &color)
            most = SDR.inverseBT1886(highest / plan.sourcePeak) * room
        } else {
            color.compand = maker.power(
                1 / 2.4, factor: pow(1 / plan.sourcePeak, 1 / 2.4), high: highest * 4, bits: 8, isWide: true, .fine)
        }
        // The factor is as steep near black as the logarithm that it contains.
        func factor(_ y: Double) -> Double { curve.toneMappedLuma(max(y, 0x1p-18)) / (1.1 * max(y, 0x1p-18)) }
        expand(&color, highest: Self.highestMapped(factor, most: most))
        // Where components become positions among pieces, the factor includes their scale, and the kernel adds the
        // offset.
        let scale = Int(color.expand.kind) == KernelCurvePieces ? Double(color.expand.scale) : 1
        color.curve =
            maker.pieces(
                high: max(most, 2), corners: (curve.corners[0], curve.corners[1]), exact: 1,
                plan.gamutMapping == .desaturate ? .fine : .coarse
            ) { scale * factor($0) }
            ?? maker.light(
                low: 0x1p-18, high: max(most, 2), corners: curve.corners, smallest: 1e-6, bits: 6, exact: 1, .coarse
            ) { scale * factor($0) }
        color.curve_is_inside = maker.hasMargins(color.curve) ? 1 : 0
    }

    /// The largest component of method A's result for components up to `most`: super-white in saturated colours lies
    /// far above the peak and still mixes with the other components.
    private static func highestMapped(_ factor: (Double) -> Double, most: Double) -> Double {
        let least = BT2446A<Double>.luma.minComponent
        let mapped = (0...400).map { i in
            let y = most * exp2(-Double(i) / 20)
            return factor(y) * (min(most, y / least) + 0.1 * y)
        }
        return mapped.reduce(0) { max($0, $1) }
    }

    /// Sets the curve from method A's signal to light.
    private func expand(_ color: inout KernelColor, highest: Double) {
        let peak = plan.targetPeak
        if plan.gamutMapping == .clip,
            let short = maker.shortPower(2.4, factor: peak, high: highest, exact: 1, whole: peak)
        {
            color.expand = short
            color.expand_offset = short.offset
        } else {
            color.expand = maker.power(2.4, factor: peak, high: max(highest, 16), bits: 9, .fine)
        }
    }

    private func inverseMethodA(_ color: inout KernelColor) {
        color.tone = Int32(KernelToneInverseMethodA)
        before(toBT2020, &color)
        after(fromBT2020, &color)
        color.compand = maker.power(
            1 / 2.4, factor: pow(1 / plan.referenceWhite, 1 / 2.4), high: highest * 4, bits: 8, isWide: true, .fine)
        color.curve = maker.light(
            low: 0x1p-20, high: 4, corners: [BT2446A<Double>.inverseStep], smallest: 1e-6, bits: 8
        ) { BT2446A.inverseLuma($0) / $0 / 1000 }
        color.expand = maker.power(2.4, factor: plan.inversePeak, high: 1, bits: 9, .fine)
    }
}
