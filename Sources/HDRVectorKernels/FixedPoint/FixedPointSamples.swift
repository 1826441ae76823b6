import CSIMD

/// Reads code values as 16-bit words, shifted to the left until their highest bit is the word's highest bit.
struct FixedPointReader {
    private let plan: UnsafePointer<FixedPointPlan>
    private let frame: UnsafePointer<KernelFrame>
    private let scratch: FixedPointScratch
    /// The number of bits that codes are shifted to the left by.
    private let left: Int32
    private let isSemiplanar: Bool

    @inline(__always) init(
        _ plan: UnsafePointer<FixedPointPlan>, _ frame: UnsafePointer<KernelFrame>, _ scratch: FixedPointScratch
    ) {
        self.plan = plan
        self.frame = frame
        self.scratch = scratch
        let layout = plan.pointee.source
        left = 16 &- layout.bits &- layout.shift
        isSemiplanar = Int(layout.packing) == KernelPackingSemiplanar
    }

    /// The luma of `count` pixels, filled up to a whole vector. It is read in the frame itself where nothing has to be
    /// shifted or filled.
    @inline(__always) func luma(_ y: Int, _ x: Int, _ count: Int) -> UnsafePointer<UInt16> {
        let row = kernel_row(frame, plan.pointee.source.places.0, y)! + 2 &* x
        if left == 0 && count % fixedPointLanes == 0 {
            return UnsafeRawPointer(row).assumingMemoryBound(to: UInt16.self)
        }
        copy(row, count, scratch.luma)
        fill(scratch.luma, count, step: 1)
        return UnsafePointer(scratch.luma)
    }

    /// Reads the chroma of `count` pixels from column `x` of row `y`, at luma's positions.
    @inline(__always) func readChroma(_ y: Int, _ x: Int, _ count: Int) {
        let layout = plan.pointee.source
        if layout.horizontal_shift == 0 {
            centre(layout.places.1, y, x, count, scratch.cb)
            centre(layout.places.2, y, x, count, scratch.cr)
        } else {
            let (near, far, weight) = rows(y)
            spread(plan, chroma(near, far, weight, x, count), count, scratch.cb, scratch.cr)
        }
        if count & 1 != 0 {
            // The last column of an odd width is its own neighbour.
            scratch.cb[count] = scratch.cb[count &- 1]
            scratch.cr[count] = scratch.cr[count &- 1]
        }
    }

    /// The rows of chroma that is cosited with even columns and a quarter of a row or not at all from luma; it is
    /// interpolated at luma's positions later. `nil` where chroma does not lie so.
    @inline(__always) func quarters(_ y: Int, _ x: Int, _ count: Int) -> FixedPointChroma? {
        if plan.pointee.source.horizontal_shift == 0 || plan.pointee.source_cosited_x == 0
            || plan.pointee.is_nearest != 0
        {
            return nil
        }
        let (near, far, weight) = rows(y)
        return weight == 0.5 ? nil : chroma(near, far, weight, x, count)
    }

    @inline(__always)
    private func chroma(_ near: Int, _ far: Int, _ weight: Float, _ x: Int, _ count: Int) -> FixedPointChroma {
        let layout = plan.pointee.source
        let total = (frame.pointee.width &+ 1) / 2
        let column = x / 2
        let end = column &+ (count &+ 1) / 2
        // Where chroma lies at even columns, none to the left is needed.
        let hasLeft = column > 0 || plan.pointee.source_cosited_x != 0
        if isSemiplanar && left == 0 && layout.places.1 == 0 && hasLeft && end < total && count % fixedPointLanes == 0 {
            @inline(__always) func start(_ row: Int) -> UnsafePointer<UInt16> {
                UnsafeRawPointer(kernel_row(frame, 1, row)! + 4 &* column).assumingMemoryBound(to: UInt16.self)
            }
            return FixedPointChroma(near: start(near), far: start(far), weight: weight)
        }
        gather(near, column, end, total, scratch.near)
        if weight != 0 { gather(far, column, end, total, scratch.far) }
        return FixedPointChroma(
            near: UnsafePointer(scratch.near), far: UnsafePointer(weight == 0 ? scratch.near : scratch.far),
            weight: weight)
    }

    /// The two rows of chroma nearest to luma row `y`, and the weight of the farther one.
    @inline(__always) private func rows(_ y: Int) -> (near: Int, far: Int, weight: Float) {
        if plan.pointee.source.vertical_shift == 0 { return (y, y, 0) }
        let last = larger(frame.pointee.chroma_rows, 1) &- 1
        let half = smaller(y &>> 1, last)
        if plan.pointee.is_nearest != 0 { return (half, half, 0) }
        let isOdd = y & 1 == 1
        if plan.pointee.source_cosited_y != 0 {
            let next = smaller(half &+ 1, last)
            return isOdd && next != half ? (half, next, 0.5) : (half, half, 0)
        }
        let other = isOdd ? smaller(half &+ 1, last) : larger(half &- 1, 0)
        return other != half ? (half, other, 0.25) : (half, half, 0)
    }

    /// Copies words, shifted to the left.
    @inline(never)
    private func copy(_ from: UnsafePointer<UInt8>, _ count: Int, _ to: FixedPointRow) {
        var i = 0
        while i &+ fixedPointLanes <= count {
            cv_store_w(to + i, cv_left_w(cv_load_w(from + 2 &* i), left))
            i &+= fixedPointLanes
        }
        while i < count {
            to[i] = cv_get16(from + 2 &* i) &<< UInt16(truncatingIfNeeded: left)
            i &+= 1
        }
    }

    /// Repeats the last `step` words up to the end of a vector and of one more.
    @inline(__always) private func fill(_ row: FixedPointRow, _ count: Int, step: Int) {
        let end = (count &+ fixedPointLanes &- 1) / fixedPointLanes &* fixedPointLanes &+ fixedPointLanes
        var i = count
        while i < end {
            row[i] = row[i &- step]
            i &+= 1
        }
    }

    /// Centres chroma that is not subsampled horizontally on 0.
    @inline(__always) private func centre(_ plane: Int32, _ y: Int, _ x: Int, _ count: Int, _ out: FixedPointRow) {
        copy(kernel_row(frame, plane, y) + 2 &* x, count, out)
        fill(out, count, step: 1)
        var i = 0
        while i < count {
            cv_store_w(out + i, cv_centre(cv_load_w(out + i)))
            i &+= fixedPointLanes
        }
    }

    /// Reads chroma columns `[first, end)` of a row, with Cb and Cr alternating, and one more column on each side,
    /// which repeats the last one at the picture's edges.
    @inline(never)
    private func gather(_ y: Int, _ first: Int, _ end: Int, _ total: Int, _ out: FixedPointRow) {
        let layout = plan.pointee.source
        let start = larger(first &- 1, 0)
        let count = smaller(end &+ 1, total) &- start
        let to = out + 2 &* (start &- first)
        let bits = UInt16(truncatingIfNeeded: left)
        if isSemiplanar {
            let (cb, cr) = (Int(layout.places.1), Int(layout.places.2))
            if cb == 0 {
                copy(kernel_row(frame, 1, y) + 4 &* start, 2 &* count, to)
            } else {
                let from = kernel_row(frame, 1, y)! + 4 &* start
                for i in 0..<count {
                    to[2 &* i] = word(from, 2 &* i &+ cb) &<< bits
                    to[2 &* i &+ 1] = word(from, 2 &* i &+ cr) &<< bits
                }
            }
        } else {
            let cb = kernel_row(frame, layout.places.1, y)! + 2 &* start
            let cr = kernel_row(frame, layout.places.2, y)! + 2 &* start
            var i = 0
            while i &+ 16 <= count {
                cv_store_w(to + 2 &* i, cv_left_w(cv_interleave(cb + 2 &* i, cr + 2 &* i), left))
                i &+= 16
            }
            while i < count {
                to[2 &* i] = word(cb, i) &<< bits
                to[2 &* i &+ 1] = word(cr, i) &<< bits
                i &+= 1
            }
        }
        if first == 0 {
            out[-2] = out[0]
            out[-1] = out[1]
        }
        fill(out, 2 &* (start &+ count &- first), step: 2)
    }
}

/// Rounds words to code values and writes them.
struct FixedPointWriter {
    private let plan: UnsafePointer<FixedPointPlan>
    private let frame: UnsafePointer<KernelFrame>
    private let scratch: FixedPointScratch
    private let layout: KernelLayout
    /// The number of bits in a word below its code: as the code is computed, and as it is written.
    private let below: Int32
    private let left: Int32

    @inline(__always) init(
        _ plan: UnsafePointer<FixedPointPlan>, _ frame: UnsafePointer<KernelFrame>, _ scratch: FixedPointScratch
    ) {
        self.plan = plan
        self.frame = frame
        self.scratch = scratch
        layout = plan.pointee.target
        below = 16 &- layout.bits
        left = layout.shift
    }

    private var isSemiplanar: Bool { Int(layout.packing) == KernelPackingSemiplanar }
    @inline(__always) private func biasRow(_ y: Int) -> Int { y & (Int(plan.pointee.bias_rows) &- 1) }

    @inline(__always) func writeLuma(_ y: Int, _ x: Int, _ count: Int) {
        write(scratch.outLuma, plan.pointee.luma_bias! + 64 &* biasRow(y), columns: 64, layout.places.0, y, x, count)
    }

    /// Writes chroma that is not halved.
    @inline(__always) func writeChroma(_ y: Int, _ x: Int, _ count: Int) {
        let bias = plan.pointee.chroma_bias! + 64 &* biasRow(y)
        let scale = plan.pointee.chroma_scale
        scaleRow(scratch.blue, scale.0, count)
        write(scratch.blue, bias, columns: 64, layout.places.1, y, x, count)
        scaleRow(scratch.red, scale.1, count)
        write(scratch.red, bias, columns: 64, layout.places.2, y, x, count)
    }

    /// Writes halved chroma, two words for each of `count` columns from column `x`.
    @inline(__always) func writeHalved(_ y: Int, _ x: Int, _ count: Int, _ pairs: FixedPointRow) {
        let bias = plan.pointee.pair_bias! + 128 &* biasRow(y)
        if isSemiplanar {
            if layout.places.1 != 0 { swapPairs(pairs, 2 &* count) }
            write(pairs, bias, columns: 128, 1, y, 2 &* x, 2 &* count)
        } else {
            writePlanes(pairs, bias, y, x, count)
        }
    }

    @inline(never)
    private func scaleRow(_ row: FixedPointRow, _ scale: Int16, _ count: Int) {
        let factor = cv_splat_w(scale)
        var i = 0
        while i < count {
            let half = cv_part(cv_load_w(row + i), factor)
            cv_store_w(row + i, cv_add_w(half, half))
            i &+= fixedPointLanes
        }
    }

    /// Adds `bias`, which consists of the code's offset, half a code for rounding, and this row's dither, and shifts
    /// the sums down to codes.
    @inline(__always) private func codes(_ words: FixedPointRow, _ bias: W) -> W {
        cv_left_w(cv_right_w(cv_add_w(cv_load_w(words), bias), below), left)
    }

    /// - Parameters:
    ///   - columns: the number of words in a row of `bias`, a power of 2.
    ///   - x: the index of the first of `count` words in their row, a multiple of `columns`.
    @inline(never)
    private func write(
        _ words: FixedPointRow, _ bias: UnsafePointer<UInt16>, columns: Int, _ plane: Int32, _ y: Int, _ x: Int,
        _ count: Int
    ) {
        @inline(__always) func codes(_ i: Int) -> W {
            self.codes(words + i, cv_load_w(bias + (i & (columns &- 1))))
        }
        let bytes = Int(layout.bytes_per_word)
        let to = kernel_row(frame, plane, y)! + bytes &* x
        let whole = count &- count % fixedPointLanes
        var i = 0
        if bytes == 1 {
            while i < whole {
                cv_store_bytes(to + i, codes(i), 32)
                i &+= fixedPointLanes
            }
            if i < count { cv_store_bytes(to + i, codes(i), count &- i) }
        } else {
            while i < whole {
                cv_store_w(to + 2 &* i, codes(i))
                i &+= fixedPointLanes
            }
            if i < count { cv_store_words(to + 2 &* i, codes(i), count &- i) }
        }
    }

    @inline(never)
    private func writePlanes(_ pairs: FixedPointRow, _ bias: UnsafePointer<UInt16>, _ y: Int, _ x: Int, _ count: Int) {
        let bytes = Int(layout.bytes_per_word)
        let cb = kernel_row(frame, layout.places.1, y)! + bytes &* x
        let cr = kernel_row(frame, layout.places.2, y)! + bytes &* x
        var i = 0
        while i < count {
            let pair = codes(pairs + 2 &* i, cv_load_w(bias + (2 &* i & 127)))
            let rest = smaller(count &- i, 16)
            if bytes == 1 {
                cv_store_lower_bytes(cb + i, pair, rest)
                cv_store_lower_bytes(cr + i, cv_to_lower(pair), rest)
            } else {
                cv_store_lower_words(cb + 2 &* i, pair, rest)
                cv_store_lower_words(cr + 2 &* i, cv_to_lower(pair), rest)
            }
            i &+= 16
        }
    }
}
