import TestSupport
import Testing

@testable import HDRColor

struct GamutMappingTests {
    static let peak = 203.0
    static func mapper(_ method: GamutMapping, _ source: Primaries = .bt2020, _ target: Primaries = .bt709)
        -> GamutMapper<Double>
    {
        GamutMapper(method, from: source, to: target, peak: peak)
    }
    static let pairs: [(Primaries, Primaries)] = [
        (.bt2020, .bt709), (.bt2020, .displayP3), (.displayP3, .bt709), (.bt709, .bt601), (.displayP3, .bt2020),
    ]
    /// The distance of components from grey: 0 for grey, 1 at the edge of the gamut, above 1 outside.
    static func distances(_ light: RGB) -> RGB { (RGB(repeating: light.maxComponent) - light) / light.maxComponent }

    @Test(arguments: [GamutMapping.clip, .desaturate]) func colorsInsideStay(_ method: GamutMapping) {
        let mapper = Self.mapper(method)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            let light = random.color(in: 0...Self.peak)
            #expect(mapper(light) == light)
        }
        for corner in 0..<8 {
            let light = RGB(Double(corner & 1), Double(corner >> 1 & 1), Double(corner >> 2)) * Self.peak
            #expect(mapper(light) == light)
        }
    }

    /// `softclip` leaves what lies within 0.8 of the way from grey to the edge.
    @Test(arguments: pairs) func softclipBelowItsKnee(_ source: Primaries, _ target: Primaries) {
        let mapper = Self.mapper(.softclip, source, target)
        var random = SeededGenerator(seed: 12)
        for _ in 0..<2000 {
            let most = Double.random(in: 1...Self.peak, using: &random)
            var light = random.color(in: 0.2001...1) * most
            light[Int.random(in: 0..<3, using: &random)] = most
            #expect(mapper(light) == light)
        }
    }

    /// Where the source's gamut lies inside the target's there is nothing to compress.
    @Test func softclipIntoAWiderGamut() {
        let mapper = Self.mapper(.softclip, .bt709, .bt2020)
        #expect((mapper.reach - 1).magnitude <= 1e-15)
        var random = SeededGenerator(seed: 13)
        for _ in 0..<1000 {
            let light = random.color(in: 0...Self.peak)
            #expect(mapper(light) == light)
        }
    }

    @Test(arguments: GamutMapping.allCases) func alwaysWithinTheTarget(_ method: GamutMapping) {
        var random = SeededGenerator(seed: 14)
        let extremes: [Double] = [
            .nan, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -0.0, 1,
            -1, 203, 204, 1e9, -1e9,
        ]
        for (source, target) in Self.pairs {
            let mapper = Self.mapper(method, source, target)
            func holds(_ light: RGB) -> Bool {
                let mapped = mapper(light)
                return mapped.minComponent >= 0 && mapped.maxComponent <= Self.peak && mapped.isFinite
            }
            for _ in 0..<1000 {
                let light = random.color(in: -1000...1000)
                #expect(holds(light), "\(light)")
            }
            for x in extremes {
                for y in extremes {
                    for z in extremes where !holds(RGB(x, y, z)) { Issue.record("\(x) \(y) \(z)") }
                }
            }
        }
    }

    @Test(arguments: GamutMapping.allCases) func greyStaysGrey(_ method: GamutMapping) {
        for (source, target) in Self.pairs {
            let mapper = Self.mapper(method, source, target)
            for level in [0, 1e-6, 0.1, 1, 100, 202.9, 203, 204, 1000, 1e6] {
                let mapped = mapper(RGB(repeating: level))
                #expect((mapped - min(level, Self.peak)).magnitude <= 1e-12 * Self.peak)
            }
            #expect(mapper(RGB(repeating: -5)) == RGB(0, 0, 0))
        }
    }

    /// `clip` cuts component by component.
    @Test func clip() {
        #expect(Self.mapper(.clip)(RGB(-10, 100, 300)) == RGB(0, 100, 203))
    }

    /// The luminance is kept wherever the target has it, and the differences from it keep their ratios, but for the
    /// 1e-4 of the peak that is cut rather than mixed.
    @Test(arguments: pairs) func desaturateKeepsLuminanceAndHue(_ source: Primaries, _ target: Primaries) {
        let mapper = Self.mapper(.desaturate, source, target)
        let matrix = source.matrix(to: target)
        var random = SeededGenerator(seed: 15)
        var outside = 0
        for _ in 0..<3000 {
            let light = matrix * random.color(in: 0...400)
            let luminance = light.dot(target.luminance)
            guard luminance <= Self.peak else { continue }
            let mapped = mapper(light)
            #expect(abs(mapped.dot(target.luminance) - luminance) <= 1e-4 * Self.peak)
            if (mapped - light).magnitude > 0.1 { outside += 1 }
            let before = light - luminance
            let after = mapped - luminance
            // One factor in [0, 1] for all three components.
            let factor = after.dot(before) / before.dot(before)
            #expect(factor >= 0 && factor <= 1 + 1e-12)
            #expect((after - before * factor).magnitude <= 1.5e-4 * Self.peak)
        }
        #expect(outside > 100)
    }

    /// A colour outside lands on the gamut's edge, no nearer to grey than it has to be.
    @Test func desaturateReachesTheEdge() {
        let mapper = Self.mapper(.desaturate)
        let red = mapper(Primaries.bt2020.matrix(to: .bt709) * RGB(100, 0, 0))
        #expect(abs(red.minComponent) <= 1e-12 && red.maxComponent > 90)
        let bright = mapper(RGB(250, 150, 150))
        #expect(abs(bright.maxComponent - Self.peak) <= 1e-12 && bright.minComponent > 150)
    }

    /// More saturation in never gives less out, and outside the gamut it still gives more, up to the source's edge.
    @Test(arguments: pairs) func softclipRisesWithSaturation(_ source: Primaries, _ target: Primaries) {
        let mapper = Self.mapper(.softclip, source, target)
        let matrix = source.matrix(to: target)
        let corners = [RGB(1, 0, 0), RGB(1, 1, 0), RGB(0, 1, 0), RGB(0, 1, 1), RGB(0, 0, 1), RGB(1, 0, 1)]
        for corner in corners {
            let colors = steps(0...1, count: 2001).map { matrix * ((corner - 1) * $0 + 1) * 80 }
            let before = colors.map { Self.distances($0).maxComponent }
            let after = colors.map { Self.distances(mapper($0)).maxComponent }
            #expect(largestFall(after.map { -$0 }.reversed()) <= 1e-12)
            #expect(after.allSatisfy { $0 <= 1 + 1e-12 })
            for index in 1..<colors.count where before[index] > 0.85 {
                #expect(after[index] > after[index - 1])
            }
        }
    }

    /// The largest component, which carries the colour's level, is not touched below the peak.
    @Test func softclipKeepsTheLargest() {
        let mapper = Self.mapper(.softclip)
        let matrix = Primaries.bt2020.matrix(to: .bt709)
        var random = SeededGenerator(seed: 16)
        for _ in 0..<1000 {
            let light = matrix * random.color(in: 0...100)
            #expect(mapper(light).maxComponent == light.maxComponent)
        }
    }

    /// No colour of the source lies further out than `reach`, but for what is left between its samples, and the ends
    /// that follow from the matrix are in it: of BT.2020 in BT.709, cyan for R and red for G.
    @Test(arguments: pairs) func reach(_ source: Primaries, _ target: Primaries) {
        let mapper = Self.mapper(.softclip, source, target)
        let matrix = source.matrix(to: target)
        var random = SeededGenerator(seed: 17)
        var furthest = RGB(0, 0, 0)
        for _ in 0..<20000 {
            var color = random.color()
            // Half of them on the edge of the source's gamut, where the ends are.
            if Bool.random(using: &random) { color[Int.random(in: 0..<3, using: &random)] = 0 }
            furthest = pointwiseMax(furthest, Self.distances(matrix * color))
        }
        #expect((furthest - mapper.reach).maxComponent <= 0.003)
        #expect((mapper.reach - furthest).maxComponent <= 0.05)
        #expect(mapper.reach.minComponent >= 1)
    }

    @Test func reachOfBT2020() {
        let reach = Self.mapper(.softclip).reach
        #expect(reach.x >= (1.1245504745 + 0.6604910021) / 1.1245504745)
        #expect(reach.y >= (1.6604910021 + 0.1245504745) / 1.6604910021)
    }

    /// Single precision: a rounding of 6e-8 of light above the peak for `clip`, a quotient's few for `desaturate`; the
    /// Möbius curve of `softclip` takes nearly equal numbers from each other; for `perceptual` the rounding of PQ,
    /// which is a power of about 79.
    @Test(arguments: GamutMapping.allCases) func singlePrecision(_ method: GamutMapping) {
        let exact = Self.mapper(method)
        let single = GamutMapper<Float>(method, from: .bt2020, to: .bt709, peak: 203)
        let matrix = Primaries.bt2020.matrix(to: .bt709)
        var random = SeededGenerator(seed: 18)
        let worst = (0..<5000).map { _ in
            let color = random.color(in: 0...300)
            let light = method == .perceptual ? color : matrix * color
            let near = single(light.converted(to: Float.self)).converted(to: Double.self)
            return (near - exact(light)).magnitude / Self.peak
        }.max()!
        #expect(worst <= (method == .clip ? 1e-7 : method == .perceptual ? 3e-4 : 6e-6), "\(worst)")
    }
}
