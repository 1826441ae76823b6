import CKernels
import HDRColor
import HDRKernels

/// A negative: black becomes light of the headroom H, and light of H becomes black.
///
/// Each component x from 0 to H becomes (H - x) / (1 + 500 x) in HDR and (√H - √x)² in SDR. Both are close to
/// what a negative of the stream's signal is, so that steps stay about as visible as they were, and both are their own
/// inverses: the negative of a negative is the picture again, but for a few codes next to black in HDR. H - x itself
/// would leave no codes for shadows, and 1 - x, which is common among numbers in [0, 1], gives light below 0 for all
/// that is brighter than white. A component below 0, as of colours outside the working space, becomes one as far above
/// H, and vice versa, so that inverting again restores these too.
package struct Invert: VideoEffect {
    package static let headroomRange = 0.0...50.0
    /// The light that black becomes, relative to reference white; 0 for the stream's own headroom.
    package var headroom = 0.0

    package init(headroom: Double = 0) { self.headroom = headroom }

    /// The constant that bends the negative in HDR, 500 in the formula above.
    fileprivate static let bend = 500.0

    /// The negative of a component.
    package static func negative(_ light: Double, headroom: Double, isHDR: Bool) -> Double {
        let inside = min(max(light, 0), headroom)
        let beyond = inside - light
        guard isHDR else {
            let root = headroom.squareRoot() - inside.squareRoot()
            return root * root + beyond
        }
        return (headroom - inside) / (1 + bend * inside) + beyond
    }

    package func planned(for context: EffectContext) -> PlannedEffect {
        .pixels(InvertEffect(headroom > 0 ? headroom : context.headroom, context))
    }
}

private final class InvertEffect: LightEffect, @unchecked Sendable {
    let keepsPixels = false
    let takesPairs = true
    private let kernels: KernelEffects
    private let plan: KernelInvert

    init(_ headroom: Double, _ context: EffectContext) {
        kernels = context.instructionSet.kernels.effects
        let isHDR = context.signal.transfer.isHDR
        plan = KernelInvert(
            bend: isHDR ? Float(Invert.bend) : 0, top: Float(isHDR ? headroom : headroom.squareRoot()),
            headroom: Float(headroom), has_alpha: context.hasAlpha ? 1 : 0)
    }

    func apply(to pixels: LightPixels) {
        var plan = plan
        kernels.invert(&plan, pixels.kernelRows, pixels.count)
    }
}
