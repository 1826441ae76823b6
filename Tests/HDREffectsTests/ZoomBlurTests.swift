import Foundation
import HDREffects
import HDRKernels
import Testing

@Suite("Zoom blur")
struct ZoomBlurTests {
    static func blur(_ x: Double, _ y: Double, _ amount: Double) -> ZoomBlur {
        var blur = ZoomBlur()
        (blur.centre, blur.amount) = (SIMD2(x, y), amount)
        return blur
    }

    static let blurs = [
        blur(0.5, 0.5, 0.1), blur(0.3, 0.8, 0.5), blur(0, 1, 0.9), blur(1, 0.5, 0.02), blur(0.5, 0, 0.3),
    ]

    @Test("light is the mean along the ray", arguments: InstructionSet.supported)
    func mean(_ instructionSet: InstructionSet) {
        let (width, height) = (203, 117)
        func light(_ x: Double, _ y: Double) -> Double { 2 + sin(x / 9) * cos(y / 7) + x / 100 }
        let frame = LightFrame(width, height) { c, x, y in light(Double(x), Double(y)) * Double(c + 1) }
        for blur in Self.blurs {
            let blurred = frame.through(
                ZoomBlurEffect(blur, width: width, height: height, threads: 2, instructionSet))
            #expect(!blurred.guardIsBroken)
            let centre = blur.centre * SIMD2(Double(width), Double(height)) - SIMD2(0.5, 0.5)
            var worst = 0.0
            for (x, y) in [(0, 0), (202, 116), (202, 0), (0, 116), (101, 58), (60, 93), (7, 50), (150, 20), (199, 3)] {
                let place = SIMD2(Double(x), Double(y))
                let count = 2000
                let expected =
                    (0..<count).reduce(0) { sum, k in
                        let p = centre + (place - centre) * (1 - blur.amount * (Double(k) + 0.5) / Double(count))
                        return sum + light(min(max(p.x, 0), 202), min(max(p.y, 0), 116))
                    } / Double(count)
                for c in 0..<4 { worst = max(worst, abs(blurred[c, x, y] / Double(c + 1) / expected - 1)) }
            }
            #expect(worst < 0.015, "\(blur)")
        }
    }

    @Test("a flat field stays as it is, and so does the centre", arguments: InstructionSet.supported)
    func fixed(_ instructionSet: InstructionSet) {
        for blur in Self.blurs + [Self.blur(0.5, 0.5, 0), Self.blur(-3, .nan, 99), Self.blur(0.5, 0.5, .nan)] {
            let flat = LightFrame(131, 77) { c, _, _ in [0.25, 40, -0.5, 1][c] }
            let blurred = flat.through(ZoomBlurEffect(blur, width: 131, height: 77, threads: 2, instructionSet))
            for c in 0..<4 {
                for y in 0..<77 {
                    for x in 0..<131 {
                        #expect(abs(blurred[c, x, y] / flat[c, x, y] - 1) < 2e-6, "\(blur)")
                    }
                }
            }
        }
        let frame = LightFrame(131, 77) { c, x, y in Double((x * 7 + y * 5 + c) % 11) }
        // The middle of the picture is the middle of a pixel.
        let blurred = frame.through(
            ZoomBlurEffect(Self.blur(0.5, 0.5, 0.8), width: 131, height: 77, threads: 2, instructionSet))
        for c in 0..<4 { #expect(abs(blurred[c, 65, 38] - frame[c, 65, 38]) < 1e-5) }
        let unchanged = frame.through(
            ZoomBlurEffect(Self.blur(0.5, 0.5, 0), width: 131, height: 77, threads: 2, instructionSet))
        for c in 0..<4 { for y in 0..<77 { for x in 0..<131 { #expect(unchanged[c, x, y] == frame[c, x, y]) } } }
    }

    @Test("a bright point becomes a streak without steps", arguments: InstructionSet.supported)
    func streak(_ instructionSet: InstructionSet) {
        let frame = LightFrame(401, 9) { _, x, y in y == 4 && x == 300 ? 100 : 0 }
        let blurred = frame.through(
            ZoomBlurEffect(Self.blur(0.5, 0.5, 0.4), width: 401, height: 9, threads: 2, instructionSet))
        // Pixels from 300 outwards see the point, up to those for which it is at the way's end.
        let seen = (302...360).map { blurred[0, $0, 4] }
        #expect(seen.min()! > 0)
        // A point of one pixel ripples as samples pass it by; too few samples would leave it out of some pixels.
        for (a, b) in zip(seen, seen.dropFirst()) { #expect(abs(a / b - 1) < 0.2, "\(a) \(b)") }
        #expect((0..<298).allSatisfy { abs(blurred[0, $0, 4]) < 1e-6 })
    }

    @Test("no picture takes more than some taps")
    func cost() {
        for (width, height) in [(1920, 1080), (3840, 2160), (8192, 8192), (1, 1)] {
            for blur in Self.blurs {
                let effect = ZoomBlurEffect(blur, width: width, height: min(height, 16), threads: 1)
                #expect(effect.passes <= 4)
            }
        }
    }
}
