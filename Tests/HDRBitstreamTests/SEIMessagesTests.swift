import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct SEIMessagesTests {
    @Test func severalMessagesInOneUnit() {
        let unit = BitstreamFixture.sei([(137, MetadataFixture.displayPayload), (144, [3, 232, 1, 144]), (1, [])])
        let sei = SEIMessages(unit)
        #expect(sei.messages.map(\.type) == [137, 144, 1])
        #expect(
            sei.messages.map { Array(sei.payload(of: $0)) } == [MetadataFixture.displayPayload, [3, 232, 1, 144], []])
        #expect(sei.tail.count == 1 && sei.typeOfTail == nil)
    }

    @Test func typesAndSizesOf255AndMore() {
        for (type, size) in [(254, 254), (255, 255), (256, 510), (1023, 1000)] {
            let payload = (0..<size).map { UInt8($0 & 3) }
            let unit = BitstreamFixture.sei([(type, payload), (5, [9])])
            let sei = SEIMessages(unit)
            #expect(sei.messages.map(\.type) == [type, 5])
            #expect(sei.messages.first.map { Array(sei.payload(of: $0)) } == payload)
            #expect(SEIMessages.unit(header: [0x4E, 1], [(type, payload), (5, [9])]) == unit)
        }
    }

    /// A payload may end in bytes that look like the stop bit.
    @Test func stopBytesInsidePayloads() {
        let sei = SEIMessages(BitstreamFixture.sei([(5, [0x80]), (128, [0x80, 0, 0x80])]))
        #expect(sei.messages.map(\.type) == [5, 128])
    }

    @Test func headersOfH264HaveOneByte() {
        let sei = SEIMessages([6, 144, 4, 3, 232, 1, 144, 0x80], headerSize: 1)
        #expect(sei.messages.map(\.type) == [144] && sei.tail.count == 1)
    }

    @Test func messagesThatAreCutOffAreTail() {
        let sei = SEIMessages([0x4E, 1, 5, 1, 9, 137, 24, 1, 2, 3])
        #expect(sei.messages.map(\.type) == [5])
        #expect(Array(sei.bytes[sei.tail]) == [137, 24, 1, 2, 3] && sei.typeOfTail == 137)
        #expect(SEIMessages([0x4E, 1, 255, 255]).messages.isEmpty)
        #expect(SEIMessages([0x4E, 1]).messages.isEmpty && SEIMessages([0x4E]).messages.isEmpty)
        #expect(SEIMessages([]).messages.isEmpty)
    }

    @Test func kindsOfUserDataAreDistinguished() {
        #expect(RegisteredUserData(MetadataFixture.hdr10Plus) == .hdr10Plus)
        #expect(RegisteredUserData([0xB5, 0, 0x3C, 0, 1, 5, 1] as [UInt8]) == .other)
        #expect(RegisteredUserData([0xB5, 0, 0x31, 0x47, 0x41, 0x39, 0x34] as [UInt8]) == .other)
        #expect(RegisteredUserData([0xB5, 0, 0x3C] as [UInt8]) == .other)
        #expect(RegisteredUserData([0xB5, 0, 0x3B, 0, 0, 8, 0, 9] as [UInt8]) == .dolbyVision)
    }
}
