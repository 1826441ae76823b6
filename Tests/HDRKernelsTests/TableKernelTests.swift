import HDRColor
import Testing

@testable import HDRKernels

/// The table kernel against the double-precision one, over random and edge colours.
@Suite struct TableKernelTests {
    static let signals: [(String, @Sendable (PixelLayout) -> ColorSignal)] = [
        ("pq", { .pq($0) }), ("hlg", { .hlg($0) }), ("sdr", { .sdr($0) }),
        ("sRGB", { .make(.sRGB, .displayP3, .bt709, $0, nil) }),
    ]

    /// 131 072 colours as the codes of a signal: uniform, greys, mid tones, shadows, code values out of any gamut and the
    /// corners of the cube.
    static func colors(_ signal: ColorSignal, _ layout: PixelLayout, seed: UInt64 = 7) -> Picture {
        let width = 512
        let height = 256
        let picture = Picture(layout, width, height)
        var random = Random(seed)
        let corners = [0, 0.25, 0.5, 0.58, 0.75, 1]
        let q = signal.quantization
        var codes: [[Int]] = [[], [], []]
        for i in 0..<width * height {
            var rgb = SIMD3<Double>(
                Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random),
                Double.random(in: 0...1, using: &random))
            switch i / 8192 {
            case 0..<4: rgb = SIMD3(repeating: rgb.x)
            case 4..<6: rgb = rgb * 0.3 + 0.35
            case 6..<8: rgb *= 0.15
            case 8: rgb = rgb * 1.3 - 0.15
            default: break
            }
            if i < 216 { rgb = SIMD3(corners[i / 36], corners[i / 6 % 6], corners[i % 6]) }
            let code = q.encode(rgb)
            codes[0].append(Int(code.x))
            codes[1].append(Int(code.y))
            codes[2].append(Int(code.z))
        }
        for c in 0..<3 { picture[c] = codes[c] }
        return picture
    }

    struct Difference {
        var largest = 0
        var mean = 0.0
        /// Share of samples that differ by more than eight codes.
        var far = 0.0
    }

    static func difference(_ a: Picture, _ b: Picture) -> Difference {
        var result = Difference()
        var total = 0
        var count = 0
        var far = 0
        for c in 0..<3 {
            for (x, y) in zip(a[c], b[c]) {
                let d = abs(x - y)
                result.largest = max(result.largest, d)
                total += d
                count += 1
                far += d > 8 ? 1 : 0
            }
        }
        result.mean = Double(total) / Double(count)
        result.far = Double(far) / Double(count)
        return result
    }

    static func settings() -> [(String, ConversionSettings)] {
        var all: [(String, ConversionSettings)] = []
        for curve in ToneCurve.allCases {
            for domain in ToneDomain.allCases {
                var s = ConversionSettings()
                s.toneCurve = curve
                s.domain = domain
                all.append(("\(curve) \(domain)", s))
            }
        }
        for gamut in GamutMapping.allCases where gamut != .clip {
            var s = ConversionSettings()
            s.gamutMapping = gamut
            all.append(("auto \(gamut)", s))
        }
        var dim = ConversionSettings()
        dim.referenceWhite = 100
        dim.hlgPeak = 600
        dim.sourcePeak = 4000
        all.append(("other peaks", dim))
        return all
    }

    static func check(
        _ from: ColorSignal, _ to: ColorSignal, _ layout: PixelLayout, _ settings: ConversionSettings, _ name: String,
        _ source: Picture
    ) {
        let plan = ConversionPlan(source: from, target: to, settings: settings)
        let reference = Picture(layout, source.width, source.height)
        let table = Picture(layout, source.width, source.height)
        convert(source, reference, plan, quality: .reference)
        convert(source, table, plan, quality: .balanced)
        let d = difference(reference, table)
        #expect(d.mean <= 0.05, "\(name): \(d)")
        // I of ICtCp and the mixing with grey take small differences of large numbers, which shows near black.
        switch (settings.domain, settings.gamutMapping) {
        case (.ictcp, _): #expect(d.largest <= 4, "\(name): \(d)")
        case (_, .desaturate): #expect(d.far <= 1e-5, "\(name): \(d)")
        default: #expect(d.largest <= 2, "\(name): \(d)")
        }
    }

    @Test(arguments: ["Y444_10LE", "GBR_10LE"]) func fromHDRToSDR(_ format: String) {
        let l = layout(format)
        for (name, signal) in Self.signals.prefix(2) {
            let from = signal(l)
            let source = Self.colors(from, l)
            for (label, s) in Self.settings() {
                Self.check(from, .sdr(l), l, s, "\(name) -> sdr \(label) \(format)", source)
            }
            Self.check(from, Self.signals[3].1(l), l, .init(), "\(name) -> sRGB P3 \(format)", source)
        }
    }

    @Test func betweenHDRSignals() {
        let l = layout("Y444_10LE")
        for (name, from, to) in [("pq -> hlg", ColorSignal.pq(l), ColorSignal.hlg(l)), ("hlg -> pq", .hlg(l), .pq(l))] {
            let source = Self.colors(from, l)
            for (label, s) in Self.settings() {
                var settings = s
                // A lower peak on the other side makes every curve work.
                settings.targetPeak = to.transfer == .pq ? 400 : nil
                settings.sourcePeak = to.transfer == .hlg ? 4000 : nil
                Self.check(from, to, l, settings, "\(name) \(label)", source)
            }
        }
    }

    @Test func fromSDRToHDR() {
        let l = layout("Y444_10LE")
        for (name, signal) in Self.signals.dropFirst(2) {
            let from = signal(l)
            let source = Self.colors(from, l)
            for inverse in InverseToneCurve.allCases {
                for domain in ToneDomain.allCases {
                    var s = ConversionSettings()
                    s.inverseToneCurve = inverse
                    s.domain = domain
                    Self.check(from, .pq(l), l, s, "\(name) -> pq \(inverse) \(domain)", source)
                    Self.check(from, .hlg(l), l, s, "\(name) -> hlg \(inverse) \(domain)", source)
                }
            }
        }
    }

    @Test func betweenSDRPrimaries() {
        let l = layout("Y444_10LE")
        let from = ColorSignal.make(.bt1886, .bt601, .bt601, l, nil)
        Self.check(from, .sdr(l), l, .init(), "bt601 -> bt709", Self.colors(from, l))
    }

    /// `fast` differs by more than two 8-bit codes in no more than 0.1 % of in-gamut samples.
    @Test func fastIsWithinTwoEightBitCodes() {
        let l = layout("Y444_10LE")
        for curve in [nil, ToneCurve.bt2390] {
            var s = ConversionSettings()
            s.toneCurve = curve
            let plan = ConversionPlan(source: .pq(l), target: .sdr(l), settings: s)
            // Colours that BT.709 holds, as nearly all of a natural picture does.
            let back = ConversionPlan(source: .sdr(l), target: .pq(l), settings: .init())
            let sdr = Self.colors(.sdr(l), l)
            let source = Picture(l, sdr.width, sdr.height)
            convert(sdr, source, back, quality: .reference)
            let reference = Picture(l, source.width, source.height)
            let fast = Picture(l, source.width, source.height)
            convert(source, reference, plan, quality: .reference)
            convert(source, fast, plan, quality: .fast)
            #expect(Self.difference(reference, fast).far <= 0.001)
        }
    }
}
