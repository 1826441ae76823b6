import HDRColor

/// Takes chroma from luma's positions to its own places, so that chroma which linear interpolation has brought there
/// comes back unchanged. ``LinearLightConverter`` has the formulas.
struct ChromaReturn {
    let isCosited: Bool

    /// Halves `count` samples of x, an index of which may be up to two outside: the picture's edges follow from it.
    /// - Parameter x: the sample at an index from 0 to `count` - 1.
    func value(_ k: Int, count: Int, _ x: (Int) -> Double) -> Double {
        func at(_ index: Int) -> Double {
            if index < 0 { return x(0) }
            if index < count { return x(index) }
            if isCosited { return x((count - 1) & ~1) }
            if count % 2 == 0 { return x(count - 1) }
            return (3 * x(count - 1) - x(max(count - 2, 0))) / 2
        }
        let first = 2 * k
        if isCosited {
            return 0.75 * at(first) + 0.25 * (at(first - 1) + at(first + 1)) - 0.125 * (at(first - 2) + at(first + 2))
        }
        return 0.75 * (at(first) + at(first + 1)) - 0.25 * (at(first - 1) + at(first + 2))
    }
}
