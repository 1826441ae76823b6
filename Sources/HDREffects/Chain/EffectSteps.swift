import HDRColor
import HDRKernels

/// Applies effects on pixels one after the other in the first-level cache.
package final class FusedEffects: LightEffect {
    private let effects: ContiguousArray<any LightEffect>

    package let keepsPixels: Bool
    package let takesPairs: Bool
    package let takesSignalLight: Bool
    package let parts: (before: Matrix3<Double>, middle: any LightEffect, after: Matrix3<Double>)?

    /// - Parameter effects: two or more effects.
    init(_ effects: [any LightEffect]) {
        self.effects = ContiguousArray(effects)
        keepsPixels = effects.allSatisfy(\.keepsPixels)
        takesPairs = effects.allSatisfy(\.takesPairs)
        takesSignalLight = effects.allSatisfy(\.takesSignalLight)
        func matrix(_ effect: (any LightEffect)?) -> Matrix3<Double>? {
            guard let affine = effect?.affine, affine.offset == SIMD3(0, 0, 0) else { return nil }
            return affine.matrix
        }
        let (before, after) = (matrix(effects.first), matrix(effects.last))
        let middle = Array(effects.dropFirst(before == nil ? 0 : 1).dropLast(after == nil ? 0 : 1))
        parts =
            before == nil && after == nil || middle.isEmpty
            ? nil : (before ?? .identity, middle.count == 1 ? middle[0] : FusedEffects(middle), after ?? .identity)
    }

    package func apply(to pixels: LightPixels) {
        for index in effects.indices { effects[index].apply(to: pixels) }
    }
}

/// The steps of a chain of effects: those on pixels are fused, with consecutive matrices multiplied into one; those on
/// whole pictures are steps of their own.
package struct EffectSteps {
    package enum Step {
        case pixels(any LightEffect)
        case frames(any FrameEffect)
    }

    package private(set) var steps: [Step] = []

    package init(_ effects: [PlannedEffect], _ instructionSet: InstructionSet = .best) {
        var fused: [any LightEffect] = []
        var matrix: ColorMatrix?
        func endMatrix() {
            if let own = matrix, own != .identity { fused.append(ColorMatrixEffect(own, instructionSet)) }
            matrix = nil
        }
        for effect in effects {
            switch effect {
            case .matrix(let next): matrix = matrix?.followed(by: next) ?? next
            case .pixels(let effect):
                endMatrix()
                fused.append(effect)
            case .frames(let effect):
                endMatrix()
                endPixels()
                steps.append(.frames(effect))
            }
        }
        endMatrix()
        endPixels()

        func endPixels() {
            if !fused.isEmpty { steps.append(.pixels(fused.count == 1 ? fused[0] : FusedEffects(fused))) }
            fused = []
        }
    }

    /// Whether pictures stay unchanged.
    package var isEmpty: Bool { steps.isEmpty }

    /// The only step, where it processes pixels; `nil` otherwise.
    package var onlyPixels: (any LightEffect)? {
        guard steps.count == 1, case .pixels(let effect) = steps[0] else { return nil }
        return effect
    }
}
