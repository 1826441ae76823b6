/// Reads bits of a raw byte sequence payload, most significant first.
struct RBSPReader {
    let bytes: [UInt8]
    /// The name of the structure for errors, such as "SPS".
    let name: StaticString
    /// The next bit, and the first bit that is not data.
    private(set) var position: Int
    let end: Int

    /// Reads to the stop bit, which is the last one that is set: rbsp_trailing_bits, H.265 7.3.2.11.
    init(_ bytes: [UInt8], from first: Int, name: StaticString) throws(BitstreamError) {
        guard let last = bytes.lastIndex(where: { $0 != 0 }), last >= first, first >= 0 else {
            throw BitstreamError("\(name) is empty")
        }
        self.bytes = bytes
        self.name = name
        position = first * 8
        end = last * 8 + 7 - bytes[last].trailingZeroBitCount
    }

    /// Reads all of the bytes.
    init(all bytes: [UInt8], name: StaticString) {
        self.bytes = bytes
        self.name = name
        position = 0
        end = bytes.count * 8
    }

    var remaining: Int { end - position }

    func failure(_ what: String) -> BitstreamError { BitstreamError("\(name) \(what)", at: position / 8) }

    /// An unsigned number of 0...32 bits.
    mutating func bits(_ count: Int) throws(BitstreamError) -> UInt32 {
        guard (0...32).contains(count), count <= remaining else { throw failure("ends too early") }
        let result = peek(count)
        position += count
        return result
    }

    /// The next 0...32 bits, which must be there: at most five bytes have them.
    private func peek(_ count: Int) -> UInt32 {
        let last = position + count
        var value: UInt64 = 0
        for index in (position / 8)..<min((last + 7) / 8, bytes.count) { value = value << 8 | UInt64(bytes[index]) }
        let unused = UInt64((8 - last % 8) % 8)
        return UInt32(truncatingIfNeeded: value >> unused & (1 << UInt64(count) - 1))
    }

    mutating func byte() throws(BitstreamError) -> UInt8 { UInt8(truncatingIfNeeded: try bits(8)) }

    mutating func flag() throws(BitstreamError) -> Bool { try bits(1) != 0 }

    mutating func skip(_ count: Int) throws(BitstreamError) {
        guard count >= 0, count <= remaining else { throw failure("ends too early") }
        position += count
    }

    /// ue(v): H.265 9.2.
    mutating func unsigned() throws(BitstreamError) -> UInt32 {
        var zeros = 0
        // Zeros in front of the next bit that is set, up to 32 at once.
        if remaining >= 32 {
            zeros = peek(32).leadingZeroBitCount
            position += zeros
            guard zeros < 32 else { throw failure("has an Exp-Golomb code of more than 32 bits") }
        }
        while try !flag() {
            zeros += 1
            guard zeros < 32 else { throw failure("has an Exp-Golomb code of more than 32 bits") }
        }
        let base: UInt64 = (1 << UInt64(zeros)) - 1
        return UInt32(truncatingIfNeeded: base + UInt64(try bits(zeros)))
    }

    /// ue(v) that must not be larger than `limit`.
    mutating func unsigned(upTo limit: Int, _ field: StaticString) throws(BitstreamError) -> Int {
        let value = Int(try unsigned())
        guard value <= limit else { throw failure("has \(field) \(value), and \(limit) is the maximum") }
        return value
    }

    /// se(v): H.265 9.2.2.
    mutating func signed() throws(BitstreamError) -> Int {
        let code = Int(try unsigned())
        return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
    }
}
