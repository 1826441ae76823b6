import HDRMetadata

/// A box of an ISO base media file (ISO/IEC 14496-12 section 4.2) or an atom of a QuickTime file, in bytes in memory.
package struct Box: Equatable, Sendable {
    enum SizeField: Equatable, Sendable { case short, large, toEnd }

    package let type: FourCC
    /// The offset of the header.
    package let start: Int
    /// The number of bytes before the payload: 8 or 16, and 16 more for the user type of a `uuid` box.
    package let headerSize: Int
    /// The offset behind the payload.
    package let end: Int
    let sizeField: SizeField

    package var payload: Range<Int> { start + headerSize..<end }
    package var count: Int { end - start }

    /// A whole box with a short size field: for payloads of less than 4 GiB.
    static func bytes(_ type: FourCC, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 8)
        BigEndian.append(UInt32(truncatingIfNeeded: payload.count + 8), to: &bytes)
        BigEndian.append(type.value, to: &bytes)
        return bytes + payload
    }
}

/// The first bytes of a box.
struct BoxHeader: Equatable {
    enum Outcome: Equatable {
        case needs(Int)
        case header(BoxHeader)
        /// The size is less than the header's own.
        case invalid(type: FourCC, size: UInt64)
    }

    var type: FourCC
    /// The number of bytes of the whole box; `nil` where it extends to the end of the file.
    var size: UInt64?
    var headerSize: Int
    var sizeField: Box.SizeField

    static func parse(_ bytes: [UInt8], at offset: Int) -> Outcome {
        guard let size32 = BigEndian.u32(bytes, offset), let code = BigEndian.u32(bytes, offset + 4) else {
            return .needs(8)
        }
        let type = FourCC(code)
        var headerSize = 8
        var size: UInt64? = UInt64(size32)
        var field = Box.SizeField.short
        if size32 == 1 {
            guard let large = BigEndian.u64(bytes, offset + 8) else { return .needs(16) }
            (size, headerSize, field) = (large, 16, .large)
        } else if size32 == 0 {
            (size, field) = (nil, .toEnd)
        }
        if type == .uuid { headerSize += 16 }
        if let size, size < UInt64(headerSize) { return .invalid(type: type, size: size) }
        return .header(BoxHeader(type: type, size: size, headerSize: headerSize, sizeField: field))
    }
}

/// The boxes that follow each other in a range of bytes.
package struct BoxIterator {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        let range = BigEndian.clamped(range, to: bytes.count)
        (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
    }

    /// The start of the next box; after the last one, the start of the zeros that end a list of QuickTime atoms.
    package var offset: Int { position }

    /// The next box; `nil` at the end, and before up to eight zeros that end a list of QuickTime atoms.
    package mutating func next() throws(ContainerError) -> Box? {
        guard position < end else { return nil }
        let rest = end - position
        if rest < 8 {
            guard bytes[position..<end].allSatisfy({ $0 == 0 }) else {
                throw .truncated(what: "a box header", offset: UInt64(position))
            }
            return nil
        }
        switch BoxHeader.parse(bytes, at: position) {
        case .needs: throw .truncated(what: "a box header", offset: UInt64(position))
        case .invalid(let type, let size): throw .badBoxSize(type: type, size: size, offset: UInt64(position))
        case .header(let header):
            if header.size == nil, header.type.value == 0 { return nil }
            let size = header.size ?? UInt64(rest)
            guard size <= UInt64(rest), header.headerSize <= Int(size) else {
                throw .badBoxSize(type: header.type, size: size, offset: UInt64(position))
            }
            let box = Box(
                type: header.type, start: position, headerSize: header.headerSize, end: position + Int(size),
                sizeField: header.sizeField)
            position = box.end
            return box
        }
    }
}

/// Reads the tree of boxes in bytes. Every size field is checked against the enclosing range before it is used.
package struct BoxReader: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func boxes(in range: Range<Int>? = nil) -> BoxIterator {
        BoxIterator(bytes, range ?? 0..<bytes.count)
    }

    /// The range of a box's children. `meta` has a version before them in ISO files and none in QuickTime files; `stsd`
    /// and `dref` have a version and a count.
    package func children(of box: Box) -> Range<Int> {
        var start = box.payload.lowerBound
        switch box.type {
        case .meta:
            let second = BigEndian.u32(bytes, start + 4).map { FourCC($0) }
            if second != .hdlr { start += 4 }
        case .stsd, .dref: start += 8
        default: break
        }
        return min(start, box.end)..<box.end
    }

    /// The first box of a type.
    /// - Throws: where a box before it is broken.
    package func first(_ type: FourCC, in range: Range<Int>? = nil) throws(ContainerError) -> Box? {
        var boxes = boxes(in: range)
        while let box = try boxes.next() {
            if box.type == type { return box }
        }
        return nil
    }

    /// The box at the end of a path of types below `box`.
    package func first(_ path: [FourCC], below box: Box) throws(ContainerError) -> Box? {
        var found = box
        for type in path {
            guard let next = try first(type, in: children(of: found)) else { return nil }
            found = next
        }
        return found
    }

    /// A copy of a box's payload.
    package func payload(of box: Box) -> [UInt8] { BigEndian.slice(bytes, box.payload) }
}
