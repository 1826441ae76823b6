import HDRMetadata

/// Encoder delay: the samples that an encoder inserts at the start of an audio track, which players must not play.
package struct AudioPriming: Equatable, Sendable {
    package var samples: UInt32
    /// The sample rate, which is the track's timescale.
    package var rate: UInt32

    package init(samples: UInt32, rate: UInt32) {
        self.samples = samples
        self.rate = rate
    }

    /// The delay in ns, as in Matroska's CodecDelay (RFC 9559 section 5.1.4.1.26); 0 for no delay.
    package var nanoseconds: UInt64 {
        rate == 0 ? 0 : (UInt64(samples) * 1_000_000_000 + UInt64(rate) / 2) / UInt64(rate)
    }

    /// The delay in ticks of a timescale.
    func ticks(of timescale: UInt32) -> UInt64 {
        rate == 0 ? 0 : (UInt64(samples) * UInt64(timescale) + UInt64(rate) / 2) / UInt64(rate)
    }
}

/// Marks the start of audio in a `moov` box for players: the edit list of ISO/IEC 14496-12 section 8.6.6.
struct AudioEditList {
    private let reader: BoxReader
    private let moov: Box
    private let movieHeader: TimedHeader

    /// Reads the movie header; `nil` where it has no timescale.
    init?(_ reader: BoxReader, _ moov: Box) throws(ContainerError) {
        guard let box = try reader.first(.mvhd, in: moov.payload), let header = TimedHeader(reader, box, isTrack: false)
        else { return nil }
        self.reader = reader
        self.moov = moov
        movieHeader = header
    }

    /// Makes the audio tracks, in their order, skip their first samples in addition to what their edit lists skip.
    /// - Returns: the number of tracks that changed.
    func leaveOut(_ primings: [AudioPriming?], _ edits: inout ByteEdits) throws(ContainerError) -> Int {
        var found = 0
        var changed = 0
        // The movie ends with the last of its tracks.
        var end: UInt64 = 0
        var boxes = reader.boxes(in: moov.payload)
        while let track = try boxes.next() {
            guard track.type == .trak, let box = try reader.first(.tkhd, in: track.payload),
                let header = TimedHeader(reader, box, isTrack: true)
            else { continue }
            var duration = header.duration
            if try isSound(track) {
                if found < primings.count, let priming = primings[found], priming.samples > 0,
                    let left = try leaveOut(priming, track, header, &edits)
                {
                    duration = left
                    changed += 1
                }
                found += 1
            }
            end = max(end, duration)
        }
        if changed > 0, end < movieHeader.duration { movieHeader.replaceDuration(end, &edits) }
        return changed
    }

    private func isSound(_ track: Box) throws(ContainerError) -> Bool {
        guard let handler = try reader.first([.mdia, .hdlr], below: track) else { return false }
        return BigEndian.u32(reader.bytes, handler.payload.lowerBound + 8) == FourCC("soun").value
    }

    /// - Returns: the track's new duration in the movie's clock, or `nil` where its headers cannot be read.
    private func leaveOut(
        _ priming: AudioPriming, _ track: Box, _ header: TimedHeader, _ edits: inout ByteEdits
    ) throws(ContainerError) -> UInt64? {
        guard let media = try reader.first([.mdia, "mdhd"], below: track),
            let clock = TimedHeader(reader, media, isTrack: false)
        else { return nil }
        let ticks = priming.ticks(of: clock.timescale)
        // A fragmented movie states no durations: 0 stands for the whole track.
        let shorter = min(priming.ticks(of: movieHeader.timescale), header.duration)
        let duration = header.duration - shorter
        if let list = try reader.first(["edts", "elst"], below: track) {
            guard let entries = EditList(reader, list)?.entries else { return nil }
            var isFirst = true
            let moved = entries.map { entry in
                var entry = entry
                guard entry.start >= 0, isFirst else { return entry }
                isFirst = false
                entry.start = entry.start.addingReportingOverflow(Int64(clamping: ticks)).partialValue
                entry.duration -= min(shorter, entry.duration)
                return entry
            }
            edits.replace(list.start..<list.end, with: Self.box(moved), inside: [moov, track, try edit(track)])
        } else {
            let list = Self.box([Entry(duration: duration, start: Int64(clamping: ticks), rate: 1 << 16)])
            edits.replace(header.box.end..<header.box.end, with: Box.bytes("edts", list), inside: [moov, track])
        }
        header.replaceDuration(duration, &edits)
        return duration
    }

    private func edit(_ track: Box) throws(ContainerError) -> Box {
        guard let box = try reader.first("edts", in: track.payload) else { throw .missingBox(path: "moov/trak/edts") }
        return box
    }

    // MARK: `elst`

    private typealias Entry = EditList.Entry

    private static func box(_ entries: [Entry]) -> [UInt8] {
        let isLong = entries.contains { UInt32(exactly: $0.duration) == nil || Int32(exactly: $0.start) == nil }
        var bytes: [UInt8] = []
        BigEndian.append(UInt32(isLong ? 1 << 24 : 0), to: &bytes)
        BigEndian.append(UInt32(entries.count), to: &bytes)
        for entry in entries {
            BigEndian.append(entry.duration, count: isLong ? 8 : 4, to: &bytes)
            BigEndian.append(UInt64(bitPattern: entry.start), count: isLong ? 8 : 4, to: &bytes)
            BigEndian.append(entry.rate, to: &bytes)
        }
        return Box.bytes("elst", bytes)
    }
}

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
