import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

/// SPS of x264 r3095 for a picture of 322x182.
@Suite struct AVCSequenceParameterSetTests {
    @Test func tenBitPQ() throws {
        let sps = try AVCSequenceParameterSet(
            MetadataFixture.bytes("676e000da6cd941519e226c05a848804db800000030080000019078a14cb"))
        #expect(sps.profileName == "High 10" && sps.levelName == "1.3" && sps.lumaDepth == 10)
        #expect(sps.width == 322 && sps.height == 182 && sps.chromaFormat == 1)
        #expect(
            sps.color
                == ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false, chromaLocation: 2))
    }

    @Test func interlacedWithScalingLists() throws {
        let sps = try AVCSequenceParameterSet(
            MetadataFixture.bytes("677a0015bcd941533c44d8088000000300800000190f8a14cb"))
        #expect(sps.profileName == "High 4:2:2" && sps.levelName == "2.1" && sps.chromaFormat == 2)
        #expect(sps.width == 322 && sps.height == 182 && sps.lumaDepth == 8)
    }

    @Test func baselineAndFullChroma() throws {
        let small = try AVCSequenceParameterSet(
            MetadataFixture.bytes("6742c00dd901519e226c0440000003004000000c83c50a92"))
        #expect(small.profileName == "Constrained Baseline" && small.lumaDepth == 8 && small.chromaFormat == 1)
        #expect(small.width == 322 && small.height == 182 && small.color == .unspecified)
        let full = try AVCSequenceParameterSet(
            MetadataFixture.bytes("67f4000d90d9b282a33c7c5e0220000003002000000641e28532c0"))
        #expect(full.profileName == "High 4:4:4 Predictive" && full.chromaFormat == 3 && full.chromaDepth == 10)
        #expect(full.width == 322 && full.height == 182)
    }

    /// Written by the syntax table: order type 1, scaling lists that end early, fields.
    @Test func everyPartOfTheSyntaxIsPassed() throws {
        var b = BitText()
        b.u(8, 100)
        b.u(8, 0)
        b.u(8, 41)
        b.ue(3)
        b.ue(3)  // 4:4:4
        b.u(1, 1)  // of separate planes
        b.ue(0)
        b.ue(0)
        b.u(1, 0)
        b.u(1, 1)
        for index in 0..<12 {
            b.u(1, index % 2)
            guard index % 2 == 1 else { continue }
            if index == 3 {
                b.se(-8)  // to scale 0: the rest repeats
            } else {
                for _ in 0..<(index < 6 ? 16 : 64) { b.se(1) }
            }
        }
        b.ue(0)
        b.ue(1)
        b.u(1, 0)
        b.se(-3)
        b.se(70000)
        b.ue(2)
        b.se(1)
        b.se(-1)
        b.ue(4)
        b.u(1, 0)
        b.ue(119)
        b.ue(33)
        b.u(2, 0b00)
        b.u(1, 1)
        b.u(1, 1)
        for crop in [0, 0, 0, 4] { b.ue(crop) }
        b.u(1, 1)
        b.u(1, 1)
        b.u(8, 255)
        b.u(32, 0x0004_0003)
        b.u(1, 0)
        b.u(1, 1)
        b.u(3, 5)
        b.u(1, 0)
        b.u(1, 1)
        for code in [1, 1, 1] { b.u(8, code) }
        b.u(1, 0)
        b.u(32, 0)
        let sps = try AVCSequenceParameterSet(escaped([0x67] + b.bytes()))
        #expect(sps.id == 3 && sps.width == 1920 && sps.height == 1080 && sps.levelName == "4.1")
        #expect(sps.profileName == "High" && sps.color == .bt709)
    }

    @Test func cutsAreErrorsAndNeverMore() throws {
        let unit = MetadataFixture.bytes("676e000da6cd941519e226c05a848804db800000030080000019078a14cb")
        var failures = 0
        for count in 0..<unit.count {
            do { _ = try AVCSequenceParameterSet(Array(unit.prefix(count))) } catch is BitstreamError { failures += 1 }
        }
        #expect(failures > 12)
        #expect(throws: BitstreamError.self) { try AVCSequenceParameterSet([0x68] + unit.dropFirst()) }
    }
}
