import CSIMD

/// A pixel of up to 32 bits.
protocol PixelWord {
    static var bytes: Int { get }
    static func load(_ from: UnsafeMutablePointer<UInt8>) -> cv_i
    static func store(_ to: UnsafeMutablePointer<UInt8>, _ words: cv_i)
    static func get(_ from: UnsafeMutablePointer<UInt8>) -> UInt32
    static func put(_ to: UnsafeMutablePointer<UInt8>, _ word: UInt32)
}

enum Word32: PixelWord {
    @inline(__always) static var bytes: Int { 4 }
    @inline(__always) static func load(_ from: UnsafeMutablePointer<UInt8>) -> cv_i { cv_load_u32(from) }
    @inline(__always) static func store(_ to: UnsafeMutablePointer<UInt8>, _ words: cv_i) { cv_store_u32(to, words) }
    @inline(__always) static func get(_ from: UnsafeMutablePointer<UInt8>) -> UInt32 { cv_get32(from) }
    @inline(__always) static func put(_ to: UnsafeMutablePointer<UInt8>, _ word: UInt32) { cv_put32(to, word) }
}

/// A pixel of three bytes.
enum Word24: PixelWord {
    @inline(__always) static var bytes: Int { 3 }
    @inline(__always) static func load(_ from: UnsafeMutablePointer<UInt8>) -> cv_i { cv_load_u24(from) }
    @inline(__always) static func store(_ to: UnsafeMutablePointer<UInt8>, _ words: cv_i) { cv_store_u24(to, words) }
    @inline(__always) static func get(_ from: UnsafeMutablePointer<UInt8>) -> UInt32 {
        UInt32(from[0]) | UInt32(from[1]) &<< 8 | UInt32(from[2]) &<< 16
    }
    @inline(__always) static func put(_ to: UnsafeMutablePointer<UInt8>, _ word: UInt32) {
        cv_put16(to, UInt16(truncatingIfNeeded: word))
        to[2] = UInt8(truncatingIfNeeded: word &>> 16)
    }
}

@inline(__always) func word(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> UInt16 {
    cv_get16(row + 2 &* index)
}
@inline(__always) func doubleWord(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> UInt32 {
    cv_get32(row + 4 &* index)
}
@inline(__always) func storeWord(_ row: UnsafeMutablePointer<UInt8>, _ index: Int, _ value: UInt16) {
    cv_put16(row + 2 &* index, value)
}
