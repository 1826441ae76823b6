import HDRColor
import Testing

@testable import HDRKernels

/// The promise of `fast`: in pictures from cameras, no more than one pixel in a thousand is further off than two 8-bit
/// codes. Saturated noise may be.
@Suite struct FastKernelTests {
    typealias Signal = KernelAccuracyTests.Signal

    struct Case: Sendable, CustomTestStringConvertible {
        let from: Signal
        let to: Signal
        var settings = ConversionSettings()
        /// The light of the picture's highlights, in cd/m².
        let peak: Double
        var testDescription: String {
            "\(from) -> \(to) \(settings.toneCurve.map { "\($0)" } ?? "auto") in \(settings.domain), \(peak) cd/m²"
        }

        init(
            _ from: Signal, _ to: Signal, _ peak: Double, curve: ToneCurve? = nil, domain: ToneDomain = .maxRGB,
            inverse: ToneCurve = .none, gamut: GamutMapping = .clip, targetPeak: Double? = nil
        ) {
            (self.from, self.to, self.peak) = (from, to, peak)
            settings.toneCurve = curve
            settings.domain = domain
            settings.inverseToneCurve = inverse
            settings.gamutMapping = gamut
            settings.targetPeak = targetPeak
            if from == .pq { settings.sourcePeak = peak }
        }
    }

    static let cases: [Case] = {
        var cases: [Case] = []
        for (curve, domain) in KernelAccuracyTests.curves {
            cases.append(Case(.pq, .sdr, 1000, curve: curve, domain: domain))
            cases.append(Case(.hlg, .sdr, 1000, curve: curve, domain: domain))
        }
        for curve in [ToneCurve.bt2446a, .bt2390, .hable] { cases.append(Case(.pq, .sdr, 4000, curve: curve)) }
        for gamut in GamutMapping.allCases { cases.append(Case(.pq, .sdr, 1000, gamut: gamut)) }
        for inverse in ToneCurve.inverses {
            cases.append(Case(.sdr, .pq, 203, inverse: inverse))
            cases.append(Case(.sRGB, .hlg, 203, inverse: inverse))
        }
        cases.append(Case(.pq, .pq, 4000, targetPeak: 600))
        for (from, to, peak) in [
            (Signal.pq, Signal.hlg, 1000.0), (.hlg, .pq, 1000), (.pq, .sRGB, 1000), (.sdr, .sRGB, 203),
            (.sRGB, .sdr, 203), (.bt601, .sdr, 203),
        ] {
            cases.append(Case(from, to, peak))
        }
        return cases
    }()

    @Test(arguments: cases) func naturalPictures(_ example: Case) {
        let wide = layout("Y444_10LE")
        let signal = example.from.signal(wide)
        let source = KernelColors.natural(signal, wide, peak: example.peak)
        for (target, far) in [(layout("Y444"), 2), (wide, 8)] {
            let job = Job("", signal, example.to.signal(target), (wide, target), example.settings)
            let expected = job.definition(source)
            for set in InstructionSet.supported {
                let picture = job.picture(Kernel(set: set, quality: .fast), source)
                let d = Difference(picture, expected, far: far, from: source)
                #expect(d.farPixels <= 0.001, "\(set), \(target.bits) bits: \(d)")
            }
        }
    }

    /// The pictures are what they are meant to be: they fill the range, with few colours that are hard.
    @Test func picturesAreNatural() {
        let wide = layout("Y444_10LE")
        let q = ColorSignal.pq(wide).quantization
        let picture = KernelColors.natural(.pq(wide), wide, peak: 1000)
        let codes = picture.samples
        let count = picture.width * picture.height
        let light = (0..<count).map { i in
            q.decode(SIMD3(Double(codes[i]), Double(codes[count + i]), Double(codes[2 * count + i]))).map {
                PQ.eotf($0)
            }
        }
        func share(_ isOne: (SIMD3<Double>) -> Bool) -> Double { Double(light.filter(isOne).count) / Double(count) }
        let night = share { $0.maxComponent < 2 }
        let highlights = share { $0.maxComponent > 300 }
        let narrow = share { (Primaries.bt2020.matrix(to: .bt709) * $0).minComponent > -0.05 * $0.maxComponent }
        #expect(night > 0.05 && night < 0.4, "\(night)")
        #expect(highlights > 0.02 && highlights < 0.3, "\(highlights)")
        #expect(narrow > 0.99, "\(narrow)")
        #expect(Set(codes).count > 500)
    }
}
