import HDRMetadata

/// The box `ftyp`, which lists the brands of a file (ISO/IEC 14496-12 section 4.3).
enum FileTypeBox {
    /// The place where a compatible brand can be named instead of `mp41`, which muxers name in addition to `mp42`:
    /// readers of the older version know neither HEVC nor AV1. The box keeps its size, so that nothing behind it moves.
    /// - Parameter box: the box with its header of 8 bytes.
    /// - Returns: the position in the box; `nil` where the box has the brand already, or has no such place.
    static func place(for brand: FourCC, in box: [UInt8]) -> Int? {
        guard case .header(let header) = BoxHeader.parse(box, at: 0), header.type == .ftyp,
            header.sizeField == .short, header.size == UInt64(box.count), box.count >= 16, box.count % 4 == 0,
            BigEndian.u32(box, 8) != brand.value
        else { return nil }
        let places = stride(from: 16, to: box.count, by: 4)
        guard !places.contains(where: { BigEndian.u32(box, $0) == brand.value }) else { return nil }
        return places.first { BigEndian.u32(box, $0) == FourCC.mp41.value }
    }
}
