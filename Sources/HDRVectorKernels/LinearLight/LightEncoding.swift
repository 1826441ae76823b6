import CSIMD

/// Encodes light of row `y`, a chunk from column `x` on. Where chroma is halved, Cb and Cr wait in scratch memory until
/// the whole row is encoded.
@inline(never)
func writeLight(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ flags: Int32, _ memory: UnsafeMutableRawPointer
) {
    let s = LightScratch(memory)
    let picture = kernel_writing(plan)!
    let writer = Writer(picture)
    let writes = Int(flags) & KernelLightWrites != 0
    let isPaired = Int(flags) & KernelLightInPairs != 0
    let columns = count
    let count = isPaired ? InPairs.length(columns) : columns
    if writes { writer.prefetch(frame, y, x, columns) }
    let light = s.light
    let keeps = Int(flags) & KernelLightKeeps != 0
    var isChanged = true
    if keeps { isChanged = compare(s, count, isHalf: Int(flags) & KernelLightThroughHalf != 0) }
    let isHalved = writer.layout.horizontal_shift != 0
    // Planar Y'CbCr without alpha has nothing to write beside its components.
    if !isHalved || writer.layout.alpha_place >= 0 { writeAlpha(s, writer, count, keeps: keeps) }
    if isChanged {
        // Light of the target's own signal lies within the range of the signal's curve already.
        if Int(flags) & KernelLightIsOfTarget == 0 { prepare(plan, s, count) }
        encode(kernel_color(picture), s.chunk(light, count))
    }
    let width = frame.pointee.width
    if isPaired {
        if keeps || !isChanged { choose(s, count, isChanged: isChanged, into: light) }
        storePairs(light, x, columns, s.pairs(width))
        if writes { InPairs.writeLuma(writer, frame, y, x, columns, light.a) }
        return
    }
    let isPacked = Int(writer.layout.packing) == KernelPackingV210
    let whole = s.picture(width)
    let out = isHalved ? Rows(isPacked ? whole.a + x : light.a, whole.b + x, whole.c + x) : light
    if keeps || !isChanged {
        choose(s, count, isChanged: isChanged, into: out)
    } else if isHalved {
        eachVector(count) { Pixels(light, $0).store(out, $0) }
    }
    guard writes else { return }
    let code = writer.rounding(y)
    if !isHalved {
        writer.writePixels(frame, y, x, count, out, s.scratch.alpha, (code, code))
        return
    }
    if !isPacked { writer.writePlane(0, frame, y, x, count, out.a, code) }
    if writer.layout.alpha_place >= 0 { writer.writeAlphaPlane(frame, y, x, count, s.scratch.alpha) }
}

/// Takes the codes of unchanged pixels as they were, and encodes the others.
@inline(__always)
private func choose(_ s: LightScratch, _ count: Int, isChanged: Bool, into out: Rows) {
    let (codes, light, changes) = (s.codes, s.light, s.changes)
    if !isChanged {
        eachVector(count) { Pixels(codes, $0).store(out, $0) }
        return
    }
    let half = cv_splat(0.5)
    eachVector(count) { i in
        let (own, new) = (Pixels(codes, i), Pixels(light, i))
        let change = cv_load(changes + i)
        @inline(__always) func chosen(_ own: V, _ new: V) -> V { cv_above(change, half, new, own) }
        Pixels(chosen(own.a, new.a), chosen(own.b, new.b), chosen(own.c, new.c)).store(out, i)
    }
}

/// Keeps Cb and Cr of a chunk until the row is complete, even columns apart from odd ones.
@inline(__always)
private func storePairs(_ light: Rows, _ x: Int, _ columns: Int, _ pairs: LightScratch.Pairs) {
    let odd = InPairs.odd(columns)
    let length = (columns &+ 1) / 2
    copy(light.b, pairs.b.even + x / 2, length)
    copy(light.b + odd, pairs.b.odd + x / 2, length)
    copy(light.c, pairs.c.even + x / 2, length)
    copy(light.c + odd, pairs.c.odd + x / 2, length)
}

/// Finds the pixels that differ from what was decoded.
/// - Returns: whether there are any.
@inline(__always)
private func compare(_ s: LightScratch, _ count: Int, isHalf: Bool) -> Bool {
    let (decoded, light, changes) = (s.decoded, s.light, s.changes)
    let (decodedAlpha, alpha) = (s.decodedAlpha, s.alpha)
    let zero = cv_splat(0)
    @inline(__always) func differ(_ own: V, _ new: V) -> V {
        cv_differ(isHalf ? cv_from_half(cv_signed_half(own)) : own, new)
    }
    var all = zero
    var i = 0
    while i < count {
        let (own, new) = (Pixels(decoded, i), Pixels(light, i))
        let color = cv_max(differ(own.a, new.a), cv_max(differ(own.b, new.b), differ(own.c, new.c)))
        let change = cv_max(color, differ(cv_load(decodedAlpha + i), cv_load(alpha + i)))
        cv_store(changes + i, change)
        all = cv_max(all, change)
        i &+= lanes
    }
    return cv_any_above(all, zero) != 0
}

/// The codes of alpha, or of padding.
@inline(__always)
private func writeAlpha(_ s: LightScratch, _ writer: Writer, _ count: Int, keeps: Bool) {
    let layout = writer.layout
    let words = s.scratch.alpha
    let top: Int32 = (1 &<< layout.alpha_bits) &- 1
    guard layout.has_alpha != 0 else {
        eachVector(count) { cv_store_u16(words + $0, cv_splat_i(top)) }
        return
    }
    let (decoded, alpha, changes) = (s.decodedAlpha, s.alpha, s.changes)
    let (zero, half, one, scale) = (cv_splat(0), cv_splat(0.5), cv_splat(1), cv_splat(Float(top)))
    eachVector(count) { i in
        let new = cv_limit(cv_load(alpha + i), zero, one)
        let share = keeps ? cv_above(cv_load(changes + i), half, new, cv_load(decoded + i)) : new
        cv_store_u16(words + i, cv_truncate(cv_fma(share, scale, half)))
    }
}

/// Converts light to the target's primaries and to cd/m², limited to the range of the target's signal.
@inline(__always)
private func prepare(_ plan: UnsafePointer<KernelLinearLightPlan>, _ s: LightScratch, _ count: Int) {
    let (light, alpha) = (s.light, s.alpha)
    let matrix = Matrix(plan.pointee.from_light)
    let (zero, one, bound) = (cv_splat(0), cv_splat(1), cv_splat(1e6))
    let peak = cv_splat(plan.pointee.writing.color.peak)
    let target = plan.pointee.writing.target
    let hasAlpha = target.has_alpha != 0
    // Where alpha is written as 0, light is rounding errors of sums that are 0, and would be any colour.
    let top: Int32 = (1 &<< target.alpha_bits) &- 1
    let least = cv_splat(0.5 / Float(top))
    var i = 0
    if !hasAlpha, let scale = scale(plan.pointee.from_light) {
        // The limits turn a NaN into 0, before the matrix could spread it to the other components.
        while i < count {
            Pixels(light, i).scaled(scale).map { cv_limit($0, zero, peak) }.store(light, i)
            i &+= lanes
        }
        return
    }
    while i < count {
        var p = Pixels(light, i).map { cv_limit(cv_number($0), zero - bound, bound) }
        if hasAlpha {
            let share = cv_limit(cv_load(alpha + i), zero, one)
            p = p.scaled(cv_above(share, least, one / cv_max(share, least), zero))
        }
        matrix.affine(p).map { cv_limit($0, zero, peak) }.store(light, i)
        i &+= lanes
    }
}

// MARK: Halved chroma

/// Halves the chroma of row `y`, whose chunks have all been encoded, and writes the chroma rows that this
/// completes among rows `[first, end)`.
/// - Parameter around: the first row that has been encoded.
@inline(never)
func finishLightRow(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ first: Int,
    _ end: Int, _ around: Int, _ flags: Int, _ memory: UnsafeMutableRawPointer
) {
    let s = LightScratch(memory)
    let picture = kernel_writing(plan)!
    let writer = Writer(picture)
    guard writer.layout.horizontal_shift != 0 else { return }
    let (width, height) = (frame.pointee.width, frame.pointee.height)
    let rows = s.picture(width)
    let place = s.halved(y, width)
    let isCosited = picture.pointee.target_cosited_x != 0
    if flags & KernelLightInPairs != 0 {
        let pairs = s.pairs(width)
        returnColumns(pairs.b.even, pairs.b.odd, width, isCosited, into: place.0)
        returnColumns(pairs.c.even, pairs.c.odd, width, isCosited, into: place.1)
    } else {
        returnColumns(rows.b, width, isCosited, into: place.0)
        returnColumns(rows.c, width, isCosited, into: place.1)
    }
    if writer.layout.vertical_shift != 0 {
        // A pair's chroma is complete with the first row of the next one.
        if y & 1 == 0 && y >= 2 { writeChroma(picture, writer, frame, y / 2 &- 1, first, end, around, s) }
        if y &+ 1 == height { writeChroma(picture, writer, frame, y / 2, first, end, around, s) }
    } else if y >= first && y < end {
        let code = writer.rounding(y)
        if Int(writer.layout.packing) != KernelPackingV210 {
            writer.writeChroma(frame, y, 0, (width &+ 1) / 2, place, code)
            return
        }
        let (luma, b, c) = s.scratch.rounded
        var x = 0
        while x < width {
            let count = smaller(width &- x, lightChunk)
            let half = (count &+ 1) / 2
            writer.round(rows.a + x, count, luma, code)
            writer.round(place.0 + x / 2, half, b, code)
            writer.round(place.1 + x / 2, half, c, code)
            writeV210(kernel_row(frame, 0, y), x, count, luma, b, c)
            x &+= lightChunk
        }
    }
}

/// The weights of the filters of `LinearLightConverter`.
private struct ReturnFilter {
    private let most = cv_splat(0.75), quarter = cv_splat(0.25), eighth = cv_splat(0.125)
    private let place: V, rest: V

    /// - Parameter place: where chroma that is not cosited lies between the two positions of a pair, from 0 to 1.
    @inline(__always) init(place: Float = 0.5) {
        self.place = cv_splat(place)
        rest = cv_splat(1 - place)
    }

    /// Chroma cosited with luma's position `x`.
    @inline(__always) func cosited(_ far: V, _ before: V, _ x: V, _ after: V, _ farAfter: V) -> V {
        let value = cv_fma(x, most, (before + after) * quarter) - (far + farAfter) * eighth
        return cv_limit(value, cv_min(cv_min(before, after), x), cv_max(cv_max(before, after), x))
    }

    /// Chroma between luma's positions `x` and `y`.
    @inline(__always) func between(_ before: V, _ x: V, _ y: V, _ after: V) -> V {
        let (left, right) = (beyond(before, x), cv_fma(y - after, rest, y))
        return cv_limit(cv_fma(y, place, x * rest), cv_min(left, right), cv_max(left, right))
    }

    /// The extrapolated sample beyond a last position `x`.
    @inline(__always) func beyond(_ before: V, _ x: V) -> V { cv_fma(x - before, place, x) }
}

/// Filters chroma from luma's columns to its own so that chroma which was interpolated linearly returns to its original
/// values.
@inline(never)
private func returnColumns(_ row: Row, _ width: Int, _ isCosited: Bool, into out: Row) {
    // The samples beyond the edges of the picture, as `LinearLightConverter` defines them.
    let last = row[width &- 1]
    row[-1] = row[0]
    row[-2] = row[0]
    let next = width & 1 == 0 ? last : (3 * last - row[larger(width &- 2, 0)]) / 2
    let beyond = isCosited ? row[(width &- 1) & ~1] : next
    row[width] = beyond
    row[width &+ 1] = beyond
    let filter = ReturnFilter()
    eachVector((width &+ 1) / 2) { i in
        let at = row + 2 &* i
        @inline(__always) func pair(_ offset: Int) -> (V, V) { (cv_load(at + offset), cv_load(at + (offset &+ lanes))) }
        let (own, left, right) = (pair(0), pair(-2), pair(2))
        let (even, odd) = (cv_even(own.0, own.1), cv_odd(own.0, own.1))
        let (before, after) = (cv_odd(left.0, left.1), cv_even(right.0, right.1))
        cv_store(
            out + i,
            isCosited
                ? filter.cosited(cv_even(left.0, left.1), before, even, odd, after)
                : filter.between(before, even, odd, after))
    }
}

/// Filters chroma in the same way where even columns are apart from odd ones.
@inline(never)
private func returnColumns(_ even: Row, _ odd: Row, _ width: Int, _ isCosited: Bool, into out: Row) {
    let length = (width &+ 1) / 2
    let end = length &- 1
    let last = width & 1 == 0 ? odd[end] : even[end]
    even[-1] = even[0]
    odd[-1] = even[0]
    let next = width & 1 == 0 ? last : (3 * last - (width > 1 ? odd[end &- 1] : even[0])) / 2
    let beyond = isCosited ? even[end] : next
    even[length] = beyond
    odd[width / 2] = beyond
    let filter = ReturnFilter()
    if isCosited {
        eachVector(length) { i in
            let value = filter.cosited(
                cv_load(even + (i &- 1)), cv_load(odd + (i &- 1)), cv_load(even + i), cv_load(odd + i),
                cv_load(even + (i &+ 1)))
            cv_store(out + i, value)
        }
    } else {
        eachVector(length) { i in
            let value = filter.between(
                cv_load(odd + (i &- 1)), cv_load(even + i), cv_load(odd + i), cv_load(even + (i &+ 1)))
            cv_store(out + i, value)
        }
    }
}

/// Writes chroma row `k`, filtered vertically in the same way.
@inline(never)
private func writeChroma(
    _ picture: UnsafePointer<KernelPlan>, _ writer: Writer, _ frame: UnsafePointer<KernelFrame>, _ k: Int,
    _ first: Int, _ end: Int, _ around: Int, _ s: LightScratch
) {
    let (width, height) = (frame.pointee.width, frame.pointee.height)
    let y = 2 &* k
    guard y >= first, y < end, k < frame.pointee.chroma_rows else { return }
    let isCosited = picture.pointee.target_cosited_y != 0
    @inline(__always) func row(_ index: Int) -> (Row, Row) {
        let beyond = isCosited ? (height &- 1) & ~1 : height &- 1
        let inside = index < height ? larger(index, 0) : beyond
        return s.halved(larger(inside, around), width)
    }
    let isAlone = !isCosited && y &+ 1 == height
    let (above, own, below) = (row(y &- 1), row(y), row(y &+ 1))
    let (farAbove, farBelow) = (row(y &- 2), row(y &+ 2))
    let out = s.scratch.lower
    let code = writer.rounding(k)
    let filter = ReturnFilter(place: frame.pointee.chroma_place)
    @inline(__always)
    func combine(_ far: Row, _ above: Row, _ own: Row, _ below: Row, _ farBelow: Row, _ out: Row, _ count: Int) {
        eachVector(count) { i in
            let (x0, x1) = (cv_load(own + i), cv_load(above + i))
            let (x2, x3) = (cv_load(below + i), cv_load(farBelow + i))
            if isCosited {
                cv_store(out + i, filter.cosited(cv_load(far + i), x1, x0, x2, x3))
            } else {
                cv_store(out + i, isAlone ? filter.beyond(x1, x0) : filter.between(x1, x0, x2, x3))
            }
        }
    }
    let total = (width &+ 1) / 2
    var x = 0
    while x < total {
        let count = smaller(total &- x, lightChunk)
        combine(farAbove.0 + x, above.0 + x, own.0 + x, below.0 + x, farBelow.0 + x, out.0, count)
        combine(farAbove.1 + x, above.1 + x, own.1 + x, below.1 + x, farBelow.1 + x, out.1, count)
        writer.writeChroma(frame, k, x, count, out, code)
        x &+= lightChunk
    }
}
