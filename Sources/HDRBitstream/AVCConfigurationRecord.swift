/// AVCDecoderConfigurationRecord, the content of box `avcC` and of caps field `codec_data`: ISO/IEC 14496-15 5.3.3.1.
package struct AVCConfigurationRecord: Equatable, Sendable {
    /// profile_idc, the constraint flags and level_idc of H.264 7.3.2.1.1.
    package let profile: UInt8
    package let constraints: UInt8
    package let level: UInt8
    /// The length size of the stream's NAL units.
    package let lengthSize: NALLengthSize
    /// Escaped NAL units with their headers and without lengths.
    package let sequenceSets: [[UInt8]]
    package let pictureSets: [[UInt8]]

    package init(_ record: UnsafeRawBufferPointer) throws(BitstreamError) {
        var reader = ConfigurationReader(record, name: "avcC")
        let version = try reader.byte()
        guard version == 1 else { throw BitstreamError("avcC has version \(version), and 1 is known", at: 0) }
        profile = try reader.byte()
        constraints = try reader.byte()
        level = try reader.byte()
        guard let size = NALLengthSize(rawValue: Int(try reader.byte() & 3) + 1) else {
            throw BitstreamError("avcC says that NAL lengths have 3 bytes, and 1, 2 and 4 are allowed", at: 4)
        }
        lengthSize = size
        sequenceSets = try Self.units(Int(try reader.byte() & 0x1F), &reader)
        pictureSets = try Self.units(Int(try reader.byte()), &reader)
    }

    package init(_ record: [UInt8]) throws(BitstreamError) {
        self = try record.withRawBytes { (bytes) throws(BitstreamError) in try Self(bytes) }
    }

    package var framing: NALFraming { .lengthPrefixed(lengthSize) }

    private static func units(_ count: Int, _ reader: inout ConfigurationReader) throws(BitstreamError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count { units.append(try reader.bytes(try reader.half())) }
        return units
    }
}
