import HDRMetadata

/// The tracks of a movie box that have neither a sample description nor a sample. GStreamer's qtmux writes one for each
/// pad that it has been asked for, even where the pad was given back without data, and players refuse the whole file
/// for it.
enum EmptyTracks {
    /// The movie box without them, and without their defaults for fragments; the same bytes where there are none.
    /// - Parameter evenDescribed: whether tracks with a sample description are removed too, unless samples may follow
    ///   in fragments.
    static func removed(from moov: [UInt8], evenDescribed: Bool = false) throws(ContainerError) -> [UInt8] {
        let reader = BoxReader(moov)
        let movie = try MovieInspection.movie(reader)
        let isWhole = try reader.first(.mvex, in: movie.payload) == nil
        var edits = ByteEdits()
        var removed: Set<UInt32> = []
        var boxes = reader.boxes(in: movie.payload)
        while let box = try boxes.next() {
            guard box.type == .trak,
                evenDescribed && isWhole ? hasNoSamples(reader, box) : isEmpty(reader, box)
            else { continue }
            if let number = trackID(reader, box) { removed.insert(number) }
            edits.replace(box.start..<box.end, with: [], inside: [movie])
        }
        if edits.isEmpty { return moov }
        if let extends = try reader.first(.mvex, in: movie.payload) {
            var defaults = reader.boxes(in: extends.payload)
            while let box = try defaults.next() {
                guard box.type == "trex", let number = BigEndian.u32(moov, box.payload.lowerBound + 4),
                    removed.contains(number)
                else { continue }
                edits.replace(box.start..<box.end, with: [], inside: [movie, extends])
            }
        }
        return try edits.apply(to: moov)
    }

    /// Whether a track has neither: an unreadable one stays.
    static func isEmpty(_ reader: BoxReader, _ track: Box) -> Bool {
        guard let table = try? reader.first([.mdia, .minf, .stbl], below: track),
            let box = try? reader.first(.stsd, in: table.payload),
            BigEndian.u32(reader.bytes, box.payload.lowerBound + 4) == 0
        else { return false }
        return hasNoSamples(reader, track)
    }

    /// Whether a track has no chunk in the movie box: an unreadable one has.
    private static func hasNoSamples(_ reader: BoxReader, _ track: Box) -> Bool {
        guard let table = try? reader.first([.mdia, .minf, .stbl], below: track) else { return false }
        return [FourCC.stco, .co64].allSatisfy { type in
            guard let offsets = try? reader.first(type, in: table.payload) else { return true }
            return BigEndian.u32(reader.bytes, offsets.payload.lowerBound + 4) == 0
        }
    }

    private static func trackID(_ reader: BoxReader, _ track: Box) -> UInt32? {
        guard let header = try? reader.first(.tkhd, in: track.payload) else { return nil }
        let start = header.payload.lowerBound
        return BigEndian.u32(reader.bytes, start + (BigEndian.u8(reader.bytes, start) == 1 ? 20 : 12))
    }
}
