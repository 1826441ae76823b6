import HDRMetadata

/// The edit lists of a `moov` box (ISO/IEC 14496-12 section 8.6.6): where sound starts behind its encoder delay, and
/// where video ends.
struct TrackEditLists {
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

    /// Makes the audio tracks, in their order, skip their first samples in addition to what their edit lists skip, and
    /// ends the video tracks' edits with their last picture, without the pictures at their start that are hidden.
    func change(_ metadata: ContainerMetadata, _ edits: inout ByteEdits) throws(ContainerError) {
        var (sounds, videos, changed) = (0, 0, 0)
        // The movie ends with the last of its tracks.
        var end: UInt64 = 0
        var boxes = reader.boxes(in: moov.payload)
        while let track = try boxes.next() {
            guard track.type == .trak, let box = try reader.first(.tkhd, in: track.payload),
                let header = TimedHeader(reader, box, isTrack: true)
            else { continue }
            var duration = header.duration
            switch try handlerType(track) {
            case "soun"?:
                if sounds < metadata.audio.count, let priming = metadata.audio[sounds].priming, priming.samples > 0,
                    let left = try leaveOut(priming.ticks, track, header, &edits)
                {
                    duration = left
                    changed += 1
                }
                sounds += 1
            case .vide?:
                let shown = videos < metadata.shownDurations.count ? metadata.shownDurations[videos] : nil
                let hidden = videos < metadata.hiddenStarts.count ? metadata.hiddenStarts[videos] : 0
                let end = shown.map { $0 - min(hidden, $0) }
                let left =
                    hidden > 0
                    ? try leaveOut({ Self.ticks(hidden, of: $0) ?? 0 }, until: end, track, header, &edits)
                    : try end.flatMap { shown throws(ContainerError) in try shorten(to: shown, track, header, &edits) }
                if let left {
                    duration = left
                    changed += 1
                }
                videos += 1
            default: break
            }
            end = max(end, duration)
        }
        if changed > 0, end < movieHeader.duration { movieHeader.replaceDuration(end, &edits) }
    }

    private func handlerType(_ track: Box) throws(ContainerError) -> FourCC? {
        guard let handler = try reader.first([.mdia, .hdlr], below: track) else { return nil }
        return BigEndian.u32(reader.bytes, handler.payload.lowerBound + 8).map { FourCC($0) }
    }

    /// Shortens the last edit of a track that has one edit of pictures, to the time that these are shown. GStreamer's
    /// qtmux makes it as long as the track is decoded.
    /// - Parameter shown: in ns.
    /// - Returns: the track's new duration in the movie's clock; `nil` where it stays.
    private func shorten(
        to shown: UInt64, _ track: Box, _ header: TimedHeader, _ edits: inout ByteEdits
    ) throws(ContainerError) -> UInt64? {
        guard let list = try reader.first(["edts", "elst"], below: track),
            let entries = EditList(reader, list)?.entries, let last = entries.last, last.start >= 0,
            entries.dropLast().allSatisfy({ $0.start < 0 }),
            let ticks = Self.ticks(shown, of: movieHeader.timescale),
            // One tick may be due to rounding.
            ticks > 0, last.duration > ticks, last.duration - ticks > 1
        else { return nil }
        let shorter = last.duration - ticks
        var bytes: [UInt8] = []
        BigEndian.append(ticks, count: last.durationRange.count, to: &bytes)
        edits.replace(last.durationRange, with: bytes, inside: [])
        let duration = header.duration - min(shorter, header.duration)
        header.replaceDuration(duration, &edits)
        return duration
    }

    /// A time in ns in ticks, rounded.
    private static func ticks(_ nanoseconds: UInt64, of timescale: UInt32) -> UInt64? {
        UInt64(exactly: (Double(nanoseconds) * Double(timescale) / 1e9).rounded())
    }

    /// - Parameters:
    ///   - skipped: what is left out, in ticks of a timescale.
    ///   - end: the time in ns behind that at which the track ends; `nil` for its own end.
    /// - Returns: the track's new duration in the movie's clock, or `nil` where its headers cannot be read.
    private func leaveOut(
        _ skipped: (UInt32) -> UInt64, until end: UInt64? = nil, _ track: Box, _ header: TimedHeader,
        _ edits: inout ByteEdits
    ) throws(ContainerError) -> UInt64? {
        guard let media = try reader.first([.mdia, "mdhd"], below: track),
            let clock = TimedHeader(reader, media, isTrack: false)
        else { return nil }
        let ticks = skipped(clock.timescale)
        let shown = end.flatMap { Self.ticks($0, of: movieHeader.timescale) } ?? .max
        // A fragmented movie states no durations: 0 stands for the whole track.
        let shorter = min(skipped(movieHeader.timescale), header.duration)
        var duration = min(header.duration - shorter, shown)
        if let list = try reader.first(["edts", "elst"], below: track) {
            guard let entries = EditList(reader, list)?.entries else { return nil }
            // Nothing is shown before a late start.
            let late = entries.prefix { $0.start < 0 }.reduce(0) { $0 &+ min($1.duration, header.duration) }
            let (last, overflow) = shown.addingReportingOverflow(late)
            duration = overflow ? header.duration - shorter : min(header.duration - shorter, last)
            var isFirst = true
            let moved = entries.map { entry in
                var entry = entry
                guard entry.start >= 0, isFirst else { return entry }
                isFirst = false
                entry.start = entry.start.addingReportingOverflow(Int64(clamping: ticks)).partialValue
                entry.duration = min(entry.duration - min(shorter, entry.duration), shown)
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
