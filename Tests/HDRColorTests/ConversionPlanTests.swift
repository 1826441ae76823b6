import Testing

@testable import HDRColor

struct ConversionPlanTests {
    static let sRGB = ColorSignal(.sRGB, .bt709)
    static let linear = ColorSignal(.linear, .bt709)

    // MARK: Peaks

    struct Peaks: Sendable {
        let source: ColorSignal
        let target: ColorSignal
        let choices: ConversionSettings
        /// Source peak, target peak, inverse peak, target white.
        let expected: [Double]
        init(_ source: ColorSignal, _ target: ColorSignal, _ choices: ConversionSettings, _ expected: [Double]) {
            (self.source, self.target, self.choices, self.expected) = (source, target, choices, expected)
        }
    }

    static let peakTable = [
        // Without metadata and settings: PQ has 1000 cd/m², HLG its nominal peak, SDR its white; the target its limit.
        Peaks(.pq, .sdr, settings(), [1000, 203, 1000, 203]),
        Peaks(.pq, .pq, settings(), [1000, 10000, 1000, 203]),
        Peaks(.pq, .hlg, settings(), [1000, 1000, 1000, 203]),
        Peaks(.hlg, .pq, settings(hlg: 600), [600, 10000, 1000, 203]),
        Peaks(.hlg, .hlg, settings(hlg: 600), [600, 600, 600, 203]),
        Peaks(.hlg, .sdr, settings(white: 100, hlg: 2000), [2000, 100, 1000, 100]),
        Peaks(.sdr, .pq, settings(), [203, 10000, 1000, 203]),
        Peaks(.sdr, .hlg, settings(hlg: 600), [203, 600, 600, 203]),
        Peaks(.sdr, sRGB, settings(white: 100), [100, 100, 1000, 100]),
        // A stated peak applies, except that the peak of an SDR source is its white.
        Peaks(.pq, .sdr, settings(source: 4000), [4000, 203, 1000, 203]),
        Peaks(.pq, .sdr, settings(source: 4000, target: 300), [4000, 300, 300, 300]),
        Peaks(.pq, .hlg, settings(source: 4000, target: 600), [4000, 600, 600, 203]),
        Peaks(.hlg, .pq, settings(source: 700, target: 500), [700, 500, 500, 203]),
        Peaks(.sdr, .pq, settings(white: 100, source: 4000, target: 600), [100, 600, 600, 100]),
        Peaks(sRGB, .hlg, settings(source: 4000, target: 600), [203, 600, 600, 203]),
    ]

    @Test(arguments: peakTable) func peaks(_ row: Peaks) {
        let plan = ConversionPlan(row.source, row.target, row.choices)
        #expect([plan.sourcePeak, plan.targetPeak, plan.inversePeak, plan.targetWhite] == row.expected)
        #expect(plan.referenceWhite == row.choices.referenceWhite && plan.hlgPeak == row.choices.hlgPeak)
    }

    // MARK: Tone curve

    /// The reference white map from HDR to SDR, BT.2390 between HDR peaks, none where nothing is lost.
    @Test func automaticCurve() {
        func curve(_ from: ColorSignal, _ to: ColorSignal, _ choices: ConversionSettings = settings()) -> ToneCurve {
            ConversionPlan(from, to, choices).toneCurve
        }
        #expect(curve(.pq, .sdr) == .referenceWhite)
        #expect(curve(.hlg, .sdr) == .referenceWhite)
        #expect(curve(.hlg, Self.sRGB) == .referenceWhite)
        #expect(curve(.pq, Self.linear) == .referenceWhite)
        #expect(curve(.pq, .hlg) == .none)
        #expect(curve(.pq, .hlg, settings(source: 4000)) == .bt2390)
        #expect(curve(.hlg, .pq) == .none)
        #expect(curve(.hlg, .pq, settings(target: 600)) == .bt2390)
        #expect(curve(.pq, .pq, settings(source: 4000, target: 1000)) == .bt2390)
        // Equal peaks lose nothing.
        #expect(curve(.pq, .pq, settings(source: 1000, target: 1000)) == .none)
        // A source no brighter than SDR white needs no curve.
        #expect(curve(.pq, .sdr, settings(source: 203)) == .none)
        #expect(curve(.hlg, .sdr, settings(hlg: 200)) == .none)
        #expect(curve(.pq, .sdr, settings(source: 203.5)) == .referenceWhite)
        for target in [ColorSignal.pq, .hlg, Self.sRGB] { #expect(curve(.sdr, target) == .none) }
        // SDR to a darker SDR is no matter of a map from HDR.
        #expect(curve(.sdr, Self.sRGB, settings(target: 100)) == .bt2390)
    }

    /// A curve that the user names: applied where light has to be compressed, and else left out.
    @Test(arguments: [ToneCurve.bt2390, .spline, .reinhard, .hable, .mobius])
    func namedCurve(_ curve: ToneCurve) {
        #expect(ConversionPlan(.pq, .sdr, settings(curve)).toneCurve == curve)
        #expect(ConversionPlan(.hlg, .pq, settings(curve, target: 400)).toneCurve == curve)
        #expect(ConversionPlan(.hlg, .pq, settings(curve)).toneCurve == .none)
        #expect(ConversionPlan(.sdr, .hlg, settings(curve)).toneCurve == .none)
    }

    @Test func noneAndClipAreKept() {
        for target in [ColorSignal.sdr, .hlg] {
            #expect(ConversionPlan(.pq, target, settings(ToneCurve.none)).toneCurve == .none)
            #expect(ConversionPlan(.pq, target, settings(.clip)).toneCurve == .clip)
        }
        #expect(ConversionPlan(.hlg, .pq, settings(.clip)).toneCurve == .clip)
    }

    /// BT.2446 A and C are made from HDR to SDR; other pairs clip.
    @Test(arguments: [ToneCurve.bt2446a, .bt2446c]) func bt2446(_ curve: ToneCurve) {
        for source in [ColorSignal.pq, .hlg] {
            #expect(ConversionPlan(source, .sdr, settings(curve)).toneCurve == curve)
            #expect(ConversionPlan(source, Self.sRGB, settings(curve)).toneCurve == curve)
        }
        #expect(ConversionPlan(.pq, .hlg, settings(curve, source: 4000)).toneCurve == .clip)
        #expect(ConversionPlan(.hlg, .pq, settings(curve, target: 400)).toneCurve == .clip)
        #expect(ConversionPlan(.pq, .pq, settings(curve, target: 400)).toneCurve == .clip)
    }

    // MARK: Inverse tone curve

    @Test(arguments: ToneCurve.inverses) func inverseCurve(_ curve: ToneCurve) {
        func resolved(_ source: ColorSignal, _ target: ColorSignal) -> ToneCurve {
            ConversionPlan(source, target, settings(inverse: curve)).inverseToneCurve
        }
        #expect(resolved(.sdr, .pq) == curve && resolved(Self.sRGB, .hlg) == curve)
        #expect(resolved(Self.linear, .pq) == curve)
        for (source, target) in [(ColorSignal.pq, ColorSignal.sdr), (.hlg, .pq), (.pq, .hlg), (.sdr, Self.sRGB)] {
            #expect(resolved(source, target) == .none)
        }
    }

    // MARK: Light that stays

    /// Bits, range and matrix are form; transfer and primaries are light.
    @Test func keepsLight() {
        for signal in [ColorSignal.pq, .hlg, .sdr, Self.sRGB, Self.linear] {
            var other = signal
            other.quantization = Quantization(bits: 8, fullRange: true, matrix: .bt601)
            #expect(ConversionPlan(signal, other).keepsLight)
            #expect(ConversionPlan(signal, other, settings(.clip)).toneCurve == .none)
            var narrower = signal
            narrower.primaries = .displayP3
            #expect(!ConversionPlan(signal, narrower).keepsLight)
        }
        #expect(!ConversionPlan(.pq, .hlg).keepsLight)
        #expect(!ConversionPlan(.sdr, Self.sRGB).keepsLight)
    }

    /// A target peak below what the signal may hold needs a computation; one that holds it all does not.
    @Test func keepsLightUnderAPeak() {
        func keeps(_ signal: ColorSignal, target: Double, source: Double? = nil, hlg: Double = 1000) -> Bool {
            ConversionPlan(signal, signal, settings(source: source, target: target, hlg: hlg)).keepsLight
        }
        // PQ of unknown peak may reach 10 000 cd/m².
        #expect(!keeps(.pq, target: 1000) && keeps(.pq, target: 10000))
        #expect(keeps(.pq, target: 1000, source: 1000) && keeps(.pq, target: 1000, source: 600))
        #expect(!keeps(.pq, target: 1000, source: 1001))
        #expect(keeps(.hlg, target: 1000) && !keeps(.hlg, target: 999))
        #expect(keeps(.hlg, target: 600, hlg: 600) && !keeps(.hlg, target: 600, source: 400))
        #expect(!keeps(.hlg, target: 1000, source: 2000))
        // SDR is relative: its white is white at any peak.
        #expect(keeps(.sdr, target: 203) && keeps(.sdr, target: 100) && keeps(.sdr, target: 300))
    }

    @Test func choicesArePassedOn() {
        let plan = ConversionPlan(.pq, .sdr, settings(.bt2390, .ictcp, gamut: .desaturate))
        #expect(plan.domain == .ictcp && plan.gamutMapping == .desaturate)
        #expect(plan.source == .pq && plan.target == .sdr)
        let defaults = ConversionSettings()
        #expect(defaults.toneCurve == nil && defaults.domain == .maxRGB && defaults.inverseToneCurve == .none)
        #expect(defaults.gamutMapping == nil && defaults.referenceWhite == 203 && defaults.hlgPeak == 1000)
        #expect(defaults.sourcePeak == nil && defaults.targetPeak == nil)
    }

    /// Perceptual from HDR to SDR, whatever the curve; else colours are cut.
    @Test func automaticGamutMapping() {
        func mapping(_ from: ColorSignal, _ to: ColorSignal, _ curve: ToneCurve? = nil) -> GamutMapping {
            var choices = ConversionSettings()
            choices.toneCurve = curve
            return ConversionPlan(from, to, choices).gamutMapping
        }
        #expect(mapping(.pq, .sdr) == .perceptual)
        #expect(mapping(.hlg, Self.sRGB, .bt2446a) == .perceptual)
        #expect(mapping(.pq, .hlg) == .clip)
        #expect(mapping(.sdr, Self.sRGB) == .clip)
        #expect(mapping(Self.sRGB, .pq) == .clip)
    }

    /// The scene's average is part of a plan only where the tone curve follows it, so that others stay the same plan.
    @Test func sceneAverage() {
        for curve in ToneCurve.choices {
            var choices = settings(curve, source: 4000)
            let still = ConversionPlan(.pq, .sdr, choices)
            choices.sourceAverage = 20
            let plan = ConversionPlan(.pq, .sdr, choices)
            #expect(plan.sourceAverage == (curve == .spline ? 20 : nil), "\(curve)")
            #expect((plan == still) == (curve != .spline), "\(curve)")
        }
    }
}
