/// Writes bits of a raw byte sequence payload, most significant first.
struct RBSPWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Bits of the last byte that are not written yet, 0...7.
    var free: Int { (8 - used) % 8 }

    /// The lowest `count` bits of a number, 0...32.
    mutating func write(_ value: UInt32, bits count: Int) {
        let new = min(max(count, 0), 32)
        guard new > 0 else { return }
        // The bits of the last byte and the new ones, of which whole bytes become, and one that is not whole.
        var pending = UInt64(value) & (1 << UInt64(new) - 1)
        var left = new
        if used > 0, let last = bytes.popLast() {
            pending |= UInt64(last >> UInt8(8 - used)) << UInt64(new)
            left += used
        }
        pending <<= UInt64(64 - left)
        while left > 0 {
            bytes.append(UInt8(truncatingIfNeeded: pending >> 56))
            pending <<= 8
            left -= 8
        }
        used = (used + new) % 8
    }

    mutating func write(_ flag: Bool) { write(flag ? 1 : 0, bits: 1) }

    /// ue(v): H.265 9.2. The largest number of 32 bits has no code of at most 63 bits, and is written as the one below.
    mutating func write(unsigned value: some FixedWidthInteger & UnsignedInteger) {
        let code = UInt32(truncatingIfNeeded: min(UInt64(value), UInt64(UInt32.max - 1)) + 1)
        let length = 32 - code.leadingZeroBitCount
        write(0, bits: length - 1)
        write(code, bits: length)
    }

    /// se(v): H.265 9.2.2. Numbers are limited to 32 bits, without the least.
    mutating func write(signed value: Int64) {
        let value = min(max(value, -0x7FFF_FFFF), 0x7FFF_FFFF)
        write(unsigned: UInt64(value > 0 ? 2 * value - 1 : -2 * value))
    }

    /// Whether all bits of the last byte are written.
    var isAligned: Bool { used == 0 }

    /// Zeros up to a whole byte.
    mutating func align() { used = 0 }

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
