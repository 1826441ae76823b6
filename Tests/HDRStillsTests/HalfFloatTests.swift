import TestSupport
import Testing

@testable import HDRStills

@Suite struct HalfFloatTests {
    @Test func everyHalfComesBack() {
        for pattern in UInt16.min ... .max {
            let half = Float16(bitPattern: pattern)
            let bits = HalfFloat.bits(of: Float(half))
            if half.isNaN {
                #expect(Float16(bitPattern: bits).isNaN && bits & 0x8000 == pattern & 0x8000)
            } else if bits != pattern {
                Issue.record("\(pattern) became \(bits)")
            }
        }
    }

    /// Between each two neighbours: the middle goes to the even one, what is beside it to the nearer one.
    @Test func tiesGoToEven() {
        for pattern in UInt16(0)..<0x7C00 {
            let low = Float(Float16(bitPattern: pattern))
            let high = pattern == 0x7BFF ? 65536 : Float(Float16(bitPattern: pattern + 1))
            let middle = (low + high) / 2
            for sign: Float in [1, -1] {
                let bit: UInt16 = sign < 0 ? 0x8000 : 0
                let even = pattern % 2 == 0 ? pattern : pattern + 1
                guard HalfFloat.bits(of: middle * sign) == even | bit,
                    HalfFloat.bits(of: middle.nextDown * sign) == pattern | bit,
                    HalfFloat.bits(of: middle.nextUp * sign) == (pattern + 1) | bit
                else {
                    Issue.record("around \(middle * sign)")
                    return
                }
            }
        }
    }

    @Test func randomFloatsAreAsTheLanguageConvertsThem() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1_000_000 {
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            let expected = Float16(float)
            let bits = HalfFloat.bits(of: float)
            guard expected.isNaN ? Float16(bitPattern: bits).isNaN : bits == expected.bitPattern else {
                Issue.record("\(float) became \(bits)")
                return
            }
        }
    }

    @Test func limits() {
        #expect(HalfFloat.bits(of: 65504) == 0x7BFF)
        #expect(HalfFloat.bits(of: 65519.996) == 0x7BFF)
        #expect(HalfFloat.bits(of: 65520) == 0x7C00)
        #expect(HalfFloat.bits(of: .infinity) == 0x7C00)
        #expect(HalfFloat.bits(of: -.infinity) == 0xFC00)
        #expect(HalfFloat.bits(of: .leastNonzeroMagnitude) == 0)
        #expect(HalfFloat.bits(of: -0.0) == 0x8000)
        #expect(HalfFloat.bits(of: 0x1p-25) == 0, "a tie")
        #expect(HalfFloat.bits(of: (0x1p-25 as Float).nextUp) == 1)
    }
}
