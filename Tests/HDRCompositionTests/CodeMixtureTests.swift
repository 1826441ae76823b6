import HDRColor
import TestSupport
import Testing

@testable import HDRComposition
@testable import HDRKernels

/// Dissolves and fades in the blend space of code values, which mix the pictures' own codes.
@Suite struct CodeMixtureTests {
    /// Formats of all kinds of words: planes, pairs of chroma, words with unused bits, packed ones, either byte order.
    static let formats = [
        "I420", "I420_10LE", "I420_10BE", "I422_12LE", "Y444_16LE", "NV12", "P010_10LE", "P012_LE", "YUY2", "Y210",
        "RGB", "RGBx", "GBR_10LE", "GRAY8", "GRAY16_LE",
    ]

    private struct Case {
        let pictures: [(picture: ComposedPicture, opacity: Double)]
        /// Whether black lies below the pictures.
        let isOnBlack: Bool
    }

    @Test(arguments: formats, InstructionSet.supported)
    func codesAreMixed(_ format: String, _ set: InstructionSet) throws {
        var random = SeededGenerator(seed: 77)
        for transfer in [Transfer.pq, .hlg, .bt1886] {
            let stream = CanvasComposerTests.stream(format, transfer)
            for (width, height) in [(2, 2), (38, 7), (130, 33)] {
                func picture() -> ComposedPicture {
                    let picture = ComposedPicture(stream, width, height)
                    picture.fill(&random)
                    return picture
                }
                let (a, b) = (picture(), picture())
                let (first, second) = (Double(random.below(1000)) / 1000, Double(random.below(1000)) / 1000)
                for tried in [
                    Case(pictures: [(a, 1), (b, first)], isOnBlack: false),
                    Case(pictures: [(a, first)], isOnBlack: true),
                    Case(pictures: [(a, first), (b, second)], isOnBlack: true),
                ] {
                    try check(tried, stream, width, height, set)
                }
            }
        }
    }

    private func check(
        _ tried: Case, _ stream: StreamSignal, _ width: Int, _ height: Int, _ set: InstructionSet
    ) throws {
        let made = ComposedPicture(stream, width, height)
        var options = ComposedPicture.options(stream)
        // A mixture is not dithered.
        options.dither = .ordered
        let target = try #require(
            LinearLightConverter(source: stream, width: width, options: options, threads: 2, instructionSet: set))
        let composer = try #require(CanvasComposer(target: target, height: height, threads: 2, instructionSet: set))
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        let layers = try tried.pictures.map { picture, opacity in
            CanvasLayer(
                frame: picture.view,
                converter: try #require(
                    LinearLightConverter(source: stream, width: width, options: options, threads: 2)), part: whole,
                place: whole, blend: .over, opacity: opacity)
        }
        try composer.compose(
            layers, on: .black,
            in: .signal(SignalCurve(stream.color.transfer, white: 203, hlgPeak: 1000)), into: made.view,
            kernel: .lanczos
        ) { count, body in for slice in (0..<count).reversed() { body(slice, slice % 2) } }

        let black = ComposedPicture(stream, width, height)
        let dark = try #require(LightPicture(width: width, height: height))
        for y in 0..<height { for x in 0..<width { dark.row(y)[x] = LightPixel(0, 0, 0, 1) } }
        black.encode(dark)
        let mixes = tried.pictures.filter { $0.opacity < 1 }.count
        var worst = 0.0
        for place in stream.layout.samplePlaces(width: width, height: height) {
            var exact = tried.isOnBlack ? black.code(place) : 0
            for (picture, opacity) in tried.pictures {
                exact += (picture.code(place) - exact) * opacity
            }
            worst = max(worst, abs(made.code(place) - exact))
        }
        #expect(worst <= 0.51 * Double(mixes), "\(stream.layout) \(width)x\(height): \(worst)")
    }
}

/// A word of a picture: its plane, row and place in the row.
private struct SamplePlace {
    let plane: Int
    let row: Int
    let word: Int
}

extension PixelLayout {
    /// The words that are samples; padding is none.
    fileprivate func samplePlaces(width: Int, height: Int) -> [SamplePlace] {
        (0..<4).flatMap { plane in
            let (bytes, rows) = content(ofPlane: plane, width: width, height: height)
            let step = components.first { $0.plane == plane }?.step ?? 1
            let padding = alpha.flatMap { $0.plane == plane ? $0.offset : nil }
            return (0..<rows).flatMap { row in
                (0..<bytes / bytesPerWord).compactMap { word in
                    word * bytesPerWord % step == padding ? nil : SamplePlace(plane: plane, row: row, word: word)
                }
            }
        }
    }
}

extension ComposedPicture {
    fileprivate func code(_ place: SamplePlace) -> Double {
        let layout = stream.layout
        let row = view.row(place.plane, place.row)
        guard layout.bits > 8 else { return Double(row.load(fromByteOffset: place.word, as: UInt8.self)) }
        let word = row.load(fromByteOffset: 2 * place.word, as: UInt16.self)
        return Double((layout.isBigEndian ? word.bigEndian : word) >> UInt16(layout.components[0].shift))
    }
}
