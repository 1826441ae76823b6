import Testing

@testable import HDRColor

struct ScalarTests {
    @Test func limiting() {
        #expect((0.5).limited(0, 1) == 0.5 && (-0.5).limited(0, 1) == 0 && (1.5).limited(0, 1) == 1)
        #expect(Double.infinity.limited(2, 3) == 3 && (-Double.infinity).limited(2, 3) == 2)
        #expect(Double.nan.limited(2, 3) == 2)
        #expect((0.25).nonNegative == 0.25 && (-0.25).nonNegative == 0 && Double.nan.nonNegative == 0)
        #expect(Float.nan.nonNegative == 0 && Float.infinity.nonNegative == .infinity)
        // A negative zero would come out of a division as -infinity.
        #expect((-0.0).nonNegative.sign == .plus)
    }

    @Test func powersAndLogarithms() {
        #expect(Double.pow(2, 10) == 1024 && Float.pow(2, 10) == 1024)
        #expect(abs(Double.exp(1) - 2.718281828459045) <= 1e-15 && abs(Float.exp(1) - 2.7182817) <= 3e-7)
        #expect(abs(Double.log(10) - 2.302585092994046) <= 1e-15 && abs(Float.log(10) - 2.3025851) <= 3e-7)
        #expect(abs(Double.log2(8) - 3) <= 1e-15 && abs(Double.log10(0.001) + 3) <= 1e-15)
    }

    @Test func components() {
        let v = SIMD3<Double>(3, -1, 2)
        #expect(v.maxComponent == 3 && v.minComponent == -1)
        #expect(v.dot(SIMD3(1, 10, 100)) == 193)
        #expect(v.nonNegative == SIMD3(3, 0, 2))
        #expect(v.limited(0, 2.5) == SIMD3(2.5, 0, 2))
        #expect(v.map { $0 * $0 } == SIMD3(9, 1, 4))
        #expect(v.converted(to: Float.self) == SIMD3<Float>(3, -1, 2))
        for order in [SIMD3<Double>(1, 2, 3), SIMD3(2, 3, 1), SIMD3(3, 1, 2)] {
            #expect(order.maxComponent == 3 && order.minComponent == 1)
        }
    }
}
