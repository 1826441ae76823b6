import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct DynamicMetadataWriterTests {
    typealias Fixture = BitstreamFixture

    private static let rpu = DynamicMetadataPayload(.dolbyVision, DolbyVisionRPUFixture.profile81)
    private static let message = DynamicMetadataPayload(.hdr10Plus, HDR10PlusFixture.measured)
    private static let unit = [0x7C, 1] + EmulationPrevention.inserted(into: rpu.bytes)
    private static let endOfSequence: [UInt8] = [36 << 1, 1]

    private static func written(
        _ payloads: [DynamicMetadataPayload], _ units: [[UInt8]], _ framing: NALFraming
    ) throws -> [[UInt8]]? {
        let writer = DynamicMetadataWriter(framing)
        guard let bytes = try writer.writing(payloads, into: Fixture.framed(units, framing)) else { return nil }
        #expect(try writer.writing(payloads, into: bytes) == nil, "a second pass changes what the first has made")
        var reader = DynamicMetadataReader(.hevc(framing))
        #expect(Set(reader.read(bytes).payloads.map(\.bytes)) == Set(payloads.map(\.bytes)))
        return try Fixture.units(bytes, framing)
    }

    @Test(arguments: UserDataEditorTests.long) func theRPUIsTheLastUnit(framing: NALFraming) throws {
        let plain = [Fixture.aud, Fixture.slice(1), Fixture.slice(1, seed: 2)]
        #expect(try Self.written([Self.rpu], plain, framing) == plain + [Self.unit])
        #expect(
            try Self.written([Self.rpu], plain + [Self.endOfSequence], framing)
                == plain + [Self.unit, Self.endOfSequence])
    }

    @Test(arguments: UserDataEditorTests.long) func othersAreReplaced(framing: NALFraming) throws {
        let other: [UInt8] = [0x7C, 1, 25, 8, 9, 1, 2, 3, 0x80]
        let units = [Fixture.aud, Fixture.slice(1), other, other]
        #expect(try Self.written([Self.rpu], units, framing) == [Fixture.aud, Fixture.slice(1), Self.unit])
        let twice = [Fixture.aud, Fixture.slice(1), Self.unit, Self.unit]
        #expect(try Self.written([Self.rpu], twice, framing) == [Fixture.aud, Fixture.slice(1), Self.unit])
    }

    @Test(arguments: UserDataEditorTests.long) func formatsGoTogether(framing: NALFraming) throws {
        let units = [Fixture.aud, Fixture.slice(1)]
        #expect(
            try Self.written([Self.message, Self.rpu], units, framing)
                == [Fixture.aud, Fixture.sei([(4, Self.message.bytes)]), Fixture.slice(1), Self.unit])
        #expect(try DynamicMetadataWriter(framing).writing([], into: Fixture.framed(units, framing)) == nil)
    }

    @Test func anAccessUnitWithoutAPictureIsRefused() {
        let bytes = Fixture.framed([Fixture.aud], .byteStream)
        #expect(throws: BitstreamError.self) { try DynamicMetadataWriter(.byteStream).writing([Self.rpu], into: bytes) }
    }
}
