import CSIMD

/// The v210 packing: groups of 16 bytes with 6 luma and 3 + 3 chroma samples of 10 bits, three in a 32-bit word, in the
/// order Cb Y Cr, Y Cb Y, Cr Y Cb, Y Cr Y.

/// The number of groups in a vector.
@inline(__always) private var groupLanes: Int { lanes / 4 }

/// Reads luma from column `x`, a multiple of 6. It fills `out` by whole groups, with up to 5 samples more than asked
/// for.
@inline(__always)
func readV210Luma<Form: SampleForm>(
    _ form: Form.Type, _ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ out: Row
) {
    @inline(__always) func field(_ word: UInt32, _ shift: UInt32) -> Float {
        form.sample(Int32(truncatingIfNeeded: (word &>> shift) & 0x3ff))
    }
    var group = row + x / 6 &* 16
    var i = 0
    while i &+ groupLanes &* 6 <= count {
        let words = cv_load_u32(group)
        cv_store(out + i, form.samples(cv_v210_luma(words)))
        cv_store(out + (i &+ lanes), form.samples(cv_v210_more_luma(words)))
        group += 4 &* lanes
        i &+= groupLanes &* 6
    }
    while i < count {
        let (w0, w1) = (doubleWord(group, 0), doubleWord(group, 1))
        let (w2, w3) = (doubleWord(group, 2), doubleWord(group, 3))
        out[i] = field(w0, 10)
        out[i &+ 1] = field(w1, 0)
        out[i &+ 2] = field(w1, 20)
        out[i &+ 3] = field(w2, 10)
        out[i &+ 4] = field(w3, 0)
        out[i &+ 5] = field(w3, 20)
        group += 16
        i &+= 6
    }
}

/// Reads Cb and Cr from chroma column `x`.
@inline(__always)
func readV210Chroma<Form: SampleForm>(
    _ form: Form.Type, _ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ b: Row, _ c: Row
) {
    @inline(__always) func field(_ word: UInt32, _ shift: UInt32) -> Float {
        form.sample(Int32(truncatingIfNeeded: (word &>> shift) & 0x3ff))
    }
    var i = 0
    var place = x % 3
    var group = row + x / 3 &* 16
    while i < count {
        if place == 0 && i &+ groupLanes &* 3 <= count {
            let words = cv_load_u32(group)
            cv_store(b + i, form.samples(cv_v210_cb(words)))
            cv_store(c + i, form.samples(cv_v210_cr(words)))
            group += 4 &* lanes
            i &+= groupLanes &* 3
            continue
        }
        if place == 0 && i &+ 3 <= count {
            let (w0, w1) = (doubleWord(group, 0), doubleWord(group, 1))
            let (w2, w3) = (doubleWord(group, 2), doubleWord(group, 3))
            b[i] = field(w0, 0)
            c[i] = field(w0, 20)
            b[i &+ 1] = field(w1, 10)
            c[i &+ 1] = field(w2, 0)
            b[i &+ 2] = field(w2, 20)
            c[i &+ 2] = field(w3, 10)
            i &+= 3
            group += 16
            continue
        }
        b[i] = place == 0 ? field(doubleWord(group, 0), 0) : field(doubleWord(group, place), place == 1 ? 10 : 20)
        c[i] = place == 0 ? field(doubleWord(group, 0), 20) : field(doubleWord(group, place &+ 1), place == 1 ? 0 : 10)
        i &+= 1
        place &+= 1
        if place == 3 {
            place = 0
            group += 16
        }
    }
}

/// Writes luma and chroma from column `x`, a multiple of 6: whole groups, filled with zeros beyond `count`.
@inline(__always)
func writeV210(
    _ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ luma: UnsafeMutablePointer<UInt16>,
    _ b: UnsafeMutablePointer<UInt16>, _ c: UnsafeMutablePointer<UInt16>
) {
    // A last group has room for at most five more samples of luma and two of chroma.
    let none = cv_splat_i(0)
    cv_store_u16(luma + count, none)
    cv_store_u16(luma + (count &+ lanes), none)
    cv_store_u16(b + (count &+ 1) / 2, none)
    cv_store_u16(c + (count &+ 1) / 2, none)
    let group = row + x / 6 &* 16
    var byte = 0
    var i = 0
    while i &+ groupLanes &* 6 <= count {
        let h = i / 2
        let words = cv_v210_words(
            cv_load_u16(luma + i), cv_load_u16(luma + (i &+ lanes)), cv_load_u16(b + h), cv_load_u16(c + h))
        cv_store_u32(group + byte, words)
        byte &+= 4 &* lanes
        i &+= groupLanes &* 6
    }
    while i < count {
        let h = i / 2
        @inline(__always) func store(_ first: UInt16, _ second: UInt16, _ third: UInt16) {
            let word = UInt32(first) | UInt32(second) &<< 10 | UInt32(third) &<< 20
            cv_put32(group + byte, word)
            byte &+= 4
        }
        store(b[h], luma[i], c[h])
        store(luma[i &+ 1], b[h &+ 1], luma[i &+ 2])
        store(c[h &+ 1], luma[i &+ 3], b[h &+ 2])
        store(luma[i &+ 4], c[h &+ 2], luma[i &+ 5])
        i &+= 6
    }
}
