import Testing

@testable import HDRColor

/// The mapping of Dolby Vision's base layers, ETSI GS CCM 001.
@Suite struct ReshapingTests {
    typealias Curve = Reshaping.Curve
    typealias Piece = Reshaping.Piece

    /// ycc_to_rgb_coef and ycc_to_rgb_offset of profiles 8.x.
    static let toRGB = Matrix3(
        SIMD3(9574.0, 0, 13802) / 8192, SIMD3(9574.0, -1540, -5348) / 8192, SIMD3(9574.0, 17610, 0) / 8192)
    static let offset = SIMD3(0.0625, 0.5, 0.5)
    /// The rgb_to_lms_coef of profile 5, whose base layer is IPTPQc2.
    static let iptToLMS = Matrix3(
        SIMD3(8192.0, 799, 1681) / 8192, SIMD3(8192.0, -933, 1091) / 8192, SIMD3(8192.0, 267, -5545) / 8192)
    static let crosstalk = Matrix3(
        SIMD3(17081.0, -349, -349) / 16384, SIMD3(-349.0, 17081, -349) / 16384, SIMD3(-349.0, -349, 17081) / 16384)

    static func profile8(_ curves: [Curve] = [.identity, .identity, .identity]) throws -> Reshaping {
        try #require(Reshaping(curves: curves, toSignal: toRGB, offset: offset))
    }

    static func profile5() throws -> Reshaping {
        try #require(
            Reshaping(
                curves: [.identity, .identity, .identity], toSignal: iptToLMS, offset: SIMD3(0, 0.5, 0.5),
                toLMS: crosstalk))
    }

    @Test func identity() throws {
        let reshaping = try Self.profile8()
        #expect(reshaping.isIdentity && reshaping.toBT2020 == nil)
        let pixel = SIMD3(0.3, 0.55, 0.41)
        #expect(reshaping.reshaped(pixel) == pixel)
        let q = Quantization(bits: 12, fullRange: false, matrix: .bt2020)
        let difference = reshaping(pixel) - q.decode(pixel * 4095)
        #expect(difference.map { abs($0) }.maxComponent < 5e-4)
        let bent = try #require(Curve(pivots: [0, 1], pieces: [.polynomial(SIMD3(0, 1, 1e-9))]))
        let cut = try #require(Curve(pivots: [0, 0.9], pieces: [.polynomial(SIMD3(0, 1, 0))]))
        #expect(try !Self.profile8([bent, .identity, .identity]).isIdentity)
        #expect(try !Self.profile8([.identity, .identity, cut]).isIdentity)
        #expect(try !Self.profile5().isIdentity)
    }

    /// Each piece applies from its own pivot on, the first and the last one beyond the ends, and results stay between
    /// these.
    @Test func pieces() throws {
        let curve = try #require(
            Curve(
                pivots: [0.1, 0.3, 0.6, 0.9],
                pieces: [
                    .polynomial(SIMD3(0.05, 1, 0)), .polynomial(SIMD3(0, 0.5, 2)), .polynomial(SIMD3(2, -1.5, 0)),
                ]))
        func value(_ x: Double) -> Double { curve(SIMD3(x, 0, 0), 0) }
        #expect(value(0) == 0.1 && value(0.2) == 0.25)
        #expect(abs(value(0.3.nextDown) - 0.35) < 1e-12 && abs(value(0.3) - 0.33) < 1e-12)
        #expect(abs(value(0.5) - 0.75) < 1e-12 && value(0.59) == 0.9)
        #expect(value(0.7) == 0.9 && abs(value(0.8) - 0.8) < 1e-12 && abs(value(1) - 0.5) < 1e-12)
    }

    @Test func lines() throws {
        let line = Piece.line(from: (0.25, 0.1), to: (0.75, 0.6))
        #expect(line == .polynomial(SIMD3(-0.15, 1, 0)))
        #expect(Piece.line(from: (0.5, 0.1), to: (0.5, 0.6)) == .polynomial(SIMD3(0.1, 0, 0)))
    }

    /// Orders 1...3, each coefficient by itself.
    @Test func regression() throws {
        let pixel = SIMD3(0.3, 0.6, 0.7)
        let terms = [0.3, 0.6, 0.7, 0.18, 0.21, 0.42, 0.126]
        for order in 1...3 {
            for index in 0..<7 {
                var orders = Array(repeating: SIMD8<Double>(repeating: 0), count: order)
                orders[order - 1][index] = 0.5
                let curve = try #require(
                    Curve(pivots: [0, 1], pieces: [.regression(constant: 0.125, orders: orders)]))
                let power = (0..<order).reduce(1) { product, _ in product * terms[index] }
                for component in 0..<3 { #expect(abs(curve(pixel, component) - 0.125 - 0.5 * power) < 1e-15) }
            }
        }
    }

    @Test func outsideValuesAreLimited() throws {
        let reshaping = try Self.profile8()
        #expect(reshaping(SIMD3(2, .nan, -.infinity)) == reshaping(SIMD3(1, 0, 0)))
        // White of codes that no picture should have, and blue without light: outside of R'G'B'.
        #expect(abs(reshaping(SIMD3(1, 0.5, 0.5)).x - 9574.0 / 8192 * 0.9375) < 1e-12)
        #expect(reshaping(SIMD3(0.0625, 1, 0.5)).y < -0.09)
        #expect(try Self.profile5()(SIMD3(0, 1, 0)).minComponent >= 0)
    }

    /// BT.2020 to IPTPQc2 and back, as the standard's definition has it: cone responses with crosstalk, PQ, opponents.
    @Test func profile5IsInverse() throws {
        let reshaping = try Self.profile5()
        let toCones = Self.crosstalk.inverse * Reshaping.bt2020ToLMS
        for light in [
            SIMD3(0.0, 0, 0), SIMD3(203.0, 203, 203), SIMD3(1000.0, 10, 3), SIMD3(2.0, 80, 5), SIMD3(0.1, 0.2, 4000),
        ] {
            let ipt = Self.iptToLMS.inverse * (toCones * light).map { PQ.inverseEOTF($0) }
            let signal = reshaping(ipt + SIMD3(0, 0.5, 0.5))
            let difference = signal - light.map { PQ.inverseEOTF($0) }
            #expect(difference.map { abs($0) }.maxComponent < 2e-6, "\(light)")
        }
    }

    /// rgb_to_lms_coef of profile 8 is the same matrix, rounded.
    @Test func coneResponses() throws {
        let coefficients = Matrix3(SIMD3(7222.0, 8771, 390), SIMD3(2654.0, 12430, 1300), SIMD3(0.0, 422, 15962))
        let matrix = Reshaping.bt2020ToLMS * .diagonal(SIMD3(repeating: 16384))
        for (own, other) in [
            (matrix.row0, coefficients.row0), (matrix.row1, coefficients.row1), (matrix.row2, coefficients.row2),
        ] {
            #expect((own - other).map { abs($0) }.maxComponent < 0.6)
        }
        let curves = [Curve.identity, .identity, .identity]
        let toLMS = Matrix3.diagonal(SIMD3(repeating: 1.0 / 16384)) * coefficients
        let reshaping = try #require(
            Reshaping(curves: curves, toSignal: Self.toRGB, offset: Self.offset, toLMS: toLMS))
        #expect(reshaping.toBT2020 == nil)
    }

    @Test func wrongNumbersAreRefused() {
        let pieces = [Piece.polynomial(SIMD3(0, 1, 0))]
        #expect(Curve(pivots: [0, 1], pieces: []) == nil && Curve(pivots: [], pieces: []) == nil)
        #expect(Curve(pivots: [0, 0.5, 1], pieces: pieces) == nil && Curve(pivots: [1, 0], pieces: pieces) == nil)
        #expect(Curve(pivots: [-0.1, 1], pieces: pieces) == nil && Curve(pivots: [0, .nan], pieces: pieces) == nil)
        #expect(Curve(pivots: [0, 1], pieces: [.polynomial(SIMD3(0, .infinity, 0))]) == nil)
        #expect(Curve(pivots: Array(repeating: 0, count: 10), pieces: Array(repeating: pieces[0], count: 9)) == nil)
        let (none, odd) = (SIMD8<Double>(repeating: 0), SIMD8<Double>(repeating: 1))
        for orders in [[], [odd], [none * .nan], Array(repeating: none, count: 4)] {
            #expect(Curve(pivots: [0, 1], pieces: [.regression(constant: 0, orders: orders)]) == nil)
        }
        #expect(Reshaping(curves: [.identity], toSignal: Self.toRGB, offset: Self.offset) == nil)
        let broken = Matrix3(SIMD3(Double.nan, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
        let three = [Curve.identity, .identity, .identity]
        #expect(Reshaping(curves: three, toSignal: broken, offset: Self.offset) == nil)
        #expect(Reshaping(curves: three, toSignal: Self.toRGB, offset: Self.offset, toLMS: broken) == nil)
    }
}
