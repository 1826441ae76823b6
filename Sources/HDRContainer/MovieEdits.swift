import HDRMetadata

/// The data that a demuxer leaves out because of a QuickTime or MP4 file's header, and patches that make it read them.
///
/// qtdemux of GStreamer compares decoding times with edit lists and with the movie's duration, which are presentation
/// times. So it drops the end of the sound in files whose sound starts with encoder padding, and the last frames of
/// trimmed recordings with B-frames, such as those of a phone. It also takes tracks that are shorter than a fifth of
/// the movie for preview pictures, even audio tracks, and the only video. With a few changed bytes of the header it
/// reads all; the reader of its output then cuts at the true end. What it misreads of raw sound is in `Sound`.
package struct MovieEdits: Equatable, Sendable {
    /// A field of the header, and the value that the demuxer has to read there.
    package struct Patch: Equatable, Sendable {
        /// The file position of the first byte.
        package var offset: UInt64
        package var bytes: [UInt8]
    }

    package private(set) var patches: [Patch] = []
    /// What the header says of raw sound, by track ID.
    package internal(set) var sounds: [UInt64: Sound] = [:]
    /// The ends of video tracks that are read for longer than they play, in ns of playing time, by track ID: their edit
    /// lists cut samples off, or their media are said to be longer.
    package private(set) var videoEnds: [UInt64: UInt64] = [:]

    /// The smallest share of the movie's duration that a track is given: a little more than a fifth, because the movie
    /// may be lengthened.
    private static let leastShare = 0.25

    /// Edits that cut nothing off.
    package init() {}

    /// - Parameter limit: the size in bytes of the largest movie box that is read.
    /// - Throws: `ContainerError`, and the source's errors.
    package init(_ source: some ByteSource, _ container: ContainerInspection, limit: UInt64) throws {
        self.init()
        guard container.format == .quickTime || container.format == .iso, !container.isFragmented else { return }
        let start = try ContainerInspection.read(source, at: container.headerPosition, count: 16)
        guard case .header(let header) = BoxHeader.parse(start, at: 0), let size = header.size, size <= limit,
            let count = Int(exactly: size)
        else { return }
        self = MovieEdits(
            moov: try ContainerInspection.read(source, at: container.headerPosition, count: count),
            at: container.headerPosition)
    }

    /// - Parameters:
    ///   - moov: the movie box. One that contradicts itself is left as it is.
    ///   - position: its position in the file.
    init(moov: [UInt8], at position: UInt64) {
        let reader = BoxReader(moov)
        guard let movie = try? MovieInspection.movie(reader),
            let box = try? reader.first(.mvhd, in: movie.payload),
            let header = TimedHeader(reader, box, isTrack: false), header.timescale > 0, header.duration > 0
        else { return }
        var tracks: [Track] = []
        var boxes = reader.boxes(in: movie.payload)
        while let box = try? boxes.next() {
            if box.type == .trak, let track = Track(reader, box) { tracks.append(track) }
        }
        // Beside a longer one, a short video is indeed a preview.
        let videos = tracks.filter { $0.kind == .vide }
        let keepsShortVideo = videos.allSatisfy { $0.isShort(in: header) }
        var found = MovieEdits()
        var longest = 0.0
        for track in tracks {
            if track.kind != .vide, let number = track.number { found.readSound(reader, track.box, number, position) }
            let isKept = track.kind != .vide || keepsShortVideo
            longest = max(longest, found.read(reader, track, header, position, keepsShort: isKept) ?? 0)
        }
        // The track is not lengthened more than needed: demuxers take tracks that are far shorter than the movie for
        // preview images.
        if longest > 0, let more = UInt64(exactly: (longest * Double(header.timescale)).rounded(.down) + 1) {
            found.patch(header.durationRange, header.duration.addingReportingOverflow(more).partialValue, position)
        }
        self = found
    }

    /// Records a video track's end, and lengthens an edit that stops before its samples do.
    /// - Returns: the number of seconds by which the movie must be longer for that: those of the longer edit, and of
    ///   the media before the first edit; `nil` for tracks that need none.
    private mutating func read(
        _ reader: BoxReader, _ track: Track, _ movie: TimedHeader, _ position: UInt64, keepsShort: Bool
    ) -> Double? {
        let (movieClock, mediaClock) = (Double(movie.timescale), Double(track.media.timescale))
        let list = try? reader.first(["edts", "elst"], below: track.box)
        let edits = list.flatMap { EditList(reader, $0)?.entries } ?? []
        if keepsShort, track.isShort(in: movie), let least = UInt64(exactly: track.least(in: movie)) {
            patch(track.media.durationRange, least, position)
            if track.kind == .vide, let number = track.number {
                videoEnds[number] =
                    edits.isEmpty
                    ? FrameRate.nanoseconds(track.media.duration, timescale: UInt64(track.media.timescale))
                    : Self.end(edits, movie)
            }
        }
        guard let last = edits.last, last.duration > 0, last.start >= 0,
            let first = edits.first(where: { $0.start >= 0 }), let number = track.number
        else { return nil }
        let before = Double(first.start) / mediaClock
        let left = (Double(track.media.duration) - Double(last.start)) / mediaClock
        guard track.kind == .vide, Double(last.duration) / movieClock < left, let end = Self.end(edits, movie),
            let whole = UInt64(exactly: (left * movieClock).rounded(.up)), whole > last.duration
        else { return before }
        videoEnds[number] = end
        patch(last.durationRange, min(whole, UInt64(Int32.max)), position)
        return before + Double(whole - last.duration) / movieClock
    }

    /// The end of a list of edits, in ns of playing time.
    private static func end(_ edits: [EditList.Entry], _ movie: TimedHeader) -> UInt64? {
        sum(edits.map(\.duration)).flatMap { FrameRate.nanoseconds($0, timescale: UInt64(movie.timescale)) }
    }

    private static func sum(_ numbers: [UInt64]) -> UInt64? {
        var total: UInt64 = 0
        for number in numbers {
            let (sum, overflow) = total.addingReportingOverflow(number)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }

    /// - Parameter range: the range of a field in the movie box.
    private mutating func patch(_ range: Range<Int>, _ value: UInt64, _ position: UInt64) {
        // All ones stand for an unknown duration.
        let largest = range.count == 8 ? UInt64.max - 1 : UInt64(UInt32.max) - 1
        var bytes: [UInt8] = []
        BigEndian.append(min(value, largest), count: range.count, to: &bytes)
        patch(range.lowerBound, bytes, position)
    }

    /// - Parameter start: the place of the bytes in the movie box.
    mutating func patch(_ start: Int, _ bytes: [UInt8], _ position: UInt64) {
        let (offset, overflow) = position.addingReportingOverflow(UInt64(clamping: start))
        if !overflow { patches.append(Patch(offset: offset, bytes: bytes)) }
    }
}

extension MovieEdits {
    /// A track of pictures or sound.
    private struct Track {
        let box: Box
        let kind: FourCC
        /// Its ID; `nil` where the header is too short.
        let number: UInt64?
        let media: TimedHeader

        /// - Returns: `nil` for other tracks, and where a box is missing.
        init?(_ reader: BoxReader, _ box: Box) {
            guard let header = try? reader.first(.tkhd, in: box.payload),
                let handler = try? reader.first([.mdia, .hdlr], below: box),
                let kind = BigEndian.u32(reader.bytes, handler.payload.lowerBound + 8).map({ FourCC($0) }),
                kind == .vide || kind == "soun",
                let clock = try? reader.first([.mdia, "mdhd"], below: box),
                let media = TimedHeader(reader, clock, isTrack: false), media.timescale > 0
            else { return nil }
            let start = header.payload.lowerBound
            number = BigEndian.u32(reader.bytes, start + (BigEndian.u8(reader.bytes, start) == 1 ? 20 : 12))
                .map { UInt64($0) }
            (self.box, self.kind, self.media) = (box, kind, media)
        }

        /// The duration in the track's clock below which the track counts as short.
        func least(in movie: TimedHeader) -> Double {
            (Double(movie.duration) / Double(movie.timescale) * MovieEdits.leastShare * Double(media.timescale))
                .rounded(.up)
        }

        func isShort(in movie: TimedHeader) -> Bool { Double(media.duration) < least(in: movie) }
    }
}

/// The entries of an edit list: ISO/IEC 14496-12 section 8.6.6.
struct EditList {
    struct Entry: Equatable {
        /// The duration in the movie's timescale.
        var duration: UInt64
        /// The start in the track's timescale; -1 where nothing is played.
        var start: Int64
        /// The rate in 16.16 fixed point.
        var rate: UInt32
        /// The position of the duration's field in the bytes.
        var durationRange: Range<Int> = 0..<0
    }

    let entries: [Entry]

    /// Reads an edit list; `nil` where it does not fit into its box.
    init?(_ reader: BoxReader, _ list: Box) {
        let start = list.payload.lowerBound
        guard let version = BigEndian.u8(reader.bytes, start), version <= 1,
            let count = BigEndian.u32(reader.bytes, start + 4)
        else { return nil }
        let size = version == 1 ? 20 : 12
        guard list.end >= start + 8, Int(count) <= (list.end - start - 8) / size else { return nil }
        entries = (0..<Int(count)).map { index in
            let at = start + 8 + index * size
            let number = { (offset: Int, count: Int) in
                BigEndian.number(reader.bytes, at: at + offset, count: count) ?? 0
            }
            return version == 1
                ? Entry(
                    duration: number(0, 8), start: Int64(bitPattern: number(8, 8)),
                    rate: UInt32(truncatingIfNeeded: number(16, 4)), durationRange: at..<at + 8)
                : Entry(
                    duration: number(0, 4), start: Int64(Int32(truncatingIfNeeded: number(4, 4))),
                    rate: UInt32(truncatingIfNeeded: number(8, 4)), durationRange: at..<at + 4)
        }
    }
}
