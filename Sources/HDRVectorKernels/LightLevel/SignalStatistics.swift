import CSIMD

// The statistics of a signal that grows with light, as PQ does. The largest component's signal decides a pixel's bin.
// Bins are so narrow that light is nearly proportional to the signal in each, so that the mean signal of a bin's pixels
// gives their light. Components are decoded only where a colour may lie outside a gamut.

extension LightSlice {
    /// Adds rows `[first, end)` to the sum, the maximum, the histogram and the counts of pixels outside the gamuts.
    @inline(never)
    func findSignalStatistics(_ first: Int, _ end: Int) {
        if !isPaired {
            if picture.pointee.color.source_is_rgb != 0 {
                findInRows(PeakOfRGB.self, first, end)
            } else {
                findInRows(PeakOfYCbCr.self, first, end)
            }
        } else if picture.pointee.nearest != 0 {
            findInPairs(N2.self, first, end)
        } else if picture.pointee.source_cosited_x != 0 {
            findInPairs(N1.self, first, end)
        } else {
            findInPairs(N0.self, first, end)
        }
    }

    /// Measures pixels in the picture's order.
    @inline(never)
    private func findInRows<P: Components>(_ type: P.Type, _ first: Int, _ end: Int) {
        let components = P(plan, scratch)
        let inside = InsideTest(plan)
        var largest = LargestSignals(plan, scratch.chunk(0).m)
        eachChunk(first, end) { y, x, count, start in
            InColumns.read(picture, reader, frame, y, x, count, scratch, scratch.chunk(count).rows)
            var suspects = Suspects(scratch)
            var i = start
            while i < count {
                let p = components.pixels(i)
                suspects.add(count &- i < lanes ? inside.first(p, count &- i) : p, inside, &largest, i)
                i &+= lanes
            }
            countOutside(suspects)
            countSignals(largest.words, start, count)
        }
        largest.keep(light)
    }

    /// Measures pixels whose chroma is halved horizontally, with even columns apart from odd ones.
    @inline(never)
    private func findInPairs<Siting: Constant>(_ siting: Siting.Type, _ first: Int, _ end: Int) {
        let inside = InsideTest(plan)
        var largest = LargestSignals(plan, scratch.pixels.1)
        eachChunk(first, end) { y, x, count, _ in
            let odd = InPairs.odd(count)
            reader.readLuma(frame, y, x, count, even: scratch.pixels.0, odd: scratch.pixels.0 + odd)
            let (b, c) = scratch.near
            readWithNeighbours(picture, reader, frame, y, x, count, b, c)
            let components = PeaksOfPairs<Siting>(plan, scratch, odd)
            var suspects = Suspects(scratch)
            // The last column of an odd width is repeated and counts once.
            let (length, oddLength) = ((count &+ 1) / 2, count / 2)
            var i = 0
            while i &+ lanes <= oddLength {
                let (even, next) = components.pixels(i)
                suspects.add(even, next, inside, &largest, i, odd &+ i)
                i &+= lanes
            }
            if i < length {
                let (even, next) = components.pixels(i)
                suspects.add(
                    inside.first(even, length &- i), inside.first(next, oddLength &- i), inside, &largest, i,
                    odd &+ i)
            }
            countOutside(suspects)
            countSignals(largest.words, 0, length)
            countSignals(largest.words, odd, odd &+ oddLength)
        }
        largest.keep(light)
    }

    // MARK: Steps

    /// Counts the words of pixels `[start, end)` in their bins, in turns in four histograms: in flat areas of a picture
    /// a single one would have to read back the same number right after it was written, and wait.
    @inline(never)
    private func countSignals(_ words: UnsafeMutablePointer<UInt32>, _ start: Int, _ end: Int) {
        guard let first = light.pointee.signals else { return }
        let bins = Int(plan.pointee.bins)
        let (second, third, fourth) = (first + bins, first + 2 &* bins, first + 3 &* bins)
        @inline(__always) func add(_ word: UInt32, _ histogram: UnsafeMutablePointer<UInt64>) {
            let bin = Int(word &>> UInt32(KernelPartBits)) &- Int(KERNEL_ONE_PIXEL &>> UInt32(KernelPartBits))
            histogram[bin] &+= UInt64(word)
        }
        var i = start
        while i &+ 3 < end {
            add(words[i], first)
            add(words[i &+ 1], second)
            add(words[i &+ 2], third)
            add(words[i &+ 3], fourth)
            i &+= 4
        }
        while i < end {
            add(words[i], first)
            i &+= 1
        }
    }

    /// Counts the pixels that lie outside a gamut among those that may.
    @inline(never)
    private func countOutside(_ suspects: Suspects) {
        if suspects.count == 0 { return }
        becomeLight(suspects.rows.a, suspects.count)
        becomeLight(suspects.rows.b, suspects.count)
        becomeLight(suspects.rows.c, suspects.count)
        light.pointee.outside &+= countOutside(plan.pointee.gamut, suspects)
        if plan.pointee.has_wider != 0 {
            light.pointee.outside_wider &+= countOutside(plan.pointee.wider_gamut, suspects)
        }
    }

    @inline(never)
    private func becomeLight(_ row: Row, _ count: Int) {
        let curve = RootOfLight(plan)
        var i = 0
        while i < count {
            cv_store(row + i, curve(cv_load(row + i)))
            i &+= lanes
        }
    }

    /// - Parameter suspects: the pixels that may lie outside, in light.
    @inline(never)
    private func countOutside(_ matrix: KernelMatrix, _ suspects: Suspects) -> UInt32 {
        let gamut = Matrix(matrix)
        let (ratio, floor) = (cv_splat(plan.pointee.outside_ratio), cv_splat(plan.pointee.outside_floor))
        let (none, one) = (cv_splat(0), cv_splat(1))
        let rows = suspects.rows
        var outside = none
        var i = 0
        while i < suspects.count {
            let color = Pixels(rows, i)
            let p = gamut.linear(color)
            let limit = cv_fma(color.maximum, ratio, floor)
            outside += cv_above(limit, cv_min(p.a, cv_min(p.b, p.c)), one, none)
            i &+= lanes
        }
        return UInt32(cv_total(cv_halves_sum(outside)))
    }
}

/// The signals of the largest components of pixels, as words that are added to bins.
private struct LargestSignals {
    /// The words of a chunk.
    let words: UnsafeMutablePointer<UInt32>
    private let scale: V, top: V
    private var maximum: V

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>, _ row: Row) {
        words = UnsafeMutableRawPointer(row).assumingMemoryBound(to: UInt32.self)
        scale = cv_splat(plan.pointee.part_scale)
        top = cv_splat(Float(Int(plan.pointee.bins) &* KernelPartsOfBin &- 1))
        maximum = cv_splat(0)
    }

    /// - Parameter position: the positions of the largest components.
    @inline(__always) mutating func store(_ position: V, _ i: Int) {
        maximum = cv_max(position, maximum)
        let part = cv_truncate(cv_limit(cv_fma(position, scale, cv_splat(0.5)), cv_splat(0), top))
        cv_store_u32(words + i, cv_or(part, cv_splat_i(Int32(bitPattern: KERNEL_ONE_PIXEL))))
    }

    /// Adds the highest position to the results.
    @inline(__always) func keep(_ light: UnsafeMutablePointer<KernelLight>) {
        let largest = cv_largest(maximum)
        if largest > light.pointee.maximum { light.pointee.maximum = largest }
    }
}

/// Tells from their signals which pixels certainly lie inside both gamuts: those with no component far below the
/// largest one.
private struct InsideTest {
    private let weights: Weights
    private let dark: (rise: V, base: V), bright: (rise: V, base: V)

    @inline(__always) init(_ plan: UnsafePointer<KernelLightPlan>) {
        weights = Weights(plan.pointee.inside_weights)
        let lines = plan.pointee.inside_lines
        dark = (cv_splat(lines.0), cv_splat(lines.1))
        bright = (cv_splat(lines.2), cv_splat(lines.3))
    }

    /// How far a pixel is beyond the region that certainly lies inside: it may lie outside a gamut where this is above
    /// 0.
    @inline(__always) func excess(_ p: Pixels, _ largest: V) -> V {
        let distance = cv_max(
            (largest - p.a) * weights.a, cv_max((largest - p.b) * weights.b, (largest - p.c) * weights.c))
        return distance - cv_min(cv_fma(largest, dark.rise, dark.base), cv_fma(largest, bright.rise, bright.base))
    }

    /// Keeps the first pixels of a vector; the others become black.
    @inline(__always) func first(_ p: Pixels, _ count: Int) -> Pixels {
        let count = Int32(truncatingIfNeeded: larger(count, 0))
        return p.map { cv_first($0, count, cv_splat(0)) }
    }
}

/// Pixels that may lie outside a gamut, gathered from a chunk as whole vectors. Each vector is written, and those that
/// are not kept are overwritten by the next one, since a branch would often be mispredicted.
private struct Suspects {
    let rows: Rows
    private(set) var count = 0

    @inline(__always) init(_ scratch: Scratch) {
        rows = Rows(scratch.upper.0, scratch.upper.1, scratch.lower.0)
    }

    /// Stores the signals of the largest components of a vector of pixels, and keeps the pixels where one of them is
    /// suspect.
    @inline(__always)
    mutating func add(_ p: Pixels, _ inside: InsideTest, _ signals: inout LargestSignals, _ i: Int) {
        let largest = p.maximum
        signals.store(largest, i)
        p.store(rows, count)
        count &+= cv_any_above(inside.excess(p, largest), cv_splat(0)) != 0 ? lanes : 0
    }

    /// Does so for two vectors.
    @inline(__always)
    mutating func add(
        _ p: Pixels, _ q: Pixels, _ inside: InsideTest, _ signals: inout LargestSignals, _ i: Int, _ j: Int
    ) {
        let (largest, other) = (p.maximum, q.maximum)
        signals.store(largest, i)
        signals.store(other, j)
        p.store(rows, count)
        q.store(rows, count &+ lanes)
        let excess = cv_max(inside.excess(p, largest), inside.excess(q, other))
        count &+= cv_any_above(excess, cv_splat(0)) != 0 ? 2 &* lanes : 0
    }
}
