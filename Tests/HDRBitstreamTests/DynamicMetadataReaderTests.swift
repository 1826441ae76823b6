import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct DynamicMetadataReaderTests {
    typealias Fixture = BitstreamFixture

    static let rpu = DolbyVisionRPUFixture.profile81
    static let message = HDR10PlusFixture.measured

    private static func unit(_ rpu: [UInt8]) -> [UInt8] { [0x7C, 1] + EmulationPrevention.inserted(into: rpu) }

    private static func accessUnit(_ rpus: [[UInt8]], _ framing: NALFraming = .byteStream) -> [UInt8] {
        Fixture.framed(
            [Fixture.aud, Fixture.sei([(4, message), (4, UserDataEditorTests.captions)]), Fixture.slice(1)]
                + rpus.map(unit), framing)
    }

    @Test(arguments: UserDataEditorTests.long) func aPicturesMetadataAreFound(framing: NALFraming) {
        var reader = DynamicMetadataReader(.hevc(framing))
        let reading = reader.read(Self.accessUnit([Self.rpu, Self.rpu], framing))
        #expect(reading.problems == [])
        #expect(
            reading.payloads == [
                DynamicMetadataPayload(.hdr10Plus, Self.message), DynamicMetadataPayload(.dolbyVision, Self.rpu),
            ])
    }

    /// Zeros behind the last unit of a byte stream end up in it where a parser writes lengths.
    @Test(arguments: UserDataEditorTests.long) func zerosBehindAnRPUAreLeftOut(framing: NALFraming) {
        var reader = DynamicMetadataReader(.hevc(framing))
        let unit = Self.unit(Self.rpu) + [0, 0]
        let reading = reader.read(Fixture.framed([Fixture.aud, Fixture.slice(1), unit], framing))
        #expect(reading.payloads == [DynamicMetadataPayload(.dolbyVision, Self.rpu)])
        // A unit that is nothing but its header, or that and zeros, has no RPU.
        for unit: [UInt8] in [[0x7C, 1], [0x7C, 0], [0x7C, 0, 0]] {
            let reading = reader.read(Fixture.framed([Fixture.slice(1), unit], framing))
            #expect(reading.payloads.isEmpty && reading.problems.count <= 1)
        }
    }

    @Test func metadataOfAV1AreFound() throws {
        let rpu = try DolbyVisionRPU(payload: Self.rpu)
        var reader = DynamicMetadataReader(.av1)
        let units = UserDataEditor.av1Unit(Self.message) + UserDataEditor.av1Unit(try rpu.t35Message())
        let reading = reader.read(units)
        #expect(reading.problems == [])
        #expect(reading.payloads.map(\.format) == [.hdr10Plus, .dolbyVision])
        #expect(reading.payloads.map(\.bytes) == [Self.message, Self.rpu])
    }

    /// An RPU without a sequence's header and without a mapping stands on its own afterwards.
    @Test func whatAnEarlierOneSaysIsAdded() throws {
        let whole = try DolbyVisionRPU(payload: Self.rpu)
        var partial = whole
        partial.mapping = nil
        partial.header.sequence = nil
        let core = try partial.payload(sequence: whole.header.sequence)
        #expect(core.count < Self.rpu.count)
        var reader = DynamicMetadataReader(.hevc(.byteStream))
        #expect(reader.read(Self.accessUnit([core])).problems.count == 1, "there is no earlier one yet")
        _ = reader.read(Self.accessUnit([Self.rpu]))
        let reading = reader.read(Self.accessUnit([core]))
        #expect(reading.problems == [])
        let read = try DolbyVisionRPU(payload: try #require(reading.payloads.last).bytes)
        #expect(read.mapping == whole.mapping && read.header.sequence == whole.header.sequence)
        #expect(read.displayManagement == whole.displayManagement)
    }

    @Test func damageIsToldAndTheRestIsKept() {
        var broken = Self.rpu
        broken[20] ^= 1
        var reader = DynamicMetadataReader(.hevc(.byteStream))
        let reading = reader.read(Self.accessUnit([broken]))
        #expect(reading.payloads.map(\.format) == [.hdr10Plus])
        #expect(reading.problems.count == 1 && reading.problems[0].contains("CRC"), "\(reading.problems)")
    }

    @Test func damagedHDR10PlusIsLeftOut() {
        let unit = Fixture.framed(
            [Fixture.aud, Fixture.sei([(4, Array(Self.message.prefix(20)))]), Fixture.slice(1)], .byteStream)
        var reader = DynamicMetadataReader(.hevc(.byteStream))
        let reading = reader.read(unit)
        #expect(reading.payloads == [])
        #expect(reading.problems.count == 1 && reading.problems[0].contains("HDR10+"), "\(reading.problems)")
    }

    /// Any bytes are read without a trap, and what is found of Dolby Vision is a complete RPU.
    @Test func damagedAccessUnitsMakeNoTrap() {
        var random = SeededGenerator(seed: 62)
        var found = 0
        for index in 0..<BitstreamFuzzTests.total / 10 {
            var bytes = Self.accessUnit([Self.rpu], index % 2 == 0 ? .byteStream : .lengthPrefixed(.four))
            for _ in 0..<random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(8) == 0 { bytes.removeLast(random.below(bytes.count)) }
            var reader = DynamicMetadataReader(
                index % 3 == 0 ? .av1 : .hevc(index % 2 == 0 ? .byteStream : .lengthPrefixed(.four)))
            for payload in reader.read(bytes).payloads where payload.format == .dolbyVision {
                found += 1
                #expect((try? DolbyVisionRPU(payload: payload.bytes))?.mapping != nil)
            }
        }
        #expect(found > 0)
    }
}
