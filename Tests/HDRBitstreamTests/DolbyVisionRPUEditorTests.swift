import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct DolbyVisionRPUEditorTests {
    typealias Fixture = BitstreamFixture

    static let long: [NALFraming] = [.byteStream, .lengthPrefixed(.two), .lengthPrefixed(.four)]
    /// An RPU with zeros in it, so that it needs emulation prevention.
    static let rpu: [UInt8] = [25, 8, 9, 0, 0, 3, 1, 7, 128]
    static let other: [UInt8] = [25, 8, 9, 66, 128]
    static let end: [UInt8] = [36 << 1, 1]

    static func unit(_ rpu: [UInt8]) -> [UInt8] { [0x7C, 1] + rpu }

    private func edit(
        _ units: [[UInt8]], _ rpu: [UInt8]?, keepsLayer: Bool = true, _ framing: NALFraming
    ) throws -> [[UInt8]]? {
        let editor = DolbyVisionRPUEditor(.hevc(framing))
        let bytes = Fixture.framed(units, framing)
        guard let result = try editor.setting(rpu, keepsLayer: keepsLayer, in: bytes) else { return nil }
        #expect(try editor.rpu(in: result) == rpu)
        #expect(try editor.setting(rpu, keepsLayer: keepsLayer, in: result) == nil)
        return try Fixture.units(result, framing)
    }

    @Test(arguments: long) func anRPUBecomesTheLastUnitOfThePicture(framing: NALFraming) throws {
        let units = [Fixture.aud, Fixture.slice(1), Fixture.slice(1)]
        #expect(try edit(units, Self.rpu, framing) == units + [Self.unit(Self.rpu)])
        // Behind the suffix of the picture, and before the end of the sequence.
        let suffix = Fixture.sei([(4, UserDataEditorTests.captions)], type: 40)
        #expect(
            try edit([Fixture.slice(1), suffix, Self.end], Self.rpu, framing)
                == [Fixture.slice(1), suffix, Self.unit(Self.rpu), Self.end])
    }

    @Test(arguments: long) func anRPUIsReplacedAtItsPlace(framing: NALFraming) throws {
        let units = [Fixture.slice(1), Self.unit(Self.other), Self.unit(Self.other), Self.end]
        #expect(
            try edit(units, Self.rpu, framing) == [Fixture.slice(1), Self.unit(Self.rpu), Self.end])
        #expect(try edit([Fixture.slice(1), Self.unit(Self.rpu)], Self.rpu, framing) == nil)
    }

    @Test(arguments: long) func rpusAndLayersAreRemoved(framing: NALFraming) throws {
        let layer: [UInt8] = [63 << 1, 1, 2, 3]
        let units = [Fixture.slice(1), layer, layer, Self.unit(Self.rpu)]
        #expect(try edit(units, nil, framing) == [Fixture.slice(1), layer, layer])
        #expect(try edit(units, nil, keepsLayer: false, framing) == [Fixture.slice(1)])
        #expect(
            try edit(units, Self.other, keepsLayer: false, framing) == [Fixture.slice(1), Self.unit(Self.other)])
        // A layer that goes behind the place where an RPU comes in.
        #expect(
            try edit([Fixture.slice(1), layer], Self.rpu, keepsLayer: false, framing)
                == [Fixture.slice(1), Self.unit(Self.rpu)])
    }

    /// Zeros at the end of a NAL unit are not part of an RPU that is read, and are not written.
    @Test func zerosAtTheEnd() throws {
        let editor = DolbyVisionRPUEditor(.hevc(.lengthPrefixed(.four)))
        let bytes = Fixture.framed([Fixture.slice(1), Self.unit(Self.rpu + [0, 0])], .lengthPrefixed(.four))
        #expect(try editor.rpu(in: bytes) == Self.rpu)
        let stream = try edit([Fixture.slice(1)], Self.rpu, .byteStream)
        #expect(stream == [Fixture.slice(1), Self.unit(Self.rpu)])
        #expect(throws: BitstreamError.self) {
            try DolbyVisionRPUEditor(.hevc(.byteStream)).setting(
                Self.rpu, in: Fixture.framed([Fixture.aud], .byteStream))
        }
    }

    /// In AV1 the same RPU stands in a message, without emulation prevention.
    @Test(Samples.areThere) func messagesOfAV1() throws {
        for name in ["profile84", "cmv40_full_rpu", "profile5"] {
            let piece = try DolbyVisionRPUFile.pieces(of: try Samples.bytes("rpu/\(name).bin"))[0]
            let frame: [UInt8] = [0x32, 2, 0x10, 0x77]
            let editor = DolbyVisionRPUEditor(.av1)
            let result = try #require(try editor.setting(piece, in: frame))
            #expect(try editor.rpu(in: result) == piece)
            #expect(try editor.setting(piece, in: result) == nil)
            #expect(try editor.setting(nil, in: result) == frame)
        }
    }

    @Test(Samples.areThere) func filesInPieces() throws {
        for name in ["profile84", "cmv40_full_rpu", "fel_orig", "trailing_bytes_rpu"] {
            let bytes = try Samples.bytes("rpu/\(name).bin")
            #expect(DolbyVisionRPUFile.begins(bytes))
            let pieces = try DolbyVisionRPUFile.pieces(of: bytes)
            #expect(DolbyVisionRPUFile.bytes(of: pieces) == bytes)
            #expect(try DolbyVisionRPUFile.pieces(of: bytes + bytes) == pieces + pieces)
        }
        #expect(!DolbyVisionRPUFile.begins(Fixture.framed([Fixture.vps], .byteStream)))
        #expect(!DolbyVisionRPUFile.begins([]))
    }
}
