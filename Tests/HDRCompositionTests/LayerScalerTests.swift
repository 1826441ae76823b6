import HDRColor
import TestSupport
import Testing

@testable import HDRComposition
@testable import HDRKernels

/// Layers that are scaled and turned, on every instruction set. That they are right at all is a matter of the canvases
/// beside the reference.
@Suite struct LayerScalerTests {
    @Test(arguments: 0..<TestWork.scaled(60, least: 8)) func instructionSetsAgree(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 500)
        let stream = CanvasComposerTests.stream(["I420_10LE", "RGBA", "NV12", "A444_10LE"][seed % 4], .pq)
        let (width, height) = (40 + random.below(90), 40 + random.below(90))
        let picture = ComposedPicture(stream, 1 + random.below(200), 1 + random.below(200))
        picture.fill(&random)
        let orientation = LayerOrientation.allCases[random.below(8)]
        let size = orientation.size(picture.width, picture.height)
        var placement = LayerPlacement()
        (placement.x, placement.y) = (random.below(60) - 30, random.below(60) - 30)
        // Some become much narrower, for which the order of both filters changes.
        let widest = seed % 2 == 0 ? 250 : 12
        (placement.width, placement.height) = (1 + random.below(widest), 1 + random.below(250))
        (placement.cropLeft, placement.cropTop) = (random.below(size.width), random.below(size.height))
        let part = placement.visiblePart(ofWidth: size.width, height: size.height)
        let kernel: ResamplingFilter.Kernel = seed % 3 == 0 ? .bilinear : .lanczos

        func composed(_ set: InstructionSet, threads: Int) throws -> ComposedPicture {
            func converter(_ width: Int) throws -> LinearLightConverter {
                try #require(
                    LinearLightConverter(
                        source: stream, width: width, options: ComposedPicture.options(stream), threads: threads,
                        instructionSet: set))
            }
            let made = ComposedPicture(stream, width, height)
            let composer = try #require(
                CanvasComposer(target: try converter(width), height: height, threads: threads, instructionSet: set))
            let layer = CanvasLayer(
                frame: picture.view, converter: try converter(picture.width), orientation: orientation, part: part,
                place: placement.place(part), blend: .over, opacity: 0.75)
            // The second picture is made with the memory of the first one.
            for _ in 0..<2 {
                try composer.compose([layer], on: .white, into: made.view, kernel: kernel) { count, body in
                    for slice in 0..<count { body(slice, slice % threads) }
                }
            }
            return made
        }
        let one = try composed(.baseline, threads: 1)
        for set in InstructionSet.supported {
            #expect(try composed(set, threads: 1 + seed % 3).difference(from: one) <= 1, "\(set)")
        }
    }

    /// Small pictures need no more memory than large ones: pixels are filtered before many rows are summed.
    @Test func memoryOfSmallPictures() throws {
        let stream = CanvasComposerTests.stream("I420_10LE", .pq)
        let picture = ComposedPicture(stream, 1920, 1080)
        let converter = try #require(
            LinearLightConverter(source: stream, width: 1920, options: ComposedPicture.options(stream)))
        func bytes(_ width: Int, _ height: Int) -> Int {
            let place = PixelRect(x: 0, y: 0, width: width, height: height)
            let layer = CanvasLayer(
                frame: picture.view, converter: converter, part: PixelRect(x: 0, y: 0, width: 1920, height: 1080),
                place: place, blend: .over, opacity: 1)
            let scaler = LayerScaler(
                layer, reach: place,
                across: ResamplingFilter(from: 1920, to: width, range: 0..<width, kernel: .lanczos),
                down: ResamplingFilter(from: 1080, to: height, range: 0..<height, kernel: .lanczos), whole: nil,
                InstructionSet.best.kernels.effects)
            return 16 * (scaler.size.ring + scaler.size.decoded)
        }
        for (width, height) in [(960, 540), (192, 108), (16, 9), (2, 1)] {
            #expect(bytes(width, height) <= 2_000_000, "\(width)x\(height): \(bytes(width, height))")
        }
    }

    /// A picture that becomes smaller by more than the ring has rows, and one that reaches far beyond the canvas.
    @Test(arguments: [(2000, 3), (3, 2000)]) func extremeSizes(_ from: Int, _ to: Int) throws {
        let stream = CanvasComposerTests.stream("GRAY16_LE", .bt1886)
        let picture = ComposedPicture(stream, 5, from)
        let light = try #require(LightPicture(width: 5, height: from))
        for y in 0..<from {
            for x in 0..<5 { light.row(y)[x] = LightPixel(0.5, 0.5, 0.5, 1) }
        }
        picture.encode(light)
        let options = ComposedPicture.options(stream)
        let target = try #require(LinearLightConverter(source: stream, width: 9, options: options))
        let made = ComposedPicture(stream, 9, 64)
        let layer = CanvasLayer(
            frame: picture.view,
            converter: try #require(LinearLightConverter(source: stream, width: 5, options: options)),
            part: PixelRect(x: 0, y: 0, width: 5, height: from), place: PixelRect(x: 0, y: -1, width: 9, height: to),
            blend: .over, opacity: 1)
        let composer = try #require(CanvasComposer(target: target, height: 64, threads: 1))
        try composer.compose([layer], on: .black, into: made.view, kernel: .lanczos) { count, body in
            for slice in 0..<count { body(slice, 0) }
        }
        // Weights add up to 1, so that what is even stays even, and what is beyond the layer is black.
        let expected = ComposedPicture(stream, 9, 64)
        let even = try #require(LightPicture(width: 9, height: 64))
        for y in 0..<64 {
            let value: Float = y < to - 1 ? 0.5 : 0
            for x in 0..<9 { even.row(y)[x] = LightPixel(value, value, value, 1) }
        }
        expected.encode(even)
        #expect(made.difference(from: expected) <= 1)
    }
}
