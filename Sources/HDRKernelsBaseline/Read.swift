import CVector

/// Reads code values as samples.
struct Reader {
    let layout: KernelLayout

    @inline(__always) private func plane(_ component: Int) -> Int32 {
        component == 0 ? layout.places.0 : component == 1 ? layout.places.1 : layout.places.2
    }

    /// Luma, or all of the components where none is subsampled, of `count` pixels from column `x` of row `y`.
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
        } else if packing == KernelPackingWord32 {
            readWord32(kernel_row(frame, 0, y) + 4 &* x, count, rows)
        } else if packing == KernelPackingWord64 {
            readWord64(kernel_row(frame, 0, y) + 8 &* x, count, rows)
        } else if packing == KernelPackingBytes3 {
            let bytes = kernel_row(frame, 0, y)! + 3 &* x
            let (a, b, c) = (Int(layout.places.0), Int(layout.places.1), Int(layout.places.2))
            for i in 0..<count {
                rows.a[i] = Float(bytes[3 &* i &+ a])
                rows.b[i] = Float(bytes[3 &* i &+ b])
                rows.c[i] = Float(bytes[3 &* i &+ c])
            }
        } else {
            readV210Luma(kernel_row(frame, 0, y), x, count, rows.a)
        }
    }

    /// Luma of `count` pixels from column `x`, which is even, those of even columns and those of odd ones apart. Behind a
    /// last even column without a partner its value is repeated.
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

    /// Tells the processor that pixels from column `x` of row `y` come next.
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
                // The chroma row that this pair of rows is the first to need.
                row = y / 2 &+ 1
                guard y & 1 == 0, row < frame.pointee.chroma_rows else { return }
            }
            let shift = isPlanar ? Int(layout.horizontal_shift) : 0
            cv_prefetch(kernel_row(frame, 1, row) + (x &>> shift) &* size, (count &>> shift) &* size)
            guard isPlanar else { return }
            cv_prefetch(kernel_row(frame, 2, row) + (x &>> shift) &* size, (count &>> shift) &* size)
        } else {
            let bytes = packing == KernelPackingWord64 ? 8 : packing == KernelPackingBytes3 ? 3 : 4
            cv_prefetch(kernel_row(frame, 0, y) + x &* bytes, count &* bytes)
        }
    }

    /// Cb and Cr from chroma column `x` of chroma row `y`.
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
            readV210Chroma(kernel_row(frame, 0, y), x, count, b, c)
        }
    }

    /// The same between two chroma rows.
    /// - Parameter weight: of the second one.
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

    /// One component of a planar layout, at its own columns.
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
                cv_store(out + i, cv_to_float(cv_load_u8(from + i)))
                i &+= lanes
            }
            while i < count {
                out[i] = Float(from[i])
                i &+= 1
            }
            return
        }
        let from = row + 2 &* x
        let shift = layout.shift
        while i < whole {
            cv_store(out + i, cv_to_float(cv_right(cv_load_u16(from + 2 &* i), shift)))
            i &+= lanes
        }
        while i < count {
            out[i] = Float(word(from, i) &>> UInt16(truncatingIfNeeded: shift))
            i &+= 1
        }
    }

    /// Two components in turn.
    @inline(__always)
    private func readPairs(_ row: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ first: Row, _ second: Row) {
        let whole = count &- count % lanes
        var i = 0
        if layout.bytes_per_word == 1 {
            let from = row + 2 &* x
            while i < whole {
                let pairs = cv_load_u16(from + 2 &* i)
                cv_store(first + i, cv_to_float(cv_and(pairs, 0xff)))
                cv_store(second + i, cv_to_float(cv_right(pairs, 8)))
                i &+= lanes
            }
            while i < count {
                first[i] = Float(from[2 &* i])
                second[i] = Float(from[2 &* i &+ 1])
                i &+= 1
            }
            return
        }
        let from = row + 4 &* x
        let shift = layout.shift
        while i < whole {
            let pairs = cv_load_u32(from + 4 &* i)
            cv_store(first + i, cv_to_float(cv_right(cv_and(pairs, 0xffff), shift)))
            cv_store(second + i, cv_to_float(cv_right(pairs, 16 &+ shift)))
            i &+= lanes
        }
        while i < count {
            first[i] = Float(word(from, 2 &* i) &>> UInt16(truncatingIfNeeded: shift))
            second[i] = Float(word(from, 2 &* i &+ 1) &>> UInt16(truncatingIfNeeded: shift))
            i &+= 1
        }
    }

    /// One component between two rows.
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

    /// Two components in turn between two rows.
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

    @inline(__always) private func single(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> Float {
        if layout.bytes_per_word == 1 { return Float(row[index]) }
        return Float(word(row, index) &>> UInt16(truncatingIfNeeded: layout.shift))
    }

    @inline(__always) private func readWord32(_ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ rows: Rows) {
        let whole = count &- count % lanes
        let mask: Int32 = (1 &<< layout.bits) &- 1
        let (a, b, c) = layout.places
        var i = 0
        while i < whole {
            let words = cv_load_u32(from + 4 &* i)
            cv_store(rows.a + i, cv_to_float(cv_and(cv_right(words, a), mask)))
            cv_store(rows.b + i, cv_to_float(cv_and(cv_right(words, b), mask)))
            cv_store(rows.c + i, cv_to_float(cv_and(cv_right(words, c), mask)))
            i &+= lanes
        }
        while i < count {
            let bits = Int32(truncatingIfNeeded: doubleWord(from, i))
            rows.a[i] = Float((bits &>> a) & mask)
            rows.b[i] = Float((bits &>> b) & mask)
            rows.c[i] = Float((bits &>> c) & mask)
            i &+= 1
        }
    }

    @inline(__always) private func readWord64(_ from: UnsafeMutablePointer<UInt8>, _ count: Int, _ rows: Rows) {
        let whole = count &- count % lanes
        let (a, b, c) = layout.places
        var i = 0
        while i < whole {
            let first = cv_load_u32(from + 8 &* i)
            let second = cv_load_u32(from + (8 &* i &+ 4 &* lanes))
            let low = cv_even_i(first, second)
            let high = cv_odd_i(first, second)
            @inline(__always) func part(_ place: Int32) -> V {
                cv_to_float(cv_and(cv_right(place < 2 ? low : high, 16 &* (place & 1)), 0xffff))
            }
            cv_store(rows.a + i, part(a))
            cv_store(rows.b + i, part(b))
            cv_store(rows.c + i, part(c))
            i &+= lanes
        }
        while i < count {
            rows.a[i] = Float(word(from, 4 &* i &+ Int(a)))
            rows.b[i] = Float(word(from, 4 &* i &+ Int(b)))
            rows.c[i] = Float(word(from, 4 &* i &+ Int(c)))
            i &+= 1
        }
    }
}

@inline(__always) func word(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> UInt16 {
    cv_get16(row + 2 &* index)
}
@inline(__always) func doubleWord(_ row: UnsafeMutablePointer<UInt8>, _ index: Int) -> UInt32 {
    cv_get32(row + 4 &* index)
}

/// A value between two codes, exact for weights of quarters.
@inline(__always) private func mix(_ a: cv_i, _ b: cv_i, _ weight: V) -> V {
    let first = cv_to_float(a)
    return cv_fma(cv_to_float(b) - first, weight, first)
}
@inline(__always) private func mix(_ a: Float, _ b: Float, _ weight: Float) -> Float { a + (b - a) * weight }
