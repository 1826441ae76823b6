import CSIMD

/// Decodes pixels of row `y`, a chunk from column `x` on, in scratch memory. Where codes and light are to be kept, they
/// stay there; otherwise the light becomes that which is encoded. The result for a pixel does not depend on the rows
/// and columns that are asked for, so that unchanged light can be told by its bits.
@inline(never)
func readLight(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int,
    _ count: Int, _ purpose: Int, _ memory: UnsafeMutableRawPointer
) {
    let s = LightScratch(memory)
    let picture = kernel_reading(plan)!
    let reader = Reader(layout: picture.pointee.source)
    let isPaired = purpose & KernelLightInPairs != 0
    let purpose = purpose & (KernelLightInPairs &- 1)
    let keeps = purpose == KernelLightKept
    let decoded = keeps ? s.decoded : s.light
    let read = keeps ? s.codes : decoded
    reader.prefetch(frame, y, x &+ count)
    if isPaired {
        InPairs.read(picture, reader, frame, y, x, count, s.scratch, read)
    } else {
        InColumns.read(picture, reader, frame, y, x, count, s.scratch, read)
    }
    let count = isPaired ? InPairs.length(count) : count
    if keeps { eachVector(count) { Pixels(read, $0).store(decoded, $0) } }
    if plan.pointee.guide_variance > 0 { guideChroma(plan, frame, y, x, count, memory, decoded) }
    decode(kernel_color(picture), s.chunk(decoded, count))
    if purpose == KernelLightOfSource { return }
    let matrix = Matrix(plan.pointee.to_light)
    let alpha = keeps ? s.decodedAlpha : s.alpha
    let one = cv_splat(1)
    guard picture.pointee.source.has_alpha != 0 else {
        var i = 0
        if let scale = scale(plan.pointee.to_light) {
            while i < count {
                Pixels(decoded, i).scaled(scale).store(decoded, i)
                cv_store(alpha + i, one)
                i &+= lanes
            }
            return
        }
        while i < count {
            matrix.linear(Pixels(decoded, i)).store(decoded, i)
            cv_store(alpha + i, one)
            i &+= lanes
        }
        return
    }
    let words = s.scratch.alpha
    copyAlpha(picture, frame, y, x, count, words)
    let top = cv_splat(Float((1 &<< picture.pointee.source.alpha_bits) &- 1))
    var i = 0
    while i < count {
        let share = cv_min(cv_to_float(cv_load_u16(words + i)) / top, one)
        matrix.linear(Pixels(decoded, i)).scaled(share).store(decoded, i)
        cv_store(alpha + i, share)
        i &+= lanes
    }
}

/// The factor of a matrix that only scales all components, as between the same primaries; otherwise `nil`.
@inline(__always)
func scale(_ m: KernelMatrix) -> V? {
    let beside =
        m.m01.magnitude + m.m02.magnitude + m.m10.magnitude + m.m12.magnitude + m.m20.magnitude + m.m21.magnitude
    let offsets = m.o0.magnitude + m.o1.magnitude + m.o2.magnitude
    let difference = (m.m11 - m.m00).magnitude + (m.m22 - m.m00).magnitude
    // A matrix times its inverse differs from a scaling by this much through rounding.
    let isScale = beside + offsets + difference < 1e-6 * m.m00.magnitude
    return isScale ? cv_splat(m.m00) : nil
}

/// Copies decoded light to where it can be changed.
@inline(never)
func copyLight(_ count: Int, _ memory: UnsafeMutableRawPointer) {
    let s = LightScratch(memory)
    let (from, to) = (s.decoded, s.light)
    let (alphaFrom, alphaTo) = (s.decodedAlpha, s.alpha)
    var i = 0
    while i < count {
        Pixels(from, i).store(to, i)
        cv_store(alphaTo + i, cv_load(alphaFrom + i))
        i &+= lanes
    }
}

// MARK: Interleaved pixels

/// Copies decoded light to pixels of red, green, blue and alpha.
@inline(never)
func packLight(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ count: Int, _ to: UnsafeMutablePointer<UInt8>,
    _ memory: UnsafeMutableRawPointer
) {
    let s = LightScratch(memory)
    if plan.pointee.is_half != 0 {
        packHalves(s.decoded, s.decodedAlpha, count, to)
    } else {
        packSingles(s.decoded, s.decodedAlpha, count, to)
    }
}

@inline(__always)
private func packHalves(_ rows: Rows, _ alpha: Row, _ count: Int, _ to: UnsafeMutablePointer<UInt8>) {
    let whole = count &- count % lanes
    var i = 0
    while i < whole {
        let p = Pixels(rows, i)
        let low = cv_or(cv_signed_half(p.a), cv_left(cv_signed_half(p.b), 16))
        let high = cv_or(cv_signed_half(p.c), cv_left(cv_signed_half(cv_load(alpha + i)), 16))
        cv_store_u32(to + 8 &* i, cv_low_i(low, high))
        cv_store_u32(to + (8 &* i &+ 4 &* lanes), cv_high_i(low, high))
        i &+= lanes
    }
    while i < count {
        storeWord(to, 4 &* i, cv_signed_half_f32(rows.a[i]))
        storeWord(to, 4 &* i &+ 1, cv_signed_half_f32(rows.b[i]))
        storeWord(to, 4 &* i &+ 2, cv_signed_half_f32(rows.c[i]))
        storeWord(to, 4 &* i &+ 3, cv_signed_half_f32(alpha[i]))
        i &+= 1
    }
}

@inline(__always)
private func packSingles(_ rows: Rows, _ alpha: Row, _ count: Int, _ to: UnsafeMutablePointer<UInt8>) {
    let whole = count &- count % lanes
    let step = 4 &* lanes
    var i = 0
    while i < whole {
        let p = Pixels(rows, i)
        let a = cv_load(alpha + i)
        let (redBlue, greenAlpha) = (cv_low(p.a, p.c), cv_low(p.b, a))
        let (nextRedBlue, nextGreenAlpha) = (cv_high(p.a, p.c), cv_high(p.b, a))
        let place = to + 16 &* i
        cv_store_u32(place, cv_bits(cv_low(redBlue, greenAlpha)))
        cv_store_u32(place + step, cv_bits(cv_high(redBlue, greenAlpha)))
        cv_store_u32(place + 2 &* step, cv_bits(cv_low(nextRedBlue, nextGreenAlpha)))
        cv_store_u32(place + 3 &* step, cv_bits(cv_high(nextRedBlue, nextGreenAlpha)))
        i &+= lanes
    }
    while i < count {
        let place = to + 16 &* i
        cv_put32(place, rows.a[i].bitPattern)
        cv_put32(place + 4, rows.b[i].bitPattern)
        cv_put32(place + 8, rows.c[i].bitPattern)
        cv_put32(place + 12, alpha[i].bitPattern)
        i &+= 1
    }
}

/// Copies pixels of red, green, blue and alpha to the light that is encoded.
@inline(never)
func unpackLight(
    _ plan: UnsafePointer<KernelLinearLightPlan>, _ count: Int, _ from: UnsafePointer<UInt8>,
    _ memory: UnsafeMutableRawPointer
) {
    let s = LightScratch(memory)
    let from = UnsafeMutablePointer(mutating: from)
    if plan.pointee.is_half != 0 {
        unpackHalves(s.light, s.alpha, count, from)
    } else {
        unpackSingles(s.light, s.alpha, count, from)
    }
}

@inline(__always)
private func unpackHalves(_ rows: Rows, _ alpha: Row, _ count: Int, _ from: UnsafeMutablePointer<UInt8>) {
    let whole = count &- count % lanes
    var i = 0
    while i < whole {
        let (first, second) = (cv_load_u32(from + 8 &* i), cv_load_u32(from + (8 &* i &+ 4 &* lanes)))
        let (low, high) = (cv_even_i(first, second), cv_odd_i(first, second))
        cv_store(rows.a + i, cv_from_half(cv_and(low, 0xffff)))
        cv_store(rows.b + i, cv_from_half(cv_right(low, 16)))
        cv_store(rows.c + i, cv_from_half(cv_and(high, 0xffff)))
        cv_store(alpha + i, cv_from_half(cv_right(high, 16)))
        i &+= lanes
    }
    while i < count {
        rows.a[i] = cv_from_half_f32(word(from, 4 &* i))
        rows.b[i] = cv_from_half_f32(word(from, 4 &* i &+ 1))
        rows.c[i] = cv_from_half_f32(word(from, 4 &* i &+ 2))
        alpha[i] = cv_from_half_f32(word(from, 4 &* i &+ 3))
        i &+= 1
    }
}

@inline(__always)
private func unpackSingles(_ rows: Rows, _ alpha: Row, _ count: Int, _ from: UnsafeMutablePointer<UInt8>) {
    let whole = count &- count % lanes
    let step = 4 &* lanes
    var i = 0
    while i < whole {
        let place = from + 16 &* i
        @inline(__always) func part(_ k: Int) -> V { cv_float(cv_load_u32(place + k &* step)) }
        let (redBlue, greenAlpha) = (cv_even(part(0), part(1)), cv_odd(part(0), part(1)))
        let (nextRedBlue, nextGreenAlpha) = (cv_even(part(2), part(3)), cv_odd(part(2), part(3)))
        cv_store(rows.a + i, cv_even(redBlue, nextRedBlue))
        cv_store(rows.b + i, cv_even(greenAlpha, nextGreenAlpha))
        cv_store(rows.c + i, cv_odd(redBlue, nextRedBlue))
        cv_store(alpha + i, cv_odd(greenAlpha, nextGreenAlpha))
        i &+= lanes
    }
    while i < count {
        @inline(__always) func part(_ k: Int) -> Float { Float(bitPattern: doubleWord(from, 4 &* i &+ k)) }
        rows.a[i] = part(0)
        rows.b[i] = part(1)
        rows.c[i] = part(2)
        alpha[i] = part(3)
        i &+= 1
    }
}
