import TestSupport
import Testing

@testable import HDRColor

/// SMPTE ST 2094-40's curve on the targeted display, and on others.
@Suite struct ST209440Tests {
    /// A curve as encoders of HDR10+ write it.
    static let scene = SceneToneCurve(
        kneePoint: SIMD2(0.0586, 0.2051),
        anchors: [0.2610, 0.4106, 0.5494, 0.6637, 0.7507, 0.8182, 0.8749, 0.9257, 0.9658], targetedPeak: 500)!

    static func curve(_ scene: SceneToneCurve = scene, peak: Double = 1000, display: Double) throws -> ST209440 {
        try #require(ST209440(scene, scenePeak: peak, displayPeak: display))
    }

    /// Figures of another program, in Python and by Bernstein's polynomials: light for 5, 58, 100, 203, 500, 800 and
    /// 1000 cd/m² of a scene of 1000, on the targeted display, two darker and one brighter one.
    static let figures: [(Double, [Double])] = [
        (500, [8.75, 101.5, 144.6904, 227.7626, 380.9639, 465.1309, 500]),
        (203, [4.4123, 45.2965, 72.9223, 124.881, 181.2773, 196.7911, 203]),
        (100, [3.9683, 35.9996, 53.2554, 77.545, 94.7771, 98.4979, 100]),
        (700, [6.8342, 79.2765, 136.167, 235.8721, 441.5213, 606.117, 700]),
    ]

    @Test(arguments: figures) func lights(_ display: Double, _ expected: [Double]) throws {
        let curve = try Self.curve(display: display)
        for (light, wanted) in zip([5.0, 58, 100, 203, 500, 800, 1000], expected) {
            #expect(abs(curve(light) - wanted) < 0.51e-4, "\(display): \(light)")
        }
    }

    private static func random(_ random: inout SeededGenerator) -> SceneToneCurve {
        let count = Int.random(in: 0...15, using: &random)
        let knee = SIMD2(Double.random(in: 0...0.6, using: &random), Double.random(in: 0...0.9, using: &random))
        let anchors = (0..<count).map { _ in Double.random(in: 0...1, using: &random) }.sorted()
        return SceneToneCurve(
            kneePoint: knee, anchors: anchors, targetedPeak: Double.random(in: 50...2000, using: &random))!
    }

    /// The curve leads from black to the display's peak, without a step at the knee. It rises where the display is no
    /// brighter than the targeted one.
    @Test func shape() throws {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<300 {
            let scene = Self.random(&random)
            let peak = Double.random(in: 100...4000, using: &random)
            let display = Double.random(in: 20...4000, using: &random)
            let curve = try Self.curve(scene, peak: peak, display: display)
            let top = min(display, peak)
            #expect(curve(0) == 0 && curve(-1) == 0 && curve(.nan) == 0)
            #expect(abs(curve(peak) - top) < 1e-9 * top && curve(.infinity) == curve(peak))
            for corner in curve.corners {
                #expect(abs(curve(corner * (1 + 1e-12)) - curve(corner * (1 - 1e-12))) < 1e-6 * top)
            }
            var last = 0.0
            for step in 1...500 {
                let value = curve(peak * Double(step) / 500)
                #expect(value >= 0 && value <= top * (1 + 1e-12))
                if display <= scene.targetedPeak { #expect(value >= last - 1e-12 * top) }
                last = value
            }
        }
    }

    /// A display as bright as the scene shows it as it is.
    @Test func limits() throws {
        let bright = try Self.curve(display: 1000)
        for light in [0.01, 1, 30, 58.6, 100, 400, 900, 1000] {
            #expect(abs(bright(light) - light) < 1e-9 * light)
        }
        #expect(try Self.curve(display: 5000)(700) == bright(700))
    }

    /// Between the targeted display and one as bright as the scene, shadows have a light between those of both.
    @Test func brighterDisplaysLieBetween() throws {
        let (targeted, whole) = (try Self.curve(display: 500), try Self.curve(display: 1000))
        for display in stride(from: 510.0, to: 1000, by: 70) {
            let curve = try Self.curve(display: display)
            for light in [1.0, 10, 40] {
                #expect(curve(light) <= targeted(light) * (1 + 1e-9) && curve(light) >= whole(light) * (1 - 1e-9))
            }
        }
    }

    @Test func numbersAreLimited() throws {
        let wild = try #require(
            SceneToneCurve(
                kneePoint: SIMD2(7, -.infinity), anchors: [.nan, 3, -1] + Array(repeating: 0.5, count: 40),
                targetedPeak: 300))
        #expect(wild.kneePoint == SIMD2(1, 0) && wild.anchors.count == 15)
        #expect(wild.anchors.prefix(3) == [0, 1, 0])
        #expect(SceneToneCurve(kneePoint: SIMD2(0, 0.5), anchors: [], targetedPeak: 300)?.kneePoint == SIMD2(0, 0))
        for peak in [0, -1, Double.nan, .infinity] {
            #expect(SceneToneCurve(kneePoint: SIMD2(0, 0), anchors: [], targetedPeak: peak) == nil)
            #expect(ST209440(Self.scene, scenePeak: peak, displayPeak: 100) == nil)
            #expect(ST209440(Self.scene, scenePeak: 100, displayPeak: peak) == nil)
        }
        for display in [100.0, 300, 600] {
            #expect(try Self.curve(wild, display: display)(500).isFinite)
        }
    }

    /// A plan takes the scene's curve where it is chosen, and BT.2390 where there is none; users cannot choose it.
    @Test func plans() throws {
        var choices = settings(.st209440, source: 1000)
        choices.sceneCurve = Self.scene
        var plan = ConversionPlan(.pq, .sdr, choices)
        #expect(plan.toneCurve == .st209440 && plan.sceneCurve == Self.scene && plan.domain == .maxRGB)
        var light = try #require(plan.lightCurve)
        let own = try Self.curve(display: plan.targetPeak)
        for level in [1.0, 50, 60, 400, 1000] { #expect(light(level) == own(level)) }
        choices.sceneCurve = nil
        plan = ConversionPlan(.pq, .sdr, choices)
        light = try #require(plan.lightCurve)
        let other = BT2390<Double>(sourcePeak: 1000, targetPeak: plan.targetPeak)
        #expect(light(400) == other(400))
        choices = settings(.bt2390, source: 1000)
        choices.sceneCurve = Self.scene
        #expect(ConversionPlan(.pq, .sdr, choices).sceneCurve == nil)
        choices = settings(.st209440, source: 100)
        choices.sceneCurve = Self.scene
        #expect(ConversionPlan(.pq, .sdr, choices).toneCurve == .none)
        let named = ToneCurve.choices + ToneCurve.displayChoices + ToneCurve.inverses
        #expect(!named.contains(.st209440))
    }
}
