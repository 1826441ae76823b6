import Foundation
import HDREffects
import HDRKernels
import Testing

@Suite("Gaussian blur")
struct GaussianBlurTests {
    /// The picture of Tests/Oracle/effects.py.
    static func picture(_ width: Int, _ height: Int) -> LightFrame {
        let frame = LightFrame(width, height) { c, x, y in
            (Double((7 * x + 13 * y + x * y) % 31) / 31 + (x > width / 2 ? 1 : 0)) * (c == 3 ? 0.5 : 1)
        }
        for c in 0..<4 {
            let share = c == 3 ? 0.5 : 1
            frame[c, width / 4, height / 3] += 100 * share
            frame[c, 0, 0] += 50 * share
            frame[c, width - 1, height - 1] += 50 * share
        }
        return frame
    }

    @Test("light is SciPy's, and none is lost", arguments: InstructionSet.supported)
    func reference(_ instructionSet: InstructionSet) throws {
        var frame = LightFrame(1, 1), blurred = frame
        var (worst, name, cases) = (0.0, "", 0)
        for words in try ReferenceFile.lines("blur.txt") + [["end"]] {
            if words[0] == "blur" || words[0] == "end" {
                #expect(worst < 5e-4, "\(instructionSet) \(name)")
                if words[0] == "end" { break }
                let (width, height, sigma) = (Int(words[1])!, Int(words[2])!, Double(words[3])!)
                (worst, name, cases) = (0, "\(width)x\(height) \(sigma)", cases + 1)
                frame = Self.picture(width, height)
                blurred = frame.through(
                    GaussianBlurEffect(
                        GaussianBlur(sigma: sigma), width: width, height: height, threads: 2, instructionSet))
                #expect(!blurred.guardIsBroken)
                for c in [0, 2, 3] {
                    let (before, after) = (frame.sum(c), blurred.sum(c))
                    #expect(abs(after - before) < 1e-4 * before, "\(name)")
                }
            } else {
                let (x, y, expected) = (Int(words[0])!, Int(words[1])!, Double(words[2])!)
                for c in [0, 1] { worst = max(worst, abs(blurred[c, x, y] - expected) / expected) }
                worst = max(worst, abs(blurred[3, x, y] - expected / 2) / expected * 2)
            }
        }
        #expect(cases > 10)
    }

    @Test("a flat field stays as it is", arguments: InstructionSet.supported)
    func flat(_ instructionSet: InstructionSet) {
        for sigma in [0.3, 1, 4.4, 4.6, 20, 200, 999, .nan] {
            let frame = LightFrame(70, 41) { c, _, _ in [0.25, 20, -0.5, 1][c] }
            let blurred = frame.through(
                GaussianBlurEffect(GaussianBlur(sigma: sigma), width: 70, height: 41, threads: 2, instructionSet))
            for c in 0..<4 {
                for (x, y) in [(0, 0), (69, 40), (35, 20), (69, 0)] {
                    #expect(abs(blurred[c, x, y] / frame[c, x, y] - 1) < 2e-6, "\(sigma)")
                }
            }
        }
    }

    @Test("parts and threads do not show", arguments: InstructionSet.supported)
    func parts(_ instructionSet: InstructionSet) {
        for sigma in [2.0, 12] {
            let frame = Self.picture(97, 61)
            func blurred(_ parts: Int) -> LightFrame {
                frame.through(
                    GaussianBlurEffect(GaussianBlur(sigma: sigma), width: 97, height: 61, threads: 2, instructionSet),
                    parts: parts)
            }
            let (one, many) = (blurred(1), blurred(61))
            for c in 0..<4 {
                for y in 0..<61 { for x in 0..<97 { #expect(one[c, x, y] == many[c, x, y]) } }
            }
        }
    }

    /// The widest step of the lower resolution and every step of small pictures.
    @Test("pictures of all small sizes", arguments: [3.0, 5, 9, 200])
    func sizes(_ sigma: Double) {
        for (width, height) in [(1, 1), (2, 1), (1, 2), (3, 2), (15, 16), (16, 15), (17, 33)] {
            let frame = LightFrame(width, height) { c, x, y in Double(1 + (x + y + c) % 3) }
            let blurred = frame.through(
                GaussianBlurEffect(GaussianBlur(sigma: sigma), width: width, height: height, threads: 2), parts: 2)
            for c in 0..<4 { #expect(abs(blurred.sum(c) / frame.sum(c) - 1) < 1e-3, "\(width)x\(height)") }
            #expect(!blurred.guardIsBroken)
        }
    }
}
