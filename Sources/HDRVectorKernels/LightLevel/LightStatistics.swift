import CSIMD

// The statistics of a picture that tone curves use: the distribution of its light, and how much of it lies outside a
// gamut.

extension LightSlice {
    /// Adds rows `[first, end)` to the sum, the maximum, the histogram of PQ signals and the count of pixels outside
    /// the gamut.
    @inline(never)
    func findStatistics<Order: PixelOrder>(_ order: Order.Type, _ first: Int, _ end: Int) {
        eachChunk(first, end) { y, x, count, start in
            let chunk = scratch.chunk(order.length(count))
            order.read(picture, reader, frame, y, x, count, scratch, chunk.rows)
            decode(kernel_color(picture)!, chunk, frame.pointee.reshaping)
            if plan.pointee.has_own_signal != 0 {
                findOwnSignal(chunk)
            } else {
                evaluate(kernel_light_signal(plan), chunk.m, chunk.n, chunk.count)
            }
            if chunk.count == count {
                add(chunk, start, count)
            } else {
                // The last column of an odd width is repeated and counts once.
                let odd = InPairs.odd(count)
                add(chunk, 0, (count &+ 1) / 2)
                add(chunk, odd, odd &+ count / 2)
            }
        }
    }

    /// Adds `count` pixels of linear light in rows, at most a chunk, to the same statistics. The rows stay as they are.
    @inline(never)
    func findStatistics(_ light: KernelLightRows, _ count: Int) {
        let chunk = scratch.chunk(count)
        let rows = Rows(light.red, light.green, light.blue)
        let matrix = Matrix(plan.pointee.from_rows)
        let (zero, top) = (cv_splat(0), cv_splat(plan.pointee.top_light))
        eachVector(count) { i in
            let p = matrix.linear(Pixels(rows, i).map(cv_number))
            let inside = p.map { cv_limit($0, zero - top, top) }
            inside.store(chunk.rows, i)
            cv_store(chunk.m + i, cv_max(inside.maximum, zero))
        }
        evaluate(kernel_light_signal(plan), chunk.m, chunk.n, count)
        add(chunk, 0, count)
    }

    /// Finds the largest signal, which the picture's colour conversion has measured, and the largest light.
    @inline(never)
    private func findOwnSignal(_ chunk: Chunk) {
        let (scale, offset) = (cv_splat(plan.pointee.own_scale), cv_splat(plan.pointee.own_offset))
        let (zero, one) = (cv_splat(0), cv_splat(1))
        eachVector(chunk.count) { i in
            cv_store(chunk.n + i, cv_limit(cv_fma(cv_load(chunk.m + i), scale, offset), zero, one))
            cv_store(chunk.m + i, Pixels(chunk.rows, i).maximum)
        }
    }

    /// Adds pixels `[start, end)` of a chunk whose largest component is in `m`, and the signal of that in `n`.
    @inline(never)
    private func add(_ chunk: Chunk, _ start: Int, _ end: Int) {
        let gamut = Matrix(plan.pointee.gamut)
        let wider = Matrix(plan.pointee.wider_gamut)
        let hasWider = plan.pointee.has_wider != 0
        let insideShare = cv_splat(plan.pointee.inside_share)
        let (ratio, floor) = (cv_splat(plan.pointee.outside_ratio), cv_splat(plan.pointee.outside_floor))
        let (none, one) = (cv_splat(0), cv_splat(1))
        var found = Found(none)
        var (outside, outsideWider) = (none, none)
        var i = start
        while i < end {
            let left = Int32(truncatingIfNeeded: end &- i)
            let largest = cv_first(cv_load(chunk.m + i), left, none)
            found.add(largest, largest)
            if i / lanes & 3 == 3 { found.flush() }
            let color = Pixels(chunk.rows, i)
            defer { i &+= lanes }
            // Most pictures have few colours that come near to the edge of a gamut.
            if cv_any_above(largest * insideShare, cv_min(color.a, cv_min(color.b, color.c))) == 0 { continue }
            let p = gamut.linear(color)
            let least = cv_min(p.a, cv_min(p.b, p.c))
            let limit = cv_fma(largest, ratio, floor)
            outside += cv_first(cv_above(limit, least, one, none), left, none)
            if hasWider {
                let q = wider.linear(color)
                let least = cv_min(q.a, cv_min(q.b, q.c))
                outsideWider += cv_first(cv_above(limit, least, one, none), left, none)
            }
        }
        found.flush()
        found.store(light)
        light.pointee.outside &+= UInt32(cv_total(cv_halves_sum(outside)))
        light.pointee.outside_wider &+= UInt32(cv_total(cv_halves_sum(outsideWider)))
        if light.pointee.counts != nil { self.count(chunk.n, start, end) }
    }
}

/// Adds the light of pixels in rows to the sum, the maximum, the histogram and the count of pixels outside the gamut.
@inline(never)
func measureLightRows(
    _ plan: UnsafePointer<KernelLightPlan>, _ rows: KernelLightRows, _ count: Int, _ memory: UnsafeMutableRawPointer,
    _ light: UnsafeMutablePointer<KernelLight>
) {
    LightSlice(plan, kernel_no_frame()!, Scratch(memory), light).findStatistics(rows, count)
}
