import HDRMetadata
import TestSupport
import Testing

@testable import HDRStills

@Suite struct OpenEXRWriterTests {
    private func written(
        _ picture: PaddedImage, _ compression: OpenEXRWriter.Compression, ignoresAlpha: Bool = false
    ) throws -> (OpenEXRReader, MemoryFile) {
        let file = MemoryFile()
        try picture.withImage { image in
            image.ignoresAlpha = ignoresAlpha
            try OpenEXRWriter.write(image, compression: compression, to: file.sink)
        }
        return (try OpenEXRReader(file.bytes), file)
    }

    /// The half-float numbers of a component, low byte first.
    private func channel(_ component: Int, of picture: PaddedImage) -> [UInt8] {
        let samples = picture.samples()
        let size = picture.layout == .rgbaHalf ? 2 : 4
        return stride(from: component * size, to: samples.count, by: size * 4).flatMap { place -> [UInt8] in
            let bytes = samples[place..<place + size]
            guard size == 4 else { return Array(bytes) }
            let float = Float(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
            let half = HalfFloat.bits(of: float)
            return [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
        }
    }

    @Test(arguments: [StillImage.Layout.rgbaHalf, .rgbaFloat], OpenEXRWriter.Compression.allCases)
    func picturesComeBack(layout: StillImage.Layout, compression: OpenEXRWriter.Compression) throws {
        for (width, height) in [(1, 1), (1, 17), (9, 1), (2, 15), (3, 16), (31, 33), (130, 47)] {
            for content in PaddedImage.Content.allCases {
                let picture = PaddedImage(layout, width, height, padding: width % 5, content: content)
                let (reader, file) = try written(picture, compression)
                #expect(reader.channels == ["A", "B", "G", "R"])
                #expect(reader.width == width && reader.height == height)
                for (component, name) in ["R", "G", "B", "A"].enumerated() {
                    let difference = firstDifference(reader.samples[name], channel(component, of: picture))
                    #expect(difference == nil, "\(width)x\(height) \(name)")
                }
                #expect(file.gaps == 0)
                let (colorOnly, _) = try written(picture, compression, ignoresAlpha: true)
                #expect(colorOnly.channels == ["B", "G", "R"])
                #expect(firstDifference(colorOnly.samples["G"], channel(1, of: picture)) == nil)
            }
        }
    }

    @Test(arguments: OpenEXRWriter.Compression.allCases)
    func everyHalfComesBack(compression: OpenEXRWriter.Compression) throws {
        let picture = PaddedImage(halves: Array(UInt16.min ... .max), width: 128)
        let (reader, _) = try written(picture, compression)
        for (component, name) in ["R", "G", "B", "A"].enumerated() {
            #expect(firstDifference(reader.samples[name], channel(component, of: picture)) == nil)
        }
    }

    @Test func noiseIsStoredAsItIs() throws {
        let (reader, _) = try written(PaddedImage(.rgbaHalf, 200, 40), .zip)
        #expect(reader.storedBlocks == 3)
        let (flat, file) = try written(PaddedImage(.rgbaHalf, 200, 40, content: .flat), .zip)
        #expect(flat.storedBlocks == 0)
        #expect(file.bytes.count < 2000)
    }

    /// Blocks of noise and blocks that repeat a pattern, as many as it takes to change the way.
    @Test func compressionSuitsThePicture() throws {
        var halves: [UInt16] = []
        var random = SeededGenerator(seed: 8)
        for part in 0..<4 {
            let pattern = (0..<37).map { _ in UInt16.random(in: 0...0x7BFF, using: &random) }
            for index in 0..<64 * 300 * 4 {
                halves.append(part % 2 == 0 ? UInt16(truncatingIfNeeded: random.next()) : pattern[index % 37])
            }
        }
        let picture = PaddedImage(halves: halves, width: 64)
        let (reader, file) = try written(picture, .zip)
        for (component, name) in ["R", "G", "B", "A"].enumerated() {
            #expect(firstDifference(reader.samples[name], channel(component, of: picture)) == nil)
        }
        #expect(reader.storedBlocks > 30 && reader.storedBlocks < 45, "\(reader.storedBlocks)")
        #expect(file.bytes.count < halves.count * 2 * 3 / 4, "\(file.bytes.count)")
    }

    /// The table is longer than what is kept of it at a time.
    @Test func longTablesAreWhole() throws {
        let (reader, file) = try written(PaddedImage(.rgbaHalf, 1, 1300), .none)
        #expect(reader.height == 1300)
        #expect(file.rewrites == 3)
    }

    @Test func attributes() throws {
        let file = MemoryFile()
        try PaddedImage(.rgbaHalf, 6, 5).withImage { image in
            image.referenceWhite = 203
            image.pixelAspectRatio = StillImage.PixelAspectRatio(width: 4, height: 3) ?? .square
            image.software = "tester 1.0"
            try OpenEXRWriter.write(image, to: file.sink)
        }
        let reader = try OpenEXRReader(file.bytes)
        #expect(reader.order == reader.order.sorted())
        let box: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0]
        func floats(_ values: [Float]) -> [UInt8] {
            values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
        }
        let expected: [String: (String, [UInt8])] = [
            "chromaticities": (
                "chromaticities", floats([0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290])
            ),
            "compression": ("compression", [3]),
            "dataWindow": ("box2i", box), "displayWindow": ("box2i", box),
            "lineOrder": ("lineOrder", [0]),
            "pixelAspectRatio": ("float", floats([4.0 / 3])),
            "screenWindowCenter": ("v2f", floats([0, 0])), "screenWindowWidth": ("float", floats([1])),
            "software": ("string", Array("tester 1.0".utf8)),
            "whiteLuminance": ("float", floats([203])),
        ]
        #expect(Set(reader.order) == Set(expected.keys).union(["channels"]))
        for (name, (type, value)) in expected {
            #expect(reader.attributes[name]?.type == type, "\(name)")
            #expect(reader.attributes[name]?.value == value, "\(name)")
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e300, -.infinity])
    func invalidWhiteIsLeftOut(white: Double) throws {
        let file = MemoryFile()
        try PaddedImage(.rgbaHalf, 1, 1).withImage(color: .unspecified) { image in
            image.referenceWhite = white
            try OpenEXRWriter.write(image, to: file.sink)
        }
        let reader = try OpenEXRReader(file.bytes)
        #expect(reader.attributes["whiteLuminance"] == nil && reader.attributes["chromaticities"] == nil)
    }

    @Test func whatIsNotLinearIsRefused() throws {
        let file = MemoryFile()
        func refusal(_ layout: StillImage.Layout, _ color: ColorDescription) throws -> String {
            try PaddedImage(layout, 2, 2).withImage(color: color) { image in
                do {
                    try OpenEXRWriter.write(image, to: file.sink)
                    return ""
                } catch {
                    return "\(error)"
                }
            }
        }
        #expect(try refusal(.rgba16, .unspecified).contains("integer"))
        #expect(try refusal(.rgbaHalf, .bt2100PQ).contains("PQ"))
        #expect(file.bytes.isEmpty)
    }
}
