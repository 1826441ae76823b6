import Testing

@testable import HDRColor

/// libplacebo's `pl_tone_map_spline` with its defaults.
struct SplineCurveTests {
    struct Table: Sendable {
        let curve: SplineCurve<Double>
        let lights: [(Double, Double)]
    }
    /// 1e-6 to 1000 cd/m² on a display of 0.203 to 203.
    static let down = SplineCurve(sourcePeak: 1000, targetPeak: 203, sourceBlack: 1e-6, targetBlack: 0.203)
    static let farDown = SplineCurve(sourcePeak: 4000, targetPeak: 203, sourceBlack: 1e-6, targetBlack: 0.203)
    static func averaged(_ average: Double) -> SplineCurve<Double> {
        SplineCurve(sourcePeak: 1000, targetPeak: 203, sourceBlack: 1e-6, targetBlack: 0.203, average: average)
    }
    static let up = SplineCurve(sourcePeak: 203, targetPeak: 1000, sourceBlack: 0.203, targetBlack: 1e-6)

    static let tables = [
        Table(
            curve: down,
            lights: [
                (1, 1.4856), (10, 9.1068), (26, 20.9287), (50, 34.4949), (100, 55.4534), (203, 85.7085),
                (400, 125.4589), (600, 155.7204), (1000, 203),
            ]),
        Table(curve: farDown, lights: [(100, 46.6719), (203, 69.4147), (1000, 134.1405)]),
        Table(curve: averaged(30), lights: [(100, 59.5290), (203, 92.7094)]),
        // Dark scenes, down to where the knee stops at 0.1, and a bright one, where it stops at 0.8.
        Table(curve: averaged(1), lights: [(10, 10.1252), (100, 50.4168), (203, 78.7610)]),
        Table(curve: averaged(0.01), lights: [(10, 11.8074), (100, 53.1168), (203, 81.3975)]),
        Table(curve: averaged(300), lights: [(10, 4.7198), (100, 32.3068), (203, 62.9622)]),
        Table(curve: up, lights: [(10, 11.1769), (50, 98.4249), (100, 300.2345), (203, 1000)]),
    ]

    /// Tolerance: half of the last printed digit, 4 decimals.
    @Test(arguments: tables) func lights(_ table: Table) {
        for (light, expected) in table.lights {
            #expect(abs(table.curve(light) - expected) <= 0.51e-4, "\(light) cd/m²")
        }
    }

    /// The knee at 0.4 of the source's PQ range, in cd/m² (3 decimals), and the slope there (6 decimals).
    @Test func knee() {
        #expect(abs(Self.down.kneePoint.source - 10.141) <= 0.51e-3)
        #expect(abs(Self.down.kneePoint.target - 9.227) <= 0.51e-3)
        #expect(abs(Self.down.slope - 0.923786) <= 0.51e-6)
        // A scene's average moves the knee there, up to 0.8 and down to 0.1 of the range.
        #expect(abs(Self.averaged(30).kneePoint.source - 30) <= 1e-9)
        let bright = SplineCurve(sourcePeak: 1000.0, targetPeak: 203, average: 900)
        #expect(abs(bright.knee - 0.8 * PQ.inverseEOTF(1000)) <= 1e-6)
        let dark = SplineCurve(sourcePeak: 1000.0, targetPeak: 203, average: 0.0001)
        #expect(abs(dark.knee - 0.1 * PQ.inverseEOTF(1000)) <= 1e-6)
    }

    /// A plan's curve has its knee at the scene's average, or at 0.4 of the source's range where it is not known.
    @Test func knownAverage() throws {
        for average in [nil, 0.01, 5, 60, 900] as [Double?] {
            var choices = settings(.spline, source: 1000)
            choices.sourceAverage = average
            let light = try #require(ConversionPlan(.pq, .sdr, choices).lightCurve)
            let curve = SplineCurve(sourcePeak: 1000.0, targetPeak: 203, average: average ?? 0)
            for level in [0.1, 5, 26, 100, 203, 700] { #expect(light(level) == curve(level)) }
            #expect(light.corners.contains(curve.kneePoint.source))
        }
    }

    static let peaks: [(Double, Double)] = [
        (1000, 100), (1000, 203), (1000, 600), (4000, 100), (4000, 203), (4000, 1000), (10000, 100), (10000, 203),
        (10000, 1000), (400, 203), (203, 400), (203, 1000), (203, 4000), (100, 1000), (100, 10000),
    ]

    @Test(arguments: peaks) func endsAndRise(_ source: Double, _ target: Double) {
        let curve = SplineCurve(sourcePeak: source, targetPeak: target)
        #expect(curve(0) <= 1e-9)
        #expect(abs(curve(source) - target) <= 1e-9 * target)
        let lights = steps(0...1, count: 20001).map { curve(PQ.eotf($0)) }
        #expect(largestFall(lights) <= 1e-9 * target)
        for light in [source * 1.001, 1e6, Double.infinity] { #expect(curve(light) == curve(source)) }
        for light in [-1, -Double.infinity, Double.nan] { #expect(curve(light) == curve(0)) }
    }

    /// Parabola and cubic share value and slope at the knee, and the cubic's curvature ends at 0.
    @Test(arguments: peaks) func smooth(_ source: Double, _ target: Double) {
        let curve = SplineCurve(sourcePeak: source, targetPeak: target)
        func signal(_ x: Double) -> Double { PQ.inverseEOTF(curve(PQ.eotf(x))) }
        let h = 1e-5
        let k = curve.knee
        #expect(abs(signal(k) - curve.kneeOut) <= 1e-10)
        #expect(abs((signal(k) - signal(k - h)) / h - curve.slope) <= 1e-3)
        #expect(abs((signal(k + h) - signal(k)) / h - curve.slope) <= 1e-3)
        let end = curve.sourceMax - curve.knee
        #expect(abs(6 * curve.cubic * end + 2 * curve.square) <= 1e-12)
    }

    @Test(arguments: [203.0, 1000, 4000]) func samePeaksChangeNothing(_ peak: Double) {
        let curve = SplineCurve(sourcePeak: peak, targetPeak: peak)
        for share in steps(0.001...1, count: 500) {
            #expect(abs(curve(share * peak) - share * peak) <= 1e-9 * peak)
        }
    }

    /// Single precision: PQ there and back, and the steepest curve, up from 100 to 10000 cd/m², doubles a rounding.
    @Test(arguments: peaks) func singlePrecision(_ source: Double, _ target: Double) {
        let exact = SplineCurve(sourcePeak: source, targetPeak: target)
        let single = SplineCurve(sourcePeak: Float(source), targetPeak: Float(target))
        let worst = steps(0.1...1, count: 2000).map {
            let light = PQ.eotf($0)
            return abs(Double(single(Float(light))) - exact(light)) / exact(light)
        }.max()!
        #expect(worst <= 3e-4)
    }
}
