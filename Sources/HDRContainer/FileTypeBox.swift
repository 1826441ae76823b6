import HDRMetadata

/// The box `ftyp`, which says for which brands a file was made: ISO/IEC 14496-12 section 4.3.
enum FileTypeBox {
    /// Adds a compatible brand behind the others.
    /// - Parameter box: with its header of 8 bytes.
    /// - Returns: `nil` where the box has the brand, and where it is no such box.
    static func adding(_ brand: FourCC, to box: [UInt8]) -> [UInt8]? {
        guard case .header(let header) = BoxHeader.parse(box, at: 0), header.type == .ftyp,
            header.sizeField == .short, header.size == UInt64(box.count), box.count >= 16, box.count % 4 == 0,
            !brands(box).contains(brand.value)
        else { return nil }
        var result: [UInt8] = []
        BigEndian.append(UInt32(clamping: box.count + 4), to: &result)
        result += box.dropFirst(4)
        BigEndian.append(brand.value, to: &result)
        return result
    }

    /// The major brand and the compatible ones.
    private static func brands(_ box: [UInt8]) -> [UInt32] {
        ([8] + stride(from: 16, to: box.count, by: 4)).compactMap { BigEndian.u32(box, $0) }
    }
}
