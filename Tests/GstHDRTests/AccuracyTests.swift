import CGStreamer
import HDRColor
import TestSupport
import Testing

/// Whole frames of random colours, edge colours among them, against the definition in double precision.
@Suite(.quiet)
struct AccuracyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let source: Color
        let target: Color
        var curve: ToneCurve?
        var domain = ToneDomain.maxRGB
        var inverse = ToneCurve.none
        var gamut = GamutMapping.clip
        var targetPeak: Double?
        var formats = ("Y444_10LE", "Y444_10LE")

        var testDescription: String {
            "\(formats.0) \(source.name) to \(formats.1) \(target.name), "
                + "\(curve.map { "\($0)" } ?? "auto") in \(domain), inverse \(inverse), "
                + "gamut \(gamut), peak \(targetPeak ?? 0)"
        }

        var properties: [String: String] {
            [
                "tone-mapping": curve.map { "\($0)" } ?? "auto",
                "tone-mapping-domain": domain == .maxRGB ? "max-rgb" : "\(domain)",
                "inverse-tone-mapping": "\(inverse)", "gamut-mapping": "\(gamut)", "target-peak": "\(targetPeak ?? 0)",
                "dither": "none", "peak-detection": "off",
            ]
        }

        var settings: ConversionSettings {
            var settings = ConversionSettings()
            settings.toneCurve = curve
            settings.domain = domain
            settings.inverseToneCurve = inverse
            settings.gamutMapping = gamut
            settings.targetPeak = targetPeak
            return settings
        }
    }

    /// The curves that act in a domain of the user's choice.
    static let scalarCurves: [ToneCurve] = [.bt2390, .spline, .reinhard, .hable, .mobius]
    static let otherCurves: [ToneCurve?] = [
        nil, ToneCurve.none, .clip, .bt2446a, .bt2446c, .referenceWhite,
    ]

    static func curves(_ source: Color, _ target: Color, targetPeak: Double? = nil) -> [Case] {
        let scalar = scalarCurves.flatMap { curve in
            ToneDomain.allCases.map {
                Case(source: source, target: target, curve: curve, domain: $0, targetPeak: targetPeak)
            }
        }
        return scalar + otherCurves.map { Case(source: source, target: target, curve: $0, targetPeak: targetPeak) }
    }

    static func inverses(_ target: Color) -> [Case] {
        let spline = ToneDomain.allCases.map {
            Case(source: .sdr, target: target, domain: $0, inverse: .spline)
        }
        return spline
            + [ToneCurve.none, .bt2446a, .bt2446c, .expansion].map { Case(source: .sdr, target: target, inverse: $0) }
    }

    static let hdrToSDR = curves(.pq, .sdr) + curves(.hlg, .sdr)
    static let hdrToHDR =
        curves(.pq, .hlg, targetPeak: 400) + curves(.hlg, .pq, targetPeak: 400) + curves(.pq, .pq, targetPeak: 400)
        + curves(.hlg, .hlg, targetPeak: 400)
    static let sdrToHDR = inverses(.pq) + inverses(.hlg)
    static let rest: [Case] = [
        Case(source: .pq, target: .hlg), Case(source: .hlg, target: .pq), Case(source: .pq, target: .sRGB),
        Case(source: .sdr, target: .sRGB), Case(source: .sRGB, target: .sdr), Case(source: .displayP3, target: .sdr),
        Case(source: .pqOfP3, target: .sdr, curve: .referenceWhite),
        Case(source: .pqOfP3, target: .hlg, curve: .referenceWhite, targetPeak: 500),
        Case(source: .pq, target: .sdr, curve: .referenceWhite, targetPeak: 100),
        Case(source: .sdr, target: .displayP3), Case(source: .linear, target: .pq), Case(source: .pq, target: .linear),
        Case(source: .pq, target: .sdr, gamut: .softclip), Case(source: .pq, target: .sdr, gamut: .desaturate),
        Case(source: .hlg, target: .displayP3, gamut: .softclip), Case(source: .pq, target: .sdr, targetPeak: 100),
        Case(source: .pq, target: .sdr, formats: ("GBR_10LE", "GBR_10LE")),
        Case(source: .hlg, target: .sdr, formats: ("GBR_12LE", "Y444_12LE")),
        Case(source: .pq, target: .hlg, formats: ("ARGB64_LE", "ARGB64_LE")),
        Case(source: .hlg, target: .pq, formats: ("Y444_16LE", "RGBA64_LE")),
        Case(source: .sRGB, target: .pq, formats: ("RGBA", "RGB10A2_LE")),
        Case(source: .pq, target: .sRGB, formats: ("BGR10A2_LE", "BGRx")),
        Case(source: .sdr, target: .hlg, formats: ("AYUV64", "GBRA_12LE")),
        Case(source: .pq, target: .pq, formats: ("Y444_12LE", "GBR_10LE")),
        Case(source: .hlg, target: .hlg, formats: ("GBR_10LE", "Y444_16LE")),
        Case(source: .sdr, target: .sdr, formats: ("Y444", "Y444_10LE")),
    ]

    @Test(arguments: hdrToSDR) func fromHDRToSDR(_ example: Case) throws { try check(example) }
    @Test(arguments: hdrToHDR) func betweenHDR(_ example: Case) throws { try check(example) }
    @Test(arguments: sdrToHDR) func fromSDRToHDR(_ example: Case) throws { try check(example) }
    @Test(arguments: rest) func others(_ example: Case) throws { try check(example) }

    private func check(_ example: Case) throws {
        let (from, to) = (Format(example.formats.0), Format(example.formats.1))
        let width = 402
        let height = TestWork.scaled(250, least: 4)
        let source = example.source.signal(from)
        let target = example.target.signal(to)
        let picture = Self.colours(width, height, source.quantization)
        let expected = Self.reference(picture, source, target, example.settings)
        let input = caps(from.name, example.source.colorimetry(from), width, height)
        let output = want(to.name, example.target.colorimetry(to))
        // Codes at this depth for one at 10 bits.
        let unit = Double(1 << max(0, to.bits - 10))
        // I of ICtCp comes back through small differences of large numbers.
        let balanced = example.domain == .ictcp ? 4 * unit : 2 * unit
        for (quality, most, mean) in [("reference", 1.0, 0.01), ("balanced", balanced, 0.05 * unit)] {
            let harness = try Harness(input, to: output, example.properties.merging(["quality": quality]) { $1 })
            let difference = try harness.convert(picture).difference(to: expected)
            #expect(Double(difference.largest) <= most && difference.mean <= mean, "\(quality): \(difference)")
        }
    }

    /// Random codes: half of the pixels from all that exist, half from the nominal range; and at the start the corners
    /// and edges of both.
    static func colours(_ width: Int, _ height: Int, _ q: Quantization) -> PictureCodes {
        let top = UInt16(q.maxCode)
        let (low, high) = (UInt16(q.offset.x), UInt16(min(q.offset.x + q.scale.x, Double(top))))
        let middle = UInt16((Int(top) + 1) / 2)
        let edges = [0, low, middle, high - 1, high, top]
        var random = SeededGenerator(seed: 7)
        return PictureCodes(width, height) { x, y in
            let index = y * width + x
            if index < 216 { return SIMD4(edges[index / 36], edges[index / 6 % 6], edges[index % 6], .max) }
            let range = index & 1 == 0 ? 0...top : low...high
            return SIMD4(
                .random(in: range, using: &random), .random(in: range, using: &random),
                .random(in: range, using: &random),
                .max)
        }
    }

    /// The definition, colour by colour.
    private static func reference(
        _ picture: PictureCodes, _ source: ColorSignal, _ target: ColorSignal, _ settings: ConversionSettings
    ) -> PictureCodes {
        let plan = ConversionPlan(source: source, target: target, settings: settings)
        let conversion = Conversion<Double>(plan)
        var result = picture
        for (index, p) in picture.pixels.enumerated() {
            let signal = source.quantization.decode(SIMD3(Double(p.x), Double(p.y), Double(p.z)))
            let c = target.quantization.encode(plan.keepsLight ? signal : conversion(signal))
            result.pixels[index] = SIMD4(UInt16(c.x), UInt16(c.y), UInt16(c.z), p.w)
        }
        return result
    }
}
