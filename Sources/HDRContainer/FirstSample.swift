import HDRMetadata

/// The first coded picture of a track, for information that only the bitstream has.
extension ContainerInspection {
    /// The size in bytes of the largest sample that is read.
    static let largestSample: UInt64 = 16 << 20

    /// - Parameter source: the file that was inspected.
    /// - Returns: `nil` where the position of the sample is not in the header, as in a fragmented file.
    /// - Throws: `ContainerError`, and the source's errors.
    package func firstSample(of track: VideoTrack, in source: some ByteSource) throws -> [UInt8]? {
        switch format {
        case .quickTime, .iso: try movieSample(track, source)
        case .matroska, .webm: try matroskaSample(track, source)
        case .transportStream: try TransportStreamInspection.firstSample(of: track, in: source)
        case .mxf, .y4m: nil
        }
    }

    private func movieSample(_ track: VideoTrack, _ source: some ByteSource) throws -> [UInt8]? {
        let start = try source.read(at: headerPosition, count: 16)
        guard case .header(let header) = BoxHeader.parse(start, at: 0), let size = header.size,
            size <= Self.defaultLimit
        else { return nil }
        let moov = try source.read(at: headerPosition, count: Int(size))
        let reader = BoxReader(moov)
        var boxes = reader.boxes(in: try MovieInspection.movie(reader).payload)
        var index = 0
        while let box = try boxes.next() {
            guard box.type == .trak, let video = try MovieInspection.video(reader, box) else { continue }
            defer { index += 1 }
            guard index == track.index, video.path.count >= 2 else { continue }
            return try sample(reader, in: video.path[video.path.count - 2].payload, source)
        }
        return nil
    }

    /// The position of the first sample, from the sample sizes and chunk offsets of an `stbl` (ISO/IEC 14496-12
    /// sections 8.7.3 and 8.7.5).
    private func sample(_ reader: BoxReader, in table: Range<Int>, _ source: some ByteSource) throws -> [UInt8]? {
        guard let sizes = try reader.first("stsz", in: table) else { return nil }
        let first = sizes.payload.lowerBound
        guard let common = BigEndian.u32(reader.bytes, first + 4),
            let count = BigEndian.u32(reader.bytes, first + 8), count > 0, sizes.payload.count >= 12,
            let size = common > 0 ? common : BigEndian.u32(reader.bytes, first + 12), size > 0,
            UInt64(size) <= Self.largestSample
        else { return nil }
        var position: UInt64?
        if let chunks = try reader.first(.stco, in: table) {
            position = BigEndian.u32(reader.bytes, chunks.payload.lowerBound + 8).map { UInt64($0) }
        } else if let chunks = try reader.first(.co64, in: table) {
            position = BigEndian.u64(reader.bytes, chunks.payload.lowerBound + 8)
        }
        guard let position else { return nil }
        return try Self.piece(source, at: position, count: UInt64(size))
    }

    private static func piece(_ source: some ByteSource, at position: UInt64, count: UInt64) throws -> [UInt8]? {
        let total = try source.size
        guard position < total, count <= total - position, count <= largestSample else { return nil }
        return try source.read(at: position, count: Int(count))
    }

    /// The first block of the track that holds one frame, among the first ones behind Tracks.
    private func matroskaSample(_ track: VideoTrack, _ source: some ByteSource) throws -> [UInt8]? {
        var walker = MatroskaWalker(source, from: headerPosition)
        for _ in 0..<4096 {
            guard let element = walker.next() else { return nil }
            guard let block = element.block, block.track == track.identifier, !block.isLaced,
                let size = element.header.size, size >= UInt64(block.count)
            else { continue }
            return try Self.piece(source, at: element.data + UInt64(block.count), count: size - UInt64(block.count))
        }
        return nil
    }
}
