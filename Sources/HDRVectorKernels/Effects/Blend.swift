import CSIMD

/// Composites pixels of a layer over others by Porter and Duff's "over", in premultiplied light.
/// - Parameters:
///   - layer, light: the pixels, without rows of alpha where neither has alpha.
///   - hasAlpha: whether the layer has alpha; otherwise its alpha is 1.
@inline(never)
func applyBlend(
    _ layer: KernelLightRows, _ opacity: Float, _ hasAlpha: Bool, _ light: KernelLightRows, _ count: Int
) {
    let (from, to) = (Rows(layer.red, layer.green, layer.blue), Rows(light.red, light.green, light.blue))
    let share = cv_splat(opacity)
    let one = cv_splat(1)
    @inline(__always) func mixColor(_ i: Int, _ rest: V) {
        let (p, q) = (Pixels(from, i), Pixels(to, i))
        Pixels(
            cv_fma(q.a, rest, p.a * share), cv_fma(q.b, rest, p.b * share), cv_fma(q.c, rest, p.c * share)
        ).store(to, i)
    }
    guard let own = layer.alpha, let alpha = light.alpha else {
        let rest = one - share
        eachVector(count) { i in mixColor(i, rest) }
        return
    }
    @inline(__always) func mix(_ i: Int, _ alphaShare: V, _ rest: V) {
        mixColor(i, rest)
        cv_store(alpha + i, cv_fma(cv_load(alpha + i), rest, alphaShare))
    }
    if hasAlpha {
        eachVector(count) { i in
            let alphaShare = cv_load(own + i) * share
            mix(i, alphaShare, one - alphaShare)
        }
    } else {
        let rest = one - share
        eachVector(count) { i in mix(i, share, rest) }
    }
}
