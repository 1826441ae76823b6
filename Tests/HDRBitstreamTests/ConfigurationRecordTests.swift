import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct ConfigurationRecordTests {
    /// A record by the table of ISO/IEC 14496-15 8.3.3.1.2.
    static func hevc(_ arrays: [(type: UInt8, complete: Bool, units: [[UInt8]])], lengthSize: Int = 4) -> [UInt8] {
        var record =
            MetadataFixture.bytes("010220000000b00000000000 5d f000 fc fd fa fa 0000") + [0x08 | UInt8(lengthSize - 1)]
        record.append(UInt8(arrays.count))
        for array in arrays {
            record += [(array.complete ? 0x80 : 0) | array.type, UInt8(array.units.count >> 8)]
            record.append(UInt8(array.units.count & 0xFF))
            for unit in array.units { record += [UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)] + unit }
        }
        return record
    }

    static let plain = hevc([
        (32, true, [BitstreamFixture.vps]), (33, true, [BitstreamFixture.x265SPS]), (34, true, [BitstreamFixture.pps]),
    ])

    @Test func fieldsOfHEVC() throws {
        let record = try HEVCConfigurationRecord(Self.plain)
        #expect(record.profile.name == "Main 10" && record.profile.levelName == "3.1")
        #expect(record.chromaFormat == 1 && record.lumaDepth == 10 && record.chromaDepth == 10)
        #expect(record.framing == .lengthPrefixed(.four))
        #expect(record.arrays.map(\.type) == [32, 33, 34] && record.arrays.allSatisfy(\.isComplete))
        #expect(
            record.arrays.map(\.units) == [[BitstreamFixture.vps], [BitstreamFixture.x265SPS], [BitstreamFixture.pps]])
    }

    @Test func recordsComeBackWithWhatFollowsThem() throws {
        for tail in [[], [1, 2, 3]] as [[UInt8]] {
            #expect(try HEVCConfigurationRecord(Self.plain + tail).bytes() == Self.plain + tail)
        }
    }

    @Test func badRecordsAreErrors() throws {
        for count in 0..<Self.plain.count {
            #expect(throws: BitstreamError.self) { try HEVCConfigurationRecord(Array(Self.plain.prefix(count))) }
        }
        #expect(throws: BitstreamError.self) { try HEVCConfigurationRecord(Self.hevc([], lengthSize: 3)) }
        #expect(throws: BitstreamError.self) { try HEVCConfigurationRecord([2] + Self.plain.dropFirst()) }
        var full = try HEVCConfigurationRecord(Self.plain)
        full.arrays[0].units = [[UInt8](repeating: 1, count: 65536)]
        #expect(throws: BitstreamError.self) { try full.bytes() }
        full.arrays = Array(repeating: full.arrays[1], count: 256)
        #expect(throws: BitstreamError.self) { try full.bytes() }
    }

    @Test func fieldsOfH264() throws {
        let sps = MetadataFixture.bytes("676e000da6cd941519e226c05a848804db800000030080000019078a14cb")
        let pps = MetadataFixture.bytes("68ebe3cb22c0")
        let bytes: [UInt8] =
            [1, 0x6E, 0, 0x0D, 0xFD, 0xE1, 0, UInt8(sps.count)] + sps + [1, 0, UInt8(pps.count)] + pps
            + [0xFD, 0xFA, 0xFA, 0]
        let record = try AVCConfigurationRecord(bytes)
        #expect(record.profile == 110 && record.level == 13 && record.framing == .lengthPrefixed(.two))
        #expect(record.sequenceSets == [sps] && record.pictureSets == [pps])
        for count in 0..<bytes.count - 4 {
            #expect(throws: BitstreamError.self) { try AVCConfigurationRecord(Array(bytes.prefix(count))) }
        }
    }
}
