/// A picture's signal, which defines the meaning of its code values.
public struct ColorSignal: Equatable, Sendable {
    public var transfer: Transfer
    public var primaries: Primaries
    public var quantization: Quantization

    public init(transfer: Transfer, primaries: Primaries, quantization: Quantization) {
        self.transfer = transfer
        self.primaries = primaries
        self.quantization = quantization
    }
}

/// The user's choices for a conversion.
public struct ConversionSettings: Equatable, Sendable {
    /// The tone curve; `nil` for the automatic choice: the reference white map from HDR to SDR, BT.2390 between HDR
    /// peaks, none where nothing is lost.
    public var toneCurve: ToneCurve?
    public var domain = ToneDomain.maxRGB
    /// The expansion of highlights from SDR to HDR, one of ``ToneCurve/inverses``.
    public var inverseToneCurve = ToneCurve.none
    /// The gamut mapping; `nil` for `perceptual` from HDR to SDR, otherwise `clip`.
    public var gamutMapping: GamutMapping?
    /// The luminance of SDR white, in cd/m².
    public var referenceWhite = BT2408.referenceWhite
    /// The strength of ``ContrastRecovery``, [0, 1]; 0 for none.
    public var contrastRecovery = 0.0
    /// The peak of the source in cd/m²; `nil` where neither the user nor metadata state it.
    public var sourcePeak: Double?
    /// The scene's average in cd/m², as defined by ``ToneRange/sourceAverage``; `nil` where it was not measured.
    public var sourceAverage: Double?
    /// The share of highlights in an SDR picture, as defined by ``ToneRange/highlightShare``; `nil` where it was not
    /// measured.
    public var highlightShare: Double?
    /// The curve of the scene's metadata, which ``ToneCurve/st209440`` applies; `nil` where it has none.
    public var sceneCurve: SceneToneCurve?
    /// The peak of the target in cd/m²; `nil` where the target's own limit holds.
    public var targetPeak: Double?
    /// The nominal peak L_W of the display that HLG signals are for, in cd/m².
    public var hlgPeak = HLG<Double>.nominalPeak

    public init() {}

    /// Chooses the curve of a scene's metadata, as it is: without contrast recovery.
    public mutating func takeCurve(_ curve: SceneToneCurve) {
        toneCurve = .st209440
        sceneCurve = curve
        contrastRecovery = 0
    }
}

/// A conversion with every choice made: settings and signals are resolved to the quantities that are computed, in
/// cd/m².
public struct ConversionPlan: Equatable, Sendable {
    public private(set) var source: ColorSignal
    public let target: ColorSignal
    public let referenceWhite: Double
    public let hlgPeak: Double
    /// The peak of the source's light.
    public let sourcePeak: Double
    /// The scene's average; `nil` where it is not known, and where the tone curve does not follow it.
    public let sourceAverage: Double?
    /// The share of highlights; `nil` where it is not known, and where the inverse curve does not follow it.
    public let highlightShare: Double?
    /// The scene's own curve; `nil` where it has none, and where another curve is applied.
    public let sceneCurve: SceneToneCurve?
    /// The maximum light of the target.
    public let targetPeak: Double
    /// The curve that is applied; `none` where nothing has to be compressed.
    public let toneCurve: ToneCurve
    /// The curve that would be applied to a source whose peak is above the target's.
    public let compressingCurve: ToneCurve
    public let domain: ToneDomain
    /// Whether the curve measures light in BT.2020 primaries while the source has others.
    public let measuresInBT2020: Bool
    /// The strength of ``ContrastRecovery``; 0 except where a curve of light from HDR has one gain for all components.
    public private(set) var contrastRecovery: Double
    /// The inverse curve that is applied; `none` except from SDR to HDR.
    public let inverseToneCurve: ToneCurve
    /// The peak that an inverse curve aims at.
    public let inversePeak: Double
    public let gamutMapping: GamutMapping
    /// Whether the light stays the same, so that only the form of the numbers changes: bit depth, range, matrix,
    /// subsampling. The light is then never computed.
    public let keepsLight: Bool

    public static let nominalHDRPeak = 1000.0

    public init(source: ColorSignal, target: ColorSignal, settings: ConversionSettings) {
        self.source = source
        self.target = target
        referenceWhite = settings.referenceWhite
        hlgPeak = settings.hlgPeak
        let fromHDR = source.transfer.isHDR
        let toHDR = target.transfer.isHDR
        let losesRange = fromHDR && !toHDR
        gamutMapping = settings.gamutMapping ?? (losesRange ? .perceptual : .clip)
        sourcePeak =
            switch source.transfer {
            case .pq: settings.sourcePeak ?? Self.nominalHDRPeak
            case .hlg: settings.sourcePeak ?? settings.hlgPeak
            default: settings.referenceWhite
            }
        targetPeak =
            settings.targetPeak
            ?? (target.transfer == .pq ? PQ.peak : target.transfer == .hlg ? settings.hlgPeak : settings.referenceWhite)
        inversePeak =
            settings.targetPeak ?? (target.transfer == .hlg ? settings.hlgPeak : Self.nominalHDRPeak)

        let sameColor = source.transfer == target.transfer && source.primaries == target.primaries
        keepsLight = sameColor && Self.fits(source.transfer, settings)

        compressingCurve =
            switch settings.toneCurve {
            case _ where keepsLight: .none
            case _ where !fromHDR && toHDR && settings.inverseToneCurve != .none: .none
            case nil: losesRange ? .referenceWhite : .bt2390
            case .some(let curve) where curve.isFromHDRToSDROnly: losesRange ? curve : .clip
            case .some(let curve): curve
            }
        let appliesToAll = compressingCurve == .clip || compressingCurve.isFromHDRToSDROnly
        toneCurve = targetPeak < sourcePeak || appliesToAll ? compressingCurve : .none
        inverseToneCurve = !fromHDR && toHDR ? settings.inverseToneCurve : .none
        let measure = inverseToneCurve == .none ? toneCurve.measure : inverseToneCurve.measure
        domain = measure == .chosen ? settings.domain : .maxRGB
        measuresInBT2020 = measure == .maxRGBOfBT2020 && source.primaries != .bt2020
        let hasGain = toneCurve.operation == .light && inverseToneCurve == .none
        let recovers = fromHDR && hasGain && (domain == .maxRGB || domain == .luminance)
        contrastRecovery = recovers ? min(max(settings.contrastRecovery, 0), 1) : 0
        sourceAverage = toneCurve.followsAverage ? settings.sourceAverage : nil
        highlightShare = inverseToneCurve.followsHighlights ? settings.highlightShare : nil
        sceneCurve = toneCurve == .st209440 ? settings.sceneCurve : nil
    }

    /// Whether a signal with this transfer function stays below the requested peak without a change.
    private static func fits(_ transfer: Transfer, _ settings: ConversionSettings) -> Bool {
        guard let target = settings.targetPeak else { return true }
        switch transfer {
        case .pq: return settings.sourcePeak ?? PQ.peak <= target
        case .hlg: return max(settings.sourcePeak ?? 0, settings.hlgPeak) <= target
        // SDR is relative: its white is white at any peak.
        default: return true
        }
    }

    /// This plan without contrast recovery.
    public var withoutContrastRecovery: ConversionPlan {
        var plan = self
        plan.contrastRecovery = 0
        return plan
    }

    /// This plan for a grey source, which every matrix decodes in the same way: the source gets the target's matrix, so
    /// that no component has to be computed from the others.
    public var ofGray: ConversionPlan {
        guard let matrix = target.quantization.matrix, source.quantization.matrix != nil else { return self }
        var plan = self
        plan.source.quantization = Quantization(
            bits: source.quantization.bits, fullRange: source.quantization.fullRange, matrix: matrix)
        return plan
    }

    /// The curve of light that is applied, in forward or inverse direction; `nil` where the tone curve does not act on
    /// light.
    public var lightCurve: LightCurve? {
        if inverseToneCurve != .none {
            return LightCurve(
                inverseToneCurve,
                ToneRange(
                    sourcePeak: referenceWhite, targetPeak: inversePeak, white: referenceWhite,
                    highlightShare: highlightShare))
        }
        return LightCurve(
            toneCurve,
            ToneRange(
                sourcePeak: sourcePeak, targetPeak: targetPeak, white: referenceWhite, sourceAverage: sourceAverage,
                sceneCurve: sceneCurve))
    }

    /// The primaries of the light between the tone curve and gamut mapping.
    public var mappedPrimaries: Primaries { gamutMapping == .perceptual ? source.primaries : target.primaries }

    /// The luminance of SDR white in the target's signal, in cd/m².
    public var targetWhite: Double { target.transfer.isHDR ? referenceWhite : targetPeak }
}
