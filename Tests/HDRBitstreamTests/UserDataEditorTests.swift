import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct UserDataEditorTests {
    typealias Fixture = BitstreamFixture

    static let old = HDR10PlusFixture.measured
    static let new = HDR10PlusFixture.mapped
    /// User data of another kind: captions.
    static let captions = MetadataFixture.bytes("b50031474139340341ff")

    private func hevc(_ units: [[UInt8]], _ payload: [UInt8]?, _ framing: NALFraming) throws -> [[UInt8]]? {
        let editor = UserDataEditor(.hdr10Plus, in: .hevc(framing))
        let bytes = Fixture.framed(units, framing)
        guard let result = try editor.setting(payload, in: bytes) else { return nil }
        #expect(try editor.payloads(in: result) == (payload.map { [$0] } ?? []))
        #expect(try editor.setting(payload, in: result) == nil, "a second edit changes what the first has made")
        return try Fixture.units(result, framing)
    }

    static let long: [NALFraming] = [.byteStream, .lengthPrefixed(.two), .lengthPrefixed(.four)]

    // MARK: HEVC

    @Test(arguments: long) func payloadsAreFound(framing: NALFraming) throws {
        let units = [
            Fixture.aud, Fixture.sei([(4, Self.captions), (4, Self.old)]), Fixture.slice(1),
            Fixture.sei([(4, Self.new)], type: 40),
        ]
        let bytes = Fixture.framed(units, framing)
        #expect(try UserDataEditor(.hdr10Plus, in: .hevc(framing)).payloads(in: bytes) == [Self.old, Self.new])
        #expect(try UserDataEditor(.adaptiveToneMap, in: .hevc(framing)).payloads(in: bytes) == [])
    }

    @Test(arguments: long) func aMessageIsReplacedAtItsPlace(framing: NALFraming) throws {
        let light: (Int, [UInt8]) = (144, [3, 232, 1, 144])
        let units = [
            Fixture.aud, Fixture.sei([light, (4, Self.old), (4, Self.captions)]), Fixture.sei([(4, Self.old)]),
            Fixture.slice(1), Fixture.slice(1),
        ]
        let result = try #require(try hevc(units, Self.new, framing))
        #expect(
            result == [
                Fixture.aud, Fixture.sei([light, (4, Self.new), (4, Self.captions)]), Fixture.slice(1),
                Fixture.slice(1),
            ])
    }

    @Test(arguments: long) func aMessageIsInsertedBeforeThePicture(framing: NALFraming) throws {
        let units = [Fixture.aud, Fixture.sei([(4, Self.captions)]), Fixture.slice(19), Fixture.slice(62)]
        let result = try #require(try hevc(units, Self.new, framing))
        #expect(result == [units[0], units[1], Fixture.sei([(4, Self.new)]), units[2], units[3]])
        #expect(UserDataEditor.hevcUnit(Self.new) == Fixture.sei([(4, Self.new)]))
        // The message has the picture's TemporalId.
        var higher = Fixture.slice(1)
        higher[1] = 3
        #expect(try hevc([higher], Self.new, framing)?.first?[1] == 3)
        // A picture that comes without anything in front of it.
        #expect(try hevc([Fixture.slice(1)], Self.new, framing)?.count == 2)
    }

    @Test(arguments: long) func messagesAreRemoved(framing: NALFraming) throws {
        let units = [Fixture.sei([(4, Self.old)]), Fixture.slice(1), Fixture.sei([(4, Self.captions), (4, Self.old)])]
        let result = try #require(try hevc(units, nil, framing))
        #expect(result == [Fixture.slice(1), Fixture.sei([(4, Self.captions)])])
        #expect(try hevc(result, nil, framing) == nil)
        #expect(try hevc(units, Self.old, framing)?.count == 3)
    }

    @Test func metadataWithoutAPictureAreRefused() throws {
        let editor = UserDataEditor(.hdr10Plus, in: .hevc(.byteStream))
        #expect(
            throws: BitstreamError("access unit has no picture that metadata could be put in front of")
        ) { try editor.setting(Self.new, in: Fixture.framed([Fixture.aud, Fixture.pps], .byteStream)) }
        #expect(throws: BitstreamError.self) { try editor.payloads(in: [1, 2, 3]) }
    }

    /// Payloads with start codes in them are escaped, and read without the escapes.
    @Test func payloadsAreEscaped() throws {
        let zeros = try HDR10PlusMetadata().payload + [0, 0, 0, 1, 0, 0]
        let unit = UserDataEditor.hevcUnit(zeros)
        #expect(unit == Fixture.sei([(4, zeros)]) && zeros.count > 20)
        #expect(!unit.indices.dropLast(2).contains { unit[$0...].starts(with: [0, 0, 1]) })
        #expect(try hevc([Fixture.slice(1)], zeros, .byteStream)?.first == unit)
    }

    // MARK: AV1

    private static let delimiter: [UInt8] = [0x12, 0]
    private static let hidden: [UInt8] = [0x32, 2, 0x20, 9]
    private static let shown: [UInt8] = [0x32, 3, 0x10, 8, 7]
    private static let shownAgain: [UInt8] = [0x1A, 1, 0x80]
    /// A light level: type 1.
    private static let light: [UInt8] = [0x2A, 6, 1, 3, 0xE8, 1, 0x90, 0x80]

    private let editor = UserDataEditor(.hdr10Plus, in: .av1)

    @Test func metadataUnits() throws {
        let unit = UserDataEditor.av1Unit(Self.new)
        #expect(unit == [0x2A, UInt8(Self.new.count + 2), 4] + Self.new + [0x80])
        #expect(try editor.payloads(in: Self.delimiter + unit + Self.shown) == [Self.new])
        // Zeros may follow the stop bit, and a size may have more bytes than it needs.
        let loose = [0x2A, 0x80 | UInt8(Self.old.count + 5), 0x80, 0, 0x84, 0] + Self.old + [0x80, 0, 0]
        #expect(try editor.payloads(in: loose + Self.shown) == [Self.old])
        let long = Self.new + [UInt8](repeating: 7, count: 300)
        #expect(try editor.payloads(in: UserDataEditor.av1Unit(long)) == [long])
        #expect(try UserDataEditor(.adaptiveToneMap, in: .av1).payloads(in: unit) == [])
    }

    @Test(arguments: [shown, shownAgain]) func aUnitIsInsertedBeforeTheFrameThatIsShown(frame: [UInt8]) throws {
        let before = Self.delimiter + Self.light + Self.hidden
        let result = try #require(try editor.setting(Self.new, in: before + frame))
        #expect(result == before + UserDataEditor.av1Unit(Self.new) + frame)
        #expect(try editor.setting(Self.new, in: result) == nil)
        #expect(try editor.setting(nil, in: result) == before + frame)
        #expect(try editor.setting(nil, in: before + frame) == nil)
    }

    @Test func aUnitIsReplacedAtItsPlace() throws {
        let old = UserDataEditor.av1Unit(Self.old)
        let unit = Self.delimiter + old + Self.light + Self.shown
        let new = UserDataEditor.av1Unit(Self.new)
        #expect(try editor.setting(Self.new, in: unit) == Self.delimiter + new + Self.light + Self.shown)
        #expect(try editor.setting(Self.new, in: unit + old) == Self.delimiter + new + Self.light + Self.shown)
        // A layer's extension stays.
        let layer = [0x2E, 0x28] + old.dropFirst()
        let replaced = try #require(try editor.setting(Self.new, in: layer + Self.shown))
        #expect(replaced == [0x2E, 0x28] + new.dropFirst() + Self.shown)
        // The last unit may have no size; the new one has.
        #expect(try editor.setting(Self.new, in: Self.shown + [0x28, 4] + Self.old + [0x80]) == Self.shown + new)
    }

    @Test func aStillPictureIsAlwaysShown() throws {
        let header = MetadataFixture.bytes("0a0418200000")
        let frame: [UInt8] = [0x32, 2, 0, 9]
        let result = try editor.setting(Self.new, in: header + frame)
        #expect(result == header + UserDataEditor.av1Unit(Self.new) + frame)
    }

    @Test func aTemporalUnitThatShowsNothingIsRefused() throws {
        #expect(
            throws: BitstreamError("temporal unit shows no frame that metadata could be put in front of")
        ) { try editor.setting(Self.new, in: Self.delimiter + Self.hidden) }
        #expect(throws: BitstreamError("OBU is cut off", at: 2)) {
            try editor.setting(Self.new, in: Self.delimiter + [0x32, 9])
        }
    }
}
