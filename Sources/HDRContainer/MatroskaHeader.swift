import HDRMetadata

/// Everything in a Matroska file up to Tracks, in `MatroskaRewriter`. It is held back until Tracks is complete, then
/// written, and written again where something changes it later.
struct MatroskaHeader {
    /// The size of the largest Void element whose space is used.
    private static let largestVoid = 1 << 20

    private(set) var isOut = false
    private(set) var map = PositionMap()
    private(set) var segmentData: UInt64 = 0
    private var bytes: [UInt8] = []
    /// The position of the next element in `bytes`, and the number of bytes needed before parsing can continue.
    private var next = 0
    private var needed = 2
    private var tracks: Range<Int>?
    private var void: Range<Int>?
    private var seekHeads: [Range<Int>] = []
    private var documentVersion: Int?
    private var segmentSize: Range<Int>?
    private var regions: [MatroskaRegion] = []

    var positions: MatroskaPositions { MatroskaPositions(segmentData: segmentData, map: map) }

    // MARK: Before it is written

    /// - Returns: whether enough bytes have arrived, or more would not help.
    mutating func collect(_ new: [UInt8], _ context: RewriterContext, _ output: inout RewriterOutput) -> Bool {
        bytes += new
        while bytes.count >= needed {
            switch EBMLHeader.parse(bytes, at: next, before: bytes.count) {
            case .needs(let count): needed = next + max(count, bytes.count - next + 1)
            case .invalid: return true
            case .header(let element):
                if look(at: element, context, &output) { return true }
            }
        }
        return false
    }

    /// - Returns: whether the header is complete, or more bytes would not help.
    private mutating func look(
        at element: EBMLHeader, _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> Bool {
        let data = next + element.count
        if element.id == MatroskaID.segment {
            if segmentData != 0 { return true }
            segmentData = UInt64(data)
            segmentSize = next + element.idLength..<data
            (next, needed) = (data, data + 2)
            return false
        }
        if tracks != nil, element.id != MatroskaID.void { return true }
        guard let size = element.size, element.id != MatroskaID.cluster else { return true }
        let limit = tracks == nil ? context.limit : Self.largestVoid
        guard size <= UInt64(max(0, limit - next)) else {
            if tracks == nil {
                let error = ContainerError.headerTooLarge(
                    what: "what stands before the end of Tracks", size: size, limit: UInt64(limit))
                output.notice(.notCompleted(error))
            }
            return true
        }
        let end = data + Int(size)
        guard bytes.count >= end else {
            needed = end
            return false
        }
        switch element.id {
        case MatroskaID.ebml: noteVersion(in: data..<end)
        case MatroskaID.seekHead: seekHeads.append(next..<end)
        case MatroskaID.tracks: tracks = next..<end
        case MatroskaID.void where tracks != nil:
            void = next..<end
            return true
        default: break
        }
        (next, needed) = (end, end + 2)
        return false
    }

    private mutating func noteVersion(in range: Range<Int>) {
        guard let version = try? EBML.first(MatroskaID.docTypeVersion, bytes, in: range), version.data.count == 1
        else { return }
        documentVersion = version.data.lowerBound
    }

    mutating func overlay(_ patch: [UInt8], at offset: UInt64) {
        BigEndian.overlay(patch, at: offset, onto: &bytes, at: 0)
    }

    /// Writes the header.
    /// - Returns: the bytes that were collected behind it, and their position.
    mutating func commit(
        _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> (rest: [UInt8], start: UInt64) {
        let source = bytes
        isOut = true
        bytes = []
        guard let tracks, tracks.upperBound <= source.count else {
            if !context.metadata.asksForNothing { output.notice(.headerMissing("Tracks element")) }
            return (source, 0)
        }
        let asksForAmbient = context.metadata.video.contains {
            if case .set = $0.effective.ambientViewing { true } else { false }
        }
        if asksForAmbient {
            output.notice(.unsupported(what: "the ambient viewing environment"))
        }
        if let segmentSize { regions.append(MatroskaRegion(.segmentSize, at: segmentSize, in: source)) }
        regions += seekHeads.map { MatroskaRegion(.seekHead, at: $0, in: source) }
        var region = MatroskaRegion(.tracks, at: tracks, in: source)
        let new = region.complete(positions, context, &output)

        var filling: [UInt8] = []
        var end = tracks.upperBound
        let growth = new.count - tracks.count
        let room = (void?.count ?? 0) - growth
        if let void, growth != 0, room == 0 || room >= 2 {
            EBML.appendVoid(count: room, to: &filling)
            end = void.upperBound
        } else if growth <= -2 {
            EBML.appendVoid(count: -growth, to: &filling)
        } else {
            map.insert(growth, at: UInt64(tracks.upperBound))
        }

        var start = Array(source[..<tracks.lowerBound])
        for index in regions.indices {
            let bytes = regions[index].complete(positions, context, &output)
            BigEndian.overlay(bytes, at: regions[index].position, onto: &start, at: 0)
        }
        regions.append(region)
        if let documentVersion, start.indices.contains(documentVersion), !new.elementsEqual(source[tracks]) {
            // Colour is of version 4; readers of version 2 may ignore it.
            start[documentVersion] = max(4, start[documentVersion])
        }
        output.writes.append(PositionedBytes(offset: 0, bytes: start + new + filling))
        return (Array(source[end...]), UInt64(end))
    }

    // MARK: After it is written

    /// The element Tracks as the muxer wrote it; `nil` where there is none.
    var trackEntries: [UInt8]? { regions.first { $0.kind == .tracks }?.source }

    mutating func insert(_ growth: Int, at position: UInt64) { map.insert(growth, at: position) }

    /// Handles a SeekHead behind Tracks: returns its bytes with the positions moved.
    mutating func moveSeekHead(
        _ head: [UInt8], at position: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> [UInt8] {
        var region = MatroskaRegion(.seekHead, at: position, head)
        let bytes = region.complete(positions, context, &output)
        regions.append(region)
        return bytes
    }

    /// Takes a write of the muxer before the end of the file.
    mutating func rewrite(
        _ bytes: [UInt8], at offset: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        let end = offset + UInt64(bytes.count)
        // The muxer has gone back in the file, so that its earlier bytes may be replaced.
        var context = context
        context.isSeekable = true
        // Bytes between the regions are passed on.
        var position = offset
        for index in regions.indices.sorted(by: { regions[$0].position < regions[$1].position }) {
            let range = regions[index].range.clamped(to: offset..<end)
            if range.isEmpty || range.lowerBound < position { continue }
            if position < range.lowerBound {
                let piece = Array(bytes[Int(position - offset)..<Int(range.lowerBound - offset)])
                output.pass(piece, at: position, through: map)
            }
            BigEndian.overlay(bytes, at: offset, onto: &regions[index].source, at: regions[index].position)
            regions[index].update(positions, context, &output)
            position = range.upperBound
        }
        let rest = position == offset ? bytes : Array(bytes[Int(position - offset)...])
        output.pass(rest, at: position, through: map)
    }

    /// Writes the parts that have changed again.
    mutating func update(_ context: RewriterContext, _ output: inout RewriterOutput) {
        for index in regions.indices { regions[index].update(positions, context, &output) }
    }
}
