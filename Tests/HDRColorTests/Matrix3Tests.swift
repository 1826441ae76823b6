import Testing

@testable import HDRColor

struct Matrix3Tests {
    let a = Matrix3<Double>(SIMD3(2, -1, 3), SIMD3(0, 5, 7), SIMD3(-4, 1, 6))
    let b = Matrix3<Double>(SIMD3(1, 2, 0), SIMD3(-3, 4, 1), SIMD3(5, 0, -2))

    @Test func timesVector() {
        #expect(a * SIMD3(1, 10, 100) == SIMD3(292, 750, 606))
        #expect(Matrix3<Double>.diagonal(SIMD3(2, 3, 4)) * SIMD3(1, 10, 100) == SIMD3(2, 30, 400))
        #expect(Matrix3<Double>.identity * SIMD3(1, 10, 100) == SIMD3(1, 10, 100))
    }

    @Test func timesMatrix() {
        #expect(a * b == Matrix3(SIMD3(20, 0, -7), SIMD3(20, 20, -9), SIMD3(23, -4, -11)))
        #expect(a * b != b * a)
        let v = SIMD3(0.5, -2, 4)
        #expect((a * b) * v == a * (b * v))
    }

    @Test func transposed() {
        #expect(a.transposed == Matrix3(SIMD3(2, 0, -4), SIMD3(-1, 5, 1), SIMD3(3, 7, 6)))
    }

    @Test func inverse() {
        // det a = 134
        let inverse = a.inverse
        #expect((inverse.row0 - SIMD3(23, 9, -22) / 134).magnitude <= 1e-16)
        #expect((inverse.row1 - SIMD3(-28, 24, -14) / 134).magnitude <= 1e-16)
        #expect((inverse.row2 - SIMD3(20, 2, 10) / 134).magnitude <= 1e-16)
        let product = a * inverse
        #expect((product.row0 - SIMD3(1, 0, 0)).magnitude <= 1e-15)
        #expect((product.row1 - SIMD3(0, 1, 0)).magnitude <= 1e-15)
        #expect((product.row2 - SIMD3(0, 0, 1)).magnitude <= 1e-15)
    }

    @Test func singularHasNoFiniteInverse() {
        let singular = Matrix3<Double>(SIMD3(1, 2, 3), SIMD3(2, 4, 6), SIMD3(0, 1, 1))
        #expect(!singular.inverse.row0.isFinite)
    }

    @Test func converted() {
        let third = Matrix3<Double>.diagonal(SIMD3(repeating: 1.0 / 3))
        #expect(third.converted(to: Float.self).row1.y == Float(1.0 / 3))
        #expect(third.converted(to: Float.self).converted(to: Double.self) != third)
        #expect(a.converted(to: Float.self).converted(to: Double.self) == a)
    }
}
