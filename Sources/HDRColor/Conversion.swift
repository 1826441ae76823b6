/// A ``ConversionPlan`` prepared for computation, one colour at a time. It is the definition that every faster kernel
/// is compared with.
///
/// Its steps are: signal to display light in the source's primaries; tone curve there; matrix to the target's
/// primaries, unless gamut mapping contains it; gamut mapping; display light to signal.
public struct Conversion<T: ColorScalar>: Sendable {
    public let plan: ConversionPlan
    @usableFromInline let sourceHLG: HLG<T>
    @usableFromInline let targetHLG: HLG<T>
    @usableFromInline let referenceWhite: T
    @usableFromInline let targetPeak: T
    @usableFromInline let targetWhite: T
    @usableFromInline let inversePeak: T
    @usableFromInline let operation: ToneCurve.Operation
    @usableFromInline let inverseOperation: ToneCurve.Operation
    @usableFromInline let curve: LightCurve?
    @usableFromInline let methodA: BT2446A<T>
    @usableFromInline let methodC: BT2446C<T>
    @usableFromInline let sourceLuminance: SIMD3<T>
    @usableFromInline let toMapped: Matrix3<T>
    @usableFromInline let toBT2020: Matrix3<T>
    @usableFromInline let fromBT2020: Matrix3<T>
    @usableFromInline let bt2020ToSource: Matrix3<T>
    @usableFromInline let gamut: GamutMapper<T>

    @inlinable public init(_ plan: ConversionPlan) {
        self.plan = plan
        sourceHLG = HLG(peak: T(plan.hlgPeak))
        targetHLG = HLG(peak: T(plan.hlgPeak))
        referenceWhite = T(plan.referenceWhite)
        targetPeak = T(plan.targetPeak)
        targetWhite = T(plan.targetWhite)
        inversePeak = T(plan.inversePeak)
        operation = plan.toneCurve.operation
        inverseOperation = plan.inverseToneCurve.operation
        curve = plan.lightCurve
        methodA = BT2446A(sourcePeak: T(plan.sourcePeak))
        methodC = BT2446C()
        let source = plan.source.primaries
        let mapped = plan.mappedPrimaries
        sourceLuminance = source.luminance.converted(to: T.self)
        toMapped = source.matrix(to: mapped).converted(to: T.self)
        toBT2020 = source.matrix(to: .bt2020).converted(to: T.self)
        fromBT2020 = Primaries.bt2020.matrix(to: mapped).converted(to: T.self)
        bt2020ToSource = Primaries.bt2020.matrix(to: source).converted(to: T.self)
        gamut = GamutMapper(plan.gamutMapping, from: source, to: plan.target.primaries, peak: T(plan.targetPeak))
    }

    /// Converts the source's signal R'G'B' to the target's.
    /// - Parameter lowPass: the low-pass gain around the pixel, where ``ContrastRecovery`` acts.
    @inlinable public func callAsFunction(_ signal: SIMD3<T>, lowPass: T? = nil) -> SIMD3<T> {
        encode(mapped(decode(signal), lowPass: lowPass))
    }

    /// Converts the signal R'G'B' to display light in the source's primaries, in cd/m².
    @inlinable public func decode(_ signal: SIMD3<T>) -> SIMD3<T> {
        let transfer = plan.source.transfer
        if transfer == .hlg { return sourceHLG.toDisplay(signal) }
        return signal.map { transfer.eotf($0, white: referenceWhite) }
    }

    /// Maps display light in the source's primaries to display light in the target's, in [0, target peak] cd/m².
    @inlinable public func mapped(_ light: SIMD3<T>, lowPass: T? = nil) -> SIMD3<T> {
        if inverseOperation != .none { return gamut(expanded(light)) }
        switch operation {
        case .none: return gamut(toMapped * light)
        case .clip: return gamut((toMapped * light).map { $0 > targetPeak ? targetPeak : $0 })
        case .bt2446a:
            let sdr = methodA.toSDR(toBT2020 * light)
            return gamut(fromBT2020 * (sdr.map { SDR.bt1886($0) } * targetPeak))
        case .bt2446c:
            return gamut(fromBT2020 * (methodC.toSDR(toBT2020 * light) * (targetPeak / 100)))
        case .light: return gamut(toMapped * compressed(light, lowPass))
        }
    }

    /// Converts display light in the target's primaries, in cd/m², to the signal R'G'B'.
    @inlinable public func encode(_ light: SIMD3<T>) -> SIMD3<T> {
        let transfer = plan.target.transfer
        if transfer == .hlg { return targetHLG.fromDisplay(light) }
        return light.map { transfer.inverseEOTF($0, white: targetWhite) }
    }

    /// Applies the scalar curve in its domain, in the source's primaries unless the curve measures light in BT.2020.
    @inlinable func compressed(_ light: SIMD3<T>, _ lowPass: T? = nil) -> SIMD3<T> {
        guard let curve else { return light }
        switch plan.domain {
        case .rgb: return light.map { curve($0.nonNegative) }
        case .maxRGB, .luminance: return light * gain(curve, toneMeasure(light), lowPass)
        case .ictcp:
            var ictcp = ICtCp.encode(toBT2020 * light)
            let intensity = PQ.inverseEOTF(curve(PQ.eotf(ictcp.x)))
            let ratio = intensity > 0 ? ictcp.x / intensity : 1
            let saturation = ratio < 1 ? ratio : 1 / ratio
            ictcp = SIMD3(intensity, ictcp.y * saturation, ictcp.z * saturation)
            return bt2020ToSource * ICtCp.decode(ictcp)
        }
    }

    /// Applies an inverse curve, from light in the source's primaries to light in the target's.
    @inlinable func expanded(_ light: SIMD3<T>) -> SIMD3<T> {
        switch inverseOperation {
        case .none, .clip: return toMapped * light
        case .bt2446a:
            let sdr = (toBT2020 * light / referenceWhite).map { SDR.inverseBT1886($0) }
            return fromBT2020 * (BT2446A.toHDR(sdr) * (inversePeak / 1000))
        case .bt2446c:
            return fromBT2020 * methodC.toHDR(toBT2020 * light * (100 / referenceWhite))
        case .light: return toMapped * compressed(light)
        }
    }
}
