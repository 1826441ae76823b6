import TestSupport
import Testing

@testable import HDRColor

/// Report ITU-R BT.2446-1, method C both ways.
struct BT2446CTests {
    typealias C = BT2446C<Double>

    /// HDR to SDR luminance in cd/m², 4 decimals.
    @Test(arguments: [
        (10.0, 8.3802), (26, 21.7885), (50, 41.9010), (100, 73.4018), (203, 90.6644), (400, 103.2601),
        (600, 110.1133), (1000, 118.3868),
    ])
    func curve(_ light: Double, _ expected: Double) {
        #expect(abs(C.curve(light) - expected) <= 0.51e-4)
    }

    /// SDR to HDR luminance.
    @Test(arguments: [
        (26.0, 31.0255), (50, 59.6644), (80, 126.4146), (90, 196.4914), (100, 332.3829), (109, 561.0344),
    ])
    func inverseCurve(_ light: Double, _ expected: Double) {
        #expect(abs(C.inverseCurve(light) - expected) <= 0.51e-4)
    }

    /// 58.5 / k1: the line ends at 58.5 and the logarithm begins at 58.535, a step of the published constants.
    @Test func inflection() {
        #expect(abs(C.inflection - 69.8074) <= 0.51e-4)
        #expect(abs(C.curve(C.inflection) - 58.535) <= 0.51e-3)
        #expect(abs(C.curve(C.inflection.nextDown) - 58.5) <= 1e-10)
        // On the way back the same step leads to 0.15 cd/m² less above the inflection than below.
        #expect(abs(C.inverseCurve(58.5) - C.inflection) <= 0.2)
    }

    @Test func rises() {
        #expect(largestFall(steps(0...10000, count: 100_001).map { C.curve($0) }) < 0)
        let inverse = steps(0...118, count: 10001)
        #expect(largestFall(inverse.map { C.inverseCurve($0) }) <= 0.2)
        #expect(largestFall(inverse.filter { $0 < 58.5 || $0 > 58.54 }.map { C.inverseCurve($0) }) < 0)
    }

    @Test func thereAndBack() {
        for light in steps(1...1000, count: 1000) {
            #expect(abs(C.inverseCurve(C.curve(light)) - light) <= 1e-9 * light)
        }
        // 118.3868 cd/m² of SDR is 1000 of HDR.
        #expect(abs(C.inverseCurve(118.3868) - 1000) <= 0.01)
    }

    static func product(_ a: [[Double]], _ v: RGB) -> RGB {
        let rows = a.map { RGB($0[0], $0[1], $0[2]) }
        return RGB(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v))
    }

    /// The report's steps one by one: crosstalk matrix, curve on Y with x and y kept, inverse crosstalk matrix.
    @Test(arguments: [0.0, 0.04, 0.2, 0.33]) func crosstalk(_ alpha: Double) {
        let curve = BT2446C(crosstalk: alpha)
        let forward = (0..<3).map { row in (0..<3).map { $0 == row ? 1 - 2 * alpha : alpha } }
        let inverse = (0..<3).map { row in
            (0..<3).map { ($0 == row ? 1 - alpha : -alpha) / (1 - 3 * alpha) }
        }
        let luminance = RGB(0.2627002120, 0.6779980715, 0.0593017165)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let light = random.color(in: 0...1000)
            let mixed = Self.product(forward, light)
            let y = mixed.dot(luminance)
            // The luminance weights above are printed to 1e-10.
            let sdr = Self.product(inverse, mixed * (C.curve(y) / y))
            #expect((curve.toSDR(light) - sdr).magnitude <= 1e-6)
            let hdr = Self.product(inverse, mixed * (C.inverseCurve(y / 10) / y))
            #expect((curve.toHDR(light / 10) - hdr).magnitude <= 1e-5)
        }
        #expect(abs(curve.weights.x + curve.weights.y + curve.weights.z - 1) <= 1e-14)
    }

    /// Without crosstalk the weights are the luminance; the typical 0.04 brings them nearer to each other.
    @Test func weights() {
        let luminance = Primaries.bt2020.luminance
        #expect((BT2446C<Double>(crosstalk: 0).weights - luminance).magnitude == 0)
        let typical = BT2446C<Double>().weights
        #expect((typical - (luminance * 0.88 + 0.04)).magnitude <= 1e-14)
        #expect(typical.spread < luminance.spread)
    }

    @Test func greyAndBlack() {
        let curve = C()
        for light in [0.01, 1, 50, 203, 1000] {
            let sdr = curve.toSDR(RGB(repeating: light))
            #expect((sdr - C.curve(light)).magnitude <= 1e-10)
            #expect(sdr.spread <= 1e-12)
        }
        for black in [RGB(0, 0, 0), RGB(-1, -1, -1), RGB(.nan, .nan, .nan)] {
            #expect(curve.toSDR(black) == RGB(0, 0, 0))
            #expect(curve.toHDR(black) == RGB(0, 0, 0))
        }
    }

    @Test func singlePrecision() {
        let exact = C()
        let single = BT2446C<Float>()
        var random = SeededGenerator(seed: 8)
        var worst = (forward: 0.0, inverse: 0.0)
        for _ in 0..<5000 {
            let light = random.color(in: 0...1000)
            let sdr = exact.toSDR(light)
            let forward = single.toSDR(light.converted(to: Float.self)).converted(to: Double.self)
            worst.forward = max(worst.forward, (forward - sdr).magnitude / sdr.maxComponent)
            // At the inflection a rounding decides which side of a step of 0.15 cd/m² is taken.
            let level = sdr.dot(exact.weights)
            guard abs(level - 58.5) > 0.05 else { continue }
            let inverse = single.toHDR(sdr.converted(to: Float.self)).converted(to: Double.self)
            worst.inverse = max(worst.inverse, (inverse - exact.toHDR(sdr)).magnitude / light.maxComponent)
        }
        #expect(worst.forward <= 1e-6)
        #expect(worst.inverse <= 3e-6)
    }
}
