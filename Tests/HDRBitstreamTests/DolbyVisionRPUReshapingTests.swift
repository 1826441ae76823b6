import HDRColor
import TestSupport
import Testing

@testable import HDRBitstream

/// RPUs as numbers to compute with.
@Suite struct DolbyVisionRPUReshapingTests {
    private static let level1 = DolbyVisionRPU.Level1(minimumPQ: 0, maximumPQ: 2920, averagePQ: 2381)

    private static func rpu(_ pieces: [DolbyVisionRPU.Mapping.Piece], pivots: [UInt16]) throws -> DolbyVisionRPU {
        var rpu = DolbyVisionRPU.profile81(level1: level1, beginsScene: true)
        var mapping = try #require(rpu.mapping)
        mapping.curves[0] = .init(pivots: pivots, pieces: pieces)
        rpu.mapping = mapping
        return rpu
    }

    @Test func profile81IsIdentity() throws {
        let reshaping = try #require(Reshaping(.profile81(level1: Self.level1, beginsScene: true)))
        #expect(reshaping.isIdentity)
        // Reference white, 58.07 % of the range.
        let code = (64 + 876 * PQ.inverseEOTF(203.0)) / 1023
        let signal = reshaping(SIMD3(code, 512.0 / 1023, 512.0 / 1023))
        #expect((signal - PQ.inverseEOTF(203)).map { abs($0) }.maxComponent < 2e-3)
    }

    /// HLG grey becomes what BT.2100's OOTF makes of it on a display of 1000 cd/m²; blue, by the regression, up to 15 %
    /// more, and less in shadows.
    @Test func profile84IsHLG() throws {
        let reshaping = try #require(Reshaping(.profile84(level1: Self.level1, beginsScene: true)))
        #expect(!reshaping.isIdentity && reshaping.toBT2020 == nil)
        for signal in [0.15, 0.3, 0.5, 0.75, 0.92] {
            let pixel = SIMD3((64 + 876 * signal) / 1023, 512.0 / 1023, 512.0 / 1023)
            let light = reshaping(pixel).map { PQ.eotf($0) }
            let expected = HLG<Double>(peak: 1000).toDisplay(SIMD3(repeating: signal)).x
            #expect(abs(light.x / expected - 1) < 0.05 && abs(light.y / expected - 1) < 0.05, "\(signal): \(light)")
            #expect(
                light.z / expected > (signal < 0.2 ? 0.65 : 0.95) && light.z / expected < 1.16,
                "\(signal): \(light) \(expected)")
        }
    }

    /// A line ends where the next piece begins, or at its own end.
    @Test func linearInterpolation() throws {
        let one = Int64(1) << 23
        let rpu = try Self.rpu(
            [
                .linearInterpolation(start: 0, end: nil), .linearInterpolation(start: one / 2, end: nil),
                .polynomial([one / 4, one / 2]), .linearInterpolation(start: one / 4, end: one),
            ], pivots: [0, 200, 400, 600, 1023])
        let reshaping = try #require(Reshaping(rpu))
        func luma(_ code: Double) -> Double { reshaping.reshaped(SIMD3(code / 1023, 0.5, 0.5)).x }
        #expect(abs(luma(100) - 0.25) < 1e-12 && abs(luma(200) - 0.5) < 1e-12)
        #expect(abs(luma(300) - (0.5 + 0.25 + 200.0 / 1023) / 2) < 1e-12)
        #expect(abs(luma(400) - 0.25 - 200.0 / 1023) < 1e-12)
        #expect(abs(luma(600) - 0.25) < 1e-12 && abs(luma(1023) - 1) < 1e-12)
    }

    @Test func floatingPointCoefficients() throws {
        var rpu = try Self.rpu(
            [.polynomial([Int64(Float(0.125).bitPattern), Int64(Float(-0.5).bitPattern), Int64(Float(1).bitPattern)])],
            pivots: [0, 1023])
        rpu.header.sequence?.coefficientFormat = .floatingPoint
        let curve = try #require(Reshaping(rpu)).curves[0]
        #expect(curve.pieces == [.polynomial(SIMD3(0.125, -0.5, 1))])
    }

    /// Sequence and mapping of an earlier RPU; nothing where they are missing, where the numbers are no curve, and for
    /// another EOTF.
    @Test func missingParts() throws {
        let whole = DolbyVisionRPU.profile84(level1: Self.level1, beginsScene: true)
        var part = whole
        (part.header.sequence, part.mapping) = (nil, nil)
        #expect(Reshaping(part) == nil && Reshaping(part, sequence: whole.header.sequence) == nil)
        let found = Reshaping(part, sequence: whole.header.sequence, mapping: whole.mapping)
        #expect(found != nil && found == Reshaping(whole))
        var wrong = whole
        wrong.displayManagement?.signal?.eotf = 0
        #expect(Reshaping(wrong) == nil)
        wrong.displayManagement?.signal = nil
        #expect(Reshaping(wrong) == Reshaping(whole))
        wrong.header.profile = 0
        wrong.header.sequence?.isBaseLayerFullRange = true
        #expect(Reshaping(wrong) == nil)
        wrong = whole
        wrong.displayManagement?.signal?.yccToRGBOffset = [1]
        #expect(Reshaping(wrong) == nil)
        wrong = whole
        wrong.mapping?.curves.removeLast()
        #expect(Reshaping(wrong) == nil)
        #expect(try Reshaping(Self.rpu([.polynomial([1])], pivots: [0, 1023])) == nil)
        #expect(try Reshaping(Self.rpu([.polynomial([1, 2])], pivots: [0])) == nil)
        #expect(try Reshaping(Self.rpu([.polynomial([1, 2])], pivots: [0, 1024])) == nil)
    }

    @Test(Samples.areThere, arguments: ["profile5", "profile8", "profile84", "fel_orig", "mel_orig"])
    func samples(_ name: String) throws {
        let rpu = try #require(try DolbyVisionRPUFile.rpus(in: Samples.bytes("rpu/\(name).bin")).first)
        let reshaping = try #require(Reshaping(rpu))
        #expect((reshaping.toBT2020 != nil) == (name == "profile5"))
        let grey = reshaping(SIMD3(0.5, 0.5, 0.5))
        #expect(grey.minComponent >= 0 && grey.maxComponent <= 1)
        if let matrix = reshaping.toBT2020 {
            // White stays white.
            #expect((matrix * SIMD3(1, 1, 1) - 1).map { abs($0) }.maxComponent < 2e-3)
        }
    }
}
