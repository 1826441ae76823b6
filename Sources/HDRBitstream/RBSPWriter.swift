/// Writes bits of a raw byte sequence payload, most significant first.
struct RBSPWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Bits of the last byte that are not written yet, 0...7.
    var free: Int { (8 - used) % 8 }

    /// The lowest `count` bits of a number, 0...32.
    mutating func write(_ value: UInt32, bits count: Int) {
        var left = min(max(count, 0), 32)
        while left > 0 {
            if used == 0 { bytes.append(0) }
            let taken = min(8 - used, left)
            left -= taken
            let chunk = UInt8(truncatingIfNeeded: value >> UInt32(left)) & UInt8(truncatingIfNeeded: (1 << taken) - 1)
            bytes[bytes.count - 1] |= chunk << UInt8(8 - used - taken)
            used = (used + taken) % 8
        }
    }

    mutating func write(_ flag: Bool) { write(flag ? 1 : 0, bits: 1) }

    /// ue(v): H.265 9.2.
    mutating func write(unsigned value: UInt8) {
        let code = UInt32(value) + 1
        let length = 32 - code.leadingZeroBitCount
        write(0, bits: length - 1)
        write(code, bits: length)
    }

    /// Copies bits of another payload. The part of the range outside of it is ignored.
    mutating func write(_ range: Range<Int>, of source: [UInt8]) {
        let range = range.clamped(to: 0..<source.count * 8)
        var position = range.lowerBound
        while position < range.upperBound {
            let offset = position % 8
            let taken = min(8 - offset, range.upperBound - position)
            let byte = (source[position / 8] << UInt8(offset)) >> UInt8(8 - taken)
            write(UInt32(byte), bits: taken)
            position += taken
        }
    }

    /// The stop bit and zeros up to a whole byte: rbsp_trailing_bits.
    mutating func finish() {
        write(true)
        used = 0
    }
}
