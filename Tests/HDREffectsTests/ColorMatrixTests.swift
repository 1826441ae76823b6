import HDRColor
import HDREffects
import HDRKernels
import Testing

@Suite("The effect of a colour matrix")
struct ColorMatrixTests {
    static let mixing = ColorMatrix(
        Matrix3(SIMD3(0.5, 0.3, 0.1), SIMD3(-0.2, 1.4, 0.05), SIMD3(0.25, 0, 3)), offset: SIMD3(0.1, -0.25, 2))

    @Test("each instruction set gives the definition's colours", arguments: InstructionSet.supported)
    func colors(_ instructionSet: InstructionSet) {
        let light = LightChunk(count: 381, seed: 7)
        let before = light.copy()
        ColorMatrixEffect(Self.mixing, instructionSet).apply(to: light.pixels())
        for i in 0..<light.count {
            let (color, alpha) = before[i]
            // Offsets are premultiplied too.
            let expected = Self.mixing.matrix * color + Self.mixing.offset * alpha
            #expect(light[i].alpha == alpha)
            for k in 0..<3 { #expect(abs(light[i].color[k] - expected[k]) <= 1e-6 * (1 + abs(expected[k]))) }
        }
    }

    @Test("two matrices in one are as one after the other")
    func followed() {
        let color = SIMD3(0.2, 4.0, -0.5)
        let next = ColorMatrix(.diagonal(SIMD3(2, 3, 0.5)), offset: SIMD3(1, 0, -1))
        let both = Self.mixing.followed(by: next)(color)
        let inTurn = next(Self.mixing(color))
        for k in 0..<3 { #expect(abs(both[k] - inTurn[k]) < 1e-12) }
    }
}
