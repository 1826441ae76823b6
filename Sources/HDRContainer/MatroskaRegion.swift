import HDRMetadata

/// A part of a Matroska file whose bytes differ from the muxer's. Once written, it keeps its length.
struct MatroskaRegion {
    enum Kind { case segmentSize, seekHead, tracks }

    let kind: Kind
    /// The region's position in the muxer's output.
    let position: UInt64
    /// The bytes as the muxer wrote them.
    var source: [UInt8]
    /// The bytes that have been output.
    var written: [UInt8]
    /// The edits in the Tracks that have been written.
    private var metadata = ContainerMetadata.nothing

    var range: Range<UInt64> { position..<position + UInt64(source.count) }

    init(_ kind: Kind, at position: UInt64, _ source: [UInt8]) {
        self.kind = kind
        self.position = position
        self.source = source
        written = source
    }

    init(_ kind: Kind, at range: Range<Int>, in bytes: [UInt8]) {
        self.init(kind, at: UInt64(max(0, range.lowerBound)), BigEndian.slice(bytes, range))
    }

    /// Produces the bytes to write, and keeps them.
    mutating func complete(
        _ positions: MatroskaPositions, _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> [UInt8] {
        written = bytes(positions, context, &output)
        metadata = context.metadata
        return written
    }

    private func bytes(
        _ positions: MatroskaPositions, _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> [UInt8] {
        do throws(ContainerError) {
            switch kind {
            case .segmentSize: return Self.moved(size: source, positions)
            case .seekHead: return try positions.seekHead(source)
            case .tracks:
                return try MatroskaTracksPatcher(metadata: context.metadata).patch(source)
            }
        } catch {
            output.notice(kind == .tracks ? .notCompleted(error) : .positionsNotMoved(what: "SeekHead"))
            return source
        }
    }

    /// Writes the region again where it has changed since it was written.
    mutating func update(
        _ positions: MatroskaPositions, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        var new = bytes(positions, context, &output)
        if new.count == written.count {
            metadata = context.metadata
        } else {
            output.notice(.noRoom(what: "the Tracks element"))
            var earlier = context
            earlier.metadata = metadata
            new = bytes(positions, earlier, &output)
        }
        if new == written || new.count != written.count { return }
        if context.isSeekable {
            output.update(written, to: new, at: positions.map(position) ?? position)
            written = new
        } else if kind == .tracks {
            output.notice(.notSeekable(what: "the Tracks element"))
        } else {
            output.notice(.positionsNotMoved(what: kind == .seekHead ? "SeekHead" : "the Segment's size"))
        }
    }

    /// The Segment's size field in the same length; its value is unknown where the size does not fit.
    private static func moved(size field: [UInt8], _ positions: MatroskaPositions) -> [UInt8] {
        guard let first = field.first, first.leadingZeroBitCount == field.count - 1,
            let raw = BigEndian.number(field, at: 0, count: field.count)
        else { return field }
        let marker: UInt64 = 1 << UInt64(7 * field.count)
        let size = raw & (marker - 1)
        if size == marker - 1 { return field }
        var result: [UInt8] = []
        BigEndian.append(min(positions.moved(size), marker - 1) | marker, count: field.count, to: &result)
        return result
    }
}
