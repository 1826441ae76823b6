import CSIMD

/// Replaces each component by its negative.
@inline(never)
func applyInvert(_ plan: UnsafePointer<KernelInvert>, _ light: KernelLightRows, _ count: Int) {
    let rows = Rows(light.red, light.green, light.blue)
    let alpha = light.alpha!
    let hasAlpha = plan.pointee.has_alpha != 0
    let (top, bend) = (cv_splat(plan.pointee.top), cv_splat(plan.pointee.bend))
    let (zero, one) = (cv_splat(0), cv_splat(1))
    // The range of numbers that have a reciprocal root. Light outside of it is mirrored at both ends.
    let (least, most) = (cv_splat(1e-30), cv_splat(plan.pointee.headroom))
    if plan.pointee.bend != 0 {
        invert(rows, alpha, count, hasAlpha: hasAlpha) { light in
            let x = cv_min(cv_max(light, least), most)
            return cv_fma(cv_max(top - x, zero), cv_reciprocal(cv_fma(x, bend, one)), x - light)
        }
    } else {
        invert(rows, alpha, count, hasAlpha: hasAlpha) { light in
            let x = cv_min(cv_max(light, least), most)
            return cv_square(cv_max(top - x * cv_rsqrt(x), zero)) + (x - light)
        }
    }
}

@inline(__always)
private func invert(_ rows: Rows, _ alpha: Row, _ count: Int, hasAlpha: Bool, _ negative: (V) -> V) {
    let (zero, one) = (cv_splat(0), cv_splat(1))
    guard hasAlpha else {
        eachVector(count) { i in Pixels(rows, i).map { negative($0) }.store(rows, i) }
        return
    }
    eachVector(count) { i in
        let share = cv_load(alpha + i)
        // The reciprocal of a smaller alpha would overflow colours.
        let scale = cv_above(share, zero, one / cv_max(share, cv_splat(1e-25)), zero)
        let p = Pixels(rows, i).scaled(scale).map { negative($0) }
        p.scaled(share).store(rows, i)
    }
}
