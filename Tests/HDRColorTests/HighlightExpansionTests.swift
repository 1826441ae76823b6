import TestSupport
import Testing

@testable import HDRColor

/// `inverse-tone-mapping=auto`.
struct HighlightExpansionTests {
    static let peaks = [250.0, 400, 600, 1000, 2000, 4000, 10000]
    static let shares = [0, 0.01, 0.1, 0.3, 1]

    static func light(_ signal: Double) -> Double { 203 * Double.pow(signal, 2.4) }

    /// Faces and mid tones, up to 70 % of the signal, keep their level exactly; at 75 % 3 % of the way in stops is left
    /// to see.
    @Test(arguments: peaks) func midTones(_ peak: Double) {
        for share in Self.shares {
            let curve = HighlightExpansion(white: 203, peak: peak, highlightShare: share)
            for signal in steps(0...0.6999, count: 200) {
                #expect(curve(Self.light(signal)) == Self.light(signal))
            }
            let stops = Double.log2(curve(Self.light(0.75)) / Self.light(0.75))
            #expect(stops <= 0.028 * Double.log2(peak / 203))
        }
    }

    /// White: the peak where highlights are small, the geometric mean where they are a tenth of the picture, and 16 %
    /// more for a white page, at 1000 cd/m².
    @Test func white() {
        for (share, expected) in [(0.0, 1000.0), (0.1, 450.5552), (1, 234.6664)] {
            let curve = HighlightExpansion(white: 203, peak: 1000, highlightShare: share)
            #expect(abs(curve(203) - expected) <= 0.51e-4)
        }
        #expect(abs(HighlightExpansion<Double>(white: 203, peak: 1000)(203) - 450.5552) <= 0.51e-4)
    }

    /// Between knee and white, by hand: 90 % of the signal is two thirds of the way, and gets 4/9 of white's stops.
    @Test func highlights() {
        let curve = HighlightExpansion(white: 203, peak: 812, highlightShare: 0)
        #expect(abs(curve(Self.light(0.9)) / Self.light(0.9) - Double.pow(2, 8.0 / 9)) <= 1e-12)
        #expect(abs(curve(Self.light(0.85)) / Self.light(0.85) - Double.pow(2, 0.5)) <= 1e-12)
    }

    /// Light rises without a step or an edge, stays between its level and the peak, and is less the larger the share.
    @Test(arguments: peaks) func smooth(_ peak: Double) {
        var before: [Double] = []
        for share in Self.shares {
            let curve = HighlightExpansion(white: 203, peak: peak, highlightShare: share)
            let lights = steps(0...1, count: 5001).map { Self.light($0) }
            let lifted = lights.map { curve($0) }
            #expect(largestFall(lifted) <= 0)
            #expect(zip(lights, lifted).allSatisfy { $1 >= $0 && $1 <= peak * (1 + 1e-12) })
            #expect(before.isEmpty || zip(before, lifted).allSatisfy { $1 <= $0 })
            before = lifted
            let h = 1e-5
            #expect(abs((curve(curve.knee * (1 + h)) - curve.knee) / (curve.knee * h) - 1) <= 1e-3)
            for above in [203.001, 1e6, .infinity] { #expect(curve(above) == curve(203)) }
            for below in [-1, -Double.infinity, .nan] { #expect(curve(below) == 0) }
        }
    }

    /// At a peak of SDR white, or below, nothing is lifted.
    @Test(arguments: [100.0, 203]) func noRoom(_ peak: Double) {
        let curve = HighlightExpansion(white: 203, peak: peak, highlightShare: 0)
        for light in steps(0...203, count: 100) { #expect(curve(light) == light) }
    }

    @Test func weights() {
        for (signal, weight) in [(0.0, 0.0), (0.7, 0), (0.85, 0.5), (1, 1), (1.09, 1), (-0.1, 0)] {
            let light = signal > 0 ? Double.pow(signal, 2.4) : signal
            #expect(abs(HighlightExpansion<Double>.weight(light) - weight) <= 1e-12)
        }
    }

    // MARK: In a conversion

    /// The gain is that of the largest component, whatever the domain: hue stays, and what `none` makes of colours
    /// without highlights stays exactly.
    @Test(arguments: ToneDomain.allCases) func keepsHue(_ domain: ToneDomain) {
        let convert = Conversion<Double>(.sdr, .pq, settings(nil, domain, inverse: .expansion))
        let plain = Conversion<Double>(.sdr, .pq, settings())
        var random = SeededGenerator(seed: 12)
        for _ in 0..<2000 {
            let light = random.color(in: 0...203)
            let (lifted, level) = (convert.mapped(light), plain.mapped(light))
            let gain = lifted.dot(RGB(1, 1, 1)) / level.dot(RGB(1, 1, 1))
            #expect(gain >= 1 - 1e-12 && (lifted - level * gain).magnitude <= 1e-9 * 203)
            if light.maxComponent <= Self.light(0.7) { #expect((lifted - level).magnitude <= 1e-12) }
        }
    }

    /// The measured share is part of a plan only where the inverse curve follows it.
    @Test func measuredShare() throws {
        for inverse in ToneCurve.inverses {
            var choices = settings(inverse: inverse)
            let still = ConversionPlan(.sdr, .pq, choices)
            choices.highlightShare = 0.02
            let plan = ConversionPlan(.sdr, .pq, choices)
            #expect((plan == still) == (inverse != .expansion) && plan.highlightShare == (plan == still ? nil : 0.02))
        }
        var choices = settings(inverse: .expansion)
        choices.highlightShare = 0.02
        let light = try #require(ConversionPlan(.sdr, .hlg, choices).lightCurve)
        #expect(light(203) == HighlightExpansion(white: 203.0, peak: 1000, highlightShare: 0.02)(203))
        #expect(ConversionPlan(.pq, .sdr, choices).highlightShare == nil)
    }
}
