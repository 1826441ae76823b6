import HDRMetadata

/// A video sample entry: ISO/IEC 14496-12 section 12.1.3, and QuickTime's video sample description, whose revisions 0,
/// 1 and 2 have the same fields.
struct VideoSampleEntry {
    /// The size of the reserved bytes, the data reference and the fields of a video entry.
    static let fieldsSize = 78

    let box: Box
    let width: UInt16
    let height: UInt16
    let children: [Box]
    /// The range of bytes from the first child to the end of the last one.
    let childrenRange: Range<Int>

    /// - Throws: where the entry ends before its child boxes.
    init(_ reader: BoxReader, _ box: Box) throws(ContainerError) {
        let fields = box.payload.lowerBound
        guard box.payload.count >= Self.fieldsSize, let width = BigEndian.u16(reader.bytes, fields + 24),
            let height = BigEndian.u16(reader.bytes, fields + 26)
        else {
            throw .truncated(what: "the sample entry '\(box.type)'", offset: UInt64(box.start))
        }
        self.box = box
        self.width = width
        self.height = height

        let start = fields + Self.fieldsSize + Self.colorTableSize(reader.bytes, fields: fields, end: box.end)
        var children: [Box] = []
        var boxes = reader.boxes(in: min(start, box.end)..<box.end)
        // Bytes behind the last readable box are kept behind all boxes: the four zeros of QuickTime, or padding.
        // Readers stop there, so that nothing may be written behind it.
        while let child = try? boxes.next(), child.sizeField != .toEnd { children.append(child) }
        self.children = children
        childrenRange = min(start, box.end)..<(children.last?.end ?? min(start, box.end))
    }

    /// The size of the palette that QuickTime pictures of 1 to 8 bits have before the children (QuickTime File Format,
    /// "Color tables").
    private static func colorTableSize(_ bytes: [UInt8], fields: Int, end: Int) -> Int {
        guard let depth = BigEndian.u16(bytes, fields + 74), [1, 2, 4, 8].contains(depth & 0x1f),
            BigEndian.u16(bytes, fields + 76) == 0,
            let last = BigEndian.u16(bytes, fields + fieldsSize + 6)
        else { return 0 }
        let size = 8 + (Int(last) + 1) * 8
        return size <= end - fields - fieldsSize ? size : 0
    }

    func first(_ type: FourCC) -> Box? { children.first { $0.type == type } }

    /// Boxes that hold a codec's configuration.
    static let configurations: Set<FourCC> = ["hvcC", "avcC", "av1C", "vpcC", "lhvC", "vvcC", "esds", "apvC"]
}
