import HDRColor
import HDREffects
import HDRKernels
import Testing

/// Effects on pixels against their definitions, on each instruction set.
@Suite struct PointEffectTests {
    private static func context(
        _ set: InstructionSet, transfer: Transfer = .pq, headroom: Double = 1000.0 / 203, hasAlpha: Bool = true
    ) -> EffectContext {
        let quantization = Quantization(bits: 10, fullRange: false, matrix: .bt2020)
        return EffectContext(
            signal: ColorSignal(transfer: transfer, primaries: .bt2020, quantization: quantization),
            primaries: .displayP3, width: 381, height: 40, hasAlpha: hasAlpha, headroom: headroom, instructionSet: set)
    }

    private static func apply(
        _ effects: [PlannedEffect], to light: LightChunk, _ set: InstructionSet, column: Int = 0, row: Int = 0
    ) throws {
        let effect = try #require(EffectSteps(effects, set).onlyPixels)
        effect.apply(to: light.pixels(column: column, row: row))
    }

    // MARK: Matrices

    @Test func aStopDoublesLight() {
        #expect(Exposure(stops: 1).matrix(SIMD3(0.25, 1, 3)) == SIMD3(0.5, 2, 6))
        #expect(Exposure().matrix == .identity)
    }

    @Test(arguments: Primaries.allCases) func luminanceStays(_ primaries: Primaries) {
        let luminance = primaries.luminance
        for color in [SIMD3(1.0, 1, 1), SIMD3(2, 0, 0), SIMD3(0.1, 0.7, 4), SIMD3(-0.05, 0.3, 0.2)] {
            let before = luminance.dot(color)
            for matrix in [
                Sepia().matrix(primaries), Sepia(intensity: 0.4).matrix(primaries),
                Saturation(saturation: 0).matrix(primaries), Saturation(saturation: 2.5).matrix(primaries),
            ] {
                #expect(abs(luminance.dot(matrix(color)) - before) < 1e-12)
            }
            let grey = Saturation(saturation: 0).matrix(primaries)(color)
            #expect(abs(grey.x - before) < 1e-12 && abs(grey.z - before) < 1e-12)
        }
        // A sepia is brown: red above green above blue.
        let tone = Sepia().matrix(primaries)(SIMD3(0.2, 0.2, 0.2))
        #expect(tone.x > tone.y && tone.y > tone.z)
    }

    /// The sums of the rows that the matrix in common use is known by.
    @Test func classicSepia() {
        let white = Sepia(form: .classic).matrix(.bt709)(SIMD3(1, 1, 1))
        #expect(abs(white.x - 1.351) < 1e-12 && abs(white.y - 1.203) < 1e-12 && abs(white.z - 0.937) < 1e-12)
        #expect(Sepia(intensity: 0).matrix(.bt2020) == .identity)
    }

    @Test func whiteBalance() {
        for primaries in [Primaries.bt709, .displayP3, .bt2020] {
            let identity = WhiteBalance().matrix(primaries)(SIMD3(0.3, 0.5, 2))
            #expect(abs(identity.x - 0.3) < 1e-9 && abs(identity.y - 0.5) < 1e-9 && abs(identity.z - 2) < 1e-9)
            // Light of tungsten lamps becomes bluer, and light of the sky warmer.
            let tungsten = WhiteBalance(temperature: 2856).matrix(primaries)(SIMD3(1, 1, 1))
            #expect(tungsten.z > 1.3 && tungsten.x < 0.85)
            let sky = WhiteBalance(temperature: 12000).matrix(primaries)(SIMD3(1, 1, 1))
            #expect(sky.x > 1.05 && sky.z < 0.9)
            // Illuminant A's white (x 0.44757, y 0.40745) becomes D65's.
            let a = SIMD3(0.44757 / 0.40745, 1, (1 - 0.44757 - 0.40745) / 0.40745)
            let neutral = WhiteBalance(temperature: 2856).matrix(primaries)(primaries.toXYZ.inverse * a)
            // The line of light goes from black bodies to daylight, and is a little above A.
            #expect(abs(neutral.x / neutral.y - 1) < 0.06 && abs(neutral.z / neutral.y - 1) < 0.06)
            // A greenish light leaves the picture more magenta.
            let tinted = WhiteBalance(tint: 40).matrix(primaries)(SIMD3(1, 1, 1))
            #expect(tinted.y < tinted.x && tinted.y < tinted.z)
        }
        // There is no step where daylight begins.
        let (below, above) = (WhiteBalance(temperature: 3999.9).matrix(.bt709), WhiteBalance(temperature: 4000.1))
        let change = below(SIMD3(1, 1, 1)) - above.matrix(.bt709)(SIMD3(1, 1, 1))
        #expect((change * change).sum() < 1e-7)
    }

    @Test(arguments: InstructionSet.supported) func matricesInAChainAreOne(_ set: InstructionSet) throws {
        let light = LightChunk(count: 100, seed: 3)
        let before = light.copy()
        let matrices = [
            Exposure(stops: 0.5).matrix, Sepia(intensity: 0.5).matrix(.displayP3),
            Saturation(saturation: 1.5).matrix(.bt2020),
        ]
        try Self.apply(matrices.map { .matrix($0) }, to: light, set)
        for i in 0..<light.count {
            let expected = matrices.reduce(before[i].color) { $1($0) }
            for k in 0..<3 { #expect(abs(light[i].color[k] - expected[k]) <= 2e-6 * (1 + abs(expected[k]))) }
        }
        // An effect that changes nothing becomes no step.
        #expect(EffectSteps([Exposure().planned(for: Self.context(set))], set).isEmpty)
    }

    // MARK: Invert

    @Test(arguments: InstructionSet.supported) func negative(_ set: InstructionSet) throws {
        for (transfer, headroom) in [(Transfer.pq, 1000.0 / 203), (.hlg, 4.926), (.bt1886, 1)] {
            let isHDR = transfer.isHDR
            let context = Self.context(set, transfer: transfer, headroom: headroom)
            let light = LightChunk(count: 381, seed: 9)
            let before = light.copy()
            try Self.apply([Invert().planned(for: context)], to: light, set)
            for i in 0..<light.count {
                let (color, alpha) = before[i]
                for k in 0..<3 {
                    let x = alpha > 0 ? color[k] / alpha : 0
                    let expected = alpha * Invert.negative(x, headroom: headroom, isHDR: isHDR)
                    #expect(abs(light[i].color[k] - expected) <= 2e-4 * abs(expected) + 1e-5, "\(transfer) \(x)")
                }
                #expect(light[i].alpha == alpha)
            }
            // Its own inverse.
            try Self.apply([Invert().planned(for: context)], to: light, set)
            for i in 0..<light.count {
                let (color, alpha) = before[i]
                for k in 0..<3 {
                    let expected = alpha > 0 ? color[k] : 0
                    #expect(abs(light[i].color[k] - expected) <= 2e-3 * abs(expected) + 1e-3 * alpha)
                }
            }
        }
        #expect(Invert.negative(0, headroom: 4, isHDR: true) == 4 && Invert.negative(4, headroom: 4, isHDR: true) == 0)
        // Colours outside the working space come back.
        for isHDR in [true, false] {
            #expect(Invert.negative(9, headroom: 4, isHDR: isHDR) == -5)
            #expect(Invert.negative(-5, headroom: 4, isHDR: isHDR) == 9)
        }
    }

    // MARK: Highlight

    @Test func halfACode() {
        let pq = Self.context(.baseline)
        // 573 is the code of reference white: up to half a code above it nothing is marked.
        let code = (573.0 - 64) / 876
        #expect(pq.halfACodeAbove(1) > PQ.eotf(code) / 203)
        #expect(pq.halfACodeAbove(1) < PQ.eotf((574.0 - 64) / 876) / 203)
        let hlg = Self.context(.baseline, transfer: .hlg)
        func light(_ code: Double) -> Double {
            HLG<Double>(peak: 1000).toDisplay(SIMD3(repeating: (code - 64) / 876)).x / 203
        }
        #expect(hlg.halfACodeAbove(1) > light(721) && hlg.halfACodeAbove(1) < light(722))
    }

    @Test(arguments: InstructionSet.supported) func solidMarks(_ set: InstructionSet) throws {
        let context = Self.context(set)
        let light = LightChunk(count: 381, seed: 21)
        let before = light.copy()
        try Self.apply([Highlight(level: 1).planned(for: context)], to: light, set)
        let level = context.halfACodeAbove(1)
        var marked = 0
        for i in 0..<light.count {
            let (color, alpha) = before[i]
            if color.max() > level * alpha * (1 + 1e-6) {
                marked += 1
                #expect(light[i].color.x == Double(Float(2) * Float(alpha)) || abs(light[i].color.x - 2 * alpha) < 1e-6)
                #expect(abs(light[i].color.y) < 1e-6 && abs(light[i].color.z) < 1e-6)
            } else if color.max() < level * alpha * (1 - 1e-6) {
                #expect(light[i].color == color)
            }
            #expect(light[i].alpha == alpha)
        }
        #expect(marked > 50 && marked < 330)
    }

    @Test(arguments: InstructionSet.supported) func zebra(_ set: InstructionSet) throws {
        let context = Self.context(set, hasAlpha: false)
        let zebra = Highlight(
            mode: .zebra, level: 1, color: SIMD3(0, 2, 0), headroom: 3, gamut: .bt709, width: 5)
        for (column, row) in [(0, 0), (0, 7), (384, 3), (768, 18)] {
            let light = LightChunk(count: 300)
            for i in 0..<300 {
                // Dark, above the level, above the headroom and outside the gamut in turn.
                let colors = [SIMD3(0.5, 0.5, 0.5), SIMD3(2, 2, 2), SIMD3(4, 4, 4), SIMD3(-0.02, 0.5, -0.02)]
                light[i] = (colors[i / 75], 1)
            }
            let before = light.copy()
            try Self.apply([zebra.planned(for: context)], to: light, set, column: column, row: row)
            for i in 0..<300 {
                let x = column + i
                let rising = (x + row) % 10 >= 5
                let falling = ((x - row) % 10 + 10) % 10 >= 5
                let chequered = (x + row / 5 * 5) % 10 >= 5
                var expected = before[i].color
                switch i / 75 {
                case 1: if rising { expected = SIMD3(0, 0, 0) }
                case 2: if falling { expected = SIMD3(0, 2, 0) } else if rising { expected = SIMD3(0, 0, 0) }
                case 3: if chequered { expected = SIMD3(1, 0, 1) }
                default: break
                }
                for k in 0..<3 { #expect(abs(light[i].color[k] - expected[k]) < 1e-5, "\(i) at \(column), \(row)") }
            }
        }
    }

    // MARK: Vignette

    @Test(arguments: InstructionSet.supported) func vignette(_ set: InstructionSet) throws {
        let context = Self.context(set)
        #expect(EffectSteps([Vignette(stops: 0).planned(for: context)], set).isEmpty)
        for vignette in [Vignette(stops: 2), Vignette(stops: 1, radius: 0.5), Vignette(stops: 0.01, radius: 0.2)] {
            for row in [0, 20, 39] {
                let light = LightChunk(count: 381, seed: 5)
                let before = light.copy()
                try Self.apply([vignette.planned(for: context)], to: light, set, row: row)
                for i in 0..<381 {
                    let gain = vignette.gain(x: i, y: row, width: 381, height: 40)
                    for k in 0..<3 {
                        let expected = before[i].color[k] * gain
                        #expect(abs(light[i].color[k] - expected) <= 1e-5 * (1 + abs(expected)))
                    }
                    #expect(light[i].alpha == before[i].alpha)
                }
            }
        }
        #expect(abs(Vignette(stops: 2).gain(x: 0, y: 0, width: 381, height: 40) - 0.25) < 1e-12)
        #expect(Vignette(stops: 2, radius: 0.5).gain(x: 190, y: 20, width: 381, height: 41) == 1)
    }
}
