/// The v210 packing: groups of 16 bytes with 6 luma and 3 + 3 chroma samples of 10 bits, three in a 32-bit word, in the
/// order Cb Y Cr, Y Cb Y, Cr Y Cb, Y Cr Y.
enum V210 {
    /// The place of sample `index` of a component: the byte of its word, and the number of bits below the sample.
    @inline(__always)
    private static func place(_ component: Int, _ index: Int) -> (byte: Int, shift: UInt32) {
        let perGroup = component == 0 ? 6 : 3
        let group = index / perGroup
        let inGroup = index &- group &* perGroup
        // Position among the group's 12 samples: luma at 1, 3, 5 ..., Cb at 0, 4, 8, Cr at 2, 6, 10.
        let position = component == 0 ? 2 &* inGroup &+ 1 : 4 &* inGroup &+ (component == 1 ? 0 : 2)
        let word = position / 3
        return (16 &* group &+ 4 &* word, UInt32(truncatingIfNeeded: 10 &* (position &- 3 &* word)))
    }

    @inline(__always)
    static func read(_ component: Int, _ row: UnsafeMutableRawPointer, count: Int, into out: Row) {
        for i in 0..<count {
            let (byte, shift) = place(component, i)
            let bits = UInt32(littleEndian: row.loadUnaligned(fromByteOffset: byte, as: UInt32.self))
            out[i] = Double((bits &>> shift) & 0x3ff)
        }
    }

    /// Writes one component's bits and keeps the others'.
    @inline(__always)
    static func write(_ component: Int, _ row: UnsafeMutableRawPointer, count: Int, _ code: (Int) -> UInt16) {
        for i in 0..<count {
            let (byte, shift) = place(component, i)
            var bits = UInt32(littleEndian: row.loadUnaligned(fromByteOffset: byte, as: UInt32.self))
            bits &= ~(0x3ff &<< shift)
            bits |= UInt32(code(i)) &<< shift
            row.storeBytes(of: bits.littleEndian, toByteOffset: byte, as: UInt32.self)
        }
    }
}
