import HDRMetadata

/// The video tracks that the header of a QuickTime, MP4, Matroska, WebM, MXF or YUV4MPEG2 file describes, or the first
/// program map of a transport stream, which `TransportStreamInspection` reads.
package struct ContainerInspection: Equatable, Sendable {
    package enum Format: String, Sendable { case quickTime, iso, matroska, webm, mxf, y4m, transportStream }

    package var format: Format
    package var tracks: [VideoTrack]
    /// Whether the movie box announces fragments.
    package var isFragmented = false
    /// Whether a QuickTime or MP4 file has a track of timecodes.
    package var hasTimecode = false
    /// The duration in nanoseconds; `nil` where the header has none.
    package var duration: UInt64?
    /// The time of the earliest block of a Matroska or WebM file, in ns; `nil` for others.
    package var firstTime: UInt64?
    /// The position of the movie box or the Tracks element.
    package var headerPosition: UInt64

    /// The track that represents the file.
    package var mainTrack: VideoTrack? { tracksByRank.first }

    /// The tracks in the order in which they are to be chosen: pictures before enhancement layers of Dolby Vision 7,
    /// enabled tracks before others, then those that are played by default, then by their order in the file.
    package var tracksByRank: [VideoTrack] {
        func place(_ track: VideoTrack) -> Int {
            (track.isEnhancementLayer ? 4 : 0) + (track.isEnabled ? 0 : 2) + (track.isDefault ? 0 : 1)
        }
        return tracks.enumerated().sorted { (place($0.1), $0.0) < (place($1.1), $1.0) }.map(\.element)
    }

    /// Headers larger than this are not read.
    package static let defaultLimit: UInt64 = 256 << 20
    static let maximumSteps = 1_000_000
    /// Further video tracks are left out. Real files have a few; each costs reads of its packets and their times.
    package static let maximumTracks = 64

    /// Reads the headers and no media data, except for the times of a Matroska file's first blocks.
    /// - Parameter limit: the size in bytes of the largest header that is read into memory.
    /// - Throws: `ContainerError`, and the source's errors.
    package init(_ source: some ByteSource, limit: UInt64 = Self.defaultLimit) throws {
        let start = try Self.read(source, at: 0, count: 12)
        if BigEndian.u32(start, 0) == MatroskaID.ebml {
            self = try Self.matroska(source, limit: limit)
        } else if Self.beginsMovie(start) {
            self = try Self.movie(source, limit: limit)
        } else if let header = try Y4MHeader(source) {
            self.init(header, total: try Self.total(source))
        } else if let start = try MXFInspection.start(source) {
            let (tracks, duration) = try MXFInspection.read(source, at: start, limit: limit)
            self.init(format: .mxf, tracks: tracks, duration: duration, headerPosition: start)
        } else {
            throw ContainerError.notRecognized
        }
    }

    /// Whether a file begins in the way of Matroska and WebM files.
    package static func beginsMatroska(_ source: some ByteSource) -> Bool {
        (try? read(source, at: 0, count: 4)).flatMap { BigEndian.u32($0, 0) } == MatroskaID.ebml
    }

    /// Whether the file's first bytes begin a box that movie files begin with.
    static func beginsMovie(_ bytes: [UInt8]) -> Bool {
        guard let type = BigEndian.u32(bytes, 4).map({ FourCC($0) }) else { return false }
        return ["ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "pnot", "uuid"].contains(type)
    }

    /// The size, clamped so that positions in the file can be added without overflow.
    static func total(_ source: some ByteSource) throws -> UInt64 { min(try source.size, 1 << 62) }

    static func read(_ source: some ByteSource, at offset: UInt64, count: Int) throws -> [UInt8] {
        let size = try Self.total(source)
        guard offset < size else { return [] }
        let wanted = Int(min(UInt64(count), size - offset))
        let bytes = try source.read(at: offset, count: wanted)
        guard bytes.count == wanted else {
            throw ContainerError.readFailed(
                offset: offset, count: wanted, reason: "the source gave \(bytes.count) bytes")
        }
        return bytes
    }

    private static func header(
        _ source: some ByteSource, at offset: UInt64, size: UInt64, limit: UInt64, what: String
    ) throws -> [UInt8] {
        guard size <= limit, let count = Int(exactly: size) else {
            throw ContainerError.headerTooLarge(what: what, size: size, limit: limit)
        }
        let total = try Self.total(source)
        guard offset <= total, size <= total - offset else {
            throw ContainerError.truncated(what: what, offset: offset)
        }
        return try read(source, at: offset, count: count)
    }

    // MARK: QuickTime and ISO

    private static func movie(_ source: some ByteSource, limit: UInt64) throws -> ContainerInspection {
        let total = try Self.total(source)
        var format = Format.quickTime
        var position: UInt64 = 0
        for _ in 0..<maximumSteps {
            guard position < total else { throw ContainerError.missingBox(path: "moov") }
            let bytes = try read(source, at: position, count: 16)
            switch BoxHeader.parse(bytes, at: 0) {
            case .needs: throw ContainerError.truncated(what: "a box header", offset: position)
            case .invalid(let type, let size):
                throw ContainerError.badBoxSize(type: type, size: size, offset: position)
            case .header(let header):
                let size = header.size ?? total - position
                if header.type == .ftyp {
                    let brand = try read(source, at: position + UInt64(header.headerSize), count: 4)
                    format = BigEndian.u32(brand, 0) == ("qt  " as FourCC).value ? .quickTime : .iso
                }
                if header.type == .moov {
                    let moov = try self.header(source, at: position, size: size, limit: limit, what: "moov")
                    let reader = BoxReader(moov)
                    let box = try MovieInspection.movie(reader)
                    var found = ContainerInspection(
                        format: format, tracks: try MovieInspection.tracks(moov),
                        isFragmented: try reader.first(.mvex, in: box.payload) != nil,
                        duration: MovieTiming.duration(reader, box), headerPosition: position)
                    found.hasTimecode = MovieInspection.hasTimecode(reader, box)
                    return found
                }
                // A box that extends beyond the file is the last one: a truncated recording.
                guard size <= total - position else { throw ContainerError.missingBox(path: "moov") }
                position += size
            }
        }
        throw ContainerError.tooManyBoxes(limit: maximumSteps)
    }

    // MARK: Matroska

    private static func matroska(_ source: some ByteSource, limit: UInt64) throws -> ContainerInspection {
        let total = try Self.total(source)
        var format = Format.matroska
        var position: UInt64 = 0
        var segmentData: UInt64?
        var tracksPosition: UInt64?
        var info: MatroskaInfo?
        for _ in 0..<maximumSteps {
            guard position < total else { break }
            let bytes = try read(source, at: position, count: 12)
            guard case .header(let header) = EBMLHeader.parse(bytes, at: 0, before: bytes.count) else {
                throw ContainerError.badElement(what: "an element", offset: position)
            }
            let data = position + UInt64(header.count)
            let size = header.size ?? total - min(data, total)
            switch header.id {
            case MatroskaID.segment:
                segmentData = data
                position = data
                continue
            case MatroskaID.ebml:
                let header = try self.header(source, at: data, size: size, limit: 4096, what: "the EBML header")
                let type = try EBML.first(MatroskaID.docType, header, in: 0..<header.count)
                if let type, MatroskaInspection.text(header, type) == "webm" { format = .webm }
            case MatroskaID.info:
                info = (try? self.header(source, at: data, size: size, limit: 1 << 20, what: "Info")).map(
                    MatroskaInfo.init)
            case MatroskaID.tracks:
                guard let whole = header.size.flatMap({ $0.addingReportingOverflow(UInt64(header.count)) }),
                    !whole.overflow
                else { throw ContainerError.badElement(what: "Tracks of unknown size", offset: position) }
                let bytes = try self.header(
                    source, at: position, size: whole.partialValue, limit: limit, what: "Tracks")
                let end = position + whole.partialValue
                let known = info ?? infoBehind(source, at: end) ?? MatroskaInfo()
                var inspection = ContainerInspection(
                    format: format, tracks: try MatroskaInspection.tracks(bytes), duration: known.duration,
                    headerPosition: position)
                inspection.adoptBlockTimes(source, from: end, scale: known.scale)
                return inspection
            case MatroskaID.seekHead:
                let bytes = try self.header(source, at: data, size: size, limit: 1 << 20, what: "SeekHead")
                let relative = try MatroskaPositions.tracks(bytes)
                tracksPosition = relative.flatMap { segmentData?.addingReportingOverflow($0) }.flatMap {
                    $0.overflow ? nil : $0.partialValue
                }
            case MatroskaID.cluster:
                // Tracks precede the first Cluster, unless a SeekHead says that they lie behind it.
                if let next = tracksPosition, next > position {
                    position = next
                    tracksPosition = nil
                    continue
                }
            default: break
            }
            guard header.size != nil, size <= total - min(data, total) else { break }
            position = data + size
        }
        throw ContainerError.missingElement("Tracks")
    }

    /// The element Info where it follows Tracks, before any Cluster.
    private static func infoBehind(_ source: some ByteSource, at start: UInt64) -> MatroskaInfo? {
        var walker = MatroskaWalker(source, from: start, entersClusters: false)
        for _ in 0..<16 {
            guard let element = walker.next(), element.header.id != MatroskaID.cluster,
                let size = element.header.size
            else { return nil }
            guard element.header.id == MatroskaID.info else { continue }
            return (try? header(source, at: element.data, size: size, limit: 1 << 20, what: "Info")).map(
                MatroskaInfo.init)
        }
        return nil
    }

    init(
        format: Format, tracks: [VideoTrack], isFragmented: Bool = false, duration: UInt64? = nil,
        headerPosition: UInt64
    ) {
        self.format = format
        self.tracks = tracks
        self.isFragmented = isFragmented
        self.duration = duration
        self.headerPosition = headerPosition
    }
}
