/// Reads or writes the fields of an RPU: one description of the syntax serves both, so that what was read is written
/// bit for bit.
struct RPUCoder {
    private static let name: StaticString = "Dolby Vision RPU"

    let isReading: Bool
    private(set) var reader: RBSPReader
    private(set) var writer: RBSPWriter

    init(reading bytes: [UInt8]) {
        isReading = true
        reader = RBSPReader(all: bytes, name: Self.name)
        writer = RBSPWriter(capacity: 0)
    }

    /// A coder that writes.
    init() {
        isReading = false
        reader = RBSPReader(all: [], name: Self.name)
        writer = RBSPWriter(capacity: 512)
    }

    /// The number of bits that have not been read yet.
    var remaining: Int { reader.remaining }

    func failure(_ what: String) -> BitstreamError {
        isReading ? reader.failure(what) : BitstreamError("\(Self.name) \(what)")
    }

    /// u(n): an unsigned number of 0...32 bits.
    mutating func u<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number, _ bits: Int, _ field: StaticString
    ) throws(BitstreamError) {
        if isReading {
            value = Number(truncatingIfNeeded: try reader.bits(bits))
        } else {
            guard bits >= Number.bitWidth || value >> Number(truncatingIfNeeded: bits) == 0 else {
                throw failure("has \(field) \(value), and \(bits) bits cannot hold it")
            }
            writer.write(UInt32(truncatingIfNeeded: value), bits: bits)
        }
    }

    /// i(16): a signed number of 16 bits.
    mutating func i16(_ value: inout Int16, _ field: StaticString) throws(BitstreamError) {
        var pattern = UInt16(bitPattern: value)
        try u(&pattern, 16, field)
        value = Int16(bitPattern: pattern)
    }

    mutating func flag(_ value: inout Bool) throws(BitstreamError) {
        if isReading { value = try reader.flag() } else { writer.write(value) }
    }

    /// ue(v): H.265 9.2.
    mutating func ue<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number, upTo limit: Number, _ field: StaticString
    ) throws(BitstreamError) {
        if isReading {
            let number = try reader.unsigned()
            guard number <= limit else { throw failure("has \(field) \(number), and \(limit) is the maximum") }
            value = Number(truncatingIfNeeded: number)
        } else {
            guard value <= limit else { throw failure("has \(field) \(value), and \(limit) is the maximum") }
            writer.write(unsigned: UInt32(truncatingIfNeeded: value))
        }
    }

    /// ue(v) of at most 32 bits.
    mutating func ue(_ value: inout UInt32, _ field: StaticString) throws(BitstreamError) {
        try ue(&value, upTo: .max - 1, field)
    }

    /// Zeros up to a whole byte.
    mutating func align(_ field: StaticString) throws(BitstreamError) {
        if isReading {
            while reader.position % 8 != 0 {
                if try reader.flag() { throw failure("has bits in \(field), which are zero") }
            }
        } else {
            writer.align()
        }
    }

    /// A coefficient: an integer part and a fraction, or a floating-point number.
    /// - Parameter isSigned: whether the integer part is se(v), not ue(v).
    mutating func coefficient(
        _ value: inout Int64, _ format: DolbyVisionRPU.CoefficientFormat, isSigned: Bool = true, _ field: StaticString
    ) throws(BitstreamError) {
        switch format {
        case .floatingPoint:
            if isReading {
                value = Int64(try reader.bits(32))
            } else {
                guard let pattern = UInt32(exactly: value) else {
                    throw failure("has \(field) \(value), and it is the bit pattern of a 32-bit number")
                }
                writer.write(pattern, bits: 32)
            }
        case .fixedPoint(let denominator):
            let bits = Int64(min(denominator, 32))
            if isReading {
                let whole = isSigned ? try reader.signed() : Int(try reader.unsigned())
                guard let integer = Int32(exactly: whole) else {
                    throw failure("has \(field) \(whole), which is out of range")
                }
                value = Int64(integer) << bits | Int64(try reader.bits(Int(bits)))
            } else {
                let least: Int64 = isSigned ? -0x7FFF_FFFF : 0
                let whole = value >> bits
                guard (least...0x7FFF_FFFF).contains(whole) else {
                    throw failure("has \(field) \(value), which is out of range")
                }
                if isSigned { writer.write(signed: whole) } else { writer.write(unsigned: UInt32(whole)) }
                writer.write(UInt32(truncatingIfNeeded: value & (1 << bits - 1)), bits: Int(bits))
            }
        }
    }

    /// Whole bytes, which need not be aligned.
    mutating func bytes(_ value: inout [UInt8], count: Int) throws(BitstreamError) {
        if isReading {
            guard count >= 0, count <= reader.remaining / 8 else { throw failure("ends too early") }
            value = []
            value.reserveCapacity(count)
            for _ in 0..<count { value.append(try reader.byte()) }
        } else {
            for byte in value { writer.write(UInt32(byte), bits: 8) }
        }
    }
}
