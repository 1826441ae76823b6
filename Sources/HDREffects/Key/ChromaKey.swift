import CKernels
import Glibc
import HDRColor
import HDRKernels

/// Keys a lit screen of one colour: removes the screen's light from colours, and its share of each pixel from alpha.
///
/// A colour's chroma is its difference from grey. The component of chroma along the key's, 1 for the key itself, is
/// divided by the largest of R, G and B, so that the screen counts alike in light and in shade, and specular highlights
/// above reference white keep their hue. The screen's share s is a linear function of that normalized chroma, set by
/// `tolerance` and `softness`; alpha becomes 1 - s, and s times the key's light is subtracted from the colour: at an
/// edge in linear light this leaves the foreground's colour, premultiplied. With a tolerance of 0 and a softness of 1,
/// s is exactly the screen's share in mixtures with a grey as bright as the screen.
///
/// Hues away from the key's count as foreground. The key's chroma that remains in nearby hues is spill: despill lowers
/// the key's dominant component until no such chroma is left, as in a grey. The light that it removes came from the
/// screen and is not replaced: the foreground's luminance falls to what it is under neutral light.
package struct ChromaKey: Equatable, Sendable {
    /// The screen's colour in the primaries of the light; its magnitude does not matter. A grey keys nothing.
    package var color = SIMD3(0.2, 1, 0.2)
    /// Alpha is 0 where the normalized chroma of a pixel is at most this far below the key's, which is 1: 0...0.5.
    package var tolerance = 0.1
    /// The further decrease of normalized chroma over which alpha rises from 0 to 1: 0.01...1. It is limited to 1 less
    /// the tolerance.
    package var softness = 0.8
    /// The angle from the key's hue up to which hues belong to the screen, in degrees: 1...80.
    package var hueTolerance = 40.0
    /// The angle beyond that at which hues no longer belong to the screen, in degrees: 1...60.
    package var hueSoftness = 18.0
    /// The share of the spill that is removed: 0...1.
    package var despill = 1.0
    /// The largest of R, G and B, relative to reference white, below which chroma counts as noise: alpha rises, up to 1
    /// at half of this light. 0...1.
    package var shadow = 0.004
    /// The largest component of the screen where it is lit best, relative to reference white: brighter pixels are taken
    /// to contain at most this much light of the screen. 0.001...50; infinite where it is not known.
    package var level = Double.infinity

    package init() {}

    /// The alpha below which colour fades to nothing, so that remainders of an uneven screen do not shine.
    private static let faintAlpha = 0.05

    // MARK: Definition

    /// The keyed colour, premultiplied, and its alpha.
    package func callAsFunction(
        _ color: SIMD3<Double>, alpha: Double
    ) -> (color: SIMD3<Double>, alpha: Double) {
        let w = weights
        func number(_ x: Double) -> Double { x.isNaN ? 0 : x }
        let p = SIMD3(number(color.x), number(color.y), number(color.z))
        let largest = max(p.maxComponent, 0)
        let (chroma, aside) = (p.dot(w.along), abs(p.dot(w.across)))
        let lit = min(largest, level * alpha)
        let amountOfKey = lit > 0 ? w.near(chroma, aside) / lit : 0
        let share = min(max((amountOfKey - (1 - w.tolerance - w.softness)) / w.softness, 0), 1)
        let safe = w.shadow > 0 ? min(max(2 * largest / (w.shadow * alpha) - 1, 0), 1) : 1
        let taken = alpha > 0 ? share * safe : 0
        let spill = w.near(chroma - taken * lit, aside)
        var result = SIMD3<Double>()
        for k in 0..<3 {
            let rest = p[k] - w.key[k] * taken * lit - w.despill[k] * spill
            result[k] = max(rest, min(p[k], 0)) * min((1 - taken) / Self.faintAlpha, 1)
        }
        return (result, alpha * (1 - taken))
    }

    // MARK: Numbers

    /// Constants derived from the parameters, each clamped to its range.
    private struct Weights {
        var along = SIMD3(0.0, 0, 0), across = SIMD3(0.0, 0, 0), key = SIMD3(0.0, 0, 0), despill = SIMD3(0.0, 0, 0)
        var slope = 1.0, slopeScale = 1.0
        var tolerance = 0.0, softness = 1.0, shadow = 0.0

        /// The part of chroma that has the key's hue.
        func near(_ chroma: Double, _ aside: Double) -> Double {
            min(max((chroma * slope - aside) * slopeScale, 0), max(chroma, 0))
        }
    }

    private var weights: Weights {
        func limit(_ x: Double, _ low: Double, _ high: Double) -> Double { x > low ? min(x, high) : low }
        var w = Weights()
        w.tolerance = limit(tolerance, 0, 0.5)
        w.softness = min(limit(softness, 0.01, 1), 1 - w.tolerance)
        w.shadow = limit(shadow, 0, 1)
        let inner = limit(hueTolerance, 1, 80)
        let outer = min(inner + limit(hueSoftness, 1, 60), 85)
        w.slope = tan(outer * .pi / 180)
        w.slopeScale = 1 / (w.slope - tan(inner * .pi / 180))

        let color = SIMD3(limit(color.x, 0, 1e6), limit(color.y, 0, 1e6), limit(color.z, 0, 1e6))
        let largest = color.maxComponent
        guard largest > 0 else { return w }
        w.key = color / largest
        let chroma = w.key - SIMD3(repeating: (w.key.x + w.key.y + w.key.z) / 3)
        let square = chroma.dot(chroma)
        // The hue of a colour this close to grey is undefined.
        guard square > 1e-4 else { return w }
        w.along = chroma / square
        w.across = SIMD3(chroma.z - chroma.y, chroma.x - chroma.z, chroma.y - chroma.x) / (square * 3.0.squareRoot())
        let dominant = w.key.x == 1 ? 0 : w.key.y == 1 ? 1 : 2
        w.despill[dominant] = limit(despill, 0, 1) / w.along[dominant]
        return w
    }

    var kernel: KernelChromaKey {
        let w = weights
        func three(_ v: SIMD3<Double>) -> (Float, Float, Float) { (Float(v.x), Float(v.y), Float(v.z)) }
        var kernel = KernelChromaKey()
        kernel.along = three(w.along)
        kernel.across = three(w.across)
        kernel.key = three(w.key)
        kernel.slope = Float(w.slope)
        kernel.slope_scale = Float(w.slopeScale)
        // Infinity times an alpha of 0 would be NaN.
        kernel.level = level < 1e30 ? Float(max(level, 0.001)) : 1e30
        kernel.share_scale = Float(1 / w.softness)
        kernel.share_offset = Float(-(1 - w.tolerance - w.softness) / w.softness)
        kernel.guard_scale = w.shadow > 0 ? Float(min(2 / w.shadow, 1e30)) : 0
        kernel.guard_offset = w.shadow > 0 ? -1 : 1
        kernel.despill = three(w.despill)
        kernel.fade = Float(1 / Self.faintAlpha)
        return kernel
    }
}

/// Keys pixels.
package final class ChromaKeyEffect: LightEffect, @unchecked Sendable {
    package let takesPairs = true
    private let kernels: KernelEffects
    private let key: UnsafeMutablePointer<KernelChromaKey>

    package init(_ key: ChromaKey, _ instructionSet: InstructionSet = .best) {
        kernels = instructionSet.kernels.effects
        self.key = .allocate(capacity: 1)
        self.key.initialize(to: key.kernel)
    }

    deinit { key.deallocate() }

    package func apply(to pixels: LightPixels) { kernels.chroma_key(key, pixels.kernelRows, pixels.count) }
}

extension ChromaKey: VideoEffect {
    package func planned(for context: EffectContext) -> PlannedEffect {
        .pixels(ChromaKeyEffect(self, context.instructionSet))
    }
}
