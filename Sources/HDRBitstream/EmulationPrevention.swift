/// The bytes 0x03 that keep start codes out of NAL units: H.265 7.4.2 and H.264 7.4.1.
package enum EmulationPrevention {
    /// The payload of escaped bytes. Only the first `limit` bytes of it where a limit is given.
    package static func removed(from escaped: UnsafeRawBufferPointer, limit: Int = .max) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(min(escaped.count, max(limit, 0)))
        var zeros = 0
        for byte in escaped {
            if result.count >= limit { break }
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    /// The bytes with a 0x03 inserted wherever a start code would occur, and at the end where they end in zero.
    package static func inserted(into payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(payload.count + payload.count / 32 + 1)
        var zeros = 0
        for byte in payload {
            if zeros == 2, byte <= 3 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        if zeros > 0 { result.append(3) }
        return result
    }
}
