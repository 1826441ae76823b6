import CSIMD

/// The order of the bytes of 16-bit words in memory, on a little-endian processor.
protocol ByteOrder {
    /// Converts words, two in each 32 bits, from the order in memory to the processor's, or the other way, which is the
    /// same operation.
    static func words(_ words: cv_i) -> cv_i
    static func word(_ word: UInt16) -> UInt16
}

enum LittleEndian: ByteOrder {
    @inline(__always) static func words(_ words: cv_i) -> cv_i { words }
    @inline(__always) static func word(_ word: UInt16) -> UInt16 { word }
}

enum BigEndian: ByteOrder {
    @inline(__always) static func words(_ words: cv_i) -> cv_i { cv_swap_bytes16(words) }
    @inline(__always) static func word(_ word: UInt16) -> UInt16 { word.byteSwapped }
}
