import CSIMD

/// The memory in which one thread keeps the rows that guide subsampled chroma by luma: luma at chroma's positions, and
/// the slope of chroma over luma there. Rows have room for samples to the left and for vectors beyond the end.
struct ChromaGuideScratch {
    private let tags: UnsafeMutablePointer<Int32>
    private let base: Row
    private let half: Int
    private let whole: Int

    @inline(__always) private static func half(_ width: Int) -> Int { ((width &+ 1) / 2 &+ 15) & ~15 &+ 80 }
    @inline(__always) private static func whole(_ width: Int) -> Int { (width &+ 15) & ~15 &+ 96 }
    @inline(__always) private static var mixedStride: Int { lightChunk / 2 &+ 80 }

    /// The number of bytes for pictures of a width.
    static func size(width: Int) -> Int {
        64 &+ 4 &* (24 &* half(width) &+ 2 &* whole(width) &+ 4 &* mixedStride)
    }

    /// - Parameter memory: `size(width:)` bytes, aligned to 64.
    @inline(__always) init(_ memory: UnsafeMutableRawPointer, width: Int) {
        tags = memory.assumingMemoryBound(to: Int32.self)
        base = (memory + 64).assumingMemoryBound(to: Float.self)
        half = ChromaGuideScratch.half(width)
        whole = ChromaGuideScratch.whole(width)
    }

    /// The chroma rows whose samples are held, four in a ring, and those whose slopes are held, two in a ring.
    @inline(__always) func sampleTag(_ k: Int) -> UnsafeMutablePointer<Int32> { tags + (k & 3) }
    @inline(__always) func slopeTag(_ k: Int) -> UnsafeMutablePointer<Int32> { tags + (4 &+ (k & 1)) }
    @inline(__always) func forget() { for i in 0..<6 { tags[i] = -1 } }

    @inline(__always) private func row(_ index: Int) -> Row { base + (index &* half &+ 16) }
    /// Luma, Cb and Cr of chroma row `k`.
    @inline(__always) func samples(_ k: Int) -> Rows {
        let first = (k & 3) &* 3
        return Rows(row(first), row(first &+ 1), row(first &+ 2))
    }
    /// The slopes of Cb and Cr over luma at chroma row `k`.
    @inline(__always) func slopes(_ k: Int) -> (b: Row, c: Row) {
        let first = 12 &+ (k & 1) &* 6
        return (row(first), row(first &+ 1))
    }
    /// The least and the largest Cb and Cr around each sample of chroma row `k`.
    @inline(__always) func limits(_ k: Int) -> (leastB: Row, mostB: Row, leastC: Row, mostC: Row) {
        let first = 12 &+ (k & 1) &* 6 &+ 2
        return (row(first), row(first &+ 1), row(first &+ 2), row(first &+ 3))
    }
    /// Luma of the picture's columns: the mean of rows, and one row.
    @inline(__always) var luma: (mean: Row, own: Row) {
        let first = base + (24 &* half &+ 16)
        return (first, first + whole)
    }
    /// Rows of a chunk that are interpolated vertically.
    @inline(__always) func mixed(_ index: Int) -> Row {
        base + (24 &* half &+ 2 &* whole &+ index &* ChromaGuideScratch.mixedStride &+ 16)
    }
}

/// Makes the rows ready that guide chroma in picture row `y`.
/// - Parameter isFirst: whether nothing of this picture is held yet.
@inline(never)
func guideRow(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, isFirst: Bool,
    _ memory: UnsafeMutableRawPointer
) {
    let width = frame.pointee.width
    let s = ChromaGuideScratch(memory + LightScratch.size(width: width), width: width)
    if isFirst { s.forget() }
    let picture = kernel_reading(plan)!
    let (first, second, _) = chromaRows(picture, frame, y)
    fillSlopes(plan, picture, frame, first, s)
    if second != first { fillSlopes(plan, picture, frame, second, s) }
}

/// The chroma rows that chroma at luma row `y` is interpolated between, and the weight of the second one.
@inline(__always)
private func chromaRows(
    _ picture: UnsafePointer<KernelPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int
) -> (first: Int, second: Int, weight: Float) {
    guard picture.pointee.source.vertical_shift != 0 else { return (y, y, 0) }
    let last = larger(frame.pointee.chroma_rows, 1) &- 1
    let (row, weight) = verticalPosition(y, picture, frame.pointee.chroma_place)
    return (smaller(larger(row, 0), last), smaller(row &+ 1, last), weight)
}

@inline(__always)
private func fillSlopes(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ picture: UnsafePointer<KernelPlan>,
    _ frame: UnsafePointer<KernelFrame>, _ k: Int, _ s: ChromaGuideScratch
) {
    guard s.slopeTag(k).pointee != Int32(truncatingIfNeeded: k) else { return }
    let isHalved = picture.pointee.source.vertical_shift != 0
    let last = isHalved ? larger(frame.pointee.chroma_rows, 1) &- 1 : frame.pointee.height &- 1
    let (above, below) = (larger(k &- 1, 0), smaller(k &+ 1, last))
    for row in above...below where s.sampleTag(row).pointee != Int32(truncatingIfNeeded: row) {
        fillSamples(picture, frame, row, s)
        s.sampleTag(row).pointee = Int32(truncatingIfNeeded: row)
    }
    findSlopes(
        s.samples(above), s.samples(k), s.samples(below), (frame.pointee.width &+ 1) / 2, plan.pointee.guide_variance,
        plan.pointee.guide_range, s.slopes(k), s.limits(k))
    s.slopeTag(k).pointee = Int32(truncatingIfNeeded: k)
}

/// Reads Cb and Cr of chroma row `k`, and luma filtered to its positions.
@inline(never)
private func fillSamples(
    _ picture: UnsafePointer<KernelPlan>, _ frame: UnsafePointer<KernelFrame>, _ k: Int, _ s: ChromaGuideScratch
) {
    let reader = Reader(layout: picture.pointee.source)
    let out = s.samples(k)
    let (width, last) = (frame.pointee.width, frame.pointee.height &- 1)
    let length = (width &+ 1) / 2
    reader.readChroma(frame, k, 0, length, out.b, out.c)
    let (mean, own) = s.luma
    if reader.layout.vertical_shift == 0 {
        reader.readLuma(frame, k, 0, width, mean)
    } else if picture.pointee.source_cosited_y != 0 {
        addLuma(reader, frame, larger(2 &* k &- 1, 0), 0.25, isFirst: true, mean, own)
        addLuma(reader, frame, smaller(2 &* k, last), 0.5, isFirst: false, mean, own)
        addLuma(reader, frame, smaller(2 &* k &+ 1, last), 0.25, isFirst: false, mean, own)
    } else {
        let place = frame.pointee.chroma_place
        addLuma(reader, frame, smaller(2 &* k, last), 1 - place, isFirst: true, mean, own)
        addLuma(reader, frame, smaller(2 &* k &+ 1, last), place, isFirst: false, mean, own)
    }
    mean[-1] = mean[0]
    mean[width] = mean[width &- 1]
    let (half, quarter) = (cv_splat(0.5), cv_splat(0.25))
    let isCosited = picture.pointee.source_cosited_x != 0
    var i = 0
    while i < length {
        let at = mean + 2 &* i
        let (low, high) = (cv_load(at), cv_load(at + lanes))
        let (even, odd) = (cv_even(low, high), cv_odd(low, high))
        if isCosited {
            let left = cv_even(cv_load(at - 1), cv_load(at + (lanes &- 1)))
            cv_store(out.a + i, cv_fma(even, half, (left + odd) * quarter))
        } else {
            cv_store(out.a + i, (even + odd) * half)
        }
        i &+= lanes
    }
    repeatEnds(out.a, length)
    repeatEnds(out.b, length)
    repeatEnds(out.c, length)
}

@inline(__always)
private func repeatEnds(_ row: Row, _ length: Int) {
    row[-1] = row[0]
    row[length] = row[length &- 1]
}

@inline(__always)
private func addLuma(
    _ reader: Reader, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ weight: Float, isFirst: Bool, _ mean: Row,
    _ own: Row
) {
    let width = frame.pointee.width
    reader.readLuma(frame, y, 0, width, own)
    let part = cv_splat(weight)
    var i = 0
    while i < width {
        let value = cv_load(own + i) * part
        cv_store(mean + i, isFirst ? value : cv_load(mean + i) + value)
        i &+= lanes
    }
}

/// Fits chroma as a linear function of luma over 3x3 samples: the slope is the covariance of both divided by the
/// variance of luma, which `variance` is added to. Where chroma differs by no more than `range`, the slope is 0.
@inline(never)
private func findSlopes(
    _ above: Rows, _ own: Rows, _ below: Rows, _ length: Int, _ variance: Float, _ range: Float,
    _ slopes: (b: Row, c: Row), _ limits: (leastB: Row, mostB: Row, leastC: Row, mostC: Row)
) {
    let (zero, half, nine) = (cv_splat(0), cv_splat(0.5), cv_splat(9))
    let (added, bound) = (cv_splat(81 * variance), cv_splat(range))
    var i = 0
    while i < length {
        let center = Pixels(own, i)
        var (leastB, mostB) = (center.b, center.b)
        var (leastC, mostC) = (center.c, center.c)
        @inline(__always) func widen(_ rows: Rows, _ place: Int) {
            let (b, c) = (cv_load(rows.b + place), cv_load(rows.c + place))
            (leastB, mostB) = (cv_min(leastB, b), cv_max(mostB, b))
            (leastC, mostC) = (cv_min(leastC, c), cv_max(mostC, c))
        }
        widen(above, i &- 1)
        widen(above, i)
        widen(above, i &+ 1)
        widen(own, i &- 1)
        widen(own, i &+ 1)
        widen(below, i &- 1)
        widen(below, i)
        widen(below, i &+ 1)
        let (rangeB, rangeC) = (mostB - leastB, mostC - leastC)
        let (restB, restC) = (rangeB * half, rangeC * half)
        cv_store(limits.leastB + i, leastB - restB)
        cv_store(limits.mostB + i, mostB + restB)
        cv_store(limits.leastC + i, leastC - restC)
        cv_store(limits.mostC + i, mostC + restC)
        let widest = cv_max(rangeB, rangeC)
        guard cv_any_above(widest, bound) != 0 else {
            cv_store(slopes.b + i, zero)
            cv_store(slopes.c + i, zero)
            i &+= lanes
            continue
        }
        // Differences from the sample itself, since squares of samples would lose those of places that hardly differ.
        var (y, b, c, yy, yb, yc) = (zero, zero, zero, zero, zero, zero)
        @inline(__always) func add(_ rows: Rows, _ place: Int) {
            let p = Pixels(rows, place)
            let (luma, blue, red) = (p.a - center.a, p.b - center.b, p.c - center.c)
            y = y + luma
            b = b + blue
            c = c + red
            yy = cv_fma(luma, luma, yy)
            yb = cv_fma(luma, blue, yb)
            yc = cv_fma(luma, red, yc)
        }
        add(above, i &- 1)
        add(above, i)
        add(above, i &+ 1)
        add(own, i &- 1)
        add(own, i &+ 1)
        add(below, i &- 1)
        add(below, i)
        add(below, i &+ 1)
        let inverse = cv_above(widest, bound, cv_splat(1) / (cv_fma(yy, nine, added) - y * y), zero)
        cv_store(slopes.b + i, (yb * nine - y * b) * inverse)
        cv_store(slopes.c + i, (yc * nine - y * c) * inverse)
        i &+= lanes
    }
    repeatEnds(slopes.b, length)
    repeatEnds(slopes.c, length)
}

/// Adds to the interpolated chroma of a chunk what luma has and its interpolation does not.
@inline(never)
func guideChroma(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ memory: UnsafeMutableRawPointer, _ rows: Rows
) {
    let width = frame.pointee.width
    let s = ChromaGuideScratch(memory + LightScratch.size(width: width), width: width)
    let picture = kernel_reading(plan)!
    let (first, second, weight) = chromaRows(picture, frame, y)
    let nearest = picture.pointee.source.vertical_shift != 0 ? smaller(larger(y &>> 1, first), second) : y
    let column = x / 2
    let length = (count &+ 1) / 2
    let (luma, b, c, strength) = (s.mixed(0), s.mixed(1), s.mixed(2), s.mixed(3))
    mix(s.slopes(first).b, s.slopes(second).b, weight, column, length, b)
    mix(s.slopes(first).c, s.slopes(second).c, weight, column, length, c)
    let zero = cv_splat(0)
    var largest = zero
    var i = -1
    while i < length &+ 1 {
        let own = cv_abs(cv_load(b + i)) + cv_abs(cv_load(c + i))
        cv_store(strength + i, own)
        largest = cv_max(largest, own)
        i &+= lanes
    }
    guard cv_any_above(largest, zero) != 0 else { return }
    mix(s.samples(first).a, s.samples(second).a, weight, column, length, luma)
    let limits = s.limits(nearest)
    // The weights of the sample to the left at even columns, and of the one to the right at odd columns.
    let isCosited = picture.pointee.source_cosited_x != 0
    let (left, right) = (cv_splat(isCosited ? 0 : 0.25), cv_splat(isCosited ? 0.5 : 0.25))
    @inline(__always) func spread(_ row: Row, _ i: Int) -> (V, V) {
        let own = cv_load(row + i)
        let even = cv_fma(cv_load(row + (i &- 1)) - own, left, own)
        let odd = cv_fma(cv_load(row + (i &+ 1)) - own, right, own)
        return (cv_low(even, odd), cv_high(even, odd))
    }
    @inline(__always) func twice(_ row: Row, _ i: Int) -> (V, V) {
        let own = cv_load(row + (column &+ i))
        return (cv_low(own, own), cv_high(own, own))
    }
    i = 0
    while i < length {
        let around = cv_max(cv_load(strength + (i &- 1)), cv_max(cv_load(strength + i), cv_load(strength + (i &+ 1))))
        guard cv_any_above(around, zero) != 0 else {
            i &+= lanes
            continue
        }
        let (lower, slopeB, slopeC) = (spread(luma, i), spread(b, i), spread(c, i))
        let (leastB, mostB) = (twice(limits.leastB, i), twice(limits.mostB, i))
        let (leastC, mostC) = (twice(limits.leastC, i), twice(limits.mostC, i))
        let (near, far) = (2 &* i, 2 &* i &+ lanes)
        let (detail, next) = (cv_load(rows.a + near) - lower.0, cv_load(rows.a + far) - lower.1)
        cv_store(rows.b + near, cv_limit(cv_fma(detail, slopeB.0, cv_load(rows.b + near)), leastB.0, mostB.0))
        cv_store(rows.b + far, cv_limit(cv_fma(next, slopeB.1, cv_load(rows.b + far)), leastB.1, mostB.1))
        cv_store(rows.c + near, cv_limit(cv_fma(detail, slopeC.0, cv_load(rows.c + near)), leastC.0, mostC.0))
        cv_store(rows.c + far, cv_limit(cv_fma(next, slopeC.1, cv_load(rows.c + far)), leastC.1, mostC.1))
        i &+= lanes
    }
}

/// Interpolates between two rows from a column on, with one more sample on each side.
@inline(__always)
private func mix(_ first: Row, _ second: Row, _ weight: Float, _ column: Int, _ length: Int, _ out: Row) {
    let part = cv_splat(weight)
    var i = -1
    while i < length &+ 1 {
        let (own, other) = (cv_load(first + (column &+ i)), cv_load(second + (column &+ i)))
        cv_store(out + i, cv_fma(other - own, part, own))
        i &+= lanes
    }
}
