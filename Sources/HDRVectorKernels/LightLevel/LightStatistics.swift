import CSIMD

// What a tone curve wants to know of a picture: how its light is distributed, and how much of it lies outside a gamut.

extension LightSlice {
    /// Adds rows `[first, end)` to the sum, the maximum, the histogram of PQ signals and the pixels outside the gamut.
    @inline(never)
    func findStatistics<Order: PixelOrder>(_ order: Order.Type, _ first: Int, _ end: Int) {
        eachChunk(first, end) { y, x, count, start in
            let chunk = scratch.chunk(order.length(count))
            order.read(picture, reader, frame, y, x, count, scratch, chunk.rows)
            decode(kernel_color(picture)!, chunk)
            evaluate(kernel_light_signal(plan), chunk.m, chunk.n, chunk.count)
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

    /// Pixels `[start, end)` of a chunk whose largest component is in `m`, and its signal in `n`.
    @inline(never)
    private func add(_ chunk: Chunk, _ start: Int, _ end: Int) {
        let gamut = Matrix(plan.pointee.gamut)
        let (ratio, floor) = (cv_splat(plan.pointee.outside_ratio), cv_splat(plan.pointee.outside_floor))
        let (none, one) = (cv_splat(0), cv_splat(1))
        var found = Found(none)
        var outside = none
        var i = start
        while i < end {
            let left = Int32(truncatingIfNeeded: end &- i)
            let largest = cv_first(cv_load(chunk.m + i), left, none)
            found.add(largest, largest)
            found.flush()
            let p = gamut.linear(Pixels(chunk.rows, i))
            let least = cv_min(p.a, cv_min(p.b, p.c))
            let limit = cv_fma(largest, ratio, floor)
            outside += cv_first(cv_above(limit, least, one, none), left, none)
            i &+= lanes
        }
        found.store(light)
        light.pointee.outside &+= UInt32(cv_total(cv_halves_sum(outside)))
        if light.pointee.counts != nil { self.count(chunk.n, start, end) }
    }
}
