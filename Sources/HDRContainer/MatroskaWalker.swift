import HDRMetadata

/// Visits the elements of a Matroska file one after another, and reads only their headers. It descends into a Segment,
/// a Cluster and a BlockGroup, and steps over everything else.
struct MatroskaWalker<Source: ByteSource> {
    struct Element {
        let header: EBMLHeader
        /// The offset of the header in the file.
        let position: UInt64
        /// The header and the first bytes of its data, 24 bytes in all where the file has them.
        let bytes: [UInt8]

        /// The offset of the data in the file.
        var data: UInt64 { position + UInt64(header.count) }

        /// The fields before the frame, of a SimpleBlock or a Block.
        var block: MatroskaBlockHeader? {
            guard header.id == MatroskaID.simpleBlock || header.id == MatroskaID.block else { return nil }
            return MatroskaBlockHeader(bytes, at: header.count)
        }
    }

    private let source: Source
    /// The present position; `nil` behind an element of unknown size, and behind a broken one.
    private var position: UInt64?
    private let entersClusters: Bool

    /// - Parameters:
    ///   - start: the position of an element.
    ///   - entersClusters: whether blocks are visited, and not only the elements directly below the Segment.
    init(_ source: Source, from start: UInt64, entersClusters: Bool = true) {
        self.source = source
        position = start
        self.entersClusters = entersClusters
    }

    /// The next element; `nil` at the end of the file and where it is broken.
    mutating func next() -> Element? {
        guard let start = position else { return nil }
        position = nil
        guard let bytes = try? ContainerInspection.read(source, at: start, count: 24),
            case .header(let header) = EBMLHeader.parse(bytes, at: 0, before: bytes.count)
        else { return nil }
        let element = Element(header: header, position: start, bytes: bytes)
        switch header.id {
        case MatroskaID.segment: position = element.data
        case MatroskaID.cluster where entersClusters, MatroskaID.blockGroup: position = element.data
        default:
            let end = header.size.map { element.data.addingReportingOverflow($0) }
            position = end.flatMap { $0.overflow ? nil : $0.partialValue }
        }
        return element
    }

    /// Visits all elements that are left.
    /// - Returns: whether the elements follow each other to the last byte. Where bytes were overwritten or left out,
    ///   other bytes are read as sizes.
    mutating func reachesTheEnd() -> Bool {
        guard let total = try? source.size else { return false }
        while let start = position {
            if start == total { return true }
            guard start < total, next() != nil else { return false }
        }
        return false
    }
}

/// The fields of a block before its frame: RFC 9559 section 10.1.
struct MatroskaBlockHeader: Equatable {
    let track: UInt64
    /// The time in ticks, relative to the Cluster's time.
    let time: Int16
    /// Whether several frames share the block.
    let isLaced: Bool
    /// The number of bytes of these fields.
    let count: Int

    init?(_ bytes: [UInt8], at offset: Int) {
        guard let first = BigEndian.u8(bytes, offset), first != 0 else { return nil }
        // The track's number is coded like an element's size.
        let length = first.leadingZeroBitCount + 1
        guard let field = BigEndian.number(bytes, at: offset, count: length),
            let time = BigEndian.u16(bytes, offset + length), let flags = BigEndian.u8(bytes, offset + length + 2)
        else { return nil }
        track = field & (1 << UInt64(7 * length) - 1)
        self.time = Int16(bitPattern: time)
        isLaced = flags & 6 != 0
        count = length + 3
    }
}
