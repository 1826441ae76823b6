/// Big-endian numbers in bytes from outside, whose offsets may be anything: where a number does not lie wholly in the
/// bytes, it is `nil`.
package enum BigEndian {
    /// A number of 0 to 8 bytes.
    package static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> UInt64? {
        guard offset >= 0, (0...8).contains(count), count <= bytes.count, offset <= bytes.count - count else {
            return nil
        }
        var value: UInt64 = 0
        for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    package static func u8(_ bytes: [UInt8], _ offset: Int) -> UInt8? {
        bytes.indices.contains(offset) ? bytes[offset] : nil
    }

    package static func u16(_ bytes: [UInt8], _ offset: Int) -> UInt16? {
        number(bytes, at: offset, count: 2).map(UInt16.init(truncatingIfNeeded:))
    }

    package static func u32(_ bytes: [UInt8], _ offset: Int) -> UInt32? {
        number(bytes, at: offset, count: 4).map(UInt32.init(truncatingIfNeeded:))
    }

    /// Two numbers of 16 bits, such as a chromaticity's x and y.
    package static func pair(_ bytes: [UInt8], _ offset: Int) -> SIMD2<UInt16>? {
        guard let x = u16(bytes, offset), let y = u16(bytes, offset + 2) else { return nil }
        return SIMD2(x, y)
    }

    package static func u64(_ bytes: [UInt8], _ offset: Int) -> UInt64? { number(bytes, at: offset, count: 8) }

    /// The part of `range` that lies in the bytes.
    package static func slice(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8] {
        Array(bytes[clamped(range, to: bytes.count)])
    }

    package static func clamped(_ range: Range<Int>, to count: Int) -> Range<Int> { range.clamped(to: 0..<count) }

    package static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
        append(UInt64(truncatingIfNeeded: value), count: T.bitWidth / 8, to: &bytes)
    }

    /// Appends two numbers, such as a chromaticity's x and y.
    package static func append(_ pair: SIMD2<UInt16>, to bytes: inout [UInt8]) {
        append(pair.x, to: &bytes)
        append(pair.y, to: &bytes)
    }

    /// Appends the low `count` bytes of a number.
    package static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
        for index in stride(from: count - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }

    /// Overwrites `count` bytes where they exist.
    package static func set(_ value: UInt64, count: Int, in bytes: inout [UInt8], at offset: Int) {
        guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else { return }
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - index)))
        }
    }

    /// Overwrites the part of `bytes` that `patch`, which starts at `offset`, covers.
    package static func overlay(_ patch: [UInt8], at offset: UInt64, onto bytes: inout [UInt8], at start: UInt64) {
        let from = max(offset, start)
        let to = min(offset + UInt64(patch.count), start + UInt64(bytes.count))
        guard from < to else { return }
        bytes.replaceSubrange(
            Int(from - start)..<Int(to - start), with: patch[Int(from - offset)..<Int(to - offset)])
    }
}
