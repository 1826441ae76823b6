import Testing

@testable import HDRMetadata

@Suite struct FractionTests {
    @Test(arguments: [
        (23.976, Fraction(24000, 1001)), (29.97, Fraction(30000, 1001)), (59.94, Fraction(60000, 1001)),
        (119.88, Fraction(120000, 1001)), (25.0, Fraction(25, 1)), (12.5, Fraction(25, 2)), (7.25, Fraction(29, 4)),
        (1000.0, Fraction(1000, 1)),
    ]) func decimalsBecomeTheRatesTheyMean(_ rate: Double, _ fraction: Fraction) {
        #expect(Fraction(framesPerSecond: rate) == fraction)
    }

    @Test(arguments: [0.0, -1, -Double.infinity, .infinity, .nan, 1000.5, 1e300, 1e-9])
    func ratesOutOfRangeAreRejected(_ rate: Double) {
        #expect(Fraction(framesPerSecond: rate) == nil)
    }

    @Test func onlyUsableOnesHaveAValue() {
        #expect(Fraction(30000, 1001).value.map { abs($0 - 29.97) < 0.001 } == true)
        for (a, b) in [(0, 1), (1, 0), (-1, 1), (Int.min, -1), (Int.max, 1), (1, Int.min)] {
            #expect(Fraction(a, b).value == nil)
            #expect(Fraction(a, b).reduced == Fraction(a, b))
        }
        #expect(Fraction(64, 48).reduced == Fraction(4, 3))
        #expect(Fraction(64, 48).equals(Fraction(4, 3)) && !Fraction(4, 3).equals(.one))
    }
}
