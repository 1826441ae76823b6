import Foundation
import HDREffects
import HDRKernels
import Testing

/// Times effects on 1920x1080 pixels, where the environment has `GST_HDR_BENCH=1`: processor time of one thread, the
/// least of several rounds.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GST_HDR_BENCH"] == "1"), .serialized)
struct EffectBenchmark {
    @Test(arguments: InstructionSet.supported) func pointwise(_ instructionSet: InstructionSet) {
        let cube = LUTTests.cube(33) { $0 * $0 }
        let large = LUTTests.cube(65) { $0 * $0 }
        let effects: [(String, any LightEffect)] = [
            ("lut 33 none", LUTEffect(cube, .none, instructionSet)),
            ("lut 33 pq", LUTEffect(cube, .pq(white: 203), instructionSet)),
            ("lut 33 log", LUTEffect(cube, .log, instructionSet)),
            ("lut 65 pq", LUTEffect(large, .pq(white: 203), instructionSet)),
            ("lut 1d 1024 pq", LUTEffect(LUTTests.lines(1024), .pq(white: 203), instructionSet)),
            ("chroma-key", ChromaKeyEffect(ChromaKey(), instructionSet)),
            ("color-matrix", ColorMatrixEffect(ColorMatrixTests.mixing, instructionSet)),
            ("none", NoEffect()),
        ]
        // Colours change slowly along a row, as in pictures, with some noise.
        let chunks = (0..<64).map { LightChunk(count: 384, seed: $0) }
        for i in 0..<64 {
            for x in 0..<384 {
                let (a, b) = (Double(x) / 60 + Double(i), Double(x) / 90 - Double(i) / 9)
                let slow = SIMD3(1 + sin(a), 1 + cos(b), 1 + sin(a + b)) * 0.4
                chunks[i][x] = (slow + chunks[i][x].color * 0.01, 1)
            }
        }
        let copies = chunks.map { $0.copy() }
        for (name, effect) in effects {
            report(name, instructionSet, 384 * 64) {
                for i in 0..<64 {
                    copies[i].set(to: chunks[i])
                    effect.apply(to: copies[i].pixels())
                }
            }
        }
    }

    @Test(arguments: InstructionSet.supported) func frames(_ instructionSet: InstructionSet) {
        let (width, height) = (1920, 1080)
        let source = LightFrame(width, height) { c, x, y in Double((x * 7 + y * 5 + c) % 11) }
        let target = LightFrame(width, height)
        func time(_ name: String, _ effect: any FrameEffect) {
            report(name, instructionSet, width * height) {
                for pass in 0..<effect.passes {
                    for y in stride(from: 0, to: height, by: 72) {
                        effect.apply(pass: pass, source.planes, into: target.planes, rows: y..<y + 72, thread: 0)
                    }
                }
            }
        }
        for sigma in [0.5, 1, 2, 4, 4.4, 4.6, 8, 20, 60, 200] {
            time(
                "gaussian-blur \(sigma)",
                GaussianBlurEffect(GaussianBlur(sigma: sigma), width: width, height: height, threads: 1, instructionSet)
            )
        }
        for amount in [0.01, 0.1, 0.5, 0.9] {
            let blur = ZoomBlurTests.blur(0.5, 0.5, amount)
            let effect = ZoomBlurEffect(blur, width: width, height: height, threads: 1, instructionSet)
            time("zoom-blur \(amount), \(effect.passes) passes", effect)
        }
    }

    @Test func files() throws {
        let size = 65
        let rows = (0..<size * size * size).map { i in
            [i % size, i / size % size, i / size / size].map { String(format: "%.6f", Double($0) / 64.3) }
                .joined(separator: " ")
        }
        let bytes = [UInt8](("LUT_3D_SIZE \(size)\n" + rows.joined(separator: "\n")).utf8)
        let begin = Self.now()
        let lut = try ColorLUT(cubeFile: bytes)
        let read = Self.now()
        _ = LUTEffect(lut, .pq(white: 203))
        print("ms\t\((read - begin) / 1e6)\treading a cube of 65\t\((Self.now() - read) / 1e6)\tits effect")
    }

    /// An effect that does nothing, to measure the time for copying pixels, which is part of the times of the others.
    private final class NoEffect: LightEffect {
        func apply(to pixels: LightPixels) {}
    }

    private func report(_ name: String, _ instructionSet: InstructionSet, _ pixels: Int, _ body: () -> Void) {
        body()
        var least = Double.infinity
        for _ in 0..<5 {
            let begin = Self.now()
            var rounds = 0.0
            repeat {
                body()
                rounds += 1
            } while Self.now() - begin < 2e6
            least = min(least, (Self.now() - begin) / rounds)
        }
        let time = least / Double(pixels)
        print("ms/1080p\t\(String(format: "%.2f", time * 2.0736))\t\(instructionSet)\t\(name)")
    }

    /// The processor time of this thread in nanoseconds.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
