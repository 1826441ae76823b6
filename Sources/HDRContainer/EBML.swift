import HDRMetadata

/// An element of EBML (RFC 8794), in bytes in memory.
struct EBMLElement: Equatable {
    var id: UInt32
    /// The offset of the ID.
    var start: Int
    /// The number of bytes of the size field, 1...8.
    var sizeLength: Int
    var data: Range<Int>
}

/// The first bytes of an element.
struct EBMLHeader: Equatable {
    enum Outcome: Equatable {
        /// At least this many bytes are needed.
        case needs(Int)
        case header(EBMLHeader)
        case invalid
    }

    var id: UInt32
    var idLength: Int
    var sizeLength: Int
    /// The number of bytes of data; `nil` where it is unknown.
    var size: UInt64?
    var count: Int { idLength + sizeLength }

    static func parse(_ bytes: [UInt8], at offset: Int, before end: Int) -> Outcome {
        guard offset >= 0, end <= bytes.count, offset < end else { return .needs(2) }
        let idLength = bytes[offset].leadingZeroBitCount + 1
        if idLength > 4 { return .invalid }
        guard offset + idLength < end else { return .needs(idLength + 1) }
        let sizeLength = bytes[offset + idLength].leadingZeroBitCount + 1
        if sizeLength > 8 { return .invalid }
        guard offset + idLength + sizeLength <= end,
            let id = BigEndian.number(bytes, at: offset, count: idLength),
            let field = BigEndian.number(bytes, at: offset + idLength, count: sizeLength)
        else { return .needs(idLength + sizeLength) }
        let mask: UInt64 = 1 << UInt64(7 * sizeLength) - 1
        return .header(
            EBMLHeader(
                id: UInt32(truncatingIfNeeded: id), idLength: idLength, sizeLength: sizeLength,
                size: field & mask == mask ? nil : field & mask))
    }
}

/// The elements of known size that follow each other in a range of bytes.
struct EBMLIterator {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        let range = BigEndian.clamped(range, to: bytes.count)
        (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
    }

    mutating func next() throws(ContainerError) -> EBMLElement? {
        guard position < end else { return nil }
        switch EBMLHeader.parse(bytes, at: position, before: end) {
        case .needs: throw .truncated(what: "an EBML element", offset: UInt64(position))
        case .invalid: throw .badElement(what: "an element", offset: UInt64(position))
        case .header(let header):
            let data = position + header.count
            // Only Segment and Cluster may have an unknown size, and they are not read here.
            guard let size = header.size, size <= UInt64(end - data) else {
                throw .badElement(what: "element 0x" + String(header.id, radix: 16), offset: UInt64(position))
            }
            let element = EBMLElement(
                id: header.id, start: position, sizeLength: header.sizeLength, data: data..<data + Int(size))
            position = element.data.upperBound
            return element
        }
    }
}

/// Reading and writing of elements and their values.
enum EBML {
    static func elements(_ bytes: [UInt8], in range: Range<Int>) -> EBMLIterator { EBMLIterator(bytes, range) }

    static func first(_ id: UInt32, _ bytes: [UInt8], in range: Range<Int>) throws(ContainerError) -> EBMLElement? {
        var elements = EBMLIterator(bytes, range)
        while let element = try elements.next() {
            if element.id == id { return element }
        }
        return nil
    }

    /// An unsigned integer of 0 to 8 bytes.
    static func unsigned(_ bytes: [UInt8], _ element: EBMLElement) -> UInt64? {
        BigEndian.number(bytes, at: element.data.lowerBound, count: element.data.count)
    }

    /// A float of 0, 4 or 8 bytes.
    static func float(_ bytes: [UInt8], _ element: EBMLElement) -> Double? {
        switch element.data.count {
        case 0: 0
        case 4: BigEndian.u32(bytes, element.data.lowerBound).map { Double(Float(bitPattern: $0)) }
        case 8: BigEndian.u64(bytes, element.data.lowerBound).map { Double(bitPattern: $0) }
        default: nil
        }
    }

    /// The number of bytes that a size needs, 1...8; a field of all ones means unknown.
    static func sizeLength(_ size: Int) -> Int {
        let size = UInt64(max(0, size))
        return (1...7).first { size < 1 << UInt64(7 * $0) - 1 } ?? 8
    }

    /// The number of bytes that a number needs, 1...8.
    static func numberLength(_ value: UInt64) -> Int { max(1, (71 - value.leadingZeroBitCount) / 8) }

    /// Appends an element. Its size field is no shorter than `sizeLength`.
    static func append(_ id: UInt32, _ data: [UInt8], sizeLength: Int = 1, to bytes: inout [UInt8]) {
        BigEndian.append(UInt64(id), count: numberLength(UInt64(id)), to: &bytes)
        let length = min(8, max(sizeLength, self.sizeLength(data.count)))
        BigEndian.append(UInt64(data.count) | 1 << UInt64(7 * length), count: length, to: &bytes)
        bytes += data
    }

    static func append(_ id: UInt32, number: UInt64, count: Int = 1, to bytes: inout [UInt8]) {
        var data: [UInt8] = []
        BigEndian.append(number, count: min(8, max(count, numberLength(number))), to: &data)
        append(id, data, to: &bytes)
    }

    static func append(_ id: UInt32, float: Double, to bytes: inout [UInt8]) {
        var data: [UInt8] = []
        BigEndian.append(float.bitPattern, to: &data)
        append(id, data, to: &bytes)
    }

    /// Appends a Void element of `count` bytes in all, including its header; fewer than 2 are not possible.
    static func appendVoid(count: Int, to bytes: inout [UInt8]) {
        guard count >= 2 else { return }
        let sizeLength = count < 129 ? 1 : 8
        append(
            MatroskaID.void, [UInt8](repeating: 0, count: count - 1 - sizeLength), sizeLength: sizeLength, to: &bytes)
    }

    /// CRC-32 of ISO 3309, which the element CRC-32 holds with the lowest byte first (RFC 8794 section 11.3.1).
    static func crc32(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var value: UInt32 = .max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
        }
        value = ~value
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }

    /// The data of a master element, whose children `body` writes. A checksum that stood first is recalculated.
    static func rebuild(
        _ bytes: [UInt8], _ element: EBMLElement,
        _ body: (_ child: EBMLElement, _ output: inout [UInt8]) throws(ContainerError) -> Void
    ) throws(ContainerError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(element.data.count + 256)
        var children = EBMLIterator(bytes, element.data)
        var hasChecksum = false
        while let child = try children.next() {
            if child.id == MatroskaID.crc32, output.isEmpty, child.data.count == 4 {
                hasChecksum = true
                output += bytes[child.start..<child.data.upperBound]
            } else {
                try body(child, &output)
            }
        }
        if hasChecksum { renewChecksum(&output) }
        return output
    }

    /// Recalculates the checksum at the start of a master element's data.
    static func renewChecksum(_ data: inout [UInt8]) {
        guard case .header(let header) = EBMLHeader.parse(data, at: 0, before: data.count),
            header.id == MatroskaID.crc32, header.size == 4, data.count >= header.count + 4
        else { return }
        let sum = crc32(data.dropFirst(header.count + 4))
        data.replaceSubrange(header.count..<header.count + 4, with: sum)
    }
}
