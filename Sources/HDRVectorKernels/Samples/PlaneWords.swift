import CSIMD

/// How a plane of one component holds its samples.
protocol PlaneWords {
    static var bytes: Int { get }
    static func load(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> cv_i
    static func store(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ words: cv_i)
    static func get(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> UInt16
    static func put(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ word: UInt16)
}

enum Bytes: PlaneWords {
    @inline(__always) static var bytes: Int { 1 }
    @inline(__always) static func load(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> cv_i { cv_load_u8(row + i) }
    @inline(__always) static func store(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ words: cv_i) {
        cv_store_u8(row + i, words)
    }
    @inline(__always) static func get(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> UInt16 { UInt16(row[i]) }
    @inline(__always) static func put(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ word: UInt16) {
        row[i] = UInt8(truncatingIfNeeded: word)
    }
}

enum Words<Order: ByteOrder>: PlaneWords {
    @inline(__always) static var bytes: Int { 2 }
    @inline(__always) static func load(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> cv_i {
        Order.words(cv_load_u16(row + 2 &* i))
    }
    @inline(__always) static func store(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ words: cv_i) {
        cv_store_u16(row + 2 &* i, Order.words(words))
    }
    @inline(__always) static func get(_ row: UnsafeMutablePointer<UInt8>, _ i: Int) -> UInt16 {
        Order.word(word(row, i))
    }
    @inline(__always) static func put(_ row: UnsafeMutablePointer<UInt8>, _ i: Int, _ word: UInt16) {
        storeWord(row, i, Order.word(word))
    }
}
