import Testing

@testable import HDRBitstream

@Suite struct AddedParameterSetsTests {
    typealias Fixture = BitstreamFixture

    private static let sets: [[UInt8]] = [[0x40, 1, 1], [0x42, 1, 2], [0x44, 1, 3]]

    private static func areAll(_ made: [[UInt8]], _ given: [[UInt8]], _ framing: NALFraming) -> Bool {
        Fixture.framed(made, framing).withUnsafeBytes { made in
            Fixture.framed(given, framing).withUnsafeBytes { AddedParameterSets.areAll(of: made, beyond: $0, framing) }
        }
    }

    @Test(arguments: [NALFraming.byteStream, .lengthPrefixed(.four)]) func addedOnesAreFound(framing: NALFraming) {
        let picture = Fixture.slice(1)
        let given = [Fixture.aud, picture]
        #expect(Self.areAll(Self.sets + given, given, framing))
        #expect(Self.areAll(Self.sets + [Fixture.aud] + Self.sets + [picture], Self.sets + given, framing))
        let message = Fixture.sei([(5, [1, 2, 3])])
        #expect(Self.areAll(Self.sets + [message] + given, given, framing), "a message of the header too")
        let spoken = [Fixture.aud, message, picture]
        #expect(Self.areAll([Fixture.aud] + Self.sets + [message, message, picture], spoken, framing))
        #expect(!Self.areAll(given, given, framing), "nothing was added")
        #expect(!Self.areAll(given, Self.sets + given, framing), "some were taken out")
        #expect(!Self.areAll(Self.sets + [picture], given, framing), "the delimiter is gone")
        #expect(!Self.areAll(Self.sets + [picture, picture], given, framing), "another picture")
    }

    @Test func brokenOnesAreNot() {
        let bytes: [UInt8] = [0, 0, 0, 9, 0x40, 1]
        bytes.withUnsafeBytes { made in
            [UInt8]().withUnsafeBytes {
                #expect(!AddedParameterSets.areAll(of: made, beyond: $0, .lengthPrefixed(.four)))
            }
        }
    }
}
