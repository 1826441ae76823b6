import HDRColor

/// Subsamples chroma so that chroma which was interpolated linearly returns to its original values.
/// ``LinearLightConverter`` documents the formulas.
struct ChromaReturn {
    let isCosited: Bool
    /// Where chroma that is not cosited lies between the two samples of a pair, from 0 to 1.
    var place = 0.5

    /// Halves `count` samples of x. Indices of up to two beyond the ends are derived by the rule for the picture's
    /// edges.
    /// - Parameter x: returns the sample at an index from 0 to `count` - 1.
    func value(_ k: Int, count: Int, _ x: (Int) -> Double) -> Double {
        func at(_ index: Int) -> Double {
            if index < 0 { return x(0) }
            if index < count { return x(index) }
            if isCosited { return x((count - 1) & ~1) }
            if count % 2 == 0 { return x(count - 1) }
            return x(count - 1) + (x(count - 1) - x(max(count - 2, 0))) * place
        }
        let first = 2 * k
        let (before, own, next) = (at(first - 1), at(first), at(first + 1))
        if isCosited {
            let value = 0.75 * own + 0.25 * (before + next) - 0.125 * (at(first - 2) + at(first + 2))
            return min(max(value, min(before, own, next)), max(before, own, next))
        }
        let left = own + (own - before) * place
        let right = next + (next - at(first + 2)) * (1 - place)
        return min(max(own + (next - own) * place, min(left, right)), max(left, right))
    }
}
