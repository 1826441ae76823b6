import TestSupport
import Testing

@testable import HDRColor

/// Properties of every conversion, whatever its curve, domain, gamut mapping and signals.
struct ConversionPropertyTests {
    static let transfers: [Transfer] = [.pq, .hlg, .bt1886, .sRGB, .gamma(2.2), .linear]
    static let signals = transfers.map { ColorSignal($0, $0.isHDR ? .bt2020 : .bt709) }
    /// PQ mastered at 1000 and 4000 cd/m² and HLG, to SDR, HLG and a darker PQ.
    static let compressing: [(ColorSignal, ColorSignal, Double?, Double?)] = [
        (.pq, .sdr, 1000, nil), (.pq, .sdr, 4000, 100), (.hlg, .sdr, nil, nil), (.pq, .hlg, 4000, nil),
        (.hlg, .pq, nil, 400), (.pq, .pq, 4000, 600), (.pq, ColorSignal(.sRGB, .displayP3), 2000, nil),
    ]
    static let extremes: [Double] = [
        .nan, .infinity, -.infinity, 1e300, -1e300, 1e9, -1e9, 2, 1.0001, 1, 0.5, 1e-9, 1e-30, 0,
        -0.0, -1e-9, -0.07, -1,
    ]

    /// Every choice that acts on light, for a pair of signals.
    static func choices(source: Double? = nil, target: Double? = nil) -> [ConversionSettings] {
        var all: [ConversionSettings] = []
        for gamut in GamutMapping.allCases {
            for curve in ToneCurve.allCases {
                for domain in ToneDomain.allCases {
                    all.append(settings(curve, domain, gamut: gamut, source: source, target: target))
                }
            }
            for inverse in ToneCurve.inverses where inverse != .none {
                for domain in ToneDomain.allCases {
                    all.append(settings(nil, domain, inverse: inverse, gamut: gamut, source: source, target: target))
                }
            }
        }
        return all
    }

    /// Whatever goes in, a signal comes out that the target has.
    @Test(arguments: signals, signals) func finite(_ source: ColorSignal, _ target: ColorSignal) {
        var random = SeededGenerator(seed: 20)
        var inputs = Self.extremes.map { RGB(repeating: $0) }
        for _ in 0..<40 {
            let pick = { (random: inout SeededGenerator) in Self.extremes.randomElement(using: &random)! }
            inputs.append(RGB(pick(&random), pick(&random), pick(&random)))
            inputs.append(random.color(in: -0.1...1.1))
            inputs.append(random.color(in: -10...10))
        }
        let narrow = inputs.map { $0.converted(to: Float.self) }
        for choices in Self.choices(source: 1000) + Self.choices(source: 4000, target: 150) {
            let convert = Conversion<Double>(source, target, choices)
            let single = Conversion<Float>(source, target, choices)
            // A peak above SDR white or below HLG's moves the signal of the peak.
            let top = convert.encode(RGB(repeating: convert.plan.targetPeak)).x
            let bad = inputs.indices.filter {
                let out = convert(inputs[$0])
                let near = single(narrow[$0])
                return
                    !(out.isFinite && out.minComponent >= 0 && out.maxComponent <= max(1, top) * 1.4
                    && near.isFinite && near.minComponent >= 0)
            }
            #expect(bad.map { inputs[$0] } == [], "\(choices)")
        }
    }

    /// Light that comes out lies in [0, target peak].
    @Test(arguments: compressing)
    func withinTheTargetsPeak(_ source: ColorSignal, _ target: ColorSignal, _ from: Double?, _ to: Double?) {
        var random = SeededGenerator(seed: 21)
        let inputs = (0..<400).map { _ in random.color(in: -0.07...1.09) }
        for choices in Self.choices(source: from, target: to) {
            let convert = Conversion<Double>(source, target, choices)
            for input in inputs {
                let light = convert.mapped(convert.decode(input))
                guard light.minComponent < 0 || light.maxComponent > convert.plan.targetPeak else { continue }
                Issue.record("\(input) gives \(light), \(choices)")
            }
        }
    }

    /// Grey stays grey, black stays black, the result never falls, and the source's peak is mapped to the target's.
    @Test(arguments: compressing)
    func grey(_ source: ColorSignal, _ target: ColorSignal, _ from: Double?, _ to: Double?) {
        let ramp = steps(0...1, count: 877)
        for choices in Self.choices(source: from, target: to) {
            let convert = Conversion<Double>(source, target, choices)
            let (sourcePeak, targetPeak) = (convert.plan.sourcePeak, convert.plan.targetPeak)
            let lights = ramp.map { convert.mapped(convert.decode(RGB(repeating: $0))) }
            #expect(lights.map(\.spread).max()! <= 1e-9 * targetPeak, "\(choices)")
            #expect(lights[0].magnitude <= 1e-9, "\(choices)")
            let allowed = allowedFall(convert.plan.toneCurve, sourcePeak: sourcePeak, targetPeak: targetPeak)
            #expect(largestFall(lights.map(\.y)) <= allowed * targetPeak, "\(choices)")

            // The source's peak lands on the target's; clipping and BT.2446 C lie above it there and are cut.
            let white = convert.mapped(RGB(repeating: sourcePeak))
            #expect((white - targetPeak).magnitude <= 1e-8 * targetPeak, "\(choices)")
            // Light above the peak stays there.
            for factor in [1.01, 1.5, 2.5, 10] where sourcePeak * factor <= 10000 {
                let above = convert.mapped(RGB(repeating: sourcePeak * factor))
                #expect((above - white).magnitude <= 1e-8 * targetPeak, "\(choices)")
            }
        }
    }

    /// BT.2446 C on 1000 cd/m² lands at 118.39 % of SDR white, before it is cut.
    @Test func bt2446cLandsAbove() {
        let convert = Conversion<Double>(.pq, .sdr, settings(.bt2446c))
        #expect((convert.mapped(RGB(repeating: 1000)) - 203).magnitude <= 1e-10)
        let below = convert.mapped(RGB(repeating: 203))
        #expect((below - 203 * 0.906644).magnitude <= 203 * 0.51e-6)
    }

    /// Colours get brighter without a fall too: along a ray from black through a colour, no component of the same
    /// primaries falls, whether each is mapped by itself or all by one gain.
    @Test(arguments: compressing)
    func rays(_ source: ColorSignal, _ target: ColorSignal, _ from: Double?, _ to: Double?) {
        var random = SeededGenerator(seed: 22)
        let pure = [RGB(1, 0, 0), RGB(0, 1, 0), RGB(0, 0, 1), RGB(1, 1, 0), RGB(1, 0.5, 0.25)]
        let colors = pure + (0..<10).map { _ in random.color(in: 0.05...1) }
        let sameGamut = ColorSignal(target.transfer, source.primaries)
        for curve in [ToneCurve.none, .clip, .bt2390, .spline, .reinhard, .hable, .mobius, .referenceWhite] {
            for domain in [ToneDomain.maxRGB, .rgb, .luminance] {
                let convert = Conversion<Double>(source, sameGamut, settings(curve, domain, source: from, target: to))
                for color in colors {
                    let lights = steps(0...1, count: 300).map {
                        convert.mapped(color / color.maxComponent * PQ.eotf($0))
                    }
                    let falls = [lights.map(\.x), lights.map(\.y), lights.map(\.z)].map(largestFall)
                    let (sourcePeak, peak) = (convert.plan.sourcePeak, convert.plan.targetPeak)
                    let allowed = 10 * allowedFall(curve, sourcePeak: sourcePeak, targetPeak: peak)
                    #expect(falls.max()! <= allowed * peak, "\(curve) \(domain) \(color)")
                }
            }
        }
    }

    /// Below its knee BT.2390 changes no light, in any domain, so that only matrix and signal differ.
    @Test(arguments: ToneDomain.allCases) func identityBelowTheKnee(_ domain: ToneDomain) {
        let mapped = Conversion<Double>(.pq, .sdr, settings(.bt2390, domain))
        let plain = Conversion<Double>(.pq, .sdr, settings(ToneCurve.none))
        var random = SeededGenerator(seed: 23)
        for _ in 0..<2000 {
            // The knee of 1000 to 203 cd/m² is PQ 0.495, 88 cd/m².
            let light = random.color(in: 0...85)
            #expect((mapped.mapped(light) - plain.mapped(light)).magnitude <= 1e-7)
        }
        let bright = RGB(150, 150, 150)
        #expect((mapped.mapped(bright) - plain.mapped(bright)).magnitude > 10)
    }

    // MARK: From SDR to HDR

    static let expanding: [(ColorSignal, ColorSignal)] = [
        (.sdr, .pq), (.sdr, .hlg), (ColorSignal(.sRGB, .bt709), .pq), (ColorSignal(.bt1886, .bt2020), .hlg),
    ]

    @Test(arguments: expanding) func expandedGrey(_ source: ColorSignal, _ target: ColorSignal) {
        let ramp = steps(0...1, count: 877)
        for inverse in ToneCurve.inverses {
            for domain in ToneDomain.allCases {
                for gamut in GamutMapping.allCases {
                    let choices = settings(nil, domain, inverse: inverse, gamut: gamut)
                    let convert = Conversion<Double>(source, target, choices)
                    let lights = ramp.map { convert.mapped(convert.decode(RGB(repeating: $0))) }
                    #expect(lights.map(\.spread).max()! <= 1e-8, "\(choices)")
                    #expect(lights[0].magnitude <= 1e-9, "\(choices)")
                    // The published constants fall by 0.15 cd/m² at method C's joint and by less at method A's.
                    #expect(largestFall(lights.map(\.y)) <= (inverse == .bt2446c ? 0.2 : 1e-3), "\(choices)")
                    let white = lights.last!.y
                    switch inverse {
                    case .none: #expect(abs(white - 203) <= 1e-9)
                    case .bt2446a: #expect(abs(white - 999.5247) <= 0.51e-4)
                    case .bt2446c: #expect(abs(white - 332.3829) <= 0.51e-4)
                    // Half of the way to the peak in stops: the geometric mean.
                    case .expansion: #expect(abs(white - (203.0 * 1000).squareRoot()) <= 1e-6)
                    default: #expect(abs(white - 1000) <= 1e-6)
                    }
                }
            }
        }
    }

    /// The target's peak scales method A and ends the spline.
    @Test func expansionToAPeak() {
        for peak in [600.0, 1000, 4000] {
            let a = Conversion<Double>(.sdr, .pq, settings(inverse: .bt2446a, target: peak))
            #expect((a.mapped(RGB(repeating: 203)) - 0.9995247 * peak).magnitude <= 1e-6 * peak)
            let spline = Conversion<Double>(.sdr, .pq, settings(inverse: .spline, target: peak))
            #expect((spline.mapped(RGB(repeating: 203)) - peak).magnitude <= 1e-9 * peak)
        }
    }

    // MARK: There and back

    /// HLG to PQ and back on unrounded signals: every grey code and colours. White, whose scene light is 1.00000003 by
    /// the standard's constants, is cut to the peak, which is 5e-9 of the signal.
    @Test(arguments: [400.0, 1000, 2000, 4000]) func hlgThroughPQ(_ peak: Double) {
        let there = Conversion<Double>(.hlg, .pq, settings(hlg: peak))
        let back = Conversion<Double>(.pq, .hlg, settings(source: peak, hlg: peak))
        var random = SeededGenerator(seed: 24)
        let colors =
            (64...940).map { RGB(repeating: Quantization.rgb10.signal($0)) }
            + (0..<5000).map { _ in random.color() }
        let worst = colors.map { (back(there($0)) - $0).magnitude }.max()!
        #expect(worst <= 1e-8)
    }
}
