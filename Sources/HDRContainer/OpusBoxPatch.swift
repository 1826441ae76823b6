import HDRMetadata

/// The box `dOps` of Opus, whose numbers are big-endian ("Encapsulation of Opus in ISO Base Media File Format", "Opus
/// Specific Box"). qtmux of GStreamer 1.22 copies them from the header of an Ogg stream, where they are little-endian:
/// players then skip a third of a second at the start, and not the encoder's delay.
struct OpusBoxPatch {
    /// The sample rates that an encoder may state.
    private static let rates: ClosedRange<UInt32> = 1...768_000

    /// The whole entry; `nil` where it stays the same.
    func entry(_ reader: BoxReader, _ box: Box) -> [UInt8]? {
        let fields = box.payload.lowerBound
        guard box.type == "Opus", let version = BigEndian.u16(reader.bytes, fields + 8), version <= 1,
            box.payload.count >= (version == 0 ? 28 : 44),
            let header = try? reader.first("dOps", in: fields + (version == 0 ? 28 : 44)..<box.end),
            header.payload.count >= 11
        else { return nil }
        let start = header.payload.lowerBound
        // The numbers of the right order are larger than any rate in the other one.
        guard let rate = BigEndian.u32(reader.bytes, start + 4), !Self.rates.contains(rate),
            Self.rates.contains(rate.byteSwapped)
        else { return nil }
        var bytes = Array(reader.bytes[box.start..<box.end])
        for (offset, count) in [(2, 2), (4, 4), (8, 2)] {
            let place = start - box.start + offset
            let swapped = [UInt8](bytes[place..<place + count].reversed())
            bytes.replaceSubrange(place..<place + count, with: swapped)
        }
        return bytes
    }
}
