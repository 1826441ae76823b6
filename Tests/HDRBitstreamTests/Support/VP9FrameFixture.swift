/// Frames of VP9 as far as their headers go.
enum VP9FrameFixture {
    /// Fields of the given numbers of bits, most significant bit first.
    private static func bits(_ fields: [(value: Int, count: Int)]) -> [UInt8] {
        var bits = fields.flatMap { field in (0..<field.count).reversed().map { UInt8(field.value >> $0 & 1) } }
        while bits.count % 8 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// A key frame of 320x180; `depth` is the bit that distinguishes 10 from 12 bits.
    static func frame(
        profile: Int, depth: Int, space: Int, full: Int = 0, across: Int = 1, down: Int = 1, key: Bool = true
    ) -> [UInt8] {
        var fields: [(Int, Int)] = [(2, 2), (profile & 1, 1), (profile >> 1, 1)]
        if profile == 3 { fields.append((0, 1)) }
        fields += [(0, 1), (key ? 0 : 1, 1), (1, 1), (0, 1), (0x49_8342, 24)]
        if profile >= 2 { fields.append((depth, 1)) }
        fields.append((space, 3))
        if space != 7 { fields.append((full, 1)) }
        if profile & 1 == 1 { fields += space == 7 ? [(0, 1)] : [(across, 1), (down, 1), (0, 1)] }
        return bits(fields + [(319, 16), (179, 16)]) + [UInt8](repeating: 0, count: 30)
    }
}
