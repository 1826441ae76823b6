import CKernels
import Glibc
import HDRKernels

/// A Gaussian blur of linear light: edges repeat the picture mirrored, d c b a | a b c d, so that no light is lost.
package struct GaussianBlur: Equatable, Sendable {
    /// The standard deviation in pixels, 0.3...200.
    package var sigma = 4.0

    package init(sigma: Double = 4) { self.sigma = sigma }

    package static let sigmas = 0.3...200.0

    /// The standard deviation, clamped to its range.
    var limited: Double { sigma > 0.3 ? min(sigma, 200) : 0.3 }
}

/// The filters of a blur.
///
/// A small blur is a weighted sum of pixels. A large one runs at a resolution that is lower by the factor `step`: a
/// cubic B-spline, which preserves the sum of all pixels exactly, downsamples and upsamples the picture, and the kernel
/// in between is such that the three filters together are the Gaussian. The standard deviation is at least 2.25 pixels
/// of the lower resolution, so that less than 1e-3 of the light lies above its highest frequency.
struct GaussianFilters {
    /// The number of pixels per pixel of the lower resolution; 1 where no lower resolution is used.
    let step: Int
    /// The weights at the offsets -radius...radius.
    let weights: [Float]
    /// The weights for downsampling, with a sum of 1. Pixel n of the lower resolution is the weighted sum of the pixels
    /// from n * `step` + `downStart` on.
    let down: [Float]
    let downStart: Int
    /// The weights for upsampling. For each of the `step` pixels within pixel n of the lower resolution: the offset
    /// from n of the first of four pixels of the lower resolution, and the weights of these four.
    let up: [(first: Int, weights: [Float])]

    var radius: Int { weights.count / 2 }

    init(sigma: Double) {
        let step = max(Int(sigma / 2.25), 1)
        self.step = step
        guard step > 1 else {
            let radius = Int((4 * sigma).rounded(.up))
            let values = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
            weights = Self.normalized(values)
            (down, downStart, up) = ([], 0, [])
            return
        }
        let s = Double(step)
        let middle = (s - 1) / 2
        let start = Int((middle - 2 * s).rounded(.down)) + 1
        let spline = (start..<step - start).map { Self.spline((Double($0) - middle) / s) / s }
        down = Self.normalized(spline)
        downStart = start
        up = (0..<step).map { pixel in
            let place = (Double(pixel) - middle) / s
            let below = place.rounded(.down)
            return (Int(below) - 1, Self.normalized((-1...2).map { Self.spline(place - below - Double($0)) }))
        }

        // The weights are a cosine series of the Gaussian's frequency response divided by that of down- and upsampling.
        let count = 256
        let low = sigma / s
        var wanted = [Double](repeating: 0, count: count / 2 + 1)
        for k in wanted.indices {
            let f = 2 * Double.pi * Double(k) / Double(count)
            var way = 0.0
            for (tap, weight) in spline.enumerated() { way += weight * cos(f * (Double(start + tap) - middle) / s) }
            wanted[k] = exp(-0.5 * low * low * f * f) / (way * way)
        }
        let radius = Int((4.5 * low).rounded(.up))
        var values = [Double](repeating: 0, count: 2 * radius + 1)
        for n in -radius...radius {
            for (k, share) in wanted.enumerated() {
                let parts = k == 0 || k == count / 2 ? 1.0 : 2
                values[n + radius] += parts * share * cos(2 * Double.pi * Double(k * n) / Double(count))
            }
        }
        weights = Self.normalized(values)
    }

    /// The cubic B-spline at a distance of x steps.
    static func spline(_ x: Double) -> Double {
        let x = abs(x)
        if x >= 2 { return 0 }
        return x >= 1 ? (2 - x) * (2 - x) * (2 - x) / 6 : 2.0 / 3 - x * x * (1 - x / 2)
    }

    private static func normalized(_ values: [Double]) -> [Float] {
        let sum = values.reduce(0, +)
        return values.map { Float($0 / sum) }
    }
}

/// The index that a place has in a row or column of `count` pixels with mirrored edges.
@inline(__always)
func mirrored(_ place: Int, _ count: Int) -> Int {
    if place >= 0 && place < count { return place }
    let rest = place % (2 * count)
    let turned = rest < 0 ? rest + 2 * count : rest
    return turned < count ? turned : 2 * count - 1 - turned
}
