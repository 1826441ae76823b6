import CSIMD

/// Reads code values as floating-point numbers.
typealias Reader = FormReader<Numbers>

/// Reads code values as samples in some form.
struct FormReader<Form: SampleForm> {
    let layout: KernelLayout

    @inline(__always) func plane(_ component: Int) -> Int32 {
        component == 0 ? layout.places.0 : component == 1 ? layout.places.1 : layout.places.2
    }

    /// Reads luma, or all components where none is subsampled, of `count` pixels from column `x` of row `y`.
    @inline(__always)
    func read(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ rows: Rows) {
        let packing = Int(layout.packing)
        if packing == KernelPackingPlanar {
            readPlane(0, frame, y, x, count, rows.a)
            if layout.horizontal_shift == 0 {
                readPlane(1, frame, y, x, count, rows.b)
                readPlane(2, frame, y, x, count, rows.c)
            }
        } else if packing == KernelPackingSemiplanar {
            readWords(kernel_row(frame, 0, y), x, count, rows.a)
            if layout.horizontal_shift == 0 { readChroma(frame, y, x, count, rows.b, rows.c) }
        } else if packing == KernelPackingWord32 {
            readWords(kernel_row(frame, 0, y) + 4 &* x, Word32.self, count, rows)
        } else if packing == KernelPackingWord64 {
            readWord64(kernel_row(frame, 0, y) + 8 &* x, count, rows)
        } else if packing == KernelPackingBytes3 {
            readWords(kernel_row(frame, 0, y) + 3 &* x, Word24.self, count, rows)
        } else {
            readV210Luma(Form.self, kernel_row(frame, 0, y), x, count, rows.a)
        }
    }

    /// Reads luma of `count` pixels from the even column `x`, even columns apart from odd ones. In an odd width the
    /// last column also stands for its missing neighbour.
    @inline(__always)
    func readLuma(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, even: Row, odd: Row
    ) {
        let row = kernel_row(frame, 0, y)!
        readPairs(row, x / 2, count / 2, even, odd)
        guard count & 1 != 0 else { return }
        readWords(row, x &+ count &- 1, 1, even + count / 2)
        odd[count / 2] = even[count / 2]
    }

    /// Reads luma in the picture's order from a layout that holds it in a plane or packs it as v210.
    @inline(__always)
    func readLuma(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ out: Row) {
        if Int(layout.packing) == KernelPackingV210 {
            readV210Luma(Form.self, kernel_row(frame, 0, y), x, count, out)
        } else {
            readWords(kernel_row(frame, 0, y), x, count, out)
        }
    }

    /// Prefetches pixels from column `x` of row `y`.
    @inline(__always)
    func prefetch(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int) {
        let left = frame.pointee.width &- x
        guard left > 0 else { return }
        let count = smaller(left, chunkLength)
        let packing = Int(layout.packing)
        let size = Int(layout.bytes_per_word)
        if packing == KernelPackingPlanar || packing == KernelPackingSemiplanar {
            cv_prefetch(kernel_row(frame, 0, y) + x &* size, count &* size)
            let isPlanar = packing == KernelPackingPlanar
            var row = y
            if layout.vertical_shift != 0 {
                // Of the chroma rows that this pair of rows needs, this is the one that no earlier pair has needed.
                row = y / 2 &+ 1
                guard y & 1 == 0, row < frame.pointee.chroma_rows else { return }
            }
            let shift = Int(layout.horizontal_shift)
            let step = isPlanar ? size : 2 &* size
            cv_prefetch(kernel_row(frame, 1, row) + (x &>> shift) &* step, (count &>> shift) &* step)
            guard isPlanar else { return }
            cv_prefetch(kernel_row(frame, 2, row) + (x &>> shift) &* size, (count &>> shift) &* size)
        } else {
            let bytes = packing == KernelPackingWord64 ? 8 : packing == KernelPackingBytes3 ? 3 : 4
            cv_prefetch(kernel_row(frame, 0, y) + x &* bytes, count &* bytes)
        }
    }

    /// Prefetches luma, or all components where none is subsampled, from column `x` of row `y`.
    @inline(__always)
    func prefetchRow(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int) {
        let count = smaller(frame.pointee.width &- x, chunkLength)
        let packing = Int(layout.packing)
        let isPlane = packing == KernelPackingPlanar || packing == KernelPackingSemiplanar
        let bytes =
            isPlane
            ? Int(layout.bytes_per_word)
            : packing == KernelPackingWord64 ? 8 : packing == KernelPackingBytes3 ? 3 : 4
        cv_prefetch(kernel_row(frame, 0, y) + x &* bytes, count &* bytes)
        if isPlane && layout.horizontal_shift == 0 { prefetchChroma(frame, y, x) }
    }

    /// Prefetches Cb and Cr from chroma column `x` of chroma row `y`.
    @inline(__always)
    func prefetchChroma(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int) {
        let shift = Int(layout.horizontal_shift)
        let count = smaller(frame.pointee.width &>> shift &- x, chunkLength &>> shift)
        let size = Int(layout.bytes_per_word)
        if Int(layout.packing) == KernelPackingSemiplanar {
            cv_prefetch(kernel_row(frame, 1, y) + 2 &* x &* size, 2 &* count &* size)
        } else if Int(layout.packing) == KernelPackingPlanar {
            cv_prefetch(kernel_row(frame, 1, y) + x &* size, count &* size)
            cv_prefetch(kernel_row(frame, 2, y) + x &* size, count &* size)
        }
    }

    /// Reads Cb and Cr from chroma column `x` of chroma row `y`.
    @inline(__always)
    func readChroma(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ b: Row, _ c: Row) {
        let packing = Int(layout.packing)
        if packing == KernelPackingPlanar {
            readPlane(1, frame, y, x, count, b)
            readPlane(2, frame, y, x, count, c)
        } else if packing == KernelPackingSemiplanar {
            let isSwapped = layout.places.1 != 0
            readPairs(kernel_row(frame, 1, y), x, count, isSwapped ? c : b, isSwapped ? b : c)
        } else {
            readV210Chroma(Form.self, kernel_row(frame, 0, y), x, count, b, c)
        }
    }

    /// Reads Cb and Cr interpolated between two chroma rows.
    /// - Parameter weight: the weight of the second row.
    @inline(__always)
    func readChroma(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ second: Int, _ weight: Float, _ x: Int, _ count: Int,
        _ b: Row, _ c: Row
    ) {
        if weight == 0 || y == second {
            readChroma(frame, y, x, count, b, c)
        } else if Int(layout.packing) == KernelPackingPlanar {
            mixWords(frame, 1, y, second, weight, x, count, b)
            mixWords(frame, 2, y, second, weight, x, count, c)
        } else {
            let isSwapped = layout.places.1 != 0
            mixPairs(frame, y, second, weight, x, count, isSwapped ? c : b, isSwapped ? b : c)
        }
    }

    /// Reads one component of a planar layout, at its own columns.
    @inline(__always)
    func readPlane(
        _ component: Int, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ out: Row
    ) {
        readWords(kernel_row(frame, plane(component), y), x, count, out)
    }

    @inline(__always) private func readWords(_ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ out: Row) {
        let whole = count &- count % lanes
        var i = 0
        if layout.bytes_per_word == 1 {
            let from = row + x
            while i < whole {
                cv_store(out + i, Form.samples(cv_load_u8(from + i)))
                i &+= lanes
            }
            while i < count {
                out[i] = Form.sample(Int32(from[i]))
                i &+= 1
            }
            return
        }
        if Form.takesBigEndian && layout.is_big_endian != 0 {
            readWords(BigEndian.self, row + 2 &* x, count, out)
        } else {
            readWords(LittleEndian.self, row + 2 &* x, count, out)
        }
    }

    @inline(__always)
    private func readWords<Order: ByteOrder>(
        _ order: Order.Type, _ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ out: Row
    ) {
        let whole = count &- count % lanes
        let shift = layout.shift
        let top: Int32 = (1 &<< layout.bits) &- 1
        var i = 0
        while i < whole {
            let words = order.words(cv_load_u16(from + 2 &* i))
            cv_store(out + i, Form.samples(cv_right(words, shift), upTo: top))
            i &+= lanes
        }
        while i < count {
            out[i] = Form.sample(Int32(order.word(word(from, i))) &>> shift, upTo: top)
            i &+= 1
        }
    }

    /// Reads two components that alternate in their plane.
    @inline(__always)
    private func readPairs(_ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ first: Row, _ second: Row) {
        let whole = count &- count % lanes
        var i = 0
        if layout.bytes_per_word == 1 {
            let from = row + 2 &* x
            while i < whole {
                let pairs = cv_load_u16(from + 2 &* i)
                cv_store(first + i, Form.samples(cv_and(pairs, 0xff)))
                cv_store(second + i, Form.samples(cv_right(pairs, 8)))
                i &+= lanes
            }
            while i < count {
                first[i] = Form.sample(Int32(from[2 &* i]))
                second[i] = Form.sample(Int32(from[2 &* i &+ 1]))
                i &+= 1
            }
            return
        }
        if Form.takesBigEndian && layout.is_big_endian != 0 {
            readPairs(BigEndian.self, row + 4 &* x, count, first, second)
        } else {
            readPairs(LittleEndian.self, row + 4 &* x, count, first, second)
        }
    }

    @inline(__always)
    private func readPairs<Order: ByteOrder>(
        _ order: Order.Type, _ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ first: Row, _ second: Row
    ) {
        let whole = count &- count % lanes
        let shift = layout.shift
        var i = 0
        while i < whole {
            let pairs = order.words(cv_load_u32(from + 4 &* i))
            cv_store(first + i, Form.samples(cv_right(cv_and(pairs, 0xffff), shift)))
            cv_store(second + i, Form.samples(cv_right(pairs, 16 &+ shift)))
            i &+= lanes
        }
        while i < count {
            first[i] = Form.sample(Int32(order.word(word(from, 2 &* i))) &>> shift)
            second[i] = Form.sample(Int32(order.word(word(from, 2 &* i &+ 1))) &>> shift)
            i &+= 1
        }
    }

    /// Reads one component, interpolated between two rows.
    @inline(__always)
    private func mixWords(
        _ frame: UnsafePointer<KernelFrame>, _ component: Int, _ y: Int, _ second: Int, _ weight: Float, _ x: Int,
        _ count: Int, _ out: Row
    ) {
        let bytes = Int(layout.bytes_per_word)
        let from = kernel_row(frame, plane(component), y)! + bytes &* x
        let other = kernel_row(frame, plane(component), second)! + bytes &* x
        let whole = count &- count % lanes
        let part = cv_splat(weight)
        let shift = layout.shift
        var i = 0
        if bytes == 1 {
            while i < whole {
                cv_store(out + i, mix(cv_load_u8(from + i), cv_load_u8(other + i), part))
                i &+= lanes
            }
        } else {
            while i < whole {
                let a = cv_right(cv_load_u16(from + 2 &* i), shift)
                cv_store(out + i, mix(a, cv_right(cv_load_u16(other + 2 &* i), shift), part))
                i &+= lanes
            }
        }
        while i < count {
            out[i] = mix(single(from, i), single(other, i), weight)
            i &+= 1
        }
    }

    /// Reads two alternating components, interpolated between two rows.
    @inline(__always)
    private func mixPairs(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ second: Int, _ weight: Float, _ x: Int, _ count: Int,
        _ b: Row, _ c: Row
    ) {
        let bytes = Int(layout.bytes_per_word)
        let from = kernel_row(frame, 1, y)! + 2 &* bytes &* x
        let other = kernel_row(frame, 1, second)! + 2 &* bytes &* x
        let whole = count &- count % lanes
        let part = cv_splat(weight)
        let shift = layout.shift
        var i = 0
        if bytes == 1 {
            while i < whole {
                let (p, q) = (cv_load_u16(from + 2 &* i), cv_load_u16(other + 2 &* i))
                cv_store(b + i, mix(cv_and(p, 0xff), cv_and(q, 0xff), part))
                cv_store(c + i, mix(cv_right(p, 8), cv_right(q, 8), part))
                i &+= lanes
            }
        } else {
            while i < whole {
                let (p, q) = (cv_load_u32(from + 4 &* i), cv_load_u32(other + 4 &* i))
                cv_store(b + i, mix(cv_right(cv_and(p, 0xffff), shift), cv_right(cv_and(q, 0xffff), shift), part))
                cv_store(c + i, mix(cv_right(p, 16 &+ shift), cv_right(q, 16 &+ shift), part))
                i &+= lanes
            }
        }
        while i < count {
            b[i] = mix(single(from, 2 &* i), single(other, 2 &* i), weight)
            c[i] = mix(single(from, 2 &* i &+ 1), single(other, 2 &* i &+ 1), weight)
            i &+= 1
        }
    }

    /// The code value with an index in a row.
    @inline(__always) func single(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> Float {
        if layout.bytes_per_word == 1 { return Float(row[index]) }
        return Float(word(row, index) &>> UInt16(truncatingIfNeeded: layout.shift))
    }

    /// Reads three components in a pixel's word.
    @inline(__always)
    private func readWords<Word: PixelWord>(
        _ from: UnsafeMutablePointer<UInt8>, _ word: Word.Type, _ count: Int, _ rows: Rows
    ) {
        let whole = count &- count % lanes
        let mask: Int32 = (1 &<< layout.bits) &- 1
        let (a, b, c) = layout.places
        var i = 0
        while i < whole {
            let words = word.load(from + word.bytes &* i)
            cv_store(rows.a + i, Form.samples(cv_and(cv_right(words, a), mask)))
            cv_store(rows.b + i, Form.samples(cv_and(cv_right(words, b), mask)))
            cv_store(rows.c + i, Form.samples(cv_and(cv_right(words, c), mask)))
            i &+= lanes
        }
        while i < count {
            let bits = word.get(from + word.bytes &* i)
            rows.a[i] = Form.sample(Int32(truncatingIfNeeded: bits &>> UInt32(a)) & mask)
            rows.b[i] = Form.sample(Int32(truncatingIfNeeded: bits &>> UInt32(b)) & mask)
            rows.c[i] = Form.sample(Int32(truncatingIfNeeded: bits &>> UInt32(c)) & mask)
            i &+= 1
        }
    }

    /// Reads three adjacent 16-bit components among a pixel's four words.
    @inline(__always) private func readWord64(_ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ rows: Rows) {
        if Form.takesBigEndian && layout.is_big_endian != 0 {
            readWord64(BigEndian.self, from, count, rows)
        } else {
            readWord64(LittleEndian.self, from, count, rows)
        }
    }

    @inline(__always)
    private func readWord64<Order: ByteOrder>(
        _ order: Order.Type, _ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ rows: Rows
    ) {
        let whole = count &- count % lanes
        let (a, b, c) = layout.places
        var i = 0
        while i < whole {
            let first = cv_load_u32(from + 8 &* i)
            let second = cv_load_u32(from + (8 &* i &+ 4 &* lanes))
            let low = order.words(cv_even_i(first, second))
            let high = order.words(cv_odd_i(first, second))
            @inline(__always) func part(_ place: Int32) -> V {
                Form.samples(cv_and(cv_right(place < 2 ? low : high, 16 &* (place & 1)), 0xffff))
            }
            cv_store(rows.a + i, part(a))
            cv_store(rows.b + i, part(b))
            cv_store(rows.c + i, part(c))
            i &+= lanes
        }
        while i < count {
            rows.a[i] = Form.sample(Int32(order.word(word(from, 4 &* i &+ Int(a)))))
            rows.b[i] = Form.sample(Int32(order.word(word(from, 4 &* i &+ Int(b)))))
            rows.c[i] = Form.sample(Int32(order.word(word(from, 4 &* i &+ Int(c)))))
            i &+= 1
        }
    }
}

/// A value between two codes, exact for weights of quarters.
@inline(__always) private func mix(_ a: cv_i, _ b: cv_i, _ weight: V) -> V {
    let first = cv_to_float(a)
    return cv_fma(cv_to_float(b) - first, weight, first)
}
@inline(__always) private func mix(_ a: Float, _ b: Float, _ weight: Float) -> Float { a + (b - a) * weight }
