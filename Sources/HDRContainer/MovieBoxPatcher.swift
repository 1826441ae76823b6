import HDRMetadata

/// Completes a `moov` box with the data that GStreamer's muxers leave out: colour and HDR metadata of video, encoder
/// delays of audio, what PCM is.
package struct MovieBoxPatcher: Sendable {
    package enum Flavor: Equatable, Sendable {
        /// Major brand `qt  `: colour is written as `nclc`.
        case quickTime
        /// Colour is written as `nclx`, with the range.
        case iso
    }

    /// How the positions of media data change.
    package enum MediaData: Equatable, Sendable {
        /// They stay where they are: the media data precede the movie box, or positions count from their fragment.
        case stays
        /// Media data at this position or behind it move by the growth of the movie box.
        case movesFrom(UInt64)
    }

    package struct Result: Equatable, Sendable {
        /// The complete movie box.
        package var bytes: [UInt8]
        /// The number of bytes that were added; negative where boxes were removed.
        package var growth: Int
        /// The number of sample entries that were changed.
        package var entries: Int
        /// The number of tables of 32-bit positions that became tables of 64-bit positions.
        package var widenedTables: Int
    }

    package var flavor: Flavor
    package var mediaData = MediaData.stays
    /// The moves that headers before this one have caused.
    var earlier = PositionMap()

    package init(flavor: Flavor, mediaData: MediaData = .stays) {
        self.flavor = flavor
        self.mediaData = mediaData
    }

    /// - Parameter given: the complete box, including its header.
    /// - Throws: where a box on the path to a sample entry is broken, or a requested track does not exist.
    package func patch(_ given: [UInt8], with metadata: ContainerMetadata) throws(ContainerError) -> Result {
        let whole = try MovieInspection.movie(BoxReader(given))
        guard whole.end == given.count else {
            throw .badBoxSize(type: .moov, size: UInt64(whole.count), offset: 0)
        }
        let moov =
            metadata.removesEmptyTracks
            ? try EmptyTracks.removed(from: given, evenDescribed: metadata.removesUnusedTracks) : given
        let reader = BoxReader(moov)
        let box = try MovieInspection.movie(reader)
        var edits = ByteEdits()
        let asksForVideo = metadata.video.contains { !$0.asksForNothing }
        let entries = asksForVideo ? try patchEntries(reader, box, metadata, &edits) : 0
        if metadata.audio.contains(where: { $0.priming != nil })
            || metadata.shownDurations.contains(where: { $0 != nil })
            || metadata.hiddenStarts.contains(where: { $0 > 0 })
        {
            try TrackEditLists(reader, box)?.change(metadata, &edits)
        }
        if metadata.audio.contains(where: { $0.sampleRate != nil || (flavor == .quickTime && $0.pcm != nil) }) {
            try describeSound(metadata.audio, reader, box, &edits)
        }

        var bytes = moov
        var widened = 0
        let removed = given.count - moov.count
        let map = { (growth: Int) -> PositionMap in
            var map = earlier
            if case .movesFrom(let position) = mediaData { map.insert(growth - removed, at: position) }
            return map
        }
        // The tables are read only where they may change, so that a file that needs no move may have invalid ones.
        if !map(edits.growth).isIdentity {
            widened = try ChunkOffsets(reader, box).move(in: &bytes, &edits, by: map)
        }
        let result = try edits.apply(to: bytes)
        return Result(bytes: result, growth: result.count - given.count, entries: entries, widenedTables: widened)
    }

    private func patchEntries(
        _ reader: BoxReader, _ moov: Box, _ metadata: ContainerMetadata, _ edits: inout ByteEdits
    ) throws(ContainerError) -> Int {
        var videoTracks = 0
        var changed = 0
        var boxes = reader.boxes(in: moov.payload)
        while let box = try boxes.next() {
            guard box.type == .trak, let video = try MovieInspection.video(reader, box), let samples = video.samples
            else { continue }
            videoTracks += 1
            guard let metadata = metadata.video(videoTracks - 1) else { continue }
            let patch = SampleEntryPatch(metadata: metadata, isQuickTime: flavor == .quickTime)
            if case .set(let degrees) = metadata.rotation,
                turn(degrees, reader, box, &edits)
            {
                changed += 1
            }
            var entries = reader.boxes(in: reader.children(of: samples))
            while let next = try entries.next() {
                let entry = try VideoSampleEntry(reader, next)
                let children = try patch.children(reader, entry)
                let isSame = children.elementsEqual(reader.bytes[entry.childrenRange])
                if let type = patch.type(of: entry, reader) {
                    var bytes: [UInt8] = []
                    BigEndian.append(type.value, to: &bytes)
                    edits.replace(next.start + 4..<next.start + 8, with: bytes, inside: [])
                } else if isSame {
                    continue
                }
                if !isSame {
                    edits.replace(entry.childrenRange, with: children, inside: [moov] + video.path + [entry.box])
                }
                changed += 1
            }
        }
        try metadata.check(found: videoTracks)
        return changed
    }

    /// Writes a track header's matrix: ISO/IEC 14496-12 section 8.3.2.
    /// - Returns: whether the matrix has changed.
    private func turn(
        _ degrees: Int, _ reader: BoxReader, _ track: Box, _ edits: inout ByteEdits
    ) -> Bool {
        guard let header = try? reader.first("tkhd", in: track.payload) else { return false }
        let start = header.payload.lowerBound
        let matrix = start + (BigEndian.u8(reader.bytes, start) == 1 ? 52 : 40)
        guard header.end >= matrix + 44, let width = BigEndian.u32(reader.bytes, matrix + 36),
            let height = BigEndian.u32(reader.bytes, matrix + 40)
        else { return false }
        // Numbers are 16.16, and 2.30 in the last column. The offsets move the picture back into the positive quadrant.
        let one: UInt32 = 1 << 16
        let minus = UInt32(bitPattern: -1 << 16)
        let numbers: [UInt32] =
            switch degrees {
            case 90: [0, one, 0, minus, 0, 0, height, 0, 1 << 30]
            case 180: [minus, 0, 0, 0, minus, 0, width, height, 1 << 30]
            case 270: [0, minus, 0, one, 0, 0, 0, width, 1 << 30]
            default: [one, 0, 0, 0, one, 0, 0, 0, 1 << 30]
            }
        var bytes: [UInt8] = []
        for number in numbers { BigEndian.append(number, to: &bytes) }
        let range = matrix..<matrix + 36
        if reader.bytes[range].elementsEqual(bytes) { return false }
        edits.replace(range, with: bytes, inside: [])
        return true
    }
}
