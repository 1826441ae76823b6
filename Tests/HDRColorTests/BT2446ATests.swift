import TestSupport
import Testing

@testable import HDRColor

/// Report ITU-R BT.2446-1 section 3 (tone mapping) and section 4 (inverse), method A.
struct BT2446ATests {
    let curve = BT2446A(sourcePeak: 1000.0)

    /// rho(L) = 1 + 32 (L / 10000) ^ (1 / 2.4), 6 decimals.
    @Test func rho() {
        #expect(abs(curve.rhoHDR - 13.259798) <= 0.51e-6)
        #expect(abs(curve.rhoSDR - 5.696958) <= 0.51e-6)
    }

    /// Grey from 1000 to 100 cd/m²: light, Y' (5 decimals) and the light of that signal at 100 cd/m² (3 decimals).
    @Test(arguments: [
        (1.0, 0.09848, 0.384), (10, 0.23616, 3.131), (26, 0.33459, 7.225), (50, 0.42252, 12.648),
        (100, 0.53875, 22.663), (203, 0.68686, 40.595), (400, 0.83277, 64.456), (600, 0.91291, 80.357),
        (1000, 1, 100),
    ])
    func grey(_ light: Double, _ signal: Double, _ out: Double) {
        let sdr = curve.toSDR(RGB(repeating: light))
        #expect((sdr - signal).magnitude <= 0.51e-5)
        #expect(abs(100 * SDR.bt1886(sdr.y) - out) <= 0.51e-3)
        #expect(sdr.spread <= 1e-14)
    }

    /// The inverse: Y' of grey to cd/m², 4 decimals.
    @Test(arguments: [
        (0.1, 1.1010), (0.2, 6.5097), (0.3, 19.0746), (0.4, 41.1470), (0.5, 76.2809), (0.6, 131.0804),
        (0.7, 217.5705), (0.8, 357.7135), (0.9, 592.3459), (1, 999.5247),
    ])
    func inverseGrey(_ signal: Double, _ light: Double) {
        let hdr = BT2446A.toHDR(RGB(repeating: signal))
        #expect((hdr - light).magnitude <= 0.51e-4)
    }

    /// Y'p of Y'.
    func perceptual(_ y: Double) -> Double { Double.log(1 + (curve.rhoHDR - 1) * y) / Double.log(curve.rhoHDR) }

    /// The three pieces of Y'c meet, to the 4 decimals of their constants: 8e-4 upwards at 0.7399 and less at 0.9909.
    @Test func pieces() {
        for (joint, least, most) in [(0.7399, 7e-4, 9e-4), (0.9909, 0, 1e-4)] {
            // Y'p = log(1 + (rho - 1) Y') / log(rho), solved for Y'.
            let y = (Double.pow(curve.rhoHDR, joint) - 1) / (curve.rhoHDR - 1)
            let step = curve.toneMappedLuma(y + 1e-9) - curve.toneMappedLuma(y - 1e-9)
            #expect(step >= least && step <= most)
        }
        #expect(abs(perceptual(curve.corners[0]) - 0.7399) <= 1e-14)
        // The inverse's two parabolas at 70 of 255.
        #expect(abs(BT2446A<Double>.inverseStep - 70.0 / 255) <= 1e-15)
        let joint = BT2446A<Double>.inverseStep
        let step = BT2446A.inverseLuma(joint + 1e-9) / BT2446A.inverseLuma(joint - 1e-9) - 1
        #expect(abs(step) <= 2e-3 && abs(step) >= 1e-5)
    }

    /// Colours, worked out from the report's equations step by step: Y', f, C'b, C'r, Y'tmo.
    @Test(arguments: [RGB(800, 100, 20), RGB(5, 300, 40), RGB(30, 60, 900), RGB(203, 180, 150)])
    func colors(_ light: RGB) {
        let r = (light / 1000).map { Double.pow($0, 1 / 2.4) }
        let y = 0.2627 * r.x + 0.6780 * r.y + 0.0593 * r.z
        let f = curve.toneMappedLuma(y) / (1.1 * y)
        let cb = f * (r.z - y) / 1.8814
        let cr = f * (r.x - y) / 1.4746
        let luma = curve.toneMappedLuma(y) - max(0.1 * cr, 0)
        let out = curve.toSDR(light)
        let components = YCbCrMatrix.bt2020.fromRGB * out
        #expect((components - RGB(luma, cb, cr)).magnitude <= 1e-14)
        #expect((curve.fromCompanded(r) - out).magnitude == 0)
    }

    /// The inverse likewise: Y'hdr, Sc = 1.075 Y'hdr / Y', limited to [0, 1000] before the power.
    @Test(arguments: [RGB(0.5, 0.45, 0.4), RGB(0.7, 0.55, 0.6), RGB(0.3, 0.35, 0.5)])
    func inverseColors(_ signal: RGB) {
        let y = 0.2627 * signal.x + 0.6780 * signal.y + 0.0593 * signal.z
        let luma = BT2446A.inverseLuma(y)
        let scale = 1.075 * luma / y
        let cb = scale * (signal.z - y) / 1.8814
        let cr = scale * (signal.x - y) / 1.4746
        let expected = YCbCrMatrix.bt2020.toRGB * RGB(luma, cb, cr)
        let out = BT2446A.toHDR(signal).map { 1000 * Double.pow($0 / 1000, 1 / 2.4) }
        #expect((out - expected).magnitude <= 1e-10)
        #expect(BT2446A.toHDR(RGB(1, 0, 0)).minComponent == 0)
        // Signals above 1, the head room of narrow range, stop at the peak.
        #expect(BT2446A.toHDR(RGB(1.09, 1.09, 1.09)) == RGB(1000, 1000, 1000))
        #expect(BT2446A.toHDR(RGB(1.09, 1, 1)).x == 1000)
    }

    @Test func rises() {
        let signals = steps(0...1.5, count: 20001).map { curve.toneMappedLuma($0) }
        #expect(largestFall(signals) <= 0)
        let lights = steps(0...1, count: 20001).map { BT2446A.toHDR(RGB(repeating: $0)).y }
        #expect(largestFall(lights) <= 1e-3)
    }

    /// Forward after inverse is nearly the identity; the report fits the inverse's two parabolas to the forward curve.
    @Test func forwardAfterInverse() {
        let worst = steps(0...1, count: 1001).map { abs(curve.toSDR(BT2446A.toHDR(RGB(repeating: $0))).y - $0) }.max()!
        #expect(worst <= 0.012)
    }

    @Test func blackAndNegativeLight() {
        #expect(curve.toSDR(RGB(0, 0, 0)) == RGB(0, 0, 0))
        #expect(curve.toSDR(RGB(-1, .nan, -.infinity)) == RGB(0, 0, 0))
        #expect(BT2446A.toHDR(RGB(0, 0, 0)) == RGB(0, 0, 0))
        #expect(BT2446A.toHDR(RGB(-0.1, -0.1, -0.1)).magnitude <= 1e-30)
    }

    /// Other peaks change rho alone: the source's peak is always signal 1.
    @Test(arguments: [203.0, 400, 600, 1000, 2000, 4000, 10000]) func peak(_ source: Double) {
        let curve = BT2446A(sourcePeak: source)
        #expect((curve.toSDR(RGB(repeating: source)) - 1).magnitude <= 1e-12)
        #expect(curve.toSDR(RGB(repeating: source * 1.5)).y > 1)
    }

    @Test func singlePrecision() {
        let single = BT2446A(sourcePeak: Float(1000))
        var random = SeededGenerator(seed: 6)
        var worst = (forward: 0.0, inverse: 0.0)
        for _ in 0..<5000 {
            let light = random.color(in: 0...1000)
            let forward = single.toSDR(light.converted(to: Float.self)).converted(to: Double.self)
            worst.forward = max(worst.forward, (forward - curve.toSDR(light)).magnitude)
            let signal = light / 1000
            let inverse = BT2446A.toHDR(signal.converted(to: Float.self)).converted(to: Double.self)
            worst.inverse = max(worst.inverse, (inverse - BT2446A.toHDR(signal)).magnitude)
        }
        // Rounding of 6e-8 through logarithms and powers near 1, and at 1000 cd/m² through 255 Y' to a power of 1.25.
        #expect(worst.forward <= 2e-6)
        #expect(worst.inverse <= 3e-3)
    }
}
