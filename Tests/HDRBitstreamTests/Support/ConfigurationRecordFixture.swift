import MetadataTestSupport

@testable import HDRBitstream

/// Decoder configuration records of HEVC.
enum ConfigurationRecordFixture {
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
}
