import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct AV1InspectionTests {
    private func found(_ bytes: [UInt8]) throws -> BitstreamInspection {
        var found = BitstreamInspection(codec: .av1)
        try found.read(accessUnit: bytes)
        return found
    }

    private func metadata(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [5 << 3 | 2, UInt8(payload.count + 2), type] + payload + [0x80]
    }

    /// Sequence headers of libaom for 322x182: 10-bit 4:2:0 BT.2020 PQ, 8-bit 4:4:4 in full range.
    @Test func sequenceHeaders() throws {
        let pq = try found(MetadataFixture.bytes("1200 0a0e 000000043d06d4daf95091009040"))
        #expect(pq.width == 322 && pq.height == 182 && pq.lumaDepth == 10 && pq.chromaFormat == 1)
        #expect(pq.profileName == "Main" && pq.levelName == "2.0" && pq.color.isPQ)
        #expect(pq.color.primaries == 9 && pq.color.matrix == 9 && pq.color.isFullRange == false)
        let full = try found(MetadataFixture.bytes("1200 0a0a 200000043d06d4daf912"))
        #expect(full.profileName == "High" && full.chromaFormat == 3 && full.lumaDepth == 8)
        #expect(full.color == ColorDescription(isFullRange: true))
    }

    /// Written by the syntax table: timing, decoder model, two operating points, frame ids, 12 bits of 4:2:0.
    @Test func everyPartOfTheSyntaxIsPassed() throws {
        var b = BitText()
        b.u(3, 2)
        b.u(2, 0)
        b.u(1, 1)
        b.u(32, 1)
        b.u(32, 30)
        b.u(1, 1)
        b.ue(0)
        b.u(1, 1)
        b.u(5, 9)
        b.u(32, 1)
        b.u(10, 0)
        b.u(1, 1)
        b.u(5, 1)
        for level in [13, 5] {
            b.u(12, 0)
            b.u(5, level)
            if level > 7 { b.u(1, 0) }
            b.u(1, 1)
            b.u(21, 0x5555)
            b.u(1, 1)
            b.u(4, 3)
        }
        b.u(8, 0xBB)
        b.u(12, 3839)
        b.u(12, 2159)
        b.u(1, 1)
        b.u(7, 0)
        b.u(3, 0)
        b.u(4, 0)
        b.u(1, 1)
        b.u(2, 0)
        b.u(1, 0)
        b.u(1, 1)
        b.u(1, 0)
        b.u(1, 1)
        b.u(3, 6)
        b.u(3, 7)
        b.u(3, 0b110)
        b.u(1, 1)
        for code in [9, 18, 9] { b.u(8, code) }
        b.u(3, 0b011)
        b.u(2, 2)
        b.u(2, 0)
        let header = try AV1SequenceHeader(payload: b.bytes())
        #expect(header.width == 3840 && header.height == 2160 && header.bitDepth == 12 && header.levelName == "5.1")
        #expect(
            header.color
                == ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false, chromaLocation: 2))
        for count in 0..<b.bytes().count - 1 {
            #expect(throws: BitstreamError.self) { try AV1SequenceHeader(payload: Array(b.bytes().prefix(count))) }
        }
    }

    /// 0.708, 0.292 and so on in 0.16 fixed point, in the order red, green, blue; 1000 and 0.005 cd/m².
    @Test func masteringDisplayIsInFixedPoint() throws {
        func point(_ x: Double, _ y: Double) -> [UInt8] {
            [x, y].flatMap { value -> [UInt8] in
                let fixed = Int((value * 65536).rounded())
                return [UInt8(fixed >> 8), UInt8(fixed & 255)]
            }
        }
        let points = point(0.708, 0.292) + point(0.17, 0.797) + point(0.131, 0.046) + point(0.3127, 0.329)
        let payload = points + MetadataFixture.bytes("0003e800 00000052")
        let result = try found(metadata(2, payload) + metadata(1, [3, 232, 1, 144]))
        #expect(result.masteringDisplay?.text == "35400:14600:8500:39850:6550:2300:15635:16450:10000000:50")
        #expect(result.contentLightLevel == MetadataFixture.level)
        // The largest values do not overflow.
        let most = try found(metadata(2, [UInt8](repeating: 255, count: 24)))
        #expect(most.masteringDisplay?.maximum == .max && most.masteringDisplay?.red.x == 49999)
    }

    @Test func userData() throws {
        #expect(try found(metadata(4, MetadataFixture.hdr10Plus)).hasHDR10Plus)
        let dolby = try found(metadata(4, MetadataFixture.bytes("b5003b0000080037")))
        #expect(dolby.hasDolbyVisionRPU && dolby.dolbyVisionProfile == 10 && !dolby.hasHDR10Plus)
    }

    @Test func unitsThatLieAreErrors() {
        let endless = [0x0A] + [UInt8](repeating: 255, count: 9)
        for bytes in [[0x92, 0], [0x0A, 5, 1], [0x0A], [0x0A, 0x80], [0x0E], endless] {
            #expect(throws: BitstreamError.self) { try found(bytes) }
        }
        var record = BitstreamInspection(codec: .av1)
        #expect(throws: BitstreamError.self) { try record.read(configuration: [0x81, 0, 0]) }
        #expect(throws: BitstreamError.self) { try record.read(configuration: [0x01, 0, 0, 0]) }
    }
}
