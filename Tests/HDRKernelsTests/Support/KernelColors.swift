import HDRColor
import Synchronization
import TestSupport

@testable import HDRKernels

/// Pictures that kernels are tried on.
enum KernelColors {
    private static let made = Mutex<[String: Picture]>([:])

    /// One of `make`'s for every use of the same arguments.
    private static func kept(_ key: String, _ make: () -> Picture) -> Picture {
        if let picture = made.withLock({ $0[key] }) { return picture }
        let picture = make()
        made.withLock { $0[key] = picture }
        return picture
    }

    /// Colours as the codes of a signal: uniform, greys, mid tones, shadows, code values out of any gamut and the
    /// corners of the cube.
    /// - Parameter height: with 512 pixels in each row.
    static func wide(_ signal: ColorSignal, _ layout: PixelLayout, height: Int = 256, seed: UInt64 = 7) -> Picture {
        let q = signal.quantization
        return kept("\(layout) \(q) \(height) \(seed)") {
            let width = 512
            var random = SeededGenerator(seed: seed)
            let corners = [0, 0.25, 0.5, 0.58, 0.75, 1]
            return picture(layout, width, height, q) { i in
                var rgb = SIMD3<Double>(
                    Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random),
                    Double.random(in: 0...1, using: &random))
                switch i * 16 / (width * height) {
                case 0..<4: rgb = SIMD3(repeating: rgb.x)
                case 4..<6: rgb = rgb * 0.3 + 0.35
                case 6..<8: rgb *= 0.15
                case 8: rgb = rgb * 1.3 - 0.15
                default: break
                }
                if i < 216 { rgb = SIMD3(corners[i / 36], corners[i / 6 % 6], corners[i % 6]) }
                return rgb
            }
        }
    }

    /// A picture from the R'G'B' of each pixel.
    static func picture(
        _ layout: PixelLayout, _ width: Int, _ height: Int, _ q: Quantization, _ rgb: (Int) -> SIMD3<Double>
    ) -> Picture {
        let picture = Picture(layout, width, height)
        var codes: [[Int]] = [[], [], []]
        for i in 0..<width * height {
            let code = q.encode(rgb(i))
            for c in 0..<3 { codes[c].append(Int(code[c])) }
        }
        for c in 0..<3 { picture[c] = codes[c] }
        return picture
    }

    /// A ramp of greys, one for each luma code from black to white and beyond, in rows that are all the same.
    static func greys(_ layout: PixelLayout, height: Int = 1) -> Picture {
        let width = 1 << layout.bits
        let picture = Picture(layout, width, height)
        for c in 0..<3 {
            let isChroma = c > 0 && !layout.isRGB
            let row = (0..<width).map { isChroma ? width / 2 : $0 }
            picture[c] = (0..<height).flatMap { _ in row }
        }
        return picture
    }

    /// A picture of one colour.
    static func flat(_ layout: PixelLayout, _ codes: [Int], _ width: Int = 24, _ height: Int = 16) -> Picture {
        let picture = Picture(layout, width, height)
        for c in 0..<3 {
            let (w, h) = picture.extent(c)
            picture[c] = Array(repeating: codes[c], count: w * h)
        }
        return picture
    }

    /// A picture as cameras take them, of 768x256 pixels: sky with clouds and a sun, skin in light and shade, leaves, a
    /// sunset, a night scene, and lamps on cloth; with grain everywhere, and highlights up to `peak` cd/m².
    static func natural(_ signal: ColorSignal, _ layout: PixelLayout, peak: Double) -> Picture {
        kept("natural \(layout) \(signal) \(peak)") {
            let (width, height) = (768, 256)
            let plan = ConversionPlan(source: signal, target: signal, settings: .init())
            let conversion = Conversion<Double>(plan)
            let matrix = Primaries.bt709.matrix(to: signal.primaries)
            var random = SeededGenerator(seed: 11)
            return picture(layout, width, height, signal.quantization) { i in
                let (x, y) = (i % width, i / width)
                let light = scene(x, y)
                let grain =
                    SIMD3<Double>(gauss(&random), gauss(&random), gauss(&random)) * 0.012 + gauss(&random) * 0.01
                let lit = (light * (grain + 1) + 0.005).limited(0.002, peak)
                return conversion.encode((matrix * lit).limited(0, peak))
            }
        }
    }

    private static func gauss(_ random: inout SeededGenerator) -> Double {
        (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &random) } * 0.87
    }

    /// The light of a scene in BT.709 primaries in cd/m², in six parts of 256x128.
    private static func scene(_ x: Int, _ y: Int) -> SIMD3<Double> {
        let (u, v) = (Double(x % 256) / 256, Double(y % 128) / 128)
        func spot(_ cx: Double, _ cy: Double, _ size: Double) -> Double {
            let d = ((u - cx) * (u - cx) * 4 + (v - cy) * (v - cy)) / (size * size)
            return 1 / (1 + d * d)
        }
        func wave(_ a: Double, _ b: Double) -> Double {
            let t = u * a + v * b
            let w = t - t.rounded(.down)
            return 4 * w * (1 - w)
        }
        switch (x / 256, y / 128) {
        case (0, 0):
            let sky = SIMD3(70.0, 120, 210) + SIMD3(110, 90, 40) * v
            let cloud = spot(0.3, 0.6, 0.25) * wave(3, 5)
            return sky + SIMD3(450, 440, 420) * cloud + SIMD3(3000, 2800, 2300) * spot(0.8, 0.2, 0.06)
        case (1, 0):
            let tones = [
                SIMD3(0.62, 0.4, 0.3), SIMD3(0.45, 0.27, 0.19), SIMD3(0.2, 0.11, 0.075), SIMD3(0.75, 0.55, 0.46),
            ]
            let shade = 15 + 170 * spot(0.4, 0.4, 0.5)
            return tones[Int(u * 4)] * shade + spot(0.35, 0.3, 0.02) * 400
        case (2, 0):
            let leaf = wave(17, 9) * wave(31, -23)
            return SIMD3(12, 30, 5) + SIMD3(50, 90, 18) * leaf + SIMD3(90, 100, 40) * (leaf > 0.9 ? 1 : 0)
        case (0, 1):
            let warm = SIMD3(190.0, 95, 35) * (1 - v) + SIMD3(70, 25, 30) * v
            return warm + SIMD3(1600, 700, 160) * spot(0.5, 0.1, 0.12)
        case (1, 1):
            let window = u > 0.7 && v > 0.3 && v < 0.5
            return window ? SIMD3(150, 105, 50) : SIMD3(0.05, 0.07, 0.12) + SIMD3(1.6, 1.4, 1.2) * (u * v * v)
        default:
            let cloth = SIMD3(60, 20, 22) + SIMD3(20, 45, 60) * wave(40, 3)
            return cloth * (0.3 + v) + SIMD3(3500, 3300, 2900) * (spot(0.3, 0.5, 0.03) + spot(0.7, 0.6, 0.02))
        }
    }
}
