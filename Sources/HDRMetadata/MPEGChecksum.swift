/// CRC-32/MPEG-2: polynomial 0x04C11DB7, from ones, not reflected. Sections of transport streams (ITU-T H.222.0
/// annex A) and RPUs of Dolby Vision end with it.
package enum MPEGChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }

    /// - Returns: 0 for bytes that end with their own checksum.
    package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        return bytes.reduce(.max) { sum, byte in
            sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)]
        }
    }
}
