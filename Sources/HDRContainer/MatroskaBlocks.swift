import HDRMetadata

/// Searches the blocks of a Matroska or WebM file for additional data, which GStreamer's matroskademux does not
/// forward.
package struct MatroskaBlocks: Equatable, Sendable {
    /// The number of the track's blocks that were visited.
    package private(set) var count = 0
    /// The number of blocks with SMPTE ST 2094-40 metadata in a BlockAdditional.
    package private(set) var hdr10Plus = 0

    /// The largest number of elements that are visited, so that a file that consists of small ones comes to an end.
    private static let maximumElements = 500_000
    private static let largestAdditions: UInt64 = 1 << 16

    /// Reads the headers of elements, and block additions, up to a number of blocks. A broken element ends the search.
    package init(_ source: some ByteSource, track: VideoTrack, limit: Int) {
        let identifiers = track.registeredDataIDs.union([4])
        var walker = MatroskaWalker(source, from: 0)
        var isOurs = false
        for _ in 0..<Self.maximumElements {
            guard let element = walker.next() else { return }
            switch element.header.id {
            case MatroskaID.segment, MatroskaID.cluster, MatroskaID.blockGroup: isOurs = false
            case MatroskaID.simpleBlock, MatroskaID.block:
                isOurs = element.block?.track == track.identifier
                // The additions of the last block follow it.
                if isOurs, count == limit { return }
                if isOurs { count += 1 }
            case MatroskaID.blockAdditions where isOurs:
                guard let size = element.header.size, size <= Self.largestAdditions,
                    let additions = try? ContainerInspection.read(source, at: element.data, count: Int(size))
                else { break }
                if Self.hasHDR10Plus(additions, identifiers) { hdr10Plus += 1 }
                isOurs = false
            default: break
            }
        }
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
