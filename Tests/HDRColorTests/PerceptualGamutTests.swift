import TestSupport
import Testing

@testable import HDRColor

struct PerceptualGamutTests {
    /// The results of libplacebo's formulas from BT.2020 to BT.709 with a peak of 203 cd/m², in units of the peak, and
    /// how far the colours move.
    static let published: [(light: RGB, mapped: RGB, strength: Double)] = [
        (RGB(1, 0, 0), RGB(1, 0, 0), 0.8), (RGB(0, 1, 0), RGB(0, 1, 0), 0.8), (RGB(0, 0, 1), RGB(0, 0, 1), 0.8),
        (RGB(0, 1, 1), RGB(0, 1, 0.9803), 0.8), (RGB(0.5, 0, 0), RGB(0.5636, 0, 0), 0.7807),
        (RGB(0.8, 0.6, 0.1), RGB(0.9048, 0.5875, 0.0586), 0.3705),
        (RGB(0.5, 0.2, 0.15), RGB(0.7018, 0.1631, 0.1386), 0.0001), (RGB(1, 1, 1), RGB(1, 1, 1), 0),
        (RGB(0.2, 0.5, 0.3), RGB(0.0383, 0.5344, 0.2839), 0.1234),
    ]
    static let peaks = [100.0, 203, 1000, 4000]

    static func mapper(_ peak: Double, _ source: Primaries = .bt2020, _ target: Primaries = .bt709)
        -> GamutMapper<Double>
    {
        GamutMapper(.perceptual, from: source, to: target, peak: peak)
    }

    @Test(arguments: published.indices) func publishedColors(_ index: Int) {
        let (light, expected, strength) = Self.published[index]
        let gamut = PerceptualGamut<Double>(from: .bt2020, to: .bt709, peak: 203)
        let mapped = Self.mapper(203)(light * 203) / 203
        #expect((mapped - expected).magnitude <= 0.002, "\(mapped)")
        #expect(abs(gamut.strength(light * 203) - strength) <= 0.002, "\(gamut.strength(light * 203))")
    }

    /// Colours near grey get the matrix alone. None here becomes brighter than the peak.
    @Test(arguments: peaks) func colorsNearGreyStay(_ peak: Double) {
        let mapper = Self.mapper(peak)
        let matrix = Primaries.bt2020.matrix(to: .bt709)
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2000 {
            let light = random.color(in: 0.7...0.95) * Double.random(in: 0...0.8 * peak, using: &random)
            #expect(mapper(light) == matrix * light)
        }
    }

    /// From grey to the most saturated colour no component makes a jump or bends so sharply that a saturated area would
    /// show a seam.
    @Test(arguments: peaks) func noBanding(_ peak: Double) {
        let mapper = Self.mapper(peak)
        let count = 4000
        for hue in 0..<36 {
            let corner = RGB(
                abs(Double(hue) / 6 - 3) - 1, 2 - abs(Double(hue) / 6 - 2), 2 - abs(Double(hue) / 6 - 4)
            ).limited(0, 1)
            for level in [0.01, 0.1, 0.5, 1] {
                let ramp = (0...count).map { step in
                    mapper((RGB(repeating: 1) + (corner - 1) * (Double(step) / Double(count))) * (level * peak))
                }
                for index in 1..<count {
                    let bend = ramp[index + 1] - ramp[index] * 2 + ramp[index - 1]
                    // A part of a mean step, but where a component reaches 0 or the peak.
                    let isEdge = (index - 1...index + 1).contains {
                        ramp[$0].minComponent <= 1e-9 * peak || ramp[$0].maxComponent >= peak * (1 - 1e-9)
                    }
                    if !isEdge { #expect(bend.magnitude <= 0.4 * level * peak / Double(count)) }
                }
            }
        }
    }

    /// Saturated colours keep their differences where clipping merges them.
    @Test func saturatedDetailStays() {
        let perceptual = Self.mapper(203)
        let matrix = Primaries.bt2020.matrix(to: .bt709)
        for (bright, dark) in [
            (RGB(1, 0.05, 0.05), RGB(0.7, 0.03, 0.03)), (RGB(0.9, 0.02, 0.6), RGB(0.65, 0.02, 0.45)),
        ] {
            let clipped = (matrix * (bright * 203)).limited(0, 203).x - (matrix * (dark * 203)).limited(0, 203).x
            let kept = perceptual(bright * 203).x - perceptual(dark * 203).x
            #expect(kept > 0.1 * 203 && kept > clipped)
        }
    }

    /// Where the target's gamut contains the source's, nothing but light above the peak is changed.
    @Test func intoAWiderGamut() {
        let gamut = PerceptualGamut<Double>(from: .bt709, to: .bt2020, peak: 203)
        #expect(gamut.reach.isEmpty)
        var random = SeededGenerator(seed: 22)
        for _ in 0..<1000 {
            let light = random.color(in: 0...200)
            #expect(gamut(light) == Primaries.bt709.matrix(to: .bt2020) * light)
        }
    }

    /// The largest chroma of the table is that of the colours on the edges of the gamut, found by a search inside it.
    @Test(arguments: peaks) func reach(_ peak: Double) {
        let gamut = PerceptualGamut<Double>(from: .bt2020, to: .bt709, peak: peak)
        #expect(gamut.reach.count == Perceptual.directions + 1 && gamut.reach.allSatisfy { $0 > 1 && $0 < 20 })
        func share(_ light: RGB) -> Double {
            let signal = (gamut.toCone * light).map { PQ.inverseEOTF($0) }
            let (p, t) = (Perceptual.p.dot(signal), Perceptual.t.dot(signal))
            let sum = abs(p) + abs(t)
            let place = (p < 0 ? 3 - t / sum : 1 + t / sum) * 128
            let index = min(Int(place), 511)
            return sum * (gamut.reach[index] + (gamut.reach[index + 1] - gamut.reach[index]) * (place - Double(index)))
        }
        var random = SeededGenerator(seed: 23)
        var most = 0.0
        for _ in 0..<20000 {
            var light = random.color(in: 0...peak)
            light[Int.random(in: 0..<3, using: &random)] = 0
            most = max(most, share(light))
        }
        // Between two entries of the table a corner of the gamut is cut.
        #expect(most <= 1.03, "\(most)")
        #expect(abs(share(RGB(peak, 0, 0)) - 1) <= 0.03 && abs(share(RGB(0, 0, peak)) - 1) <= 0.03)
    }
}
