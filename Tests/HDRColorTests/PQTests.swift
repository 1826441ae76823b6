import Testing

@testable import HDRColor

/// BT.2100 table 4 and SMPTE ST 2084.
struct PQTests {
    struct Level: Sendable {
        let light: Double
        let signal: Double
        let narrow10: Int, full10: Int, narrow12: Int, full12: Int

        init(_ light: Double, _ signal: Double, _ n10: Int, _ f10: Int, _ n12: Int, _ f12: Int) {
            (self.light, self.signal) = (light, signal)
            (narrow10, full10, narrow12, full12) = (n10, f10, n12, f12)
        }
    }

    /// cd/m², E' (8 decimals), and the codes of BT.2100 table 9.
    static let levels = [
        Level(0, 0.00000073, 64, 0, 256, 0),
        Level(0.001, 0.00630238, 70, 6, 278, 26),
        Level(0.005, 0.01507640, 77, 15, 309, 62),
        Level(0.01, 0.02148621, 83, 22, 331, 88),
        Level(0.1, 0.06233687, 119, 64, 474, 255),
        Level(1, 0.14994573, 195, 153, 781, 614),
        Level(5, 0.24784770, 281, 254, 1124, 1015),
        Level(10, 0.29969909, 327, 307, 1306, 1227),
        Level(26, 0.38003227, 397, 389, 1588, 1556),
        Level(50, 0.44028157, 450, 450, 1799, 1803),
        Level(58, 0.45448284, 462, 465, 1849, 1861),
        Level(80, 0.48585677, 490, 497, 1958, 1990),
        Level(100, 0.50807842, 509, 520, 2036, 2081),
        Level(203, 0.58068888, 573, 594, 2291, 2378),
        Level(300, 0.62186284, 609, 636, 2435, 2547),
        Level(400, 0.65257860, 636, 668, 2543, 2672),
        Level(500, 0.67658481, 657, 692, 2627, 2771),
        Level(600, 0.69629409, 674, 712, 2696, 2851),
        Level(1000, 0.75182710, 723, 769, 2890, 3079),
        Level(2000, 0.82742464, 789, 846, 3155, 3388),
        Level(4000, 0.90257239, 855, 923, 3419, 3696),
        Level(5000, 0.92654670, 876, 948, 3503, 3794),
        Level(10000, 1, 940, 1023, 3760, 4095),
    ]

    /// Tolerance: half of the last printed digit.
    @Test(arguments: levels) func lightToSignal(_ level: Level) {
        let signal = PQ.inverseEOTF(level.light)
        #expect(abs(signal - level.signal) <= 0.51e-8)
        #expect(Quantization.rgb10.code(signal) == level.narrow10)
        #expect(Quantization.rgb10Full.code(signal) == level.full10)
        #expect(Quantization.rgb12.code(signal) == level.narrow12)
        #expect(Quantization.rgb12Full.code(signal) == level.full12)
    }

    /// The signals are printed to 0.5e-8, which the EOTF's slope of at most 1.3e5 cd/m² turns into 0.65e-3 cd/m² at the
    /// top and far less below.
    @Test(arguments: levels) func signalToLight(_ level: Level) {
        #expect(abs(PQ.eotf(level.signal) - level.light) <= 1e-6 * level.light + 1e-6)
    }

    /// 10-bit narrow-range codes to cd/m², printed to 6 digits: half of the last one is at most 5e-6 of the value.
    static let codeLights: [(Int, Double)] = [
        (65, 5.25912e-5), (80, 0.00725226), (99, 0.0364315), (128, 0.146483), (200, 1.10829), (256, 3.28258),
        (300, 6.73227), (414, 32.2858), (502, 92.2457), (512, 103.377), (572, 201.490), (573, 203.703),
        (600, 273.031), (650, 465.810), (700, 789.060), (721, 983.378), (765, 1558.44), (800, 2248.67),
        (852, 3889.14), (900, 6487.17),
    ]

    @Test(arguments: codeLights) func codeToLight(_ code: Int, _ light: Double) {
        #expect(abs(PQ.eotf(Quantization.rgb10.signal(code)) - light) <= 5e-6 * light)
    }

    /// The constants are exact binary fractions.
    @Test func constants() {
        #expect(PQ.m1() as Double == 0.1593017578125)
        #expect(PQ.m2() as Double == 78.84375)
        #expect(PQ.c1() as Double == 0.8359375)
        #expect(PQ.c2() as Double == 18.8515625)
        #expect(PQ.c3() as Double == 18.6875)
        // ST 2084: c1 = c3 - c2 + 1, so that 10 000 cd/m² is signal 1.
        #expect(PQ.c1() as Double == PQ.c3() - PQ.c2() + 1)
    }

    @Test func ends() {
        #expect(PQ.eotf(0.0) == 0)
        #expect(PQ.eotf(1.0) == PQ.peak)
        #expect(PQ.inverseEOTF(PQ.peak) == 1)
        // A black of 0 is not signal 0: c1 ^ m2.
        #expect(abs(PQ.inverseEOTF(0.0) - 7.309559025783966e-7) <= 1e-18)
    }

    @Test func outsideValuesAreLimited() {
        for low in [-1e-9, -1, -Double.infinity, .nan] {
            #expect(PQ.eotf(low) == 0)
            #expect(PQ.inverseEOTF(low) == PQ.inverseEOTF(0))
        }
        for high in [1.0001, 2, 1e300, Double.infinity] {
            #expect(PQ.eotf(high) == 10000)
            #expect(PQ.inverseEOTF(high * 10000) == 1)
        }
    }

    @Test func roundTrip() {
        let worst = (1...65535).map { step in
            let signal = Double(step) / 65535
            return abs(PQ.inverseEOTF(PQ.eotf(signal)) - signal)
        }.max()!
        // Between black and the next signals c1 is subtracted from almost itself; 16 bits are 1.5e-5 apart.
        #expect(worst <= 1e-11)
    }

    @Test func rises() {
        let lights = steps(0...1, count: 65536).map { PQ.eotf($0) }
        #expect(zip(lights, lights.dropFirst()).allSatisfy { $0 < $1 })
        let signals = steps(0...10000, count: 65536).map { PQ.inverseEOTF($0) }
        #expect(zip(signals, signals.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Single precision: the power m2 = 78.8 makes a rounding of 6e-8 in its base 4.7e-6 in the signal, and two of them
    /// can meet; that is 0.06 of a 12-bit code. On the way back the same powers, with 1 / m1 = 6.3, leave the light
    /// within 1e-4, where a 12-bit code is 2e-3 or more.
    @Test func singlePrecision() {
        var worstSignal = 0.0
        var worstLight = 0.0
        for signal in steps(0...1, count: 8192) {
            let light = PQ.eotf(signal)
            worstSignal = max(worstSignal, abs(Double(PQ.inverseEOTF(Float(light))) - signal))
            // Below signal 0.02 light is under 0.01 cd/m², where c1 is taken from almost itself.
            guard signal > 0.02 else { continue }
            worstLight = max(worstLight, abs(Double(PQ.eotf(Float(signal))) - light) / light)
        }
        #expect(worstSignal <= 1.5e-5)
        #expect(worstLight <= 1e-4)
        #expect(PQ.eotf(Float(1)) == 10000 && PQ.eotf(Float(0)) == 0 && PQ.inverseEOTF(Float(10000)) == 1)
    }
}
