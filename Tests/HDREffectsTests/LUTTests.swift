import HDRColor
import HDREffects
import HDRKernels
import Testing

@Suite("Look-up tables of colours")
struct LUTTests {
    static let shapers: [(name: String, shaper: LUTShaper)] = [
        ("none", .none), ("pq", .pq(white: 203)), ("log", .log),
    ]

    /// A cube of which each node is its own place, or a function of that.
    static func cube(
        _ size: Int, domain: ColorLUT.Domain = ColorLUT.Domain(),
        _ value: (SIMD3<Double>) -> SIMD3<Double> = { $0 }
    ) -> ColorLUT {
        let span = domain.high - domain.low
        let values = (0..<size * size * size).map { i in
            let node = SIMD3(Double(i % size), Double(i / size % size), Double(i / size / size)) / Double(size - 1)
            let v = value(domain.low + node * span)
            return SIMD4(Float(v.x), Float(v.y), Float(v.z), 0)
        }
        return ColorLUT(cube: .init(size: size, domain: domain, values: values))
    }

    static func lines(_ size: Int, _ value: (Double) -> Double = { $0 }) -> ColorLUT {
        let values = (0..<size).map { i in
            let v = Float(value(Double(i) / Double(size - 1)))
            return SIMD4(v, v, v, 0)
        }
        return ColorLUT(lines: .init(size: size, values: values))
    }

    struct Sample {
        let file: String, shaper: String
        let color: SIMD3<Double>, expected: SIMD3<Double>
    }

    static func samples() throws -> [Sample] {
        try ReferenceFile.lines("lut.txt").map { words in
            let n = words[2...].map { Double($0)! }
            return Sample(
                file: String(words[0]), shaper: String(words[1]), color: SIMD3(n[0], n[1], n[2]),
                expected: SIMD3(n[3], n[4], n[5]))
        }
    }

    @Test("the definition gives what SciPy gives")
    func definition() throws {
        let samples = try Self.samples()
        #expect(samples.count > 500)
        for file in ["cube", "lines", "both"] {
            let lut = try ColorLUT(cubeFile: ReferenceFile.bytes(file + ".cube"))
            for (name, shaper) in Self.shapers {
                for sample in samples where sample.file == file && sample.shaper == name {
                    func each(_ color: SIMD3<Double>, _ f: (Double) -> Double) -> SIMD3<Double> {
                        SIMD3(f(color.x), f(color.y), f(color.z))
                    }
                    let found = each(lut(each(sample.color, shaper.signal)), shaper.light)
                    for k in 0..<3 {
                        #expect(
                            abs(found[k] - sample.expected[k]) <= 2e-6 * (abs(sample.expected[k]) + 0.01),
                            "\(file) \(name) \(sample.color)")
                    }
                }
            }
        }
    }

    @Test("each instruction set gives what SciPy gives", arguments: InstructionSet.supported)
    func kernels(_ instructionSet: InstructionSet) throws {
        let samples = try Self.samples()
        for file in ["cube", "lines", "both"] {
            let lut = try ColorLUT(cubeFile: ReferenceFile.bytes(file + ".cube"))
            for (name, shaper) in Self.shapers {
                let own = samples.filter { $0.file == file && $0.shaper == name }
                let light = LightChunk(count: own.count)
                for (i, sample) in own.enumerated() { light[i] = (sample.color, 1) }
                LUTEffect(lut, shaper, instructionSet).apply(to: light.pixels())
                for (i, sample) in own.enumerated() {
                    #expect(light[i].alpha == 1)
                    for k in 0..<3 {
                        let error = abs(light[i].color[k] - sample.expected[k])
                        #expect(
                            error <= 1.5e-4 * (abs(sample.expected[k]) + 0.01),
                            "\(file) \(name) \(sample.color) \(k): \(light[i].color[k]), not \(sample.expected[k])")
                    }
                }
            }
        }
    }

    @Test("an identity keeps light from black to the shaper's end", arguments: InstructionSet.supported)
    func identity(_ instructionSet: InstructionSet) {
        for (name, shaper) in Self.shapers {
            let range = shaper == .none ? 1.0 : name == "pq" ? 10000 / 203 : 90.5
            let domain = ColorLUT.Domain()
            for lut in [Self.cube(2), Self.cube(33), Self.cube(17, domain: domain), Self.lines(65536), Self.lines(2)] {
                let light = LightChunk(count: 384)
                for i in 0..<384 {
                    let x = Double(i) / 383
                    light[i] = (SIMD3(x * x * x, 1 - x, 0.5 * x) * range, 1)
                }
                let before = light.copy()
                LUTEffect(lut, shaper, instructionSet).apply(to: light.pixels())
                for i in 0..<384 {
                    for k in 0..<3 {
                        let (x, y) = (before[i].color[k], light[i].color[k])
                        #expect(abs(x - y) <= (shaper == .none ? 3e-7 : 4e-5 * (x + 0.01)), "\(name) \(x) \(y)")
                    }
                }
            }
        }
    }

    @Test("colour is looked up without its alpha", arguments: InstructionSet.supported)
    func alpha(_ instructionSet: InstructionSet) {
        let lut = Self.cube(9) { SIMD3($0.y * $0.y, 1 - $0.z, $0.x) }
        for (_, shaper) in Self.shapers {
            let light = LightChunk(count: 381, seed: 3)
            light[5] = (SIMD3(0, 0, 0), 0)
            light[6] = (SIMD3(0.5, 0.5, 0.5), 0)
            let before = light.copy()
            LUTEffect(lut, shaper, instructionSet).apply(to: light.pixels())
            for i in 0..<light.count {
                let (color, alpha) = before[i]
                #expect(light[i].alpha == alpha)
                guard alpha > 0 else {
                    #expect(light[i].color == SIMD3(0, 0, 0))
                    continue
                }
                let straight = color / alpha
                let signal = SIMD3(shaper.signal(straight.x), shaper.signal(straight.y), shaper.signal(straight.z))
                let found = lut(signal)
                for k in 0..<3 {
                    let expected = shaper.light(found[k]) * alpha
                    // The steepest place of PQ and logarithm magnifies an error of the signal.
                    #expect(abs(light[i].color[k] - expected) <= 1.5e-4 * (abs(expected) + 0.01), "\(straight)")
                }
            }
        }
    }

    @Test("no number becomes black, and infinity the end", arguments: InstructionSet.supported)
    func notNumbers(_ instructionSet: InstructionSet) {
        for (name, shaper) in Self.shapers {
            for alpha in [1, 0.5] {
                for lut in [Self.cube(5), Self.lines(5)] {
                    let light = LightChunk(count: 16)
                    for i in 0..<16 { light[i] = (SIMD3(.nan, .infinity, -.infinity), alpha) }
                    LUTEffect(lut, shaper, instructionSet).apply(to: light.pixels())
                    let end = shaper == .none ? 1 : name == "pq" ? 10000 / 203 : 90.50967
                    for i in 0..<16 {
                        let color = light[i].color / alpha
                        #expect(abs(color.x) < 1e-6 && abs(color.z) < 1e-6, "\(name) \(color)")
                        #expect(abs(color.y - end) < 1e-4 * end, "\(name) \(color)")
                    }
                }
            }
        }
    }

    @Test("the shaper's ends are where it says")
    func shaperEnds() {
        #expect(LUTShaper.log.signal(0) == 0)
        #expect(abs(LUTShaper.log.signal(LUTShaper.log.light(1)) - 1) < 1e-12)
        #expect(abs(LUTShaper.log.light(1) - 90.509668) < 1e-5)
        // A stop is a stop.
        let stop = LUTShaper.log.signal(2) - LUTShaper.log.signal(1)
        #expect(abs(stop * 16.5 - 1) < 2e-3)
        #expect(abs(LUTShaper.pq(white: 203).signal(1) - 0.5807) < 1e-4)
        // Domains that no number lies between, and all numbers do.
        for domain in [
            ColorLUT.Domain(SIMD3(repeating: 0), SIMD3(repeating: 1e-45)),
            ColorLUT.Domain(SIMD3(repeating: -3e38), SIMD3(repeating: 3e38)),
        ] {
            let light = LightChunk(count: 40, seed: 2)
            LUTEffect(Self.cube(3, domain: domain) { _ in SIMD3(1, 2, 3) }, .none).apply(to: light.pixels())
            for i in 0..<40 where light[i].alpha == 1 { #expect(light[i].color == SIMD3(1, 2, 3)) }
        }
        // Ranges that no property gives do not trap.
        for shaper in [LUTShaper.log2(lowest: .nan, highest: .nan), .log2(lowest: 99, highest: -99)] {
            #expect(shaper.signal(1) > 0 && shaper.light(1).isFinite)
        }
    }
}
