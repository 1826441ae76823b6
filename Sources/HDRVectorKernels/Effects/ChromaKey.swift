import CSIMD

/// Removes the light of a screen in the key's colour from pixels, and lowers alpha by the screen's share.
@inline(never)
func applyChromaKey(_ key: UnsafePointer<KernelChromaKey>, _ light: KernelLightRows, _ count: Int) {
    let k = key.pointee
    let rows = Rows(light.red, light.green, light.blue)
    let (along, across, screen, despill) = (Weights(k.along), Weights(k.across), Weights(k.key), Weights(k.despill))
    let (slope, slopeScale) = (cv_splat(k.slope * k.slope_scale), cv_splat(k.slope_scale))
    let (shareScale, shareOffset) = (cv_splat(k.share_scale), cv_splat(k.share_offset))
    let (guardScale, guardOffset) = (cv_splat(k.guard_scale), cv_splat(k.guard_offset))
    let (level, fade) = (cv_splat(k.level), cv_splat(k.fade))
    let (zero, one, least) = (cv_splat(0), cv_splat(1), cv_splat(0x1p-60))
    guard let alphas = light.alpha else { return }
    eachVector(count) { i in
        let p = Pixels(rows, i).map(cv_number)
        let chroma = p.dot(along)
        let aside = cv_abs(p.dot(across)) * slopeScale
        // The part of a chroma that counts as the key's hue, which is none for other hues.
        @inline(__always) func near(_ chroma: V) -> V {
            cv_limit(chroma * slope - aside, zero, cv_max(chroma, zero))
        }
        let likeKey = near(chroma)
        // Nothing is removed from other hues, which most pixels in front of a screen have.
        guard cv_any_above(likeKey, zero) != 0 else { return p.store(rows, i) }
        let alpha = cv_load(alphas + i)
        let largest = cv_max(p.maximum, least)
        let lit = cv_max(cv_min(largest, level * alpha), least)
        // One division serves both quotients, since it takes longer than all the rest.
        let whole = cv_max(alpha, least)
        let inverse = one / (lit * whole)
        let share = cv_limit(cv_fma(likeKey * inverse * whole, shareScale, shareOffset), zero, one)
        let safe = cv_limit(cv_fma(largest, guardScale, alpha * guardOffset), zero, alpha)
        // The share is 0 where alpha is 0.
        let taken = cv_above(safe, zero, share * (safe * inverse * lit), zero)
        let amount = taken * lit
        // The screen has no chroma at right angles to the key's.
        let spill = near(chroma - amount)
        let kept = one - taken
        let fading = cv_min(kept * fade, one)
        @inline(__always) func foreground(_ x: V, _ screen: V, _ despill: V) -> V {
            let rest = x - cv_fma(screen, amount, despill * spill)
            // The subtraction leaves no component below 0 that was not below it before.
            return cv_max(rest, cv_min(x, zero)) * fading
        }
        Pixels(
            foreground(p.a, screen.a, despill.a), foreground(p.b, screen.b, despill.b),
            foreground(p.c, screen.c, despill.c)
        ).store(rows, i)
        cv_store(alphas + i, alpha * kept)
    }
}
