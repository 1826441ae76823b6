import CSIMD

/// Marks pixels whose light meets the plan's conditions.
@inline(never)
func applyHighlight(_ plan: UnsafePointer<KernelHighlight>, _ light: KernelLightRows, _ count: Int) {
    let rows = Rows(light.red, light.green, light.blue)
    let alpha = light.alpha!
    let (zero, half) = (cv_splat(0), cv_splat(0.5))
    let (level, headroom) = (cv_splat(plan.pointee.level), cv_splat(plan.pointee.headroom))
    let gamut = Matrix(plan.pointee.gamut)
    let (ratio, floor) = (cv_splat(plan.pointee.outside_ratio), cv_splat(plan.pointee.outside_floor))
    let aboveLevel = Mark(plan.pointee.above_level)
    let aboveHeadroom = Mark(plan.pointee.above_headroom)
    let outsideGamut = Mark(plan.pointee.outside_gamut)
    var i = 0
    while i < count {
        let p = Pixels(rows, i)
        let share = cv_load(alpha + i)
        let largest = p.maximum
        var result = p
        // Most pixels meet no condition.
        var isChanged = false
        if let wave = aboveLevel.wave, cv_any_above(largest, level * share) != 0 {
            let isMarked = cv_above(largest, level * share, cv_load(wave + i), zero)
            result = aboveLevel.drawn(on: result, isMarked, share, half)
            isChanged = true
        }
        if let wave = outsideGamut.wave {
            let inside = gamut.linear(p)
            let least = cv_min(inside.a, cv_min(inside.b, inside.c))
            let limit = cv_fma(largest, ratio, floor * share)
            if cv_any_above(limit, least) != 0 {
                let isMarked = cv_above(limit, least, cv_load(wave + i), zero)
                result = outsideGamut.drawn(on: result, isMarked, share, half)
                isChanged = true
            }
        }
        if let wave = aboveHeadroom.wave, cv_any_above(largest, headroom * share) != 0 {
            let isMarked = cv_above(largest, headroom * share, cv_load(wave + i), zero)
            result = aboveHeadroom.drawn(on: result, isMarked, share, half)
            isChanged = true
        }
        if isChanged { result.store(rows, i) }
        i &+= lanes
    }
}

private struct Mark {
    let wave: UnsafePointer<Float>?
    private let color: Pixels

    @inline(__always) init(_ mark: KernelMark) {
        wave = mark.wave
        color = Pixels(cv_splat(mark.color.0), cv_splat(mark.color.1), cv_splat(mark.color.2))
    }

    @inline(__always) func drawn(on p: Pixels, _ isMarked: V, _ share: V, _ half: V) -> Pixels {
        Pixels(
            cv_above(isMarked, half, color.a * share, p.a), cv_above(isMarked, half, color.b * share, p.b),
            cv_above(isMarked, half, color.c * share, p.c))
    }
}
