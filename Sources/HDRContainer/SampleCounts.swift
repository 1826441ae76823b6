import HDRMetadata

/// The number of samples in a track: coded pictures, or audio packets.
package struct TrackSamples: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case video, sound, other }

    package var kind: Kind
    /// `track_ID` (ISO/IEC 14496-12 section 8.3.2) or TrackNumber (RFC 9559 section 5.1.4.1.1).
    package var identifier: UInt64
    package var count: UInt64

    package init(kind: Kind, identifier: UInt64, count: UInt64) {
        self.kind = kind
        self.identifier = identifier
        self.count = count
    }
}

/// Counts the samples of a movie: those of the movie box's tables and those of the fragments.
struct MovieSamples {
    /// The number of samples in the fragments that have passed, by track.
    private var fragmented: [UInt32: UInt64] = [:]

    /// - Parameter moof: a complete box. Broken parts of it are not counted.
    mutating func add(fragment moof: [UInt8]) {
        let reader = BoxReader(moof)
        var outer = reader.boxes()
        guard let box = try? outer.next() else { return }
        var tracks = reader.boxes(in: box.payload)
        while let track = try? tracks.next() {
            guard track.type == .traf, let header = try? reader.first(.tfhd, in: track.payload),
                let identifier = BigEndian.u32(moof, header.payload.lowerBound + 4)
            else { continue }
            var runs = reader.boxes(in: track.payload)
            while let run = try? runs.next() {
                guard run.type == "trun", let count = BigEndian.u32(moof, run.payload.lowerBound + 4) else {
                    continue
                }
                fragmented[identifier, default: 0] += UInt64(count)
            }
        }
    }

    /// - Parameter moov: the complete movie box.
    /// - Returns: the tracks in their order; `nil` where one cannot be read.
    func tracks(_ moov: [UInt8]) -> [TrackSamples]? {
        let reader = BoxReader(moov)
        guard let movie = try? MovieInspection.movie(reader) else { return nil }
        var result: [TrackSamples] = []
        var boxes = reader.boxes(in: movie.payload)
        while let box = try? boxes.next() {
            // They are removed from the file.
            guard box.type == .trak, !EmptyTracks.isEmpty(reader, box) else { continue }
            guard let header = try? reader.first(.tkhd, in: box.payload),
                let version = BigEndian.u8(moov, header.payload.lowerBound),
                let identifier = BigEndian.u32(moov, header.payload.lowerBound + (version == 1 ? 20 : 12)),
                let handler = try? reader.first([.mdia, .hdlr], below: box)
            else { return nil }
            let kind: TrackSamples.Kind
            switch BigEndian.u32(moov, handler.payload.lowerBound + 8) {
            case FourCC.vide.value: kind = .video
            case FourCC("soun").value: kind = .sound
            default: kind = .other
            }
            // In both kinds of table the number of samples follows version, flags and a size (section 8.7.3).
            let path = [FourCC.mdia, .minf, .stbl]
            let sizes =
                (try? reader.first(path + ["stsz"], below: box)) ?? (try? reader.first(path + ["stz2"], below: box))
            let count = sizes.flatMap { BigEndian.u32(moov, $0.payload.lowerBound + 8) } ?? 0
            result.append(
                TrackSamples(
                    kind: kind, identifier: UInt64(identifier),
                    count: UInt64(count) + fragmented[identifier, default: 0]))
        }
        return result
    }
}

/// Counts the blocks of a Matroska file that is written from its start to its end, each of which is one sample: muxers
/// of GStreamer use no lacing.
struct MatroskaSamples {
    private enum Mode {
        /// An element's header and the first bytes of a block come next.
        case element
        /// Data of which this many bytes remain.
        case skipping(UInt64)
        /// The meaning of the next bytes is unknown.
        case lost
    }

    private var mode = Mode.element
    private var pending: [UInt8] = []
    private var counts: [UInt64: UInt64] = [:]

    /// Whether this many new bytes need not be parsed.
    func passes(_ count: Int) -> Bool {
        switch mode {
        case .element: false
        case .skipping(let rest): UInt64(count) <= rest
        case .lost: true
        }
    }

    /// Skips bytes that `passes` has accepted.
    mutating func skip(_ count: Int) {
        guard case .skipping(let rest) = mode else { return }
        mode = rest <= UInt64(count) ? .element : .skipping(rest - UInt64(count))
    }

    mutating func lose() { mode = .lost }

    /// Takes the bytes that follow the last ones.
    mutating func read(_ bytes: [UInt8]) {
        var next = 0
        while next < bytes.count {
            switch mode {
            case .lost: return
            case .skipping(let rest):
                let count = Int(min(rest, UInt64(bytes.count - next)))
                skip(count)
                next += count
            case .element:
                pending.append(bytes[next])
                next += 1
                look()
            }
        }
    }

    /// Evaluates the bytes in `pending` when they are a complete header.
    private mutating func look() {
        guard case .header(let header) = EBMLHeader.parse(pending, at: 0, before: pending.count) else {
            // No header is longer than that.
            if pending.count > 12 { mode = .lost }
            return
        }
        switch header.id {
        case MatroskaID.segment, MatroskaID.cluster, MatroskaID.blockGroup: break
        case MatroskaID.simpleBlock, MatroskaID.block:
            guard let size = header.size, pending.count > header.count else { return }
            let length = pending[header.count].leadingZeroBitCount + 1
            guard length <= 8, UInt64(length) <= size else {
                mode = .lost
                return
            }
            guard pending.count == header.count + length else { return }
            let track =
                (BigEndian.number(pending, at: header.count, count: length) ?? 0) & (1 << UInt64(7 * length) - 1)
            counts[track, default: 0] += 1
            mode = size == UInt64(length) ? .element : .skipping(size - UInt64(length))
        default:
            guard let size = header.size else {
                mode = .lost
                return
            }
            mode = size == 0 ? .element : .skipping(size)
        }
        pending = []
    }

    /// - Parameter bytes: the complete element Tracks.
    /// - Returns: the tracks in their order; `nil` where the tracks or the blocks cannot be read.
    func tracks(_ bytes: [UInt8]) -> [TrackSamples]? {
        if case .lost = mode { return nil }
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let element = try? elements.next(), element.id == MatroskaID.tracks else { return nil }
        var result: [TrackSamples] = []
        var entries = EBML.elements(bytes, in: element.data)
        while let entry = try? entries.next() {
            guard entry.id == MatroskaID.trackEntry else { continue }
            guard let number = try? EBML.first(MatroskaID.trackNumber, bytes, in: entry.data),
                let identifier = EBML.unsigned(bytes, number)
            else { return nil }
            let type = (try? EBML.first(MatroskaID.trackType, bytes, in: entry.data)).flatMap {
                EBML.unsigned(bytes, $0)
            }
            let kind: TrackSamples.Kind = type == 1 ? .video : type == 2 ? .sound : .other
            result.append(TrackSamples(kind: kind, identifier: identifier, count: counts[identifier, default: 0]))
        }
        return result
    }
}
