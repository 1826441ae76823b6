import Foundation
import HDRColor
import HDREffects
import HDRKernels
import Testing

/// Keys pictures whose chroma is halved in both directions, as cameras and codecs deliver them.
@Suite("Chroma key with halved chroma")
struct ChromaKeySubsamplingTests {
    static let width = 64, height = 16

    /// Light that went through P010 in PQ and BT.2020: upright rows of the same light.
    static func coded(_ siting: ChromaSiting, _ light: (Int) -> SIMD3<Double>) throws -> LightChunk {
        let layout = try #require(PixelLayout.byName["P010_10LE"])
        let color = ColorSignal(
            transfer: .pq, primaries: .bt2020,
            quantization: Quantization(bits: 10, fullRange: false, matrix: .bt2020))
        var options = LinearLightConverter.Options()
        (options.element, options.primaries, options.guidesChroma) = (.single, .bt2020, true)
        let converter = try #require(
            LinearLightConverter(
                source: StreamSignal(layout: layout, color: color, siting: siting), width: width, options: options))
        var pixels = [Float](repeating: 1, count: width * height * 4)
        for i in 0..<width * height { for k in 0..<3 { pixels[4 * i + k] = Float(light(i % width)[k]) } }
        var luma = [UInt16](repeating: 0, count: width * height)
        var chroma = [UInt16](repeating: 0, count: width * height / 2)
        try luma.withUnsafeMutableBytes { luma in
            try chroma.withUnsafeMutableBytes { chroma in
                try pixels.withUnsafeMutableBytes { pixels in
                    let frame = try #require(
                        FrameView(
                            width: width, height: height,
                            planes: [
                                .init(data: luma.baseAddress!, stride: 2 * width),
                                .init(data: chroma.baseAddress!, stride: 2 * width),
                            ]))
                    let rows = LightRows(data: pixels.baseAddress!, stride: 16 * width, rows: 0..<height)
                    converter.encode(rows, into: frame, rows: 0..<height, thread: 0)
                    converter.decode(frame, rows: 0..<height, into: rows, thread: 0)
                }
            }
        }
        let chunk = LightChunk(count: width)
        for x in 0..<width {
            let i = 4 * (width * height / 2 + x)
            chunk[x] = (SIMD3(Double(pixels[i]), Double(pixels[i + 1]), Double(pixels[i + 2])), 1)
        }
        return chunk
    }

    /// Foregrounds whose luma differs from the screen's: white, a light grey, black, red and blue.
    static let foregrounds = [
        SIMD3(1.2, 1.2, 1.2), SIMD3(0.7, 0.7, 0.7), SIMD3(0.03, 0.025, 0.02), SIMD3(0.6, 0.1, 0.08),
        SIMD3(0.05, 0.1, 0.5),
    ]

    @Test("an edge is as sharp as luma's", arguments: [ChromaSiting.left, .topLeft, .center], foregrounds)
    func edge(_ siting: ChromaSiting, _ foreground: SIMD3<Double>) throws {
        let screen = SIMD3(0.36, 1, 0.21) * 0.5
        var key = ChromaKey()
        key.color = screen
        for place in [30, 31] {
            let light = try Self.coded(siting) { $0 < place ? foreground : screen }
            ChromaKeyEffect(key).apply(to: light.pixels())
            for x in 0..<Self.width {
                let (color, alpha) = light[x]
                #expect(abs(alpha - (x < place ? 1 : 0)) < 0.06, "\(siting) \(place) \(x): \(alpha)")
                // No green fringe.
                #expect(color.y - max(color.x, color.z) < 0.02, "\(siting) \(place) \(x): \(color)")
            }
        }
    }

    @Test("an edge between columns stays where it is", arguments: [ChromaSiting.left, .topLeft, .center])
    func partialEdge(_ siting: ChromaSiting) throws {
        let screen = SIMD3(0.36, 1, 0.21) * 0.5
        let foreground = SIMD3(0.5, 0.5, 0.5)
        var key = ChromaKey()
        key.color = screen
        // Hard edges, and ones that cover half a pixel, at even and at odd columns.
        for (place, share) in [(30, 1.0), (31, 1.0), (30, 0.5), (31, 0.5)] {
            func coverage(_ x: Int) -> Double { x < place ? 1 : x == place ? 1 - share : 0 }
            let light = try Self.coded(siting) {
                foreground * coverage($0) + screen * (1 - coverage($0))
            }
            ChromaKeyEffect(key).apply(to: light.pixels())
            for x in 0..<Self.width {
                let (color, alpha) = light[x]
                #expect(abs(alpha - coverage(x)) < 0.15, "\(siting) \(place) \(share) \(x): \(alpha)")
                #expect(alpha >= -1e-6 && alpha <= 1)
                #expect(color.maxComponent < 0.57, "\(siting) \(place) \(share) \(x): \(color)")
                #expect(color.y - max(color.x, color.z) < 0.02, "\(siting) \(place) \(share) \(x): \(color)")
            }
            let sum = (0..<Self.width).reduce(0) { $0 + light[$1].alpha }
            let wanted = Double(place) + 1 - share
            #expect(abs(sum - wanted) < 0.14, "\(siting) \(place) \(share): \(sum), not \(wanted)")
        }
    }
}
