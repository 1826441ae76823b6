import CSIMD

/// Replaces each component by its negative.
@inline(never)
func applyInvert(_ plan: UnsafePointer<KernelInvert>, _ light: KernelLightRows, _ count: Int) {
    let rows = Rows(light.red, light.green, light.blue)
    let (alpha, hasAlpha) = (light.alpha!, plan.pointee.has_alpha != 0)
    if plan.pointee.bend != 0 {
        invert(rows, alpha, count, hasAlpha: hasAlpha, HDRNegative(plan))
    } else {
        invert(rows, alpha, count, hasAlpha: hasAlpha, SDRNegative(plan))
    }
}

/// The negative of a component.
private protocol Negative {
    /// The brightest light.
    var most: V { get }
    /// The negative of light from 0 to the brightest.
    func inside(_ light: V) -> V
    /// The negative of any light: outside that range it is mirrored at both ends.
    func callAsFunction(_ light: V) -> V
}

private struct HDRNegative: Negative {
    private let bend: V, zero: V, one: V
    let most: V

    @inline(__always) init(_ plan: UnsafePointer<KernelInvert>) {
        (bend, most) = (cv_splat(plan.pointee.bend), cv_splat(plan.pointee.headroom))
        (zero, one) = (cv_splat(0), cv_splat(1))
    }

    @inline(__always) func inside(_ light: V) -> V { cv_quotient(most - light, cv_fma(light, bend, one)) }

    @inline(__always) func callAsFunction(_ light: V) -> V {
        let x = cv_min(cv_max(light, zero), most)
        return inside(x) + (x - light)
    }
}

private struct SDRNegative: Negative {
    private let top: V, zero: V, least: V
    let most: V

    @inline(__always) init(_ plan: UnsafePointer<KernelInvert>) {
        (top, most) = (cv_splat(plan.pointee.top), cv_splat(plan.pointee.headroom))
        // Smaller numbers have no reciprocal root.
        (zero, least) = (cv_splat(0), cv_splat(1e-30))
    }

    @inline(__always) func inside(_ light: V) -> V {
        let x = cv_max(light, least)
        return cv_square(cv_max(top - x * cv_rsqrt(x), zero))
    }

    @inline(__always) func callAsFunction(_ light: V) -> V {
        let x = cv_min(cv_max(light, zero), most)
        return inside(x) + (x - light)
    }
}

@inline(__always)
private func invert(_ rows: Rows, _ alpha: Row, _ count: Int, hasAlpha: Bool, _ negative: some Negative) {
    var i = 0
    if hasAlpha {
        let (zero, one) = (cv_splat(0), cv_splat(1))
        while i < count {
            let share = cv_load(alpha + i)
            // The reciprocal of a smaller alpha would overflow colours.
            let scale = cv_above(share, zero, one / cv_max(share, cv_splat(1e-25)), zero)
            let p = Pixels(rows, i).scaled(scale)
            Pixels(negative(p.a), negative(p.b), negative(p.c)).scaled(share).store(rows, i)
            i &+= lanes
        }
        return
    }
    while i < count {
        let p = Pixels(rows, i)
        let left = p.map { negative.most - $0 }
        // Most pixels are inside the range, which takes fewer steps: no difference to its ends is negative.
        if cv_any_negative(cv_or(signs(p), signs(left))) == 0 {
            Pixels(negative.inside(p.a), negative.inside(p.b), negative.inside(p.c)).store(rows, i)
        } else {
            Pixels(negative(p.a), negative(p.b), negative(p.c)).store(rows, i)
        }
        i &+= lanes
    }
}

/// A vector whose sign bits are set where a component's is.
@inline(__always)
private func signs(_ p: Pixels) -> cv_i { cv_or(cv_bits(p.a), cv_or(cv_bits(p.b), cv_bits(p.c))) }
