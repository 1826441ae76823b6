import Testing

@testable import HDRColor

struct ClassicCurvesTests {
    typealias Curve = @Sendable (Double, Double) -> Double
    static let peaks = [1.5, 2, 1000.0 / 203, 10, 4000.0 / 203, 10000.0 / 100]

    static let curves: [(String, Curve)] = [
        ("reinhard", { ClassicCurves.reinhard($0, peak: $1) }),
        ("hable", { ClassicCurves.hable($0, peak: $1) }),
        ("mobius", { ClassicCurves.mobius($0, peak: $1) }),
    ]

    @Test(arguments: curves) func endsAndRise(_ name: String, _ curve: Curve) {
        for peak in Self.peaks {
            #expect(abs(curve(0, peak)) <= 1e-15)
            #expect(abs(curve(peak, peak) - 1) <= 1e-14)
            let values = steps(0...peak, count: 10001).map { curve($0, peak) }
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// Reinhard 2002 with white at 4 times the target's peak: x / (1 + x) * 5 / 4.
    @Test func reinhard() {
        #expect(abs(ClassicCurves.reinhard(1, peak: 4) - 0.625) <= 1e-15)
        #expect(abs(ClassicCurves.reinhard(0.25, peak: 4) - 0.25) <= 1e-15)
        #expect(abs(ClassicCurves.reinhard(3, peak: 4) - 0.9375) <= 1e-15)
    }

    /// Hable's curve with A .15, B .50, C .10, D .20, E .02, F .30, worked out with fractions:
    /// at 1 it is 0.204 / 0.71 - 1 / 15, at 11.2 (his linear white) 19.380 / 24.476 - 1 / 15.
    @Test func hable() {
        let atOne: Double = 0.204 / 0.71 - 1.0 / 15
        let atWhite: Double = 19.380 / 24.476 - 1.0 / 15
        let limit: Double = 1 - 1.0 / 15
        #expect(abs(ClassicCurves.filmic(1.0) - atOne) <= 1e-15)
        #expect(abs(ClassicCurves.filmic(11.2) - atWhite) <= 1e-15)
        #expect(abs(ClassicCurves.hable(1, peak: 11.2) - atOne / atWhite) <= 1e-15)
        // Far above, only E / F is taken from 1.
        #expect(abs(ClassicCurves.filmic(1e9) - limit) <= 1e-8)
    }

    /// Identity up to the knee, and the same slope just above it.
    @Test(arguments: [0.1, 0.3, 0.7, 0.8]) func mobius(_ knee: Double) {
        for peak in Self.peaks {
            for x in steps(0...knee, count: 50) { #expect(ClassicCurves.mobius(x, knee: knee, peak: peak) == x) }
            let h = 1e-6
            let above = ClassicCurves.mobius(knee + h, knee: knee, peak: peak)
            #expect(abs((above - knee) / h - 1) <= 1e-4)
            #expect(abs(ClassicCurves.mobius(peak, knee: knee, peak: peak) - 1) <= 1e-14)
            #expect(ClassicCurves.mobius((knee + peak) / 2, knee: knee, peak: peak) < (knee + peak) / 2)
        }
        // Knee 1/2, peak 3: a = -(1/4) 2 / (9/4) = -2/9, b = (1/4) / 2 = 1/8, and the scale
        // (b^2 + b + 1/4) / (b - a) = (25/64) / (25/72) = 9/8, so that 2 goes to (9/8) (16/9) / (17/8) = 16/17.
        #expect(abs(ClassicCurves.mobius(2, knee: 0.5, peak: 3) - 16.0 / 17) <= 1e-15)
    }

    /// A peak within the target needs nothing.
    @Test func mobiusWithoutCompression() {
        for x in steps(0...1, count: 11) { #expect(ClassicCurves.mobius(x, peak: 1) == x) }
        #expect(ClassicCurves.mobius(0.9, peak: 0.95) == 0.9)
    }

    /// Single precision: quotients of short polynomials, so a few roundings of 6e-8 of the white, which is 1.
    @Test func singlePrecision() {
        var worst = 0.0
        func compare(_ single: Float, _ exact: Double) { worst = max(worst, abs(Double(single) - exact)) }
        for peak in Self.peaks {
            for x in steps(0...peak, count: 1000) {
                let (s, p) = (Float(x), Float(peak))
                compare(ClassicCurves.reinhard(s, peak: p), ClassicCurves.reinhard(x, peak: peak))
                compare(ClassicCurves.hable(s, peak: p), ClassicCurves.hable(x, peak: peak))
                compare(ClassicCurves.mobius(s, peak: p), ClassicCurves.mobius(x, peak: peak))
            }
        }
        #expect(worst <= 6e-7)
    }
}
