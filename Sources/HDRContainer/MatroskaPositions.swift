import HDRMetadata

/// The elements of Matroska that hold positions, which count from the start of the Segment's data: SeekHead, Cues and a
/// Cluster's Position (RFC 9559 section 16).
struct MatroskaPositions {
    let segmentData: UInt64
    let map: PositionMap

    /// The new value of a position. Values outside the file, such as placeholders of all ones, stay unchanged.
    func moved(_ position: UInt64) -> UInt64 {
        let (absolute, overflow) = segmentData.addingReportingOverflow(position)
        guard !overflow, absolute < 1 << 62, let new = map(absolute), new >= segmentData else { return position }
        return new - segmentData
    }

    /// A size or position field of the same length; `nil` where the new value does not fit.
    func moved(field bytes: [UInt8]) -> [UInt8]? {
        guard let old = BigEndian.number(bytes, at: 0, count: bytes.count), !bytes.isEmpty else { return nil }
        let new = moved(old)
        guard EBML.numberLength(new) <= bytes.count else { return nil }
        var result: [UInt8] = []
        BigEndian.append(new, count: bytes.count, to: &result)
        return result
    }

    /// The position of Tracks in a SeekHead's data.
    static func tracks(_ data: [UInt8]) throws(ContainerError) -> UInt64? {
        var entries = EBML.elements(data, in: 0..<data.count)
        while let entry = try entries.next() {
            guard entry.id == MatroskaID.seek,
                let id = try EBML.first(MatroskaID.seekID, data, in: entry.data),
                EBML.unsigned(data, id) == UInt64(MatroskaID.tracks),
                let position = try EBML.first(MatroskaID.seekPosition, data, in: entry.data)
            else { continue }
            return EBML.unsigned(data, position)
        }
        return nil
    }

    /// A complete SeekHead with moved positions, in the same length.
    func seekHead(_ source: [UInt8]) throws(ContainerError) -> [UInt8] {
        if map.isIdentity { return source }
        var elements = EBML.elements(source, in: 0..<source.count)
        guard let head = try elements.next(), head.id == MatroskaID.seekHead else { return source }
        var bytes = source
        var entries = EBML.elements(source, in: head.data)
        while let entry = try entries.next() {
            guard entry.id == MatroskaID.seek,
                let position = try EBML.first(MatroskaID.seekPosition, source, in: entry.data)
            else { continue }
            if let new = moved(field: BigEndian.slice(source, position.data)) {
                bytes.replaceSubrange(position.data, with: new)
            } else {
                // The index is optional, and a missing entry is better than a wrong one.
                var void: [UInt8] = []
                EBML.appendVoid(count: entry.data.upperBound - entry.start, to: &void)
                bytes.replaceSubrange(entry.start..<entry.start + void.count, with: void)
            }
        }
        var data = BigEndian.slice(bytes, head.data)
        EBML.renewChecksum(&data)
        bytes.replaceSubrange(head.data, with: data)
        return bytes
    }

    /// Complete Cues with moved positions; they may be longer.
    func cues(_ bytes: [UInt8]) throws(ContainerError) -> [UInt8] {
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let cues = try elements.next(), cues.id == MatroskaID.cues else { return bytes }
        let data = try EBML.rebuild(bytes, cues) { (point, output) throws(ContainerError) in
            guard point.id == MatroskaID.cuePoint else {
                output += bytes[point.start..<point.data.upperBound]
                return
            }
            let data = try EBML.rebuild(bytes, point) { (track, output) throws(ContainerError) in
                guard track.id == MatroskaID.cueTrackPositions else {
                    output += bytes[track.start..<track.data.upperBound]
                    return
                }
                let data = try EBML.rebuild(bytes, track) { (field, output) throws(ContainerError) in
                    cueField(bytes, field, &output)
                }
                EBML.append(track.id, data, sizeLength: track.sizeLength, to: &output)
            }
            EBML.append(point.id, data, sizeLength: point.sizeLength, to: &output)
        }
        var result: [UInt8] = []
        EBML.append(cues.id, data, sizeLength: cues.sizeLength, to: &result)
        return result
    }

    private func cueField(_ bytes: [UInt8], _ field: EBMLElement, _ output: inout [UInt8]) {
        guard let value = EBML.unsigned(bytes, field),
            field.id == MatroskaID.cueClusterPosition || (field.id == MatroskaID.cueCodecState && value != 0)
        else {
            output += bytes[field.start..<field.data.upperBound]
            return
        }
        EBML.append(field.id, number: moved(value), count: field.data.count, to: &output)
    }

    /// A Cluster's complete Position element, in the same length.
    func clusterPosition(_ bytes: [UInt8]) -> [UInt8] {
        guard case .header(let header) = EBMLHeader.parse(bytes, at: 0, before: bytes.count) else { return bytes }
        if let new = moved(field: Array(bytes.dropFirst(header.count))) { return bytes.prefix(header.count) + new }
        var void: [UInt8] = []
        EBML.appendVoid(count: bytes.count, to: &void)
        return void
    }
}
