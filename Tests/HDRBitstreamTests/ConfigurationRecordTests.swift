import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct ConfigurationRecordTests {
    @Test func fieldsOfHEVC() throws {
        let record = try HEVCConfigurationRecord(ConfigurationRecordFixture.plain)
        #expect(record.profile.name == "Main 10" && record.profile.levelName == "3.1")
        #expect(record.chromaFormat == 1 && record.lumaDepth == 10 && record.chromaDepth == 10)
        #expect(record.framing == .lengthPrefixed(.four))
        #expect(record.arrays.map(\.type) == [32, 33, 34] && record.arrays.allSatisfy(\.isComplete))
        #expect(
            record.arrays.map(\.units) == [[BitstreamFixture.vps], [BitstreamFixture.x265SPS], [BitstreamFixture.pps]])
    }

    @Test func recordsComeBackWithWhatFollowsThem() throws {
        for tail in [[], [1, 2, 3]] as [[UInt8]] {
            #expect(
                try HEVCConfigurationRecord(ConfigurationRecordFixture.plain + tail).bytes()
                    == ConfigurationRecordFixture.plain + tail)
        }
    }

    @Test func badRecordsAreErrors() throws {
        for count in 0..<ConfigurationRecordFixture.plain.count {
            #expect(throws: BitstreamError.self) {
                try HEVCConfigurationRecord(Array(ConfigurationRecordFixture.plain.prefix(count)))
            }
        }
        #expect(throws: BitstreamError.self) {
            try HEVCConfigurationRecord(ConfigurationRecordFixture.hevc([], lengthSize: 3))
        }
        #expect(throws: BitstreamError.self) {
            try HEVCConfigurationRecord([2] + ConfigurationRecordFixture.plain.dropFirst())
        }
        var full = try HEVCConfigurationRecord(ConfigurationRecordFixture.plain)
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
