import HDRMetadata

/// The reason why a QuickTime, MP4, Matroska or YUV4MPEG2 file is not complete. GStreamer plays the start of such a
/// file as if nothing were wrong.
package enum FileDefect: Equatable, Sendable {
    /// The end is missing.
    case truncated
    /// The movie box is missing, because the recording was interrupted.
    case headless

    /// The defect of a file; `nil` where nothing is missing, and for other kinds of files.
    /// - Throws: the source's errors.
    package static func find(in source: some ByteSource) throws -> FileDefect? {
        let start = try ContainerInspection.read(source, at: 0, count: 12)
        if BigEndian.u32(start, 0) == MatroskaID.ebml { return try matroska(source) }
        if Y4MHeader.begins(start) {
            // A header that cannot be parsed is reported by the reader.
            return (try? Y4MHeader(source)).flatMap { (try? $0.isTruncated(source)) == true ? .truncated : nil }
        }
        return ContainerInspection.beginsMovie(start) ? try movie(source) : nil
    }

    /// Whether the elements of a Matroska file follow each other without a gap to its end, so that nothing is missing
    /// between its blocks. The headers of all of them are read.
    package static func isUnbrokenMatroska(_ source: some ByteSource) -> Bool {
        guard let start = try? ContainerInspection.read(source, at: 0, count: 4),
            BigEndian.u32(start, 0) == MatroskaID.ebml
        else { return false }
        var walker = MatroskaWalker(source, from: 0)
        return walker.reachesTheEnd()
    }

    private static func movie(_ source: some ByteSource) throws -> FileDefect? {
        let total = try ContainerInspection.total(source)
        var position: UInt64 = 0
        var hasHeader = false
        for _ in 0..<ContainerInspection.maximumSteps {
            // A remainder that is shorter than a header is padding.
            guard position < total, total - position >= 8 else { return hasHeader ? nil : .headless }
            let bytes = try ContainerInspection.read(source, at: position, count: 16)
            // Whether a contradictory header is a defect is left to the demuxer.
            guard case .header(let header) = BoxHeader.parse(bytes, at: 0) else { return hasHeader ? nil : .headless }
            let size = header.size ?? total - position
            if size > total - position { return .truncated }
            hasHeader = hasHeader || header.type == .moov
            position += size
        }
        return hasHeader ? nil : .headless
    }

    private static func matroska(_ source: some ByteSource) throws -> FileDefect? {
        let total = try ContainerInspection.total(source)
        guard let first = try element(source, at: 0), let size = first.size, size < total else { return nil }
        let position = UInt64(first.count) + size
        // The Segment of a live recording has an unknown size.
        guard let segment = try element(source, at: position), segment.id == MatroskaID.segment,
            let size = segment.size
        else { return nil }
        let data = position + UInt64(segment.count)
        return size > total - min(data, total) ? .truncated : nil
    }

    private static func element(_ source: some ByteSource, at position: UInt64) throws -> EBMLHeader? {
        let bytes = try ContainerInspection.read(source, at: position, count: 12)
        guard case .header(let header) = EBMLHeader.parse(bytes, at: 0, before: bytes.count) else { return nil }
        return header
    }
}
