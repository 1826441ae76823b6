import Foundation
import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// Pictures that converters are known to get wrong.
@Suite struct HardCaseTests {
    static let ten = layout("Y444_10LE")
    static let eight = layout("Y444")
    static let sixteen = layout("Y444_16LE")
    static let directions: [(String, ColorSignal, ColorSignal)] = [
        ("pq -> sdr", .pq(ten), .sdr(ten)), ("hlg -> sdr", .hlg(ten), .sdr(ten)), ("pq -> hlg", .pq(ten), .hlg(ten)),
        ("hlg -> pq", .hlg(ten), .pq(ten)), ("sdr -> pq", .sdr(ten), .pq(ten)), ("sdr -> hlg", .sdr(ten), .hlg(ten)),
    ]

    static func settings(_ curve: ToneCurve?, _ domain: ToneDomain = .maxRGB, source: Double? = nil)
        -> ConversionSettings
    {
        var s = ConversionSettings()
        s.toneCurve = curve
        s.domain = domain
        s.sourcePeak = source
        return s
    }

    /// Jobs with every curve of every direction; from SDR with the inverse ones.
    static func jobs(_ change: (inout ConversionSettings) -> Void = { _ in }) -> [Job] {
        var jobs: [Job] = []
        for (name, from, to) in directions {
            func add(_ text: String, _ settings: ConversionSettings) {
                var settings = settings
                change(&settings)
                jobs.append(Job("\(name), \(text)", from, to, (ten, ten), settings))
            }
            if from.transfer.isHDR {
                for (curve, domain) in KernelAccuracyTests.curves {
                    var s = settings(curve, domain)
                    // A lower peak, so that every curve works.
                    if to.transfer.isHDR { s.targetPeak = 400 }
                    add("\(curve) in \(domain)", s)
                }
            } else {
                for inverse in ToneCurve.inverses {
                    var s = settings(nil)
                    s.inverseToneCurve = inverse
                    add("inverse \(inverse)", s)
                }
            }
        }
        return jobs
    }

    // MARK: Saturated colours

    /// BT.2020's primaries, secondaries and their neighbours inside the gamut, from dark to the brightest.
    static func saturated(_ signal: ColorSignal) -> Picture {
        let ends = [0, 0.002, 0.01, 0.03, 0.1]
        let levels = (1...40).map { Double($0) / 40 }
        var colors: [SIMD3<Double>] = []
        for level in levels {
            for high in 1..<7 {
                for (i, j) in (0..<25).map({ (ends[$0 / 5], ends[$0 % 5]) }) {
                    // The first component that is high is full; a second one falls short of it by `j`.
                    var color = SIMD3(repeating: level * i)
                    var isFirst = true
                    for c in 0..<3 where high >> c & 1 == 1 {
                        color[c] = level * (isFirst ? 1 : 1 - j)
                        isFirst = false
                    }
                    colors.append(color)
                }
            }
        }
        return KernelColors.picture(ten, 150, levels.count, signal.quantization) { colors[$0] }
    }

    @Test(arguments: jobs()) func saturatedColors(_ job: Job) { Self.checkSaturated(job) }

    @Test(arguments: [GamutMapping.softclip, .desaturate, .perceptual], [ToneCurve.bt2446a, .bt2446c, .bt2390])
    func saturatedColorsInASmallerGamut(_ gamut: GamutMapping, _ curve: ToneCurve) {
        var s = Self.settings(curve)
        s.gamutMapping = gamut
        for from in [ColorSignal.pq(Self.ten), .hlg(Self.ten)] {
            Self.checkSaturated(Job("\(from.transfer)", from, .sdr(Self.ten), (Self.ten, Self.ten), s))
        }
    }

    static func checkSaturated(_ job: Job) {
        let source = saturated(job.plan.source)
        let expected = job.definition(source)
        let limit = job.plan.domain == .ictcp ? 4 : 2
        for kernel in Kernel.exact {
            let d = Difference(job.picture(kernel, source), expected, from: source)
            #expect(d.largest <= (kernel.quality == .reference ? 1 : limit), "\(job.name), \(kernel): \(d)")
        }
    }

    // MARK: Shadows

    /// Greys and faint colours of 0.01 to 2 cd/m², one for each of many steps of a 16-bit signal.
    static func shadows(_ signal: ColorSignal, _ tint: SIMD3<Double>) -> Picture {
        let width = 2048
        let plan = ConversionPlan(source: signal, target: signal, settings: .init())
        let conversion = Conversion<Double>(plan)
        return KernelColors.picture(sixteen, width, 1, signal.quantization) { i in
            conversion.encode(tint * (0.01 * Double.pow(200, Double(i) / Double(width - 1))))
        }
    }

    /// Shadows keep their gradations: no step back, and no step that is larger than the definition's.
    @Test(arguments: InstructionSet.supported) func shadowsStaySmooth(_ set: InstructionSet) {
        for (name, from, to) in [
            ("pq -> sdr", ColorSignal.pq(Self.sixteen), ColorSignal.sdr(Self.ten)),
            ("hlg -> sdr", .hlg(Self.sixteen), .sdr(Self.ten)), ("pq -> hlg", .pq(Self.sixteen), .hlg(Self.ten)),
            ("hlg -> pq", .hlg(Self.sixteen), .pq(Self.ten)), ("sdr -> pq", .sdr(Self.sixteen), .pq(Self.ten)),
            ("sdr -> hlg", .sdr(Self.sixteen), .hlg(Self.ten)),
        ] {
            for tint in [SIMD3(1.0, 1, 1), SIMD3(1, 0.85, 0.8), SIMD3(0.7, 0.8, 1)] {
                for curve in from.transfer.isHDR && !to.transfer.isHDR ? [ToneCurve.bt2446a, .bt2390, .hable] : [nil] {
                    let job = Job(name, from, to, (Self.sixteen, Self.ten), Self.settings(curve))
                    let source = Self.shadows(from, tint)
                    let expected = job.definition(source)
                    let steps = Self.steps(expected)
                    #expect(expected[0].last! > expected[0][0] + 20 && steps.least >= 0)
                    for quality in Quality.allCases {
                        let kernel = Kernel(set: set, quality: quality)
                        let picture = job.picture(kernel, source)
                        let text = "\(name), \(kernel), tint \(tint)"
                        let ours = Self.steps(picture)
                        #expect(ours.least >= (quality == .fast ? -Self.fastFall : 0), "\(text): \(ours)")
                        if quality == .fast { continue }
                        #expect(ours.most <= steps.most, "\(text): \(ours), \(steps)")
                        let d = Difference(picture, expected)
                        #expect(d.largest <= (quality == .reference ? 1 : 2), "\(text): \(d)")
                    }
                }
            }
        }
    }

    /// Colours of 0.0001 to 2 cd/m² keep the limits of all pictures in ICtCp, where each is a difference of larger
    /// numbers.
    @Test(arguments: [nil, 400.0]) func shadowsInICtCp(_ targetPeak: Double?) {
        let from = ColorSignal.pq(Self.sixteen)
        let to = targetPeak == nil ? ColorSignal.sdr(Self.ten) : .pq(Self.ten)
        var s = Self.settings(.bt2390)
        (s.domain, s.targetPeak) = (.ictcp, targetPeak)
        let job = Job("", from, to, (Self.sixteen, Self.ten), s)
        let conversion = Conversion<Double>(ConversionPlan(source: from, target: from, settings: .init()))
        var random = SeededGenerator(seed: 5)
        let source = KernelColors.picture(Self.sixteen, 512, 64, from.quantization) { i in
            let color = SIMD3<Double>.random(in: 0...1, using: &random)
            return conversion.encode(color * (0.0001 * Double.pow(20000, Double(i % 512) / 511)))
        }
        let expected = job.definition(source)
        for kernel in Kernel.exact {
            let d = Difference(job.picture(kernel, source), expected)
            #expect(d.largest <= (kernel.quality == .reference ? 1 : 2) && d.mean <= 0.05, "\(kernel): \(d)")
        }
    }

    /// The smallest and the largest step of luma from one pixel to the next in the first row.
    static func steps(_ picture: Picture) -> (least: Int, most: Int) {
        let luma = picture[0].prefix(picture.width)
        let steps = zip(luma.dropFirst(), luma).map { $0 - $1 }
        return (steps.min()!, steps.max()!)
    }

    /// The amount, in 10-bit codes, by which `fast` may fall below a darker pixel: an 8-bit code.
    static let fastFall = 4

    // MARK: Greys

    /// All greys, narrow-range super-white and PQ light of up to 10000 cd/m² among them: no lighter grey becomes a
    /// darker one, whatever the peak that was set, and all stay neutral.
    @Test(arguments: [nil, 400.0, 4000, 10000]) func greysStayInOrder(_ peak: Double?) {
        let source = KernelColors.greys(Self.ten)
        for job in Self.jobs({ $0.sourcePeak = peak }) {
            let isReferenceWhite = job.plan.toneCurve == .referenceWhite
            // The map of ST 2094-50 falls between its eight points where the source's peak is above 28 whites, and is
            // nearly flat below that, where the lines of fixed point differ by a little more.
            let falls = isReferenceWhite && job.plan.sourcePeak > 28 * job.plan.referenceWhite
            let fastFall = isReferenceWhite ? Self.fastFall * 3 / 2 : Self.fastFall
            if !falls { #expect(Self.fall(job.definition(source)).codes == 0, "\(job.name)") }
            for kernel in Kernel.all {
                let picture = job.picture(kernel, source)
                let fall = Self.fall(picture)
                if !falls {
                    #expect(
                        fall.codes <= (kernel.quality == .fast ? fastFall : 0),
                        "\(job.name), \(kernel): luma \(fall.at) became \(fall.codes) less than a darker one")
                }
                let chroma = picture[1] + picture[2]
                #expect(
                    chroma.min()! >= 511 && chroma.max()! <= 513,
                    "\(job.name), \(kernel): chroma \(chroma.min()!) to \(chroma.max()!)")
            }
        }
    }

    /// The largest amount by which luma in the first row is below that of a pixel further left, and its position.
    static func fall(_ picture: Picture) -> (codes: Int, at: Int) {
        var (highest, result) = (0, (codes: 0, at: 0))
        for (x, luma) in picture[0].prefix(picture.width).enumerated() {
            highest = max(highest, luma)
            if highest - luma > result.codes { result = (highest - luma, x) }
        }
        return result
    }

    // MARK: Black and white

    /// Black is black and white is white in every pixel, with and without dither.
    @Test(arguments: InstructionSet.supported, Dither.allCases)
    func blackAndWhiteAreFlat(_ set: InstructionSet, _ dither: Dither) {
        for target in [Self.ten, Self.eight] {
            let unit = 1 << (target.bits - 8)
            let black = [16 * unit, 128 * unit, 128 * unit]
            let white = [235 * unit, 128 * unit, 128 * unit]
            let (pq, hlg, sdr) = (ColorSignal.pq(Self.ten), ColorSignal.hlg(Self.ten), ColorSignal.sdr(Self.ten))
            let sRGB = ColorSignal.make(.sRGB, .displayP3, .bt709, target, nil)
            let cases: [(String, ColorSignal, ColorSignal, ToneCurve?, Int, [Int])] =
                [("pq", pq), ("hlg", hlg), ("sdr", sdr)].flatMap { name, from in
                    [ColorSignal.sdr(target), .pq(target), .hlg(target), sRGB].flatMap { to in
                        [nil, ToneCurve.bt2390, .bt2446c].map { curve in
                            let text = "\(name) black to \(to.transfer), \(curve.map { "\($0)" } ?? "auto")"
                            return (text, from, to, curve, 64, black)
                        }
                    }
                } + [
                    ("pq beyond the peak, clip", pq, .sdr(target), .clip, 900, white),
                    ("pq beyond the peak, none", pq, .sdr(target), ToneCurve.none, 900, white),
                    ("hlg white", hlg, .sdr(target), nil, 940, white),
                    ("hlg white, bt2390", hlg, .sdr(target), .bt2390, 940, white),
                    ("sdr white to sRGB", sdr, sRGB, nil, 940, white),
                    ("sdr white to P3", .make(.bt1886, .bt709, .bt709, Self.ten, nil), sRGB, nil, 940, white),
                ]
            for (name, from, to, curve, code, expected) in cases {
                let job = Job(name, from, to, (Self.ten, target), Self.settings(curve), dither: dither)
                if job.plan.keepsLight { continue }
                let source = KernelColors.flat(Self.ten, [code, 512, 512], 64, 64)
                for quality in Quality.allCases {
                    let picture = job.picture(Kernel(set: set, quality: quality), source)
                    for c in 0..<3 {
                        let codes = Set(picture[c])
                        #expect(
                            codes == [expected[c]],
                            "\(name), \(target.bits) bits, \(quality), component \(c): \(codes.sorted())")
                    }
                }
            }
        }
    }

    /// Method A's curve has a step, which is where it should be: colours on both sides of it, as fine as codes of 16
    /// bits, in `reference`.
    @Test(arguments: InstructionSet.supported, [1000.0, 4000]) func theStepOfMethodA(
        _ set: InstructionSet, _ peak: Double
    ) {
        let (from, to) = (layout("RGBA64_LE"), layout("GBR_10LE"))
        let corner = BT2446A<Double>(sourcePeak: peak).corners[0]
        var random = SeededGenerator(seed: 1)
        func fraction() -> Double { Double.random(in: 0...1, using: &random) }
        // One component is near white, where a step takes the most codes.
        let tints = (0..<400).map { i in
            let rest = (fraction(), fraction())
            return [SIMD3(1, rest.0, rest.1), SIMD3(rest.0, 1, rest.1), SIMD3(rest.0, rest.1, 1)][i % 3]
        }
        let width = 64
        let source = Picture(from, width, tints.count)
        for c in 0..<3 {
            source[c] = tints.flatMap { tint in
                (0..<width).map { x in
                    let companded = corner / (tint * BT2446A<Double>.luma).sum() * tint[c]
                    return Int(PQ.inverseEOTF(pow(companded, 2.4) * peak) * 65535) + x - width / 2
                }
            }
        }
        var settings = Self.settings(.bt2446a)
        settings.sourcePeak = peak
        let job = Job("", .pq(from), .sdr(to), (from, to), settings)
        let d = Difference(
            job.picture(Kernel(set: set, quality: .reference), source), job.definition(source), from: source)
        #expect(d.largest <= 1, "\(set): \(d)")
    }
}
