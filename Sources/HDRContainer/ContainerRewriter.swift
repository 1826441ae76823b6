import HDRMetadata

/// Bytes for a position in a file.
package struct PositionedBytes: Equatable, Sendable {
    package var offset: UInt64
    package var bytes: [UInt8]

    package init(offset: UInt64, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }
}

/// An edit that was not possible. In this respect the file is then as the muxer wrote it, and still valid.
package enum ContainerNotice: Equatable, Sendable, CustomStringConvertible {
    /// The stream's format is not one that can be completed.
    case notRecognized
    /// The header with the tracks never came, or came in an unexpected place.
    case headerMissing(String)
    /// The header was passed on unchanged.
    case notCompleted(ContainerError)
    /// The final metadata need more or less room than those in the header that has been written.
    case noRoom(what: String)
    /// The final metadata differ from those in the header that has been written, which cannot be overwritten.
    case notSeekable(what: String)
    /// The format cannot express it.
    case unsupported(what: String)
    /// Positions in this element are still those of the muxer.
    case positionsNotMoved(what: String)

    package var description: String {
        switch self {
        case .notRecognized:
            "the muxer's output is neither QuickTime, MP4 nor Matroska; no HDR metadata can be written to its header"
        case .headerMissing(let name):
            "the muxer wrote no \(name) that could be completed; its header has no HDR metadata"
        case .notCompleted(let error): "the header keeps what the muxer wrote: \(error)"
        case .noRoom(let what):
            "\(what) has no room for the last metadata; set a content light level of 0:0 before the first buffer to "
                + "keep it"
        case .notSeekable(let what):
            "\(what) keeps the metadata from the start of the stream, because what follows cannot seek; use a filesink"
        case .unsupported(let what): "there is no place for \(what) in this file type"
        case .positionsNotMoved(let what): "positions in \(what) are wrong by what the header grew"
        }
    }
}

/// Completes the header of a muxer's output, which is a sequence of writes, most of them at the end of the file and
/// some before it. Media data pass at once and uncopied; only headers are held back.
///
/// A movie box behind the media data waits for `finish`. One that is followed by its media data (faststart), or that
/// announces fragments, is completed as soon as all of it has arrived, and what lies behind it moves. So does what lies
/// behind Matroska's Tracks. Where downstream can seek, `finish` brings such headers up to date.
package struct ContainerRewriter: Sendable {
    /// Headers larger than this pass unchanged.
    package static let defaultLimit = 256 << 20

    /// The edits of the header, as far as they are known now.
    package var metadata: ContainerMetadata
    package let isSeekable: Bool
    /// The edits that were not possible, each listed once.
    package private(set) var notices: [ContainerNotice] = []

    private let limit: Int
    private var start: [UInt8] = []
    private var isOpaque = false
    private var movie: MovieRewriter?
    private var matroska: MatroskaRewriter?

    /// - Parameters:
    ///   - isSeekable: whether writes may go back in the file.
    ///   - limit: the size in bytes of the largest header that is held back.
    package init(
        metadata: ContainerMetadata = .nothing, isSeekable: Bool = true, limit: Int = Self.defaultLimit
    ) {
        self.metadata = metadata
        self.isSeekable = isSeekable
        self.limit = max(0, limit)
    }

    /// Takes a write of the muxer.
    /// - Parameter offset: the position that the muxer writes to.
    /// - Returns: the writes to be made now, in this order.
    /// - Throws: where the position is not valid in a file.
    package mutating func write(
        _ bytes: [UInt8], at offset: UInt64
    ) throws(ContainerError) -> [PositionedBytes] {
        guard offset < 1 << 62 else { throw .sizeOverflow(what: "a write", offset: offset) }
        if bytes.isEmpty { return [] }
        var output = RewriterOutput()
        if movie != nil || matroska != nil || isOpaque {
            forward(bytes, at: offset, to: &output)
        } else if offset != UInt64(start.count) {
            giveUp(&output)
            forward(bytes, at: offset, to: &output)
        } else {
            start += bytes
            if start.count >= 8 { recognize(&output) }
        }
        return take(output)
    }

    /// Takes a write of the muxer that need not be parsed, such as that of a picture: its bytes are not needed, and are
    /// not copied.
    /// - Parameters:
    ///   - count: the number of bytes of the write.
    ///   - prefix: its first 16 bytes, or all where there are fewer.
    /// - Returns: the position to write to; `nil` where `write` must be called with all of the bytes.
    package mutating func pass(count: Int, prefix: [UInt8], at offset: UInt64) -> UInt64? {
        guard count > 0, offset < 1 << 62 else { return nil }
        if isOpaque { return offset }
        if let target = movie?.pass(count: count, prefix: prefix, at: offset) { return target }
        return matroska?.pass(count: count, prefix: prefix, at: offset)
    }

    /// Ends the stream.
    /// - Parameter metadata: the final edits of the header.
    /// - Returns: the writes to be made, in this order; none goes back in the file where that is impossible.
    package mutating func finish(_ metadata: ContainerMetadata) -> [PositionedBytes] {
        self.metadata = metadata
        var output = RewriterOutput()
        if movie == nil, matroska == nil, !isOpaque { giveUp(&output) }
        let context = context
        movie?.finish(context, &output)
        matroska?.finish(context, &output)
        return take(output)
    }

    /// The number of samples of each track, in the tracks' order, as far as they have been written; `nil` where it is
    /// unknown.
    package var samples: [TrackSamples]? { movie?.samples ?? matroska?.samples }

    private var context: RewriterContext {
        RewriterContext(metadata: metadata, isSeekable: isSeekable, limit: limit)
    }

    private mutating func forward(_ bytes: [UInt8], at offset: UInt64, to output: inout RewriterOutput) {
        let context = context
        if movie != nil {
            movie?.write(bytes, at: offset, context, &output)
        } else if matroska != nil {
            matroska?.write(bytes, at: offset, context, &output)
        } else {
            output.writes.append(PositionedBytes(offset: offset, bytes: bytes))
        }
    }

    private mutating func recognize(_ output: inout RewriterOutput) {
        if BigEndian.u32(start, 0) == MatroskaID.ebml {
            matroska = MatroskaRewriter()
        } else if ContainerInspection.beginsMovie(start) {
            movie = MovieRewriter()
        } else {
            giveUp(&output)
            return
        }
        let bytes = start
        start = []
        forward(bytes, at: 0, to: &output)
    }

    private mutating func giveUp(_ output: inout RewriterOutput) {
        isOpaque = true
        if !metadata.asksForNothing { output.notice(.notRecognized) }
        if !start.isEmpty { output.writes.append(PositionedBytes(offset: 0, bytes: start)) }
        start = []
    }

    private mutating func take(_ output: RewriterOutput) -> [PositionedBytes] {
        for notice in output.notices where !notices.contains(notice) { notices.append(notice) }
        return output.writes
    }
}
