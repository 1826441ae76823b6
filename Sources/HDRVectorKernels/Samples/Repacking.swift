import CSIMD

/// Copies `count` words of 16 bits. Their bytes are swapped where the layout has the higher byte first, and their codes
/// are shifted down or up where the layout's codes do not begin with the lowest bit.
@inline(never)
func repackWords(
    _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ count: Int, _ layout: KernelRepacking,
    writes: Bool
) {
    if layout.shift == 0 && layout.is_big_endian != 0 {
        repackWords(from, to, count, SwappedWord())
    } else {
        repackWords(from, to, count, RepackedWord(layout, writes: writes))
    }
}

@inline(__always)
private func repackWords<Repack: WordRepacking>(
    _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ count: Int, _ word: Repack
) {
    let whole = count / 2 &- count / 2 % lanes
    var i = 0
    while i < whole {
        prefetchAhead(from + 4 &* i)
        cv_store_u32(to + 4 &* i, word(cv_load_u32(from + 4 &* i)))
        i &+= lanes
    }
    i &*= 2
    while i < count {
        cv_put16(to + 2 &* i, word.single(cv_get16(from + 2 &* i)))
        i &+= 1
    }
}

/// Prefetches what is read some steps later, which may be the start of the next row: rows are rearranged in short runs
/// between other work, so that the processor's own prefetching begins anew with each.
@inline(__always)
private func prefetchAhead(_ from: UnsafePointer<UInt8>) { cv_prefetch(from + 1536, 4 &* lanes) }

/// The operation on words of 16 bits as they are copied.
private protocol WordRepacking {
    /// Repacks two words in each 32 bits.
    func callAsFunction(_ words: cv_i) -> cv_i
    func single(_ word: UInt16) -> UInt16
}

/// An operation that only swaps the bytes.
private struct SwappedWord: WordRepacking {
    @inline(__always) init() {}
    @inline(__always) func callAsFunction(_ words: cv_i) -> cv_i { cv_swap_bytes16(words) }
    @inline(__always) func single(_ word: UInt16) -> UInt16 { word.byteSwapped }
}

/// An operation that swaps the bytes where the layout says so, and shifts codes to other bits.
private struct RepackedWord: WordRepacking {
    private let swapsFirst: Bool, swapsLast: Bool
    private let right: Int32, left: Int32
    /// The bits of two words that belong to their codes, after the shift to the right and before the one to the left.
    private let mask: Int32

    /// - Parameter writes: whether words go to the layout; otherwise they come from it.
    @inline(__always) init(_ layout: KernelRepacking, writes: Bool) {
        swapsFirst = layout.is_big_endian != 0 && !writes
        swapsLast = layout.is_big_endian != 0 && writes
        right = writes ? 0 : layout.shift
        left = writes ? layout.shift : 0
        let rest: Int32 = 0xffff &>> layout.shift
        mask = rest | rest &<< 16
    }

    @inline(__always) func callAsFunction(_ words: cv_i) -> cv_i {
        var words = words
        if swapsFirst { words = cv_swap_bytes16(words) }
        words = cv_left(cv_and(cv_right(words, right), mask), left)
        return swapsLast ? cv_swap_bytes16(words) : words
    }

    @inline(__always) func single(_ word: UInt16) -> UInt16 {
        var word = swapsFirst ? word.byteSwapped : word
        word = word &>> UInt16(truncatingIfNeeded: right)
        word = word &<< UInt16(truncatingIfNeeded: left)
        return swapsLast ? word.byteSwapped : word
    }
}

/// Splits `groups` of two pixels of packed 4:2:2 into rows of luma, Cb and Cr.
func unpackPixels(
    _ from: UnsafePointer<UInt8>, _ groups: Int, _ layout: KernelRepacking, _ luma: UnsafeMutablePointer<UInt8>,
    _ cb: UnsafeMutablePointer<UInt8>, _ cr: UnsafeMutablePointer<UInt8>
) {
    if layout.bytes_per_word == 1 {
        unpackBytes(from, groups, layout, luma, cb, cr)
    } else {
        unpackWords(from, groups, layout, luma, cb, cr)
    }
}

/// Joins rows of luma, Cb and Cr into `groups` of two pixels of packed 4:2:2.
func packPixels(
    _ to: UnsafeMutablePointer<UInt8>, _ groups: Int, _ layout: KernelRepacking, _ luma: UnsafePointer<UInt8>,
    _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>
) {
    if layout.bytes_per_word == 1 {
        packBytes(to, groups, layout, luma, cb, cr)
    } else {
        packWords(to, groups, layout, luma, cb, cr)
    }
}

@inline(never)
private func unpackBytes(
    _ from: UnsafePointer<UInt8>, _ groups: Int, _ order: KernelRepacking, _ luma: UnsafeMutablePointer<UInt8>,
    _ cb: UnsafeMutablePointer<UInt8>, _ cr: UnsafeMutablePointer<UInt8>
) {
    let whole = groups &- groups % lanes
    var i = 0
    while i < whole {
        prefetchAhead(from + 4 &* i)
        let words = cv_load_u32(from + 4 &* i)
        let pair = cv_and(cv_right(words, 8 &* order.luma), 0x00ff_00ff)
        cv_store_u16(luma + 2 &* i, cv_or(cv_and(pair, 0xff), cv_right(pair, 8)))
        cv_store_u8(cb + i, cv_and(cv_right(words, 8 &* order.cb), 0xff))
        cv_store_u8(cr + i, cv_and(cv_right(words, 8 &* order.cr), 0xff))
        i &+= lanes
    }
    while i < groups {
        let group = from + 4 &* i
        luma[2 &* i] = group[Int(order.luma)]
        luma[2 &* i &+ 1] = group[Int(order.luma) &+ 2]
        cb[i] = group[Int(order.cb)]
        cr[i] = group[Int(order.cr)]
        i &+= 1
    }
}

@inline(never)
private func packBytes(
    _ to: UnsafeMutablePointer<UInt8>, _ groups: Int, _ order: KernelRepacking, _ luma: UnsafePointer<UInt8>,
    _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>
) {
    let whole = groups &- groups % lanes
    var i = 0
    while i < whole {
        let pair = cv_load_u16(luma + 2 &* i)
        let words = cv_left(cv_and(cv_or(pair, cv_left(pair, 8)), 0x00ff_00ff), 8 &* order.luma)
        let chroma = cv_or(cv_left(cv_load_u8(cb + i), 8 &* order.cb), cv_left(cv_load_u8(cr + i), 8 &* order.cr))
        cv_store_u32(to + 4 &* i, cv_or(words, chroma))
        i &+= lanes
    }
    while i < groups {
        let group = to + 4 &* i
        group[Int(order.luma)] = luma[2 &* i]
        group[Int(order.luma) &+ 2] = luma[2 &* i &+ 1]
        group[Int(order.cb)] = cb[i]
        group[Int(order.cr)] = cr[i]
        i &+= 1
    }
}

/// The number of bits below luma and below chroma in 32 bits of packed 4:2:2, which hold a word of each.
@inline(__always)
private func fields(_ order: KernelRepacking) -> (luma: Int32, chroma: Int32) {
    (16 &* order.luma, 16 &- 16 &* order.luma)
}

@inline(never)
private func unpackWords(
    _ from: UnsafePointer<UInt8>, _ groups: Int, _ order: KernelRepacking,
    _ luma: UnsafeMutablePointer<UInt8>, _ cb: UnsafeMutablePointer<UInt8>, _ cr: UnsafeMutablePointer<UInt8>
) {
    let word = RepackedWord(order, writes: false)
    let (lumaBits, chromaBits) = fields(order)
    let (first, second) = order.cb < order.cr ? (cb, cr) : (cr, cb)
    let whole = groups &- groups % lanes
    var i = 0
    while i < whole {
        prefetchAhead(from + 8 &* i)
        prefetchAhead(from + (8 &* i &+ 4 &* lanes))
        let (a, b) = (cv_load_u32(from + 8 &* i), cv_load_u32(from + (8 &* i &+ 4 &* lanes)))
        let (low, high) = (word(cv_even_i(a, b)), word(cv_odd_i(a, b)))
        let (left, right) = (cv_and(cv_right(low, lumaBits), 0xffff), cv_and(cv_right(high, lumaBits), 0xffff))
        cv_store_u32(luma + 4 &* i, cv_or(left, cv_left(right, 16)))
        cv_store_u16(first + 2 &* i, cv_and(cv_right(low, chromaBits), 0xffff))
        cv_store_u16(second + 2 &* i, cv_and(cv_right(high, chromaBits), 0xffff))
        i &+= lanes
    }
    while i < groups {
        let group = from + 8 &* i
        cv_put16(luma + 4 &* i, word.single(cv_get16(group + 2 &* Int(order.luma))))
        cv_put16(luma + (4 &* i &+ 2), word.single(cv_get16(group + (2 &* Int(order.luma) &+ 4))))
        cv_put16(cb + 2 &* i, word.single(cv_get16(group + 2 &* Int(order.cb))))
        cv_put16(cr + 2 &* i, word.single(cv_get16(group + 2 &* Int(order.cr))))
        i &+= 1
    }
}

@inline(never)
private func packWords(
    _ to: UnsafeMutablePointer<UInt8>, _ groups: Int, _ order: KernelRepacking,
    _ luma: UnsafePointer<UInt8>, _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>
) {
    let word = RepackedWord(order, writes: true)
    let (lumaBits, chromaBits) = fields(order)
    let (first, second) = order.cb < order.cr ? (cb, cr) : (cr, cb)
    let whole = groups &- groups % lanes
    var i = 0
    while i < whole {
        let pair = cv_load_u32(luma + 4 &* i)
        let left = cv_left(cv_and(pair, 0xffff), lumaBits)
        let right = cv_left(cv_right(pair, 16), lumaBits)
        let low = word(cv_or(left, cv_left(cv_load_u16(first + 2 &* i), chromaBits)))
        let high = word(cv_or(right, cv_left(cv_load_u16(second + 2 &* i), chromaBits)))
        cv_store_u32(to + 8 &* i, cv_low_i(low, high))
        cv_store_u32(to + (8 &* i &+ 4 &* lanes), cv_high_i(low, high))
        i &+= lanes
    }
    while i < groups {
        let group = to + 8 &* i
        cv_put16(group + 2 &* Int(order.luma), word.single(cv_get16(luma + 4 &* i)))
        cv_put16(group + (2 &* Int(order.luma) &+ 4), word.single(cv_get16(luma + (4 &* i &+ 2))))
        cv_put16(group + 2 &* Int(order.cb), word.single(cv_get16(cb + 2 &* i)))
        cv_put16(group + 2 &* Int(order.cr), word.single(cv_get16(cr + 2 &* i)))
        i &+= 1
    }
}
