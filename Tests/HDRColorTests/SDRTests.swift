import Testing

@testable import HDRColor

struct SDRTests {
    /// BT.1886 Annex 1 with L_W 100 and L_B 0.1 cd/m²: a = 87.03105328, b = 0.05958483.
    @Test func bt1886Parameters() {
        let w = Double.pow(100, 1 / 2.4)
        let b = Double.pow(0.1, 1 / 2.4)
        #expect(abs(Double.pow(w - b, 2.4) - 87.03105328) <= 0.51e-8)
        #expect(abs(b / (w - b) - 0.05958483) <= 0.51e-8)
    }

    /// The same display from signal to cd/m², each value with its printed precision.
    @Test(arguments: [
        (0.0, 0.1, 1e-12), (0.1, 1.06379, 0.51e-5), (0.25, 5.2185, 0.51e-4), (0.5, 21.60491, 0.51e-5),
        (0.75, 52.42083, 0.51e-5), (1, 100, 1e-10),
    ])
    func bt1886(_ signal: Double, _ light: Double, _ tolerance: Double) {
        #expect(abs(SDR.bt1886(signal, white: 100, black: 0.1) - light) <= tolerance)
    }

    /// BT.1886: below -b the display gives no light, and a black of 0 leaves a plain power of 2.4.
    @Test func bt1886Limits() {
        #expect(SDR.bt1886(-0.06, white: 100, black: 0.1) == 0)
        #expect(SDR.bt1886(Double.nan, white: 100, black: 0.1) == 0)
        for signal in steps(-0.1...1.1, count: 121) {
            let plain = 100 * SDR.bt1886(signal)
            #expect(abs(SDR.bt1886(signal, white: 100, black: 0) - plain) <= 1e-12 * 100)
        }
        #expect(abs(SDR.bt1886(0.5) - 0.18946457081379976) <= 1e-15)
        #expect(SDR.bt1886(-0.1) == 0 && SDR.inverseBT1886(-0.1) == 0)
        #expect(SDR.bt1886(Double.nan) == 0 && SDR.inverseBT1886(Double.nan) == 0)
    }

    /// IEC 61966-2-1: 8-bit codes to linear light, 8 decimals.
    @Test(arguments: [
        (1, 0.00030353), (10, 0.00303527), (11, 0.00334654), (64, 0.05126946), (128, 0.21586050), (188, 0.50288646),
    ])
    func sRGB(_ code: Int, _ light: Double) {
        let signal = Double(code) / 255
        #expect(abs(SDR.sRGB(signal) - light) <= 0.51e-8)
        // Half of the table's last digit through a slope of at most 12.92.
        #expect(abs(SDR.inverseSRGB(light) - signal) <= 0.7e-7)
    }

    /// IEC 61966-2-1: the two pieces meet at 0.04045 and 0.0031308 to about 1e-8 and 1e-7, as published.
    @Test func sRGBPieces() {
        #expect(SDR.sRGB(0.04045) == 0.04045 / 12.92)
        #expect(abs(SDR.sRGB(0.04045.nextUp) - SDR.sRGB(0.04045)) <= 2e-8)
        #expect(SDR.inverseSRGB(0.0031308) == 12.92 * 0.0031308)
        #expect(abs(SDR.inverseSRGB(0.0031308.nextUp) - SDR.inverseSRGB(0.0031308)) <= 1e-7)
        #expect(SDR.sRGB(1.0) == 1 && abs(SDR.inverseSRGB(1.0) - 1) <= 1e-15)
        #expect(SDR.inverseSRGB(-1.0) == 0 && SDR.inverseSRGB(Double.nan) == 0)
    }

    /// BT.709 item 1.2 and BT.2020 table 4, in the constants 1.099 and 0.018.
    @Test func oetf() {
        #expect(SDR.oetf(0.0) == 0)
        #expect(abs(SDR.oetf(0.01) - 0.045) <= 1e-15)
        // 1.099 * 0.18 ^ 0.45 - 0.099
        #expect(abs(SDR.oetf(0.18) - 0.40900773) <= 0.51e-8)
        #expect(abs(SDR.oetf(1.0) - 1) <= 1e-15)
        // The inverse of each piece on its own side of the joint, 0.018 to 0.081.
        for light in [0.001, 0.0179, 0.018, 0.019, 0.5] {
            #expect(abs(SDR.inverseOETF(SDR.oetf(light)) - light) <= 1e-15)
        }
        #expect(abs(SDR.inverseOETF(0.0809) - 0.0809 / 4.5) <= 1e-15)
        // The constants of 3 digits leave a step of 0.0002 at the joint.
        #expect(abs(SDR.oetf(0.018) - SDR.oetf(0.018.nextDown)) <= 0.0003)
        #expect(SDR.oetf(-1.0) == 0 && SDR.oetf(Double.nan) == 0)
        #expect(SDR.inverseOETF(-1.0) == 0 && SDR.inverseOETF(Double.nan) == 0)
    }

    @Test func roundTrips() {
        var worst = (bt1886: 0.0, sRGB: 0.0, oetf: 0.0)
        for signal in steps(0...1.09, count: 10001) {
            worst.bt1886 = max(worst.bt1886, abs(SDR.inverseBT1886(SDR.bt1886(signal)) - signal))
            worst.sRGB = max(worst.sRGB, abs(SDR.inverseSRGB(SDR.sRGB(signal)) - signal))
            worst.oetf = max(worst.oetf, abs(SDR.oetf(SDR.inverseOETF(signal)) - signal))
        }
        #expect(worst.bt1886 <= 1e-14)
        // The published thresholds leave a gap of 1e-7 between the pieces, and 0.0002 in BT.709.
        #expect(worst.sRGB <= 1e-7)
        #expect(worst.oetf <= 0.0003)
    }

    @Test func rises() {
        let signals = steps(0...1.1, count: 20001)
        let curves: [(Double) -> Double] = [
            SDR.bt1886, SDR.inverseBT1886, SDR.sRGB, SDR.inverseSRGB, SDR.oetf,
        ]
        for curve in curves {
            let values = signals.map(curve)
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        }
        // The signals from 0.0810 to 0.0812 that no light gives fall by 6e-5 at the joint, and nothing else falls.
        #expect(largestFall(signals.map { SDR.inverseOETF($0) }) <= 6e-5)
        #expect(largestFall(signals.filter { $0 <= 0.081 || $0 >= 0.0813 }.map { SDR.inverseOETF($0) }) < 0)
    }

    /// Single precision: a power of 2.4 multiplies the rounding of its base by 2.4.
    @Test func singlePrecision() {
        var worst = (light: 0.0, signal: 0.0)
        for signal in steps(0.01...1, count: 4096) {
            let s = Float(signal)
            let lights: [(Double, Float)] = [
                (SDR.bt1886(signal), SDR.bt1886(s)), (SDR.sRGB(signal), SDR.sRGB(s)),
                (SDR.inverseOETF(signal), SDR.inverseOETF(s)),
                (SDR.bt1886(signal, white: 100, black: 0.1), SDR.bt1886(s, white: 100, black: 0.1)),
            ]
            let signals: [(Double, Float)] = [
                (SDR.inverseBT1886(signal), SDR.inverseBT1886(s)), (SDR.inverseSRGB(signal), SDR.inverseSRGB(s)),
                (SDR.oetf(signal), SDR.oetf(s)),
            ]
            for (exact, single) in lights { worst.light = max(worst.light, abs(Double(single) - exact) / exact) }
            for (exact, single) in signals { worst.signal = max(worst.signal, abs(Double(single) - exact)) }
        }
        #expect(worst.light <= 1e-6)
        #expect(worst.signal <= 3e-7)
    }
}
