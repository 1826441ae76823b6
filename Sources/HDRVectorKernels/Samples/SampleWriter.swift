import CSIMD

/// Rounds samples to code values, with or without dither, and writes them.
struct Writer {
    let layout: KernelLayout
    private let bias: UnsafePointer<Float>
    private let biasRows: Int
    let top: Float
    private let isInside: Bool

    @inline(__always) init(_ plan: UnsafePointer<KernelPlan>) {
        layout = plan.pointee.target
        bias = plan.pointee.bias!
        biasRows = Int(plan.pointee.bias_rows)
        top = plan.pointee.top
        isInside = plan.pointee.is_inside != 0
    }

    /// Converts samples to binary16 numbers.
    struct Halves: SampleCode {
        private let top: V

        @inline(__always) init(_ top: Float) { self.top = cv_splat(top) }

        @inline(__always) func callAsFunction(_ samples: V, _ i: Int) -> cv_i {
            cv_half(cv_limit(samples, cv_splat(0), top))
        }
        @inline(__always) func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16 {
            cv_half_f32(cv_limit_f32(sample, 0, limit))
        }
    }

    /// Rounds the samples of a row: adds a half and the row's dither, clamps to the codes that exist and truncates.
    struct Rounding: SampleCode {
        let zero: V, top: V
        let row: UnsafePointer<Float>

        /// Rounds the vector that starts with the `i`th sample, counted from a column that is a multiple of 64.
        @inline(__always) func callAsFunction(_ samples: V, _ i: Int) -> cv_i {
            cv_truncate(cv_limit(samples + cv_load(row + (i & 63)), zero, top))
        }
        /// Rounds the `i`th sample alone.
        @inline(__always) func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16 {
            cv_truncate_f32(cv_limit_f32(sample + row[i & 63], 0, limit))
        }
    }

    /// Rounds the samples of a row in the same way where none can lie outside the codes.
    struct InsideRounding: SampleCode {
        let row: UnsafePointer<Float>

        @inline(__always) func callAsFunction(_ samples: V, _ i: Int) -> cv_i {
            cv_truncate(samples + cv_load(row + (i & 63)))
        }
        @inline(__always) func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16 {
            cv_truncate_f32(cv_limit_f32(sample + row[i & 63], 0, limit))
        }
    }

    @inline(__always) func rounding(_ y: Int) -> Rounding {
        Rounding(zero: cv_splat(0), top: cv_splat(top), row: pattern(y))
    }

    /// A half plus the dither of a row, for 64 columns.
    @inline(__always) private func pattern(_ y: Int) -> UnsafePointer<Float> { bias + 64 &* (y & (biasRows &- 1)) }

    /// Prefetches the memory of pixels from column `x` of row `y` for writing.
    @inline(__always)
    func prefetch(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int) {
        let packing = Int(layout.packing)
        let size = Int(layout.bytes_per_word)
        if packing == KernelPackingPlanar || packing == KernelPackingSemiplanar {
            cv_prefetch_write(kernel_row(frame, 0, y) + x &* size, count &* size)
            let row = y &>> Int(layout.vertical_shift)
            guard y & Int(layout.vertical_shift) == 0, row < frame.pointee.chroma_rows || layout.vertical_shift == 0
            else { return }
            let shift = Int(layout.horizontal_shift)
            let step = packing == KernelPackingPlanar ? size : 2 &* size
            cv_prefetch_write(kernel_row(frame, 1, row) + (x &>> shift) &* step, (count &>> shift) &* step)
            guard packing == KernelPackingPlanar else { return }
            cv_prefetch_write(kernel_row(frame, 2, row) + (x &>> shift) &* size, (count &>> shift) &* size)
        } else {
            let bytes = packing == KernelPackingWord64 ? 8 : packing == KernelPackingBytes3 ? 3 : 4
            cv_prefetch_write(kernel_row(frame, 0, y) + x &* bytes, count &* bytes)
        }
    }

    /// Writes one component from column `x` of its plane, a multiple of 64.
    @inline(__always)
    func writePlane<Code: SampleCode>(
        _ plane: Int32, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ from: Row,
        _ round: Code
    ) {
        let whole = count &- count % lanes
        var i = 0
        let row = kernel_row(frame, plane, y)!
        if layout.bytes_per_word == 1 {
            let to = row + x
            while i < whole {
                cv_store_u8(to + i, round(from, i))
                i &+= lanes
            }
            while i < count {
                to[i] = UInt8(truncatingIfNeeded: round.single(from, i, top))
                i &+= 1
            }
            return
        }
        if Code.takesBigEndian && layout.is_big_endian != 0 {
            writeWords(BigEndian.self, row + 2 &* x, count, from, round)
        } else {
            writeWords(LittleEndian.self, row + 2 &* x, count, from, round)
        }
    }

    @inline(__always)
    private func writeWords<Order: ByteOrder, Code: SampleCode>(
        _ order: Order.Type, _ to: UnsafeMutablePointer<UInt8>, _ count: Int, _ from: Row, _ round: Code
    ) {
        let whole = count &- count % lanes
        let shift = layout.shift
        var i = 0
        while i < whole {
            cv_store_u16(to + 2 &* i, order.words(cv_left(round(from, i), shift)))
            i &+= lanes
        }
        while i < count {
            storeWord(to, i, order.word(round.single(from, i, top) &<< UInt16(truncatingIfNeeded: shift)))
            i &+= 1
        }
    }

    /// Writes luma of `count` pixels from column `x`, a multiple of 64; even columns come apart from odd ones.
    @inline(__always)
    func writeLuma(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, even: Row, odd: Row) {
        let evenBias = pattern(y) + 64 &* biasRows
        let oddBias = evenBias + 32
        let (zero, most) = (cv_splat(0), cv_splat(top))
        @inline(__always) func biased(_ from: Row, _ i: Int, _ bias: UnsafePointer<Float>) -> V {
            cv_load(from + i) + cv_load(bias + (i & 31))
        }
        @inline(__always) func round(_ from: Row, _ i: Int, _ bias: UnsafePointer<Float>) -> cv_i {
            cv_truncate(cv_limit(biased(from, i, bias), zero, most))
        }
        @inline(__always) func single(_ i: Int) -> UInt16 {
            let value = (i & 1 == 0 ? even : odd)[i / 2] + (i & 1 == 0 ? evenBias : oddBias)[i / 2 & 31]
            return cv_truncate_f32(cv_limit_f32(value, 0, top))
        }
        let whole = count / 2 &- count / 2 % lanes
        let row = kernel_row(frame, 0, y)!
        var i = 0
        if layout.bytes_per_word == 1 {
            let to = row + x
            if isInside {
                while i < whole {
                    let high = cv_left(cv_truncate(biased(odd, i, oddBias)), 8)
                    cv_store_u16(to + 2 &* i, cv_or(cv_truncate(biased(even, i, evenBias)), high))
                    i &+= lanes
                }
            }
            while i < whole {
                cv_store_u16(to + 2 &* i, cv_or(round(even, i, evenBias), cv_left(round(odd, i, oddBias), 8)))
                i &+= lanes
            }
            i = 2 &* whole
            while i < count {
                to[i] = UInt8(truncatingIfNeeded: single(i))
                i &+= 1
            }
            return
        }
        let to = row + 2 &* x
        let shift = layout.shift
        while i < whole {
            let low = cv_left(round(even, i, evenBias), shift)
            cv_store_u32(to + 4 &* i, cv_or(low, cv_left(round(odd, i, oddBias), 16 &+ shift)))
            i &+= lanes
        }
        i = 2 &* whole
        while i < count {
            storeWord(to, i, single(i) &<< UInt16(truncatingIfNeeded: shift))
            i &+= 1
        }
    }

    /// Writes Cb and Cr alternately, from chroma column `x`, a multiple of 64.
    @inline(__always)
    func writePairs<Code: SampleCode>(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ b: Row, _ c: Row, _ round: Code
    ) {
        let isSwapped = layout.places.1 != 0
        let first = isSwapped ? c : b
        let second = isSwapped ? b : c
        let whole = count &- count % lanes
        var i = 0
        let row = kernel_row(frame, 1, y)!
        if layout.bytes_per_word == 1 {
            let to = row + 2 &* x
            while i < whole {
                cv_store_u16(to + 2 &* i, cv_or(round(first, i), cv_left(round(second, i), 8)))
                i &+= lanes
            }
            while i < count {
                storeWord(to, i, round.single(first, i, top) | round.single(second, i, top) &<< 8)
                i &+= 1
            }
            return
        }
        if Code.takesBigEndian && layout.is_big_endian != 0 {
            writePairs(BigEndian.self, row + 4 &* x, count, first, second, round)
        } else {
            writePairs(LittleEndian.self, row + 4 &* x, count, first, second, round)
        }
    }

    @inline(__always)
    private func writePairs<Order: ByteOrder, Code: SampleCode>(
        _ order: Order.Type, _ to: UnsafeMutablePointer<UInt8>, _ count: Int, _ first: Row, _ second: Row,
        _ round: Code
    ) {
        let whole = count &- count % lanes
        let shift = layout.shift
        var i = 0
        while i < whole {
            let low = cv_left(round(first, i), shift)
            cv_store_u32(to + 4 &* i, order.words(cv_or(low, cv_left(round(second, i), 16 &+ shift))))
            i &+= lanes
        }
        while i < count {
            let (a, b) = (round.single(first, i, top), round.single(second, i, top))
            storeWord(to, 2 &* i, order.word(a &<< UInt16(truncatingIfNeeded: shift)))
            storeWord(to, 2 &* i &+ 1, order.word(b &<< UInt16(truncatingIfNeeded: shift)))
            i &+= 1
        }
    }

    /// Writes chroma from its column `x`, a multiple of 64.
    @inline(__always)
    func writeChroma<Code: SampleCode>(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ chroma: (Row, Row), _ round: Code
    ) {
        if Int(layout.packing) == KernelPackingSemiplanar {
            writePairs(frame, y, x, count, chroma.0, chroma.1, round)
        } else {
            writePlane(layout.places.1, frame, y, x, count, chroma.0, round)
            writePlane(layout.places.2, frame, y, x, count, chroma.1, round)
        }
    }

    /// Writes chroma whose samples are floating-point numbers, from its column `x`, a multiple of 64.
    @inline(__always)
    func writeChroma(_ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ chroma: (Row, Row)) {
        if isInside && Int(layout.packing) == KernelPackingSemiplanar && layout.bytes_per_word == 1 {
            writePairs(frame, y, x, count, chroma.0, chroma.1, InsideRounding(row: pattern(y)))
        } else {
            writeChroma(frame, y, x, count, chroma, rounding(y))
        }
    }

    /// Writes all components of pixels from column `x` of row `y`.
    /// - Parameters:
    ///   - alpha: the codes of alpha or padding.
    ///   - code: the conversions of the first component, and of the others.
    @inline(__always)
    func writePixels<Code: SampleCode>(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ rows: Rows,
        _ alpha: UnsafeMutablePointer<UInt16>, _ code: (Code, Code)
    ) {
        let packing = Int(layout.packing)
        if packing == KernelPackingPlanar {
            writePlane(layout.places.0, frame, y, x, count, rows.a, code.0)
            writePlane(layout.places.1, frame, y, x, count, rows.b, code.1)
            writePlane(layout.places.2, frame, y, x, count, rows.c, code.1)
            if layout.alpha_place >= 0 { writeAlphaPlane(frame, y, x, count, alpha) }
        } else if packing == KernelPackingSemiplanar {
            writePlane(0, frame, y, x, count, rows.a, code.0)
            writePairs(frame, y, x, count, rows.b, rows.c, code.1)
        } else if packing == KernelPackingWord32 {
            writeWords(kernel_row(frame, 0, y) + 4 &* x, Word32.self, count, rows, alpha, code)
        } else if packing == KernelPackingWord64 {
            let to = kernel_row(frame, 0, y)! + 8 &* x
            if layout.is_float != 0 {
                writeWord64(to, (Halves(top), Halves(top)), count, rows, alpha)
            } else {
                writeWord64(to, code, count, rows, alpha)
            }
        } else {
            writeWords(kernel_row(frame, 0, y) + 3 &* x, Word24.self, count, rows, alpha, code)
        }
    }

    /// Writes three components to a word, and alpha where the word has room for it.
    @inline(__always)
    private func writeWords<Word: PixelWord, Code: SampleCode>(
        _ to: UnsafeMutablePointer<UInt8>, _ word: Word.Type, _ count: Int, _ rows: Rows,
        _ alpha: UnsafeMutablePointer<UInt16>, _ code: (Code, Code)
    ) {
        let (a, b, c) = layout.places
        let d = layout.alpha_place
        let whole = count &- count % lanes
        var i = 0
        while i < whole {
            var words = cv_or(cv_left(code.0(rows.a, i), a), cv_left(code.1(rows.b, i), b))
            words = cv_or(words, cv_left(code.1(rows.c, i), c))
            if word.bytes == 4 { words = cv_or(words, cv_left(cv_load_u16(alpha + i), d)) }
            word.store(to + word.bytes &* i, words)
            i &+= lanes
        }
        while i < count {
            var bits = UInt32(code.0.single(rows.a, i, top)) &<< UInt32(a)
            bits |= UInt32(code.1.single(rows.b, i, top)) &<< UInt32(b)
            bits |= UInt32(code.1.single(rows.c, i, top)) &<< UInt32(c)
            if word.bytes == 4 { bits |= UInt32(alpha[i]) &<< UInt32(d) }
            word.put(to + word.bytes &* i, bits)
            i &+= 1
        }
    }

    @inline(__always)
    private func writeWord64<Code: SampleCode>(
        _ to: UnsafeMutablePointer<UInt8>, _ code: (Code, Code), _ count: Int, _ rows: Rows,
        _ alpha: UnsafeMutablePointer<UInt16>
    ) {
        let isBigEndian = Code.takesBigEndian && layout.is_big_endian != 0
        @inline(__always) func ordered(_ words: cv_i) -> cv_i { isBigEndian ? BigEndian.words(words) : words }
        @inline(__always) func ordered(_ word: UInt16) -> UInt16 { isBigEndian ? BigEndian.word(word) : word }
        let (a, b, c) = layout.places
        let d = layout.alpha_place
        let whole = count &- count % lanes
        var i = 0
        while i < whole {
            let none = cv_splat_i(0)
            let codes = (code.0(rows.a, i), code.1(rows.b, i), code.1(rows.c, i), cv_load_u16(alpha + i))
            @inline(__always) func half(_ value: cv_i, _ place: Int32, _ isHigh: Bool) -> cv_i {
                (place >= 2) == isHigh ? cv_left(value, 16 &* (place & 1)) : none
            }
            let low = cv_or(
                cv_or(half(codes.0, a, false), half(codes.1, b, false)),
                cv_or(half(codes.2, c, false), half(codes.3, d, false)))
            let high = cv_or(
                cv_or(half(codes.0, a, true), half(codes.1, b, true)),
                cv_or(half(codes.2, c, true), half(codes.3, d, true)))
            cv_store_u32(to + 8 &* i, ordered(cv_low_i(low, high)))
            cv_store_u32(to + (8 &* i &+ 4 &* lanes), ordered(cv_high_i(low, high)))
            i &+= lanes
        }
        while i < count {
            storeWord(to, 4 &* i &+ Int(a), ordered(code.0.single(rows.a, i, top)))
            storeWord(to, 4 &* i &+ Int(b), ordered(code.1.single(rows.b, i, top)))
            storeWord(to, 4 &* i &+ Int(c), ordered(code.1.single(rows.c, i, top)))
            storeWord(to, 4 &* i &+ Int(d), ordered(alpha[i]))
            i &+= 1
        }
    }

    /// Writes alpha to a plane of its own.
    @inline(__always)
    func writeAlphaPlane(
        _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int, _ alpha: UnsafeMutablePointer<UInt16>
    ) {
        let row = kernel_row(frame, layout.alpha_place, y)!
        let whole = count &- count % lanes
        var i = 0
        if layout.bytes_per_word == 1 {
            while i < whole {
                cv_store_u8(row + (x &+ i), cv_load_u16(alpha + i))
                i &+= lanes
            }
            while i < count {
                row[x &+ i] = UInt8(truncatingIfNeeded: alpha[i])
                i &+= 1
            }
            return
        }
        while i < whole {
            cv_store_u16(row + 2 &* (x &+ i), cv_load_u16(alpha + i))
            i &+= lanes
        }
        while i < count {
            storeWord(row + 2 &* x, i, alpha[i])
            i &+= 1
        }
    }

    /// Converts samples to codes.
    @inline(__always)
    func round<Code: SampleCode>(
        _ from: Row, _ count: Int, _ to: UnsafeMutablePointer<UInt16>, _ round: Code
    ) {
        eachVector(count) { cv_store_u16(to + $0, round(from, $0)) }
    }
}
