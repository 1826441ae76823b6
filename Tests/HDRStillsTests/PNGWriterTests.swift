import HDRMetadata
import Testing

@testable import HDRStills

@Suite struct PNGWriterTests {
    private func written(_ picture: PaddedImage, ignoresAlpha: Bool = false) throws -> (PNGReader, MemoryFile) {
        let file = MemoryFile()
        try picture.withImage { image in
            image.ignoresAlpha = ignoresAlpha
            try PNGWriter.write(image, to: file.sink)
        }
        return (try PNGReader(file.bytes), file)
    }

    /// The samples as PNG stores them, high byte first.
    private func swapped(_ samples: [UInt8], _ depth: Int) -> [UInt8] {
        depth == 8 ? samples : samples.indices.map { samples[$0 ^ 1] }
    }

    @Test(arguments: StillImage.Layout.allCases.filter(\.isInteger), PaddedImage.Content.allCases)
    func picturesComeBack(layout: StillImage.Layout, content: PaddedImage.Content) throws {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (31, 7), (127, 33), (250, 100)] {
            for padding in [0, 1, 6, 61] {
                let picture = PaddedImage(
                    layout, width, height, padding: padding, content: content, seed: UInt64(width))
                let (reader, file) = try written(picture)
                #expect(reader.width == width && reader.height == height)
                let difference = firstDifference(reader.samples, swapped(picture.samples(), reader.depth))
                #expect(difference == nil, "\(width)x\(height) + \(padding)")
                #expect(file.rewrites == 0 && file.gaps == 0)

                let (colorOnly, _) = try written(picture, ignoresAlpha: true)
                #expect(colorOnly.components == 3)
                let colors = swapped(picture.samples(components: 3), reader.depth)
                #expect(firstDifference(colorOnly.samples, colors) == nil)
            }
        }
    }

    @Test func chunksAreInOrder() throws {
        let file = MemoryFile()
        try PaddedImage(.rgb16, 40, 30).withImage { image in
            image.masteringDisplay = PNGChunksTests.display
            image.contentLightLevel = ContentLightLevel(maximum: 1000, frameAverage: 250)
            image.pixelAspectRatio = StillImage.PixelAspectRatio(width: 4, height: 3) ?? .square
            try PNGWriter.write(image, to: file.sink)
        }
        let reader = try PNGReader(file.bytes)
        #expect(reader.chunks.map(\.type) == ["IHDR", "cICP", "mDCV", "cLLI", "pHYs", "tEXt", "IDAT", "IEND"])
    }

    @Test func rowsGetTheFilterThatSuitsThem() throws {
        let (reader, _) = try written(PaddedImage(.rgb8, 300, 40, content: .gradient))
        #expect(!reader.filters.isDisjoint(with: [1, 3, 4]))
        #expect(!reader.filters.contains(0))
        let (_, file) = try written(PaddedImage(.rgb16, 1000, 1000, content: .flat))
        #expect(file.bytes.count < 40000, "\(file.bytes.count)")
    }

    @Test func largePicturesComeInSmallPieces() throws {
        let picture = PaddedImage(.rgba16, 700, 500)
        let (reader, file) = try written(picture)
        #expect(file.largestWrite <= 1 << 17 + 12)
        #expect(reader.chunks.count { $0.type == "IDAT" } > 10)
        #expect(firstDifference(reader.samples, swapped(picture.samples(), 16)) == nil)
    }

    /// Large pictures are tried both ways; a repeated pattern is what runs of one byte cannot catch.
    @Test func compressionSuitsThePicture() throws {
        let noise = PaddedImage(.rgb16, 500, 400)
        let pattern = PaddedImage(.rgb16, 500, 400, repeating: 41)
        #expect(try noise.withImage { try PNGCompression.best(for: $0) } == .runs)
        #expect(try pattern.withImage { try PNGCompression.best(for: $0) } == .matches)
        #expect(try PaddedImage(.rgb16, 50, 40).withImage { try PNGCompression.best(for: $0) } == .thorough)
        for (width, height) in [(200_000, 1), (100_000, 2), (30000, 9), (1, 200_000)] {
            let picture = PaddedImage(.rgba16, width, height, repeating: 41)
            #expect(try firstDifference(written(picture).0.samples, swapped(picture.samples(), 16)) == nil)
        }
        let (reader, file) = try written(pattern)
        #expect(firstDifference(reader.samples, swapped(pattern.samples(), 16)) == nil)
        #expect(file.bytes.count < 100_000, "\(file.bytes.count)")
    }

    @Test(arguments: [StillImage.Layout.rgbaHalf, .rgbaFloat]) func lightIsRefused(layout: StillImage.Layout) throws {
        try PaddedImage(layout, 2, 2).withImage { image in
            let file = MemoryFile()
            #expect {
                try PNGWriter.write(image, to: file.sink)
            } throws: { error in
                "\(error)".contains("OpenEXR")
            }
            #expect(file.bytes.isEmpty)
        }
    }

    /// Whatever write fails, its error comes out.
    @Test func errorsOfTheSinkComeOut() throws {
        let file = MemoryFile()
        try PaddedImage(.rgb16, 300, 300).withImage { image in
            try PNGWriter.write(image, to: file.sink)
            for limit in [0, 1, 8, 100, 140_000, file.bytes.count - 1] {
                #expect(throws: StillError("full")) {
                    try PNGWriter.write(image) { (bytes, offset) throws(StillError) in
                        if offset + bytes.count > limit { throw StillError("full") }
                    }
                }
            }
        }
    }
}
