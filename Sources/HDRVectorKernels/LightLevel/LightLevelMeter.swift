import CSIMD

/// Measures the light of rows `[first, end)` of a picture, in the plan's columns, and adds it to the results.
@inline(never)
func measureLight(
    _ plan: UnsafePointer<KernelLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ first: Int, _ end: Int,
    _ memory: UnsafeMutableRawPointer, _ light: UnsafeMutablePointer<KernelLight>
) {
    let slice = LightSlice(plan, frame, Scratch(memory), light)
    if Int(plan.pointee.finds_statistics) == KernelStatisticsOfSignal {
        slice.findSignalStatistics(first, end)
    } else if Int(plan.pointee.finds_statistics) == KernelStatisticsOfLight {
        if slice.isPaired {
            slice.findStatistics(InPairs.self, first, end)
        } else {
            slice.findStatistics(InColumns.self, first, end)
        }
    } else if plan.pointee.mixes_colors != 0 {
        if slice.isPaired {
            slice.measureColors(InPairs.self, first, end)
        } else {
            slice.measureColors(InColumns.self, first, end)
        }
    } else if slice.isPaired {
        slice.measurePairs(first, end)
    } else {
        slice.measureRows(first, end)
    }
}

/// The rows of a picture that one thread measures.
struct LightSlice {
    let plan: UnsafePointer<KernelLightPlan>
    let picture: UnsafePointer<KernelPlan>
    let frame: UnsafePointer<KernelFrame>
    let scratch: Scratch
    let light: UnsafeMutablePointer<KernelLight>
    let reader: Reader

    @inline(__always) init(
        _ plan: UnsafePointer<KernelLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ scratch: Scratch,
        _ light: UnsafeMutablePointer<KernelLight>
    ) {
        self.plan = plan
        self.frame = frame
        self.scratch = scratch
        self.light = light
        picture = kernel_picture(plan)
        reader = Reader(layout: plan.pointee.picture.source)
    }

    /// Whether chroma is halved horizontally and luma lies in a plane.
    @inline(__always) var isPaired: Bool {
        reader.layout.horizontal_shift != 0 && Int(reader.layout.packing) != KernelPackingV210
    }

    // MARK: Rows

    /// Calls `body` for each chunk of each row.
    /// - Parameter body: its parameter `start` is the first of `count` pixels that counts.
    @inline(__always)
    func eachChunk(_ first: Int, _ end: Int, _ body: (_ y: Int, _ x: Int, _ count: Int, _ start: Int) -> Void) {
        let (left, right) = (plan.pointee.left, plan.pointee.right)
        // Groups of v210 can only be read whole.
        let skipped = Int(reader.layout.packing) == KernelPackingV210 ? left % 6 : 0
        var y = first
        while y < end {
            var x = left &- skipped
            var start = skipped
            while x < right {
                reader.prefetch(frame, y, x &+ chunkLength)
                body(y, x, smaller(right &- x, chunkLength), start)
                start = 0
                x &+= chunkLength
            }
            y &+= 1
        }
    }

    /// Measures signals in the picture's order.
    @inline(never)
    func measureRows(_ first: Int, _ end: Int) {
        eachChunk(first, end) { y, x, count, start in
            let chunk = scratch.chunk(count)
            InColumns.read(picture, reader, frame, y, x, count, scratch, chunk.rows)
            if picture.pointee.color.source_is_rgb != 0 {
                sumRow(PeakOfRGB.self, start, count)
            } else {
                sumRow(PeakOfYCbCr.self, start, count)
            }
        }
    }

    /// Measures signals whose chroma is halved horizontally, with even columns apart from odd ones.
    @inline(never)
    func measurePairs(_ first: Int, _ end: Int) {
        let isCosited = picture.pointee.source_cosited_x != 0
        eachChunk(first, end) { y, x, count, _ in
            reader.readLuma(frame, y, x, count, even: scratch.pixels.0, odd: scratch.pixels.0 + InPairs.odd(count))
            readChroma(y, x, count)
            if isCosited { sumPairs(N1.self, count) } else { sumPairs(N0.self, count) }
        }
    }

    /// Measures signals whose light depends on all components.
    @inline(never)
    func measureColors<Order: PixelOrder>(_ order: Order.Type, _ first: Int, _ end: Int) {
        eachChunk(first, end) { y, x, count, start in
            let chunk = scratch.chunk(order.length(count))
            order.read(picture, reader, frame, y, x, count, scratch, chunk.rows)
            decode(kernel_color(picture)!, chunk)
            if order.length(count) == count {
                sumRow(LightInMemory.self, SameLight.self, start, count)
            } else {
                // The last column of an odd width is repeated and counts once.
                let odd = InPairs.odd(count)
                sumRow(LightInMemory.self, SameLight.self, 0, (count &+ 1) / 2)
                sumRow(LightInMemory.self, SameLight.self, odd, odd &+ count / 2)
            }
        }
    }

    /// Reads Cb and Cr at the height of a row, with one more sample on each side.
    @inline(__always) private func readChroma(_ y: Int, _ x: Int, _ count: Int) {
        let (b, c) = scratch.near
        readWithNeighbours(picture, reader, frame, y, x, count, b, c)
    }

    // MARK: Sums

    @inline(__always) private func sumRow<P: Peak>(_ peak: P.Type, _ start: Int, _ end: Int) {
        #if HDR_REGISTER_TABLES
            if Int(plan.pointee.curve.kind) == KernelCurveCells {
                sumRow(peak, LightCells.self, start, end)
                return
            }
        #endif
        sumRow(peak, LightTable.self, start, end)
    }

    @inline(__always) private func sumPairs<Siting: Constant>(_ isCosited: Siting.Type, _ count: Int) {
        #if HDR_REGISTER_TABLES
            if Int(plan.pointee.curve.kind) == KernelCurveCells {
                sumPairs(isCosited, LightCells.self, count)
                return
            }
        #endif
        sumPairs(isCosited, LightTable.self, count)
    }

    /// Adds samples `[start, end)` of a row.
    @inline(never)
    private func sumRow<P: Peak, Curve: LightFunction>(_ type: P.Type, _ function: Curve.Type, _ start: Int, _ end: Int)
    {
        let peak = P(plan, scratch)
        let curve = Curve(kernel_light_curve(plan)!)
        let lowest = cv_splat(plan.pointee.curve.low)
        var found = Found(lowest)
        var i = start
        let group = 5 &* lanes
        while i &+ group <= end {
            let next = i &+ group
            while i < next {
                let position = peak(i)
                found.add(position, curve(position))
                i &+= lanes
            }
            found.flush()
        }
        while i < end {
            let position = cv_first(peak(i), Int32(truncatingIfNeeded: end &- i), lowest)
            found.add(position, curve(position))
            found.flush()
            i &+= lanes
        }
        found.store(light)
        guard light.pointee.counts != nil else { return }
        i = start
        while i < end {
            cv_store(scratch.near.0 + i, peak(i))
            i &+= lanes
        }
        count(scratch.near.0, start, end)
    }

    /// Adds `count` pixels in pairs.
    @inline(never)
    private func sumPairs<Siting: Constant, Curve: LightFunction>(
        _ isCosited: Siting.Type, _ function: Curve.Type, _ count: Int
    ) {
        let odd = InPairs.odd(count)
        let peak = PeaksOfPairs<Siting>(plan, scratch, odd)
        let curve = Curve(kernel_light_curve(plan)!)
        let lowest = cv_splat(plan.pointee.curve.low)
        var found = Found(lowest)
        let length = (count &+ 1) / 2
        var i = 0
        let group = 3 &* lanes
        while i &+ group <= count / 2 {
            let next = i &+ group
            while i < next {
                let (first, second) = peak(i)
                found.add(first, curve(first))
                found.add(second, curve(second))
                i &+= lanes
            }
            found.flush()
        }
        while i < length {
            let (first, second) = peak(i)
            let even = cv_first(first, Int32(truncatingIfNeeded: length &- i), lowest)
            let odd = cv_first(second, Int32(truncatingIfNeeded: count / 2 &- i), lowest)
            found.add(even, curve(even))
            found.add(odd, curve(odd))
            found.flush()
            i &+= lanes
        }
        found.store(light)
        guard light.pointee.counts != nil else { return }
        i = 0
        let positions = scratch.pixels.1
        while i < length {
            let (first, second) = peak(i)
            cv_store(positions + i, first)
            cv_store(positions + (odd &+ i), second)
            i &+= lanes
        }
        self.count(positions, 0, length)
        self.count(positions, odd, odd &+ count / 2)
    }

    /// Counts positions in bins, alternately in two or four histograms: in flat areas of a picture a single histogram
    /// would have to read back the same number right after it was written, and wait.
    @inline(never)
    func count(_ positions: Row, _ start: Int, _ end: Int) {
        let (scale, offset) = (cv_splat(plan.pointee.bin_scale), cv_splat(plan.pointee.bin_offset))
        let top = cv_splat(plan.pointee.top_bin)
        let indices = UnsafeMutableRawPointer(positions).assumingMemoryBound(to: UInt32.self)
        var i = start
        while i < end {
            let bin = cv_limit(cv_fma(cv_load(positions + i), scale, offset), cv_splat(0), top)
            cv_store_u32(indices + i, cv_truncate(bin))
            i &+= lanes
        }
        countBins(positions, start, end)
    }

    /// Counts integers in place of positions.
    @inline(never)
    func countBins(_ bins: Row, _ start: Int, _ end: Int) {
        let indices = UnsafeMutableRawPointer(bins).assumingMemoryBound(to: UInt32.self)
        let first = light.pointee.counts!
        let second = first + Int(plan.pointee.bins)
        var i = start
        if plan.pointee.histograms == 4 {
            let (third, fourth) = (second + Int(plan.pointee.bins), second + 2 &* Int(plan.pointee.bins))
            while i &+ 3 < end {
                first[Int(indices[i])] &+= 1
                second[Int(indices[i &+ 1])] &+= 1
                third[Int(indices[i &+ 2])] &+= 1
                fourth[Int(indices[i &+ 3])] &+= 1
                i &+= 4
            }
        }
        while i &+ 1 < end {
            first[Int(indices[i])] &+= 1
            second[Int(indices[i &+ 1])] &+= 1
            i &+= 2
        }
        if i < end { first[Int(indices[i])] &+= 1 }
    }
}

/// The sum and the maximum of a run of samples. Samples beyond its end count as the lowest position, whose light is 0.
struct Found {
    private var maximum: V
    /// The sum of a few vectors in single precision. It would lose digits over more of them, so that it is added to a
    /// sum in double precision.
    private var sum: V
    private var total: cv_d

    @inline(__always) init(_ lowest: V) {
        maximum = lowest
        sum = cv_splat(0)
        total = cv_splat_d(0)
    }

    @inline(__always) mutating func add(_ position: V, _ light: V) {
        maximum = cv_max(position, maximum)
        sum += light
    }

    @inline(__always) mutating func flush() {
        total += cv_halves_sum(sum)
        sum = cv_splat(0)
    }

    @inline(__always) func store(_ light: UnsafeMutablePointer<KernelLight>) {
        light.pointee.sum += cv_total(total)
        let largest = cv_largest(maximum)
        if largest > light.pointee.maximum { light.pointee.maximum = largest }
    }
}
