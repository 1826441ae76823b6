import Foundation
import HDRColor
import HDREffects
import HDRKernels
import Testing

@Suite("Chroma key")
struct ChromaKeyTests {
    static let screens = [SIMD3(0.2, 1, 0.2), SIMD3(0.36, 1, 0.21), SIMD3(0.05, 0.1, 1), SIMD3(1, 0.1, 0.9)]
    /// Skin, hair, cloth and paper.
    static let foreground = [
        SIMD3(0.6, 0.38, 0.29), SIMD3(0.03, 0.02, 0.015), SIMD3(0.5, 0.5, 0.5), SIMD3(9.0, 8.6, 8),
        SIMD3(0.7, 0.1, 0.08),
        SIMD3(0.05, 0.05, 0.05), SIMD3(0.8, 0.5, 0.9),
    ]

    static func key(_ color: SIMD3<Double>) -> ChromaKey {
        var key = ChromaKey()
        key.color = color
        return key
    }

    @Test("each instruction set gives the definition's pixels", arguments: InstructionSet.supported)
    func kernels(_ instructionSet: InstructionSet) {
        for (index, screen) in Self.screens.enumerated() {
            var key = Self.key(screen * 3)
            if index == 1 { (key.level, key.shadow, key.despill) = (0.8, 0.1, 0.5) }
            if index == 2 { (key.shadow, key.tolerance, key.softness) = (0, 0.3, 0.2) }
            let light = LightChunk(count: 381, seed: UInt64(index))
            for i in stride(from: 0, to: 380, by: 2) {
                let share = Double(i) / 380
                let alpha = light[i].alpha
                light[i] = (light[i].color * share + screen * (1 - share) * alpha, alpha)
            }
            light[1] = (SIMD3(.nan, .nan, .nan), 1)
            light[3] = (SIMD3(0, 0, 0), 0)
            let before = light.copy()
            ChromaKeyEffect(key, instructionSet).apply(to: light.pixels())
            for i in 0..<light.count {
                let (color, alpha) = key(before[i].color, alpha: before[i].alpha)
                #expect(abs(light[i].alpha - alpha) <= 1e-5, "\(before[i])")
                for k in 0..<3 {
                    let size = before[i].color[k].isNaN ? 0 : abs(before[i].color[k])
                    #expect(abs(light[i].color[k] - color[k]) <= 3e-5 * (1 + size), "\(before[i])")
                }
            }
        }
    }

    @Test("a screen is keyed alike from three stops below to three above", arguments: screens)
    func exposures(_ screen: SIMD3<Double>) {
        let key = Self.key(screen)
        for stops in stride(from: -3.0, through: 3, by: 0.5) {
            for unevenness in [SIMD3(0.0, 0, 0), SIMD3(0.03, -0.02, 0.02), SIMD3(-0.03, 0.03, 0.01)] {
                let light = (screen + unevenness) * 0.4 * exp2(stops)
                let (color, alpha) = key(light, alpha: 1)
                #expect(alpha == 0, "\(stops)")
                #expect(color == SIMD3(0, 0, 0), "\(stops)")
            }
        }
        // An edge has the same alpha in light and in shade.
        let edge = screen * 0.2 + SIMD3(0.1, 0.1, 0.1)
        let alphas = stride(from: -3.0, through: 3, by: 1).map { key(edge * exp2($0), alpha: 1).alpha }
        for alpha in alphas { #expect(abs(alpha - alphas[0]) < 1e-9 && alpha > 0 && alpha < 1) }
    }

    @Test("the foreground stays as it is", arguments: InstructionSet.supported)
    func foregroundStays(_ instructionSet: InstructionSet) {
        for screen in [Self.screens[0], Self.screens[2]] {
            let light = LightChunk(count: Self.foreground.count + 2)
            for (i, color) in Self.foreground.enumerated() { light[i] = (color, 1) }
            // Yellow and cyan are none of a green screen's hues, and are not despilled.
            light[Self.foreground.count] = screen.y == 1 ? (SIMD3(0.9, 0.85, 0.1), 1) : (SIMD3(0.9, 0.1, 0.1), 1)
            light[Self.foreground.count + 1] = screen.y == 1 ? (SIMD3(0.1, 0.85, 0.9), 1) : (SIMD3(0.2, 0.9, 0.2), 1)
            let before = light.copy()
            ChromaKeyEffect(Self.key(screen), instructionSet).apply(to: light.pixels())
            for i in 0..<light.count where !(screen.z == 1 && i == 6) {
                #expect(light[i].alpha == 1)
                // Weights whose sum is 0 leave of a grey what rounding leaves.
                for k in 0..<3 {
                    let size = before[i].color[k]
                    #expect(abs(light[i].color[k] - size) <= 2e-7 * size, "\(before[i].color)")
                }
            }
        }
    }

    @Test("alpha at edges is the foreground's share, and colour is premultiplied")
    func edges() {
        for screen in Self.screens {
            for level in [0.1, 0.5, 4] {
                let grey = SIMD3(repeating: level)
                for share in stride(from: 0.0, through: 1, by: 0.1) {
                    let mixed = grey * share + screen * level * (1 - share)
                    let (color, alpha) = Self.key(screen)(mixed, alpha: 1)
                    let expected = min(max((share - 0.1) / 0.8, 0), 1)
                    #expect(abs(alpha - expected) < 1e-9)
                    if share == 0.5 { #expect(abs(alpha - 0.5) < 0.05) }
                    // The screen's light is gone, whatever of it alpha says.
                    if share > 0.15 {
                        for k in 0..<3 { #expect(abs(color[k] - grey[k] * share) < 0.11 * level, "\(share) \(color)") }
                    }
                }
            }
        }
        // Skin before a screen of the usual brightness.
        let skin = SIMD3(0.6, 0.38, 0.29)
        let (_, alpha) = ChromaKey()(skin * 0.5 + SIMD3(0.1, 0.5, 0.1) * 0.5, alpha: 1)
        #expect(abs(alpha - 0.5) < 0.05, "\(alpha)")
        // Speculars are brighter than the screen, whose level says how bright.
        var key = ChromaKey()
        key.level = 0.5
        let (_, bright) = key(SIMD3(4, 4, 4) * 0.5 + SIMD3(0.1, 0.5, 0.1) * 0.5, alpha: 1)
        #expect(abs(bright - 0.5) < 0.05, "\(bright)")
    }

    @Test("spill goes, and grey stays grey")
    func despill() {
        let lit = SIMD3(0.5, 0.5, 0.5) + SIMD3(0.2, 1, 0.2) * 0.04
        let (color, alpha) = ChromaKey()(lit, alpha: 1)
        #expect(alpha == 1)
        #expect(abs(color.y - color.x) < 1e-9 && color.x == lit.x)
        var key = ChromaKey()
        key.despill = 0
        #expect(key(lit, alpha: 1).color == lit)
    }

    @Test("shadows are foreground")
    func shadows() {
        var key = ChromaKey()
        key.shadow = 0.01
        let screen = SIMD3(0.2, 1, 0.2)
        #expect(key(screen * 0.011, alpha: 1).alpha == 0)
        #expect(abs(key(screen * 0.0075, alpha: 1).alpha - 0.5) < 1e-9)
        #expect(key(screen * 0.005, alpha: 1).alpha == 1)
        // Alpha of the source counts.
        #expect(abs(key(screen * 0.00375, alpha: 0.5).alpha - 0.25) < 1e-9)
    }

    @Test("parameters out of range do not trap, and grey keys nothing")
    func hostile() {
        for number in [Double.nan, .infinity, -.infinity, -5, 0, 1e300] {
            var key = ChromaKey()
            key.color = SIMD3(number, number, 1)
            (key.tolerance, key.softness, key.hueTolerance) = (number, number, number)
            (key.hueSoftness, key.despill, key.shadow, key.level) = (number, number, number, number)
            let light = LightChunk(count: 100, seed: 1)
            ChromaKeyEffect(key).apply(to: light.pixels())
            for i in 0..<100 {
                let (color, alpha) = light[i]
                #expect(
                    alpha >= 0 && alpha <= 1 && color.x.isFinite && color.y.isFinite && color.z.isFinite, "\(number)")
            }
        }
        let light = LightChunk(count: 100, seed: 1)
        let before = light.copy()
        ChromaKeyEffect(Self.key(SIMD3(0.5, 0.5, 0.5))).apply(to: light.pixels())
        for i in 0..<100 { #expect(light[i].color == before[i].color && light[i].alpha == before[i].alpha) }
    }
}
