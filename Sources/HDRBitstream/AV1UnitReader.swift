/// Types of OBUs and of metadata: AV1 specification 6.2.2 and 6.7.1.
enum AV1UnitType {
    static let sequenceHeader: UInt8 = 1
    static let frameHeader: UInt8 = 3
    static let metadata: UInt8 = 5
    static let frame: UInt8 = 6

    static let contentLightLevel = 1
    static let masteringDisplay = 2
    static let registeredUserData = 4
}

/// An open bitstream unit (OBU) of AV1, and where it lies.
struct AV1Unit: Equatable {
    /// obu_type, 0...15.
    let type: UInt8
    /// The unit with its header.
    let whole: Range<Int>
    let payload: Range<Int>
}

/// Iterates over the OBUs of a temporal unit in the low-overhead format, AV1 5.2, without copying.
struct AV1UnitReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// The memory must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next unit, or `nil` at the end. A unit without a size has the rest.
    mutating func next() throws(BitstreamError) -> AV1Unit? {
        guard position < bytes.count else { return nil }
        let header = bytes[position]
        guard header & 0x80 == 0 else { throw BitstreamError("OBU has its forbidden bit set", at: position) }
        var start = position + (header & 4 == 0 ? 1 : 2)
        var size = max(bytes.count - start, 0)
        if header & 2 != 0 {
            guard let field = LEB128.read(bytes, at: start), field.value <= bytes.count - field.end else {
                throw BitstreamError("OBU is cut off", at: position)
            }
            (size, start) = (field.value, field.end)
        }
        guard start <= bytes.count else { throw BitstreamError("OBU is cut off", at: position) }
        let unit = AV1Unit(type: header >> 3 & 0xF, whole: position..<start + size, payload: start..<start + size)
        position = unit.whole.upperBound
        return unit
    }
}

/// leb128() of AV1 4.10.5: at most 8 bytes and 32 bits.
enum LEB128 {
    static func read(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (value: Int, end: Int)? {
        var value = 0
        for index in 0..<8 {
            guard start + index < bytes.count else { return nil }
            let byte = bytes[start + index]
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value <= Int(UInt32.max) ? (value, start + index + 1) : nil }
        }
        return nil
    }

    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var left = max(number, 0)
        while left > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: left))
    }
}
