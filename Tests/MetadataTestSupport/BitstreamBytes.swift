// What fuzzers do to each of a million inputs, in a module that is optimised.

/// The escaping of H.265 7.4.2 as its text has it, one byte at a time from the end result.
package func escaped(_ payload: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(payload.count + payload.count / 2)
    for byte in payload {
        if out.count >= 2, out[out.count - 1] == 0, out[out.count - 2] == 0, byte <= 3 { out.append(3) }
        out.append(byte)
    }
    return out
}

/// What a byte in the sum's highest bits does to CRC-32/MPEG-2, computed bit by bit.
private let sums: [UInt32] = (0...255).map { (byte: UInt32) in
    var sum = byte << 24
    for _ in 0..<8 { sum = sum >> 31 == 1 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    return sum
}

/// The bytes of an RPU from its prefix on, with the CRC of those behind the prefix, and terminator.
package func signedRPU(_ bytes: [UInt8]) -> [UInt8] {
    var sum = UInt32.max
    for byte in bytes.dropFirst() { sum = sum << 8 ^ sums[Int(sum >> 24 ^ UInt32(byte))] }
    return bytes + [24, 16, 8, 0].map { UInt8(sum >> UInt32($0) & 0xFF) } + [0x80]
}
