import CKernels
import HDRColor
import HDRKernels

/// Draws the marks of ``Highlight``.
final class HighlightEffect: LightEffect, @unchecked Sendable {
    /// The limits of the light meter for pixels outside a gamut: smaller values result from rounding at its edge. The
    /// second limit is in cd/m².
    private static let outsideRatio = -0.01
    private static let outsideFloor = -0.01
    /// The maximum number of pixels in a call, and a vector more.
    private static let span = 768 + 16

    /// Whether the marks do not depend on the position; the stripes of a zebra do.
    var takesPairs: Bool { !isZebra }

    private let kernels: KernelEffects
    private let plan: KernelHighlight
    private let isZebra: Bool
    private let hasHeadroom: Bool
    private let hasGamut: Bool
    private let width: Int
    /// A pattern of `width` pixels of 0 and `width` pixels of 1 in turn.
    private let wave: UnsafeMutablePointer<Float>
    private let solid: UnsafeMutablePointer<Float>

    init(_ highlight: Highlight, _ context: EffectContext) {
        kernels = context.instructionSet.kernels.effects
        isZebra = highlight.mode == .zebra
        hasHeadroom = isZebra && highlight.headroom > 0
        hasGamut = isZebra && highlight.gamut != nil
        width = max(highlight.width, 1)
        let (width, period) = (width, 2 * width)
        wave = .allocate(capacity: Self.span + 2 * period)
        for x in 0..<(Self.span + 2 * period) { (wave + x).initialize(to: x % period < width ? 0 : 1) }
        solid = .allocate(capacity: Self.span)
        solid.initialize(repeating: 1, count: Self.span)

        func color(_ p3: SIMD3<Double>) -> (Float, Float, Float) {
            let own = Primaries.displayP3.matrix(to: context.primaries) * p3
            return (Float(own.x), Float(own.y), Float(own.z))
        }
        var plan = KernelHighlight()
        plan.level = Float(context.halfACodeAbove(highlight.level))
        plan.headroom = Float(context.halfACodeAbove(highlight.headroom))
        if let gamut = highlight.gamut { plan.gamut = KernelMatrix(context.primaries.matrix(to: gamut)) }
        plan.outside_ratio = Float(Self.outsideRatio)
        plan.outside_floor = Float(Self.outsideFloor / context.referenceWhite)
        plan.above_level.color = color(isZebra ? SIMD3(0, 0, 0) : highlight.color)
        plan.above_headroom.color = color(highlight.color)
        plan.outside_gamut.color = color(SIMD3(1, 0, 1))
        self.plan = plan
    }

    deinit {
        wave.deallocate()
        solid.deallocate()
    }

    func apply(to pixels: LightPixels) {
        var own = plan
        let (x, y, period) = (pixels.column, pixels.row, 2 * width)
        if isZebra {
            own.above_level.wave = UnsafePointer(wave + (x + y) % period)
            if hasHeadroom { own.above_headroom.wave = UnsafePointer(wave + (x + period - y % period) % period) }
            if hasGamut { own.outside_gamut.wave = UnsafePointer(wave + (x + y / width * width) % period) }
        } else {
            own.above_level.wave = UnsafePointer(solid)
        }
        kernels.highlight(&own, pixels.kernelRows, pixels.count)
    }
}
