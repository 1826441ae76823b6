import HDRMetadata

/// The clock and the duration of a movie, track or media header: ISO/IEC 14496-12 sections 8.2.2, 8.3.2 and 8.4.2.
struct TimedHeader {
    let box: Box
    /// Ticks per second; 0 in a track header, which counts in the movie's clock.
    let timescale: UInt32
    let duration: UInt64
    private let durationAt: Int
    private let isLong: Bool

    init?(_ reader: BoxReader, _ box: Box, isTrack: Bool) {
        let start = box.payload.lowerBound
        guard let version = BigEndian.u8(reader.bytes, start), version <= 1 else { return nil }
        isLong = version == 1
        let clockAt = start + (isLong ? 20 : 12)
        durationAt = clockAt + (isTrack ? 8 : 4)
        guard durationAt + (isLong ? 8 : 4) <= box.end, let clock = BigEndian.u32(reader.bytes, clockAt),
            let duration = BigEndian.number(reader.bytes, at: durationAt, count: isLong ? 8 : 4)
        else { return nil }
        self.box = box
        timescale = isTrack ? 0 : clock
        // All ones stand for an unknown duration.
        self.duration = duration == (isLong ? UInt64.max : UInt64(UInt32.max)) ? 0 : duration
    }

    /// The position of the duration's field in the bytes.
    var durationRange: Range<Int> { durationAt..<durationAt + (isLong ? 8 : 4) }

    func replaceDuration(_ value: UInt64, _ edits: inout ByteEdits) {
        guard value != duration else { return }
        let count = isLong ? 8 : 4
        var bytes: [UInt8] = []
        BigEndian.append(value, count: count, to: &bytes)
        edits.replace(durationAt..<durationAt + count, with: bytes, inside: [])
    }
}
