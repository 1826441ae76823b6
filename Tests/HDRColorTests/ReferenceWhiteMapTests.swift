import TestSupport
import Testing

@testable import HDRColor

/// The map of SMPTE ST 2094-50 (PCD 2) for content without dynamic metadata.
struct ReferenceWhiteMapTests {
    struct Row: Sendable {
        let peak, headroom: Double
        let lights: [(Double, Double)]
    }

    /// Figures by a program of its own that follows the standard's text.
    static let rows = [
        Row(
            peak: 1000, headroom: 1,
            lights: [(26, 13), (100, 50), (203, 101.5), (400, 150.359), (600, 174.423), (1000, 203)]),
        Row(
            peak: 1000, headroom: 1.5,
            lights: [(26, 17.314), (100, 66.591), (203, 135.179), (400, 211.734), (600, 253.766), (1000, 304.5)]),
        Row(
            peak: 1000, headroom: 2,
            lights: [(26, 21.217), (100, 81.603), (203, 165.654), (400, 269.941), (600, 331.103), (1000, 406)]),
        Row(
            peak: 1000, headroom: 3,
            lights: [(26, 26), (100, 100), (203, 203), (400, 354.227), (600, 460.121), (1000, 609)]),
        Row(
            peak: 1000, headroom: 4,
            lights: [(26, 26), (100, 100), (203, 203), (400, 380.099), (600, 536.714), (1000, 812)]),
        Row(peak: 4000, headroom: 1, lights: [(400, 126.833), (600, 138.324), (1000, 153.56), (4000, 203)]),
        Row(peak: 4000, headroom: 2, lights: [(400, 222.574), (600, 250.181), (1000, 286.964), (4000, 406)]),
        Row(peak: 4000, headroom: 4, lights: [(400, 301.93), (600, 363.438), (1000, 454.566), (4000, 812)]),
    ]

    static func map(_ peak: Double, _ headroom: Double, white: Double = 203) -> ReferenceWhiteMap {
        ReferenceWhiteMap(white: white, sourcePeak: peak, targetPeak: headroom * white)
    }

    /// Tolerance: half of the last printed digit, 3 decimals.
    @Test(arguments: rows) func lights(_ row: Row) {
        for (light, expected) in row.lights {
            #expect(abs(Self.map(row.peak, row.headroom)(light) - expected) <= 0.51e-3, "\(light) cd/m²")
        }
    }

    /// Binary logarithms of the gain at the eight points from 1000 cd/m² to SDR.
    @Test func points() {
        let map = Self.map(1000, 1)
        let x = [1, 1.239308, 1.585805, 2.039489, 2.600362, 3.268423, 4.043671, 4.926108]
        let y = [-1, -1.071247, -1.235531, -1.441284, -1.660714, -1.880361, -2.094323, -2.300448]
        for (x, y) in zip(x, y) {
            let light = 203 * x
            #expect(abs(Double.log2(map(light) / light) - y) <= 1e-6, "\(x)")
        }
    }

    /// The identity where the source's peak is not above white, or the target's not below the source's.
    @Test func identity() {
        let lights = steps(0...1000, count: 101)
        let peaks = [(203.0, 203.0), (100, 203), (150, 100), (203, 1000), (1000, 1000), (1000, 4000), (4000, 10000)]
        for (source, target) in peaks {
            let map = ReferenceWhiteMap(white: 203, sourcePeak: source, targetPeak: target)
            for light in lights { #expect(map(light) == light, "\(source) to \(target)") }
        }
        for light in steps(0...203, count: 50) { #expect(abs(Self.map(203.0001, 1)(light) - light) <= 1e-3) }
    }

    /// A target that is darker than reference white gets what a target of reference white gets.
    @Test func targetsBelowWhite() {
        let low = ReferenceWhiteMap(white: 203, sourcePeak: 1000, targetPeak: 100)
        let own = Self.map(1000, 1)
        for light in steps(0...1000, count: 301) { #expect(low(light) == own(light)) }
        #expect(abs(low(1000) - 203) <= 1e-9 && abs(low(203) - 101.5) <= 1e-9)
    }

    /// White is all that matters: the map of scaled luminances is scaled.
    @Test func relativeToWhite() {
        let map = Self.map(1000, 2)
        let scaled = Self.map(500, 2, white: 101.5)
        for light in steps(1...1000, count: 200) {
            #expect(abs(scaled(light / 2) * 2 - map(light)) <= 1e-9 * light)
        }
    }

    /// A headroom that moves moves each light a little, from half of white up to the source itself, and never back.
    @Test(arguments: [300.0, 500, 1000, 2000, 4000, 10000]) func followsTheHeadroom(_ peak: Double) {
        for light in [1, 26, 100, 203, 250, 400, peak * 0.7, peak, min(peak * 1.5, 10000)] {
            var last = Self.map(peak, 1)(light)
            for step in 1...1000 {
                let headroom = Double.pow(peak / 203, Double(step) / 1000)
                let next = Self.map(peak, headroom)(light)
                // A thousandth of the way in stops, of at most six stops in all.
                #expect(next >= last * (1 - 1e-9) && next <= last * 1.01, "\(light) at \(headroom)")
                last = next
            }
            #expect(abs(last - light) <= 1e-9 * light)
        }
    }

    /// Random peaks and whites: light ends at the target's peak, rises, and its gain falls. Sources above 28 whites are
    /// another matter; see `allowedFall`.
    @Test func randomRanges() {
        var random = SeededGenerator(seed: 2094)
        for _ in 0..<400 {
            let white = Double.random(in: 80...400, using: &random)
            let source = white * Double.random(in: 1.01...28, using: &random)
            let target = white * Double.random(in: 1...40, using: &random)
            let map = ReferenceWhiteMap(white: white, sourcePeak: source, targetPeak: target)
            #expect(map(0) == 0)
            #expect(abs(map(source) - min(source, target)) <= 1e-9 * source || target > source)
            var (lastLight, last) = (0.0, 0.0)
            for step in 1...300 {
                let light = source * Double(step) / 300
                let value = map(light)
                #expect(value >= last - 1e-9 && value <= light * (1 + 1e-12), "\(source) to \(target), white \(white)")
                if lastLight > 0 { #expect(value / light <= last / lastLight * (1 + 1e-9)) }
                (lastLight, last) = (light, value)
            }
        }
    }

    // MARK: In a conversion

    /// The gain is that of the largest component in BT.2020, for sources of other primaries too, whatever the domain
    /// that the user chooses.
    @Test(arguments: [Primaries.bt2020, .displayP3, .bt709]) func domain(_ primaries: Primaries) throws {
        let source = ColorSignal(.pq, primaries)
        let toBT2020 = primaries.matrix(to: .bt2020)
        let map = Self.map(1000, 1)
        var random = SeededGenerator(seed: 50)
        for domain in ToneDomain.allCases {
            let convert = Conversion<Double>(source, .sdr, settings(.referenceWhite, domain, source: 1000))
            let plain = Conversion<Double>(source, .sdr, settings(ToneCurve.none, source: 1000))
            for _ in 0..<500 {
                let light = random.color(in: 0...1000)
                let most = (toBT2020 * light).maxComponent
                let expected = plain.mapped(light * (map(most) / most))
                #expect((convert.mapped(light) - expected).magnitude <= 1e-9)
            }
        }
    }

    /// SDR needs no map, whatever it becomes.
    @Test func ofSDR() {
        for target in [ColorSignal.pq, .hlg, .sdr] {
            #expect(ConversionPlan(.sdr, target, settings(.referenceWhite)).toneCurve == .none)
        }
    }
}
