import Testing

@testable import HDRColor

/// Report ITU-R BT.2390 section 5.4.1 up to revision 7, then Report ITU-R BT.2408 Annex 5.
struct BT2390Tests {
    struct Table: Sendable {
        let source: Double
        let target: Double
        /// Source and target light, in cd/m².
        let lights: [(Double, Double)]
        init(_ source: Double, _ target: Double, _ lights: [(Double, Double)]) {
            (self.source, self.target, self.lights) = (source, target, lights)
        }
    }

    /// A black of 0 on both sides; 4 decimals.
    static let tables = [
        Table(
            1000, 100,
            [
                (26, 26), (50, 46.1430), (58, 51.1931), (80, 62.1543), (100, 69.4544), (150, 81.2302), (203, 88.2436),
                (300, 94.6825), (400, 97.5984), (600, 99.5754), (1000, 100),
            ]),
        Table(
            1000, 203,
            [
                (80, 80), (100, 99.3611), (150, 135.2356), (203, 159.0419), (300, 182.4905), (400, 193.6091),
                (600, 201.3242), (1000, 203),
            ]),
        Table(
            4000, 203,
            [
                (26, 26), (50, 49.5490), (100, 85.8995), (203, 127.9345), (400, 163.7492), (1000, 193.6963),
                (2000, 201.8247), (4000, 203),
            ]),
        Table(4000, 100, [(26, 23.8155), (100, 55.1463), (203, 72.6202), (1000, 96.7996)]),
        Table(10000, 1000, [(400, 394.0010), (600, 537.7534), (1000, 713.3321), (4000, 979.7989)]),
    ]

    /// Tolerance: half of the last printed digit.
    @Test(arguments: tables) func transfer(_ table: Table) {
        let curve = BT2390(sourcePeak: table.source, targetPeak: table.target)
        for (light, expected) in table.lights {
            #expect(abs(curve(light) - expected) <= 0.51e-4, "\(light) cd/m²")
        }
    }

    /// maxLum, the target's peak on the source's scale, and KS = 1.5 maxLum - 0.5: 6 decimals.
    @Test func knees() {
        let narrow = BT2390(sourcePeak: 1000.0, targetPeak: 100)
        #expect(abs(narrow.targetWhite - 0.675792) <= 0.51e-6)
        #expect(abs(narrow.knee - 0.513687) <= 0.51e-6)
        #expect(abs(BT2390(sourcePeak: 1000.0, targetPeak: 203).knee - 0.658555) <= 0.51e-6)
        #expect(abs(BT2390(sourcePeak: 4000.0, targetPeak: 203).knee - 0.465056) <= 0.51e-6)
    }

    /// 0.005 to 1000 cd/m² on a display of 0.1 to 100, in the form that is published: black is lifted, and white is
    /// lifted with it, above the display's own.
    @Test(arguments: [
        (0.005, 0.1), (0.1, 0.3127), (1, 1.4835), (10, 10.8817), (100, 70.1570), (1000, 100.5657),
    ])
    func blackLift(_ light: Double, _ expected: Double) {
        let curve = BT2390(sourcePeak: 1000, targetPeak: 100, sourceBlack: 0.005, targetBlack: 0.1)
        #expect(abs(curve(light) - expected) <= 0.51e-4)
    }

    static let peaks: [(Double, Double)] = [
        (1000, 100), (1000, 203), (4000, 100), (4000, 203), (4000, 1000), (10000, 50), (10000, 203), (10000, 4000),
        (400, 203), (203, 202),
    ]

    /// Below the knee light keeps its level to the accuracy of PQ's powers, and above it light is taken down.
    @Test(arguments: peaks) func identityBelowKnee(_ source: Double, _ target: Double) {
        let curve = BT2390(sourcePeak: source, targetPeak: target)
        for share in steps(-0.5...0.999, count: 600) {
            let signal = share < 0 ? curve.knee * (1 + share) : curve.knee + (1 - curve.knee) * share
            guard signal > 0 else { continue }
            let light = PQ.eotf(signal * curve.span)
            if share < 0 {
                #expect(abs(curve(light) - light) <= 1e-9 * light)
            } else if share > 0.01 {
                #expect(curve(light) < light)
            }
        }
    }

    @Test(arguments: peaks) func endsAndSlope(_ source: Double, _ target: Double) {
        let curve = BT2390(sourcePeak: source, targetPeak: target)
        #expect(curve(0) <= 1e-12)
        #expect(abs(curve(source) - target) <= 1e-9 * target)
        let lights = steps(0...1, count: 20001).map { curve(PQ.eotf($0)) }
        #expect(largestFall(lights) <= 1e-9 * target)
        // The spline leaves the knee with the slope of the identity.
        guard curve.knee > 0 else { return }
        let step = 1e-4 * (1 - curve.knee)
        func signal(_ x: Double) -> Double { PQ.inverseEOTF(curve(PQ.eotf(x * curve.span))) / curve.span }
        #expect(abs((signal(curve.knee + step) - signal(curve.knee)) / step - 1) <= 1e-3)
    }

    /// Above the source's peak stands the target's peak, and outside values give an end.
    @Test(arguments: peaks) func outside(_ source: Double, _ target: Double) {
        let curve = BT2390(sourcePeak: source, targetPeak: target)
        for light in [source * 1.001, source * 2, 1e6, Double.infinity] { #expect(curve(light) == curve(source)) }
        for light in [-1, -Double.infinity, Double.nan] { #expect(curve(light) == curve(0)) }
    }

    /// A target that holds the source needs no knee.
    @Test(arguments: [(1000.0, 1000.0), (1000, 2000), (203, 10000)])
    func noCompression(_ source: Double, _ target: Double) {
        let curve = BT2390(sourcePeak: source, targetPeak: target)
        for share in steps(0.001...1, count: 100) {
            #expect(abs(curve(share * source) - share * source) <= 1e-9 * source)
        }
    }

    /// Single precision: PQ there and back, twice 1e-4 of the light at most.
    @Test(arguments: peaks) func singlePrecision(_ source: Double, _ target: Double) {
        let exact = BT2390(sourcePeak: source, targetPeak: target)
        let single = BT2390(sourcePeak: Float(source), targetPeak: Float(target))
        let worst = steps(0.05...1, count: 2000).map {
            let light = PQ.eotf($0)
            return abs(Double(single(Float(light))) - exact(light)) / exact(light)
        }.max()!
        #expect(worst <= 2e-4)
    }
}
