import HDRMetadata

/// The sample entry of compressed sound above 65 535 Hz, whose rate overflows the field of the versions 0 and 1 that
/// qtmux writes: of 96 000 Hz it holds 30 464. Decoders take the rate from the codec's own box.
struct SoundRatePatch {
    /// In Hz.
    let sampleRate: UInt32
    let flavor: MovieBoxPatcher.Flavor

    /// The fields behind the header of a box, in versions 0 and 1.
    private static let (shortSize, longSize) = (28, 44)

    /// The whole entry; `nil` where it stays the same.
    func entry(_ reader: BoxReader, _ box: Box) -> [UInt8]? {
        let fields = box.payload.lowerBound
        guard sampleRate > UInt32(UInt16.max), ["mp4a", "alac", "fLaC"].contains(box.type),
            let version = BigEndian.u16(reader.bytes, fields + 8), version <= 1,
            let channels = BigEndian.u16(reader.bytes, fields + 16)
        else { return nil }
        let size = version == 0 ? Self.shortSize : Self.longSize
        guard box.payload.count >= size else { return nil }
        let children = Array(reader.bytes[fields + size..<box.end])
        if flavor == .quickTime {
            let start = Array(reader.bytes[fields..<fields + 8])
            return Box.bytes(box.type, start + long(channels: channels) + children)
        }
        var bytes = Array(reader.bytes[fields..<fields + size])
        bytes.replaceSubrange(24..<28, with: Self.fixedPoint(box.type == "fLaC" ? division : 0))
        return Box.bytes(box.type, bytes + children)
    }

    /// The greatest whole division of the rate that the field can hold, which "Encapsulation of FLAC in ISO Base Media
    /// File Format" asks for; 0 where there is none. For other codecs the field is 0, as FFmpeg writes it.
    private var division: UInt32 {
        (2...16).lazy.map { (divisor: UInt32) in
            let isWhole = sampleRate.isMultiple(of: divisor)
            return isWhole && sampleRate / divisor <= UInt32(UInt16.max) ? sampleRate / divisor : 0
        }.first { $0 > 0 } ?? 0
    }

    private static func fixedPoint(_ rate: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append(rate << 16, to: &bytes)
        return bytes
    }

    /// The fields of version 2 from `version` on: "Sound Sample Description (Version 2)" in the QuickTime File Format
    /// Specification. The sizes of samples and packets are 0, which stands for compressed ones and for varying ones.
    private func long(channels: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        for (value, count) in [(2, 2), (0, 2), (0, 4), (3, 2), (16, 2), (0xfffe, 2), (0, 2), (0x10000, 4), (72, 4)] {
            BigEndian.append(UInt64(value), count: count, to: &bytes)
        }
        BigEndian.append(Double(sampleRate).bitPattern, count: 8, to: &bytes)
        for value in [UInt32(channels), 0x7f00_0000, 0, 0, 0, 0] { BigEndian.append(value, to: &bytes) }
        return bytes
    }
}
