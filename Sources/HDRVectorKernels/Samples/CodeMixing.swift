import CSIMD

/// Mixes `count` words of two pictures of one layout. Code values become lower * (1 - share) + upper * share, rounded
/// to the nearest.
/// - Parameter share: the share of the upper picture, from 0 to 1.
@inline(never)
func mixWords(
    _ lower: UnsafePointer<UInt8>, _ upper: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ layout: KernelRepacking, share: Float
) {
    if layout.bytes_per_word == 1 {
        mixWords(Bytes.self, lower, upper, to, count, 0, share)
    } else if layout.is_big_endian != 0 {
        mixWords(Words<BigEndian>.self, lower, upper, to, count, layout.shift, share)
    } else {
        mixWords(Words<LittleEndian>.self, lower, upper, to, count, layout.shift, share)
    }
}

@inline(__always)
private func mixWords<Form: PlaneWords>(
    _ form: Form.Type, _ lower: UnsafePointer<UInt8>, _ upper: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>, _ count: Int, _ shift: Int32, _ share: Float
) {
    let (lower, upper) = (UnsafeMutablePointer(mutating: lower), UnsafeMutablePointer(mutating: upper))
    let (weight, half) = (cv_splat(share), cv_splat(0.5))
    let whole = count &- count % lanes
    var i = 0
    while i < whole {
        let from = cv_right(form.load(lower, i), shift)
        let difference = cv_to_float(cv_subtract_i(cv_right(form.load(upper, i), shift), from))
        // The sum is not negative, so that truncation rounds it down.
        let mixed = cv_fma(difference, weight, cv_to_float(from) + half)
        form.store(to, i, cv_left(cv_truncate(mixed), shift))
        i &+= lanes
    }
    while i < count {
        let from = Float(form.get(lower, i) &>> UInt16(truncatingIfNeeded: shift))
        let difference = Float(form.get(upper, i) &>> UInt16(truncatingIfNeeded: shift)) - from
        let mixed = cv_truncate_f32(from + difference * share + 0.5)
        form.put(to, i, mixed &<< UInt16(truncatingIfNeeded: shift))
        i &+= 1
    }
}
