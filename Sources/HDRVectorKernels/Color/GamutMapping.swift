import CSIMD

/// Maps colours in the target's primaries into its gamut by the methods that do more than clip. Clipping needs no step
/// of its own: the curve that follows clamps its arguments.
func mapGamut(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    switch Int(color.pointee.gamut) {
    case KernelGamutSoftclip: softclip(color, chunk)
    case KernelGamutDesaturate: desaturate(color, chunk)
    case KernelGamutPerceptual: mapPerceptually(color, chunk)
    default: break
    }
}

/// Compresses distances from grey, (max - component) / max, between a knee and the distance that the source's gamut
/// reaches.
private func softclip(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    let reach = color.pointee.reach
    let a = Compression(reach.0)
    let b = Compression(reach.1)
    let c = Compression(reach.2)
    let zero = cv_splat(0)
    let one = cv_splat(1)
    eachVector(chunk.count) { i in
        let p = Pixels(chunk.rows, i)
        let most = p.maximum
        let inverse = one / most
        let fitted = Pixels(
            cv_above(most, zero, a(p.a, most, inverse), zero), cv_above(most, zero, b(p.b, most, inverse), zero),
            cv_above(most, zero, c(p.c, most, inverse), zero))
        fitted.store(chunk.rows, i)
    }
}

/// The Möbius transform of one component's distances from grey. Its result is the complement, the share of the largest
/// component that is left.
private struct Compression {
    private let knee: V, reach: V, numerator: V, left: V, shift: V

    @inline(__always) init(_ reach: Float) {
        let j: Float = 0.8
        let b = (j * j - 2 * j * reach + reach) / (reach - 1)
        // A component whose gamut does not reach beyond the target's stays as it is.
        let acts = reach > 1
        knee = cv_splat(acts ? j : .infinity)
        self.reach = cv_splat(reach)
        numerator = cv_splat(acts ? b * b + 2 * b * j + j * j : 0)
        left = cv_splat(acts ? reach + b : 1)
        shift = cv_splat(acts ? b : 0)
    }

    @inline(__always) func callAsFunction(_ component: V, _ most: V, _ inverse: V) -> V {
        let distance = (most - component) * inverse
        let kept = cv_max(reach - distance, cv_splat(0))
        let compressed = most * (numerator * kept / (left * (distance + shift)))
        return cv_above(distance, knee, compressed, component)
    }
}

/// Mixes colours with the grey of the same luminance until they lie in the gamut.
private func desaturate(_ color: UnsafePointer<KernelColor>, _ chunk: Chunk) {
    let weights = Weights(color.pointee.luminance)
    let peak = cv_splat(color.pointee.peak)
    // A largest component that exceeds the peak only by a rounding error must not lift the other components: it is
    // clipped.
    let limit = cv_splat(color.pointee.peak * 1.0001)
    let zero = cv_splat(0)
    let one = cv_splat(1)
    eachVector(chunk.count) { i in
        let p = Pixels(chunk.rows, i)
        let grey = cv_limit(p.dot(weights), zero, peak)
        // The share of its distance from grey that a component may keep.
        @inline(__always) func share(_ component: V) -> V {
            let above = cv_above(component, limit, (limit - grey) / (component - grey), one)
            return cv_above(zero, component, grey / (grey - component), above)
        }
        let (a, b, c) = (share(p.a), share(p.b), share(p.c))
        let least = cv_min(a, cv_min(b, c))
        // The component that decides lies on its limit exactly, without a rounding error.
        @inline(__always) func fit(_ component: V, _ own: V) -> V {
            let mixed = cv_fma(component - grey, least, grey)
            return cv_above(own, least, mixed, cv_limit(component, zero, limit))
        }
        Pixels(fit(p.a, a), fit(p.b, b), fit(p.c, c)).store(chunk.rows, i)
    }
}
