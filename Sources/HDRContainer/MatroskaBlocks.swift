import HDRMetadata

/// Looks through the blocks of a Matroska or WebM file for what stands beside the frames, which GStreamer's matroskademux
/// does not hand on.
package struct MatroskaBlocks: Equatable, Sendable {
    /// Blocks of the track that were seen.
    package private(set) var count = 0
    /// How many of them have SMPTE ST 2094-40 metadata in a BlockAdditional.
    package private(set) var hdr10Plus = 0

    /// Elements that are looked at, so that a file of nothing but small ones ends.
    private static let maximumElements = 500_000
    private static let largestAdditions: UInt64 = 1 << 16

    /// Reads the headers of elements, and block additions, up to a number of blocks. What is broken ends it.
    package init(_ source: some ByteSource, track: VideoTrack, limit: Int) {
        let identifiers = track.registeredDataIDs.union([4])
        var position: UInt64 = 0
        var isOurs = false
        for _ in 0..<Self.maximumElements {
            guard let bytes = try? ContainerInspection.read(source, at: position, count: 24),
                case .header(let header) = EBMLHeader.parse(bytes, at: 0, before: bytes.count)
            else { return }
            let data = position + UInt64(header.count)
            switch header.id {
            case MatroskaID.segment, MatroskaID.cluster, MatroskaID.blockGroup:
                isOurs = false
                position = data
                continue
            case MatroskaID.simpleBlock, MatroskaID.block:
                isOurs = Self.number(bytes, at: header.count) == track.identifier
                // The additions of the last block follow it.
                if isOurs, count == limit { return }
                if isOurs { count += 1 }
            case MatroskaID.blockAdditions where isOurs:
                guard let size = header.size, size <= Self.largestAdditions,
                    let additions = try? ContainerInspection.read(source, at: data, count: Int(size))
                else { break }
                if Self.hasHDR10Plus(additions, identifiers) { hdr10Plus += 1 }
                isOurs = false
            default: break
            }
            guard let size = header.size else { return }
            let next = data.addingReportingOverflow(size)
            guard !next.overflow else { return }
            position = next.partialValue
        }
    }

    /// A block's track number, which is coded like an element's size.
    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt64? {
        guard let first = BigEndian.u8(bytes, offset), first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        return BigEndian.number(bytes, at: offset, count: length).map { $0 & (1 << UInt64(7 * length) - 1) }
    }

    private static func hasHDR10Plus(_ bytes: [UInt8], _ identifiers: Set<UInt64>) -> Bool {
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        while let element = try? elements.next() {
            guard element.id == MatroskaID.blockMore else { continue }
            var identifier: UInt64 = 1
            var payload: [UInt8] = []
            var children = EBML.elements(bytes, in: element.data)
            while let child = try? children.next() {
                switch child.id {
                case MatroskaID.blockAddID: identifier = EBML.unsigned(bytes, child) ?? 0
                case MatroskaID.blockAdditional: payload = BigEndian.slice(bytes, child.data)
                default: break
                }
            }
            if identifiers.contains(identifier), RegisteredUserData(payload) == .hdr10Plus { return true }
        }
        return false
    }
}
