/// The NAL unit that begins an access unit of a byte stream, of any pictures.
package struct AccessUnitDelimiter: Equatable, Sendable {
    /// The NAL unit with its start code.
    package let bytes: [UInt8]
    private let mask: UInt8

    /// ITU-T H.265 section 7.3.2.5, with pic_type 2.
    package static let hevc = AccessUnitDelimiter(bytes: [0, 0, 0, 1, 0x46, 1, 0x50], mask: 0x7e)
    /// ITU-T H.264 section 7.3.2.4, with primary_pic_type 7.
    package static let h264 = AccessUnitDelimiter(bytes: [0, 0, 0, 1, 0x09, 0xf0], mask: 0x1f)

    /// Whether an access unit begins with one.
    package func begins(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard let one = unit.prefix(8).firstIndex(where: { $0 != 0 }), one >= 2, unit[one] == 1, one + 1 < unit.count
        else { return false }
        return unit[one + 1] & mask == bytes[4] & mask
    }
}
