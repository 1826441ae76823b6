import TestSupport
import Testing

@testable import HDRColor

/// BT.2100 table 5.
struct HLGTests {
    struct Grey: Sendable {
        let signal: Double
        let code: Int
        let scene: Double
        /// Display light at a nominal peak of 1000, 600, 2000 and 4000 cd/m².
        let display: [Double]

        init(_ signal: Double, _ code: Int, _ scene: Double, _ display: [Double]) {
            (self.signal, self.code, self.scene, self.display) = (signal, code, scene, display)
        }
    }

    /// The gamma of 4000 cd/m² in this table is note 5f's formula, 1.452865, beyond the 2000 cd/m² that it is made for.
    static let peaksAndGammas: [(Double, Double)] = [
        (1000, 1.2), (600, 1.106824), (2000, 1.326433), (4000, 1.452865),
    ]

    static let greys = [
        Grey(0.05, 108, 0.00083333, [0.2018, 0.2344, 0.1647, 0.1344]),
        Grey(0.10, 152, 0.00333333, [1.0653, 1.0875, 1.0358, 1.0072]),
        Grey(0.20, 239, 0.01333333, [5.6225, 5.0442, 6.5146, 7.5483]),
        Grey(0.30, 327, 0.03, [14.8780, 12.3764, 19.1000, 24.5201]),
        Grey(0.38, 397, 0.04813333, [26.2383, 20.8858, 35.7588, 48.7339]),
        Grey(0.40, 414, 0.05333333, [29.6755, 23.3972, 40.9713, 56.5667]),
        Grey(0.50, 502, 0.08333333, [50.6970, 38.3432, 74.0575, 108.1820]),
        Grey(0.60, 590, 0.12799624, [84.8470, 61.6561, 130.8541, 201.8078]),
        Grey(0.70, 677, 0.20612241, [150.2970, 104.4742, 246.1860, 403.2519]),
        Grey(0.75, 721, 0.26496256, [203.1521, 137.9489, 343.4971, 580.7976]),
        Grey(0.80, 765, 0.34278386, [276.7097, 183.4429, 483.3546, 844.3204]),
        Grey(0.90, 852, 0.58183759, [522.1101, 329.4794, 975.1140, 1821.1624]),
        Grey(1.00, 940, 1.00000003, [1000.0000, 600.0000, 2000.0000, 4000.0000]),
    ]

    /// Tolerance: half of the last printed digit, 8 decimals for scene light and 4 for cd/m²; white is printed as a
    /// whole number and is 1.5e-4 above it at 4000 cd/m², because the standard rounds a, b and c.
    @Test(arguments: greys) func grey(_ grey: Grey) {
        #expect(Quantization.rgb10.code(grey.signal) == grey.code)
        let scene = HLG<Double>.inverseOETF(grey.signal)
        #expect(abs(scene - grey.scene) <= 0.51e-8)
        #expect(abs(HLG<Double>.oetf(scene) - grey.signal) <= 1e-9)
        for ((peak, gamma), light) in zip(Self.peaksAndGammas, grey.display) {
            let tolerance = grey.signal == 1 ? 2e-4 : 0.51e-4
            if peak == 4000 {
                #expect(abs(peak * Double.pow(scene, gamma) - light) <= 2e-4 + 1e-6 * light)
                continue
            }
            let hlg = HLG<Double>(peak: peak)
            let display = hlg.toDisplay(RGB(repeating: grey.signal))
            #expect(abs(hlg.gamma - gamma) <= 0.51e-6)
            #expect(abs(display.x - light) <= tolerance)
            // The luma weights sum to 1 to the last bit or two.
            #expect(display.spread <= 1e-12 * light)
            #expect((hlg.fromDisplay(display) - grey.signal).magnitude <= 1e-9)
        }
    }

    /// The signal's head room up to code 1019 keeps its light: 109 %.
    @Test(arguments: [(1000.0, 1808.70), (600, 1036.41), (2000, 3850.45)])
    func superWhite(_ peak: Double, _ light: Double) {
        let signal = 1.09
        #expect(Quantization.rgb10.code(signal) == 1019)
        #expect(abs(HLG<Double>.inverseOETF(signal) - 1.63859) <= 0.51e-5)
        #expect(abs(HLG<Double>(peak: peak).toDisplay(RGB(repeating: signal)).y - light) <= 0.51e-2)
    }

    struct Gamma: Sendable {
        let peak: Double
        let standard: Double
        let extended: Double
        init(_ peak: Double, _ standard: Double, _ extended: Double) {
            (self.peak, self.standard, self.extended) = (peak, standard, extended)
        }
    }

    /// BT.2100 note 5f (1.2 + 0.42 log10) and BT.2390 section 6.2 (1.2 * 1.111 ^ log2).
    static let gammas = [
        Gamma(100, 0.780000, 0.845907), Gamma(203, 0.909148, 0.941930), Gamma(300, 0.980391, 0.999488),
        Gamma(400, 1.032865, 1.044120), Gamma(600, 1.106824, 1.110431), Gamma(800, 1.159298, 1.160018),
        Gamma(1000, 1.2, 1.2), Gamma(1500, 1.273958, 1.276210), Gamma(2000, 1.326433, 1.333200),
        Gamma(4000, 1.452865, 1.481185), Gamma(10000, 1.62, 1.702316),
    ]

    /// Note 5f holds from 400 to 2000 cd/m², both included; outside, the extended form.
    @Test(arguments: gammas) func systemGamma(_ row: Gamma) {
        let inRange = (400...2000).contains(row.peak)
        let expected = inRange ? row.standard : row.extended
        let other = inRange ? row.extended : row.standard
        let gamma = HLG<Double>.systemGamma(peak: row.peak)
        #expect(abs(gamma - expected) <= 0.51e-6)
        if row.peak != 1000 { #expect(abs(gamma - other) > 1e-4) }
        // Any surround but the reference one selects the extended form; next to 5 cd/m² its factor is next to 1.
        #expect(abs(HLG<Double>.systemGamma(peak: row.peak, surround: 5.000001) - row.extended) <= 0.6e-6)
    }

    /// BT.2390 section 6.2: 0.98 ^ log2(surround / 5).
    @Test(arguments: [(1.0, 1.048027), (10, 0.98), (20, 0.9604), (50, 0.935091), (100, 0.916389)])
    func surroundFactor(_ surround: Double, _ factor: Double) {
        for row in Self.gammas {
            let gamma = HLG<Double>.systemGamma(peak: row.peak, surround: surround)
            // Two printed numbers of 6 decimals multiplied.
            #expect(abs(gamma - row.extended * factor) <= 1.5e-6)
        }
    }

    /// BT.2100-2 table 5, the EOTF's beta = sqrt(3 (L_B / L_W) ^ (1 / gamma)), printed to 8 decimals.
    @Test(arguments: [
        (0.005, 0.01071021), (0.0005, 0.00410328), (0.01, 0.01429642), (0.05, 0.02795534),
    ])
    func blackLift(_ black: Double, _ lift: Double) {
        let hlg = HLG<Double>(peak: 1000, black: black)
        #expect(abs(hlg.lift - lift) <= 0.51e-8)
        // Signal 0 is the display's black and signal 1 its peak.
        #expect((hlg.toDisplay(RGB(0, 0, 0)) - black).magnitude <= 1e-12)
        #expect((hlg.toDisplay(RGB(1, 1, 1)) - 1000).magnitude <= 1e-4)
    }

    /// The values are for a black of 0.005 cd/m², with 6 decimals.
    @Test(arguments: [(0.1, 1.328533), (0.75, 206.504948)])
    func liftedGrey(_ signal: Double, _ light: Double) {
        let hlg = HLG<Double>(peak: 1000, black: 0.005)
        #expect((hlg.toDisplay(RGB(repeating: signal)) - light).magnitude <= 0.51e-6)
    }

    /// The OOTF's factor is one for all three components, from their luminance.
    @Test func colorsKeepTheirRatios() {
        let display = HLG<Double>().toDisplay(RGB(0.75, 0.2, 0.1))
        let expected = RGB(159.41805, 8.02217, 2.00554)
        #expect((display - expected).magnitude <= 0.51e-5)
        // A gamma on each component alone must lead to a clearly different result.
        let perComponent = RGB(0.75, 0.2, 0.1).map { 1000 * Double.pow(HLG<Double>.inverseOETF($0), 1.2) }
        #expect((perComponent - RGB(203.15, 5.62, 1.07)).magnitude <= 0.51e-2)
        #expect(abs(display.x - perComponent.x) > 40)
        #expect(abs(display.y - perComponent.y) > 2)
        #expect((HLG<Double>().fromDisplay(display) - RGB(0.75, 0.2, 0.1)).magnitude <= 1e-9)
    }

    /// One component at 75 %, at 1000 cd/m²: cd/m² to 4 decimals and the 10-bit PQ code of the same light.
    @Test(arguments: [(0, 155.4939, 548), (1, 187.9608, 566), (2, 115.4602, 522)])
    func primaries(_ component: Int, _ light: Double, _ pqCode: Int) {
        var signal = RGB(0, 0, 0)
        signal[component] = 0.75
        let display = HLG<Double>().toDisplay(signal)
        #expect(abs(display[component] - light) <= 0.51e-4)
        #expect(display[(component + 1) % 3] == 0 && display[(component + 2) % 3] == 0)
        #expect(Quantization.rgb10.code(PQ.inverseEOTF(display[component])) == pqCode)
    }

    /// The weights are BT.2020's luma coefficients: with an OOTF on luminance, grey of the same luminance has the same
    /// luminance out.
    @Test func luminanceDecides() {
        var random = SeededGenerator(seed: 1)
        let hlg = HLG<Double>(peak: 2000)
        for _ in 0..<1000 {
            let scene = random.color()
            let luminance = 0.2627 * scene.x + 0.6780 * scene.y + 0.0593 * scene.z
            let display = hlg.toDisplay(scene.map { HLG<Double>.oetf($0) })
            let out = 0.2627 * display.x + 0.6780 * display.y + 0.0593 * display.z
            #expect(abs(out - 2000 * Double.pow(luminance, hlg.gamma)) <= 1e-6 * out)
        }
    }

    @Test func constants() {
        #expect(abs(HLG<Double>.b - 0.28466892) <= 1e-15)
        #expect(abs(HLG<Double>.c - 0.55991073) <= 0.51e-8)
        #expect(abs(HLG<Double>.c - (0.5 - HLG<Double>.a * Double.log(4 * HLG<Double>.a))) <= 1e-15)
        // The two branches meet at signal 0.5.
        #expect(abs(HLG<Double>.inverseOETF(0.5.nextUp) - 1.0 / 12) <= 1e-14)
        #expect(HLG<Double>.oetf(1.0 / 12) == 0.5)
        #expect(abs(HLG<Double>.oetf((1.0 / 12).nextUp) - 0.5) <= 1e-14)
    }

    @Test(arguments: [100.0, 300, 600, 1000, 2000, 4000]) func roundTrip(_ peak: Double) {
        var random = SeededGenerator(seed: 2)
        let hlg = HLG<Double>(peak: peak)
        let worst = (0..<5000).map { _ in
            let signal = random.color(in: 0...1.09)
            return (hlg.fromDisplay(hlg.toDisplay(signal)) - signal).magnitude
        }.max()!
        #expect(worst <= 1e-12)
    }

    @Test func blackAndNegativeLight() {
        // A gamma below 1 makes the inverse OOTF's factor infinite at 0; black stays black all the same.
        for peak in [100.0, 334, 1000, 4000] {
            let hlg = HLG<Double>(peak: peak)
            #expect(hlg.toDisplay(RGB(0, 0, 0)) == RGB(0, 0, 0))
            #expect(hlg.fromDisplay(RGB(0, 0, 0)) == RGB(0, 0, 0))
            #expect(hlg.toDisplay(RGB(-0.07, -1, .nan)) == RGB(0, 0, 0))
            #expect(hlg.fromDisplay(RGB(-1, -.infinity, .nan)) == RGB(0, 0, 0))
            // A negative component is cut before the luminance is taken.
            #expect(hlg.fromDisplay(RGB(100, -50, 0)) == hlg.fromDisplay(RGB(100, 0, 0)))
        }
    }

    @Test func rises() {
        let scenes = steps(0...1.1, count: 65536).map { HLG<Double>.inverseOETF($0) }
        #expect(zip(scenes, scenes.dropFirst()).allSatisfy { $0 < $1 })
        let signals = steps(0...2, count: 65536).map { HLG<Double>.oetf($0) }
        #expect(zip(signals, signals.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Single precision: the exponential multiplies the rounding of its argument, up to (1 - c) / a = 2.5, and the OOTF
    /// adds that of a power.
    @Test func singlePrecision() {
        var random = SeededGenerator(seed: 3)
        var worstLight = 0.0
        var worstSignal = 0.0
        for peak in [600.0, 1000, 4000] {
            let exact = HLG<Double>(peak: peak)
            let single = HLG<Float>(peak: Float(peak))
            for _ in 0..<4096 {
                let signal = random.color(in: 0.01...1)
                let light = exact.toDisplay(signal)
                let near = single.toDisplay(signal.converted(to: Float.self)).converted(to: Double.self)
                worstLight = max(worstLight, ((near - light) / light).magnitude)
                let back = single.fromDisplay(light.converted(to: Float.self)).converted(to: Double.self)
                worstSignal = max(worstSignal, (back - signal).magnitude)
            }
        }
        #expect(worstLight <= 2e-6)
        #expect(worstSignal <= 4e-7)
    }
}
