import HDRMetadata

/// The children of a video sample entry with the metadata inserted.
struct SampleEntryPatch {
    let metadata: VideoTrackMetadata
    let isQuickTime: Bool

    /// The order in which boxes are added: each one behind those of the same rank or a lower one.
    private static let order: [Set<FourCC>] =
        [VideoSampleEntry.configurations, DolbyVisionRecord.boxTypes, [.colr]] + HDRBox.all.map(\.types)

    private struct Child {
        var type: FourCC
        var bytes: ArraySlice<UInt8>
    }

    /// The bytes of all children; the same as before where nothing changes.
    func children(_ reader: BoxReader, _ entry: VideoSampleEntry) throws(ContainerError) -> [UInt8] {
        var children = entry.children.map { Child(type: $0.type, bytes: reader.bytes[$0.start..<$0.end]) }

        if let configuration = metadata.codecConfiguration {
            guard let old = children.firstIndex(where: { VideoSampleEntry.configurations.contains($0.type) }) else {
                throw .noCodecConfiguration(codec: entry.box.type.description)
            }
            children[old].bytes = Box.bytes(children[old].type, configuration)[...]
        }
        try changeColor(&children, reader, entry)
        for box in HDRBox.all {
            switch box.edit(metadata.hdr) {
            case .keep: break
            case .remove: children.removeAll { box.types.contains($0.type) }
            case .set(let new): put(new.type, new.payload, into: &children) { box.types.contains($0.type) }
            }
        }

        var result: [UInt8] = []
        for child in children { result += child.bytes }
        return result
    }

    /// The type of the sample entry: `dvh1` for HEVC that is no picture without Dolby Vision's metadata, as in profile
    /// 5, and `hvc1` for all other HEVC ("Dolby Vision Streams Within the ISO Base Media File Format" section 3.3).
    /// - Returns: `nil` where the entry keeps its type.
    func type(of entry: VideoSampleEntry, _ reader: BoxReader) -> FourCC? {
        let (plain, own): ([FourCC], [FourCC]) = (["hvc1", "hev1"], ["dvh1", "dvhe"])
        let needsDolbyVision: Bool
        switch metadata.hdr.dolbyVision {
        case .set(let record): needsDolbyVision = record.needsDolbyVision
        case .remove: needsDolbyVision = false
        case .keep:
            let box = entry.children.first { DolbyVisionRecord.boxTypes.contains($0.type) }
            guard let box, let record = DolbyVisionRecord(payload: Array(reader.bytes[box.payload])) else { return nil }
            needsDolbyVision = record.needsDolbyVision
        }
        let (from, to) = needsDolbyVision ? (plain, own) : (own, plain)
        return from.firstIndex(of: entry.box.type).map { to[$0] }
    }

    /// Changes `colr`. Where a description is written, an ICC profile beside it stays.
    private func changeColor(
        _ children: inout [Child], _ reader: BoxReader, _ entry: VideoSampleEntry
    ) throws(ContainerError) {
        switch metadata.color {
        case .keep: return
        case .remove: children.removeAll { $0.type == .colr }
        case .set(let color):
            let codes = entry.children.filter { $0.type == .colr }.compactMap { box in
                let start = box.payload.lowerBound
                return ColorBox.color(BigEndian.slice(reader.bytes, start..<min(box.end, start + 11)))
            }
            let range = color.isFullRange ?? codes.compactMap(\.isFullRange).first ?? false
            let payload = ColorBox.payload(color, isQuickTime: isQuickTime, isFullRange: range)
            put(.colr, payload, into: &children) { child in
                let kind = child.bytes.dropFirst(8).prefix(4)
                return child.type == .colr && (kind.elementsEqual("nclc".utf8) || kind.elementsEqual("nclx".utf8))
            }
        }
    }

    /// Writes a box in place of the first old one, and removes the others.
    private func put(
        _ type: FourCC, _ payload: [UInt8], into children: inout [Child], replacing isOld: (Child) -> Bool
    ) {
        let new = Child(type: type, bytes: Box.bytes(type, payload)[...])
        let old = children.firstIndex(where: isOld)
        children.removeAll(where: isOld)
        if let old {
            children.insert(new, at: min(old, children.count))
            return
        }
        let rank = Self.order.firstIndex { $0.contains(type) } ?? 0
        let before = children.lastIndex { child in
            Self.order.firstIndex { $0.contains(child.type) }.map { $0 <= rank } ?? false
        }
        children.insert(new, at: before.map { $0 + 1 } ?? 0)
    }
}
