import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// The test that finds colours which perceptual gamut mapping leaves where they are.
struct NearGreyTestTests {
    static let pairs: [(Primaries, Primaries)] = [
        (.bt2020, .bt709), (.bt2020, .displayP3), (.displayP3, .bt709), (.bt709, .bt601), (.bt2020, .bt601x625),
    ]
    static let peaks: [(peak: Double, highest: Double)] = [
        (48, 48.5), (100, 101), (203, 205), (203, 10000), (1000, 1010), (4000, 10000), (10000, 10000),
    ]

    static func passes(_ test: NearGreyTest, _ light: SIMD3<Double>) -> Bool {
        let sum = light.x + light.y + light.z
        return test.sides.allSatisfy { side in
            (side.red * (light.x - light.y) + side.blue * (light.z - light.y)) * (sum + test.dark.0)
                <= sum * (sum + test.dark.1)
        }
    }

    /// No colour passes that would move by more than rounding errors.
    @Test(arguments: pairs, peaks) func noColorPassesThatMoves(
        _ pair: (Primaries, Primaries), _ peaks: (peak: Double, highest: Double)
    ) throws {
        let key = PerceptualFit.Key(source: pair.0, target: pair.1, peak: peaks.peak, highest: peaks.highest)
        let fit = PerceptualFit(key)
        let test = try #require(fit.nearGrey)
        var random = SeededGenerator(seed: 31)
        var (moved, passed, still) = (0, 0, 0)
        for _ in 0..<20000 {
            let color = random.color(in: 0...1)
            let level = peaks.highest * Double.pow(1e-4, Double.random(in: 0...1, using: &random))
            let light = color / color.maxComponent * level
            let strength = fit.gamut.strength(light)
            let passes = Self.passes(test, light)
            #expect(!passes || strength <= 1e-4, "\(light): \(strength)")
            if strength > 0 { moved += 1 } else { still += 1 }
            if passes { passed += 1 }
        }
        #expect(moved > 1000)
        // Most colours that stay pass.
        #expect(Double(passed) > 0.5 * Double(still), "\(passed) of \(still)")
    }

    /// The darkest cone response of colours that move, below which the signal need not be right.
    @Test(arguments: pairs, peaks) func lowestCone(
        _ pair: (Primaries, Primaries), _ peaks: (peak: Double, highest: Double)
    ) {
        let key = PerceptualFit.Key(source: pair.0, target: pair.1, peak: peaks.peak, highest: peaks.highest)
        let fit = PerceptualFit(key)
        var random = SeededGenerator(seed: 32)
        for _ in 0..<5000 {
            var color = random.color(in: 0...1)
            color[Int.random(in: 0..<3, using: &random)] = 0
            let light =
                color / color.maxComponent * peaks.peak * Double.pow(1e-4, Double.random(in: 0...1, using: &random))
            guard fit.gamut.strength(light) > 1e-3 else { continue }
            #expect((fit.gamut.toCone * light).minComponent >= fit.lowestCone)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func color(in range: ClosedRange<Double>) -> SIMD3<Double> {
        SIMD3(.random(in: range, using: &self), .random(in: range, using: &self), .random(in: range, using: &self))
    }
}
