import HDRMetadata
import HDRStills
import TestSupport
import Testing

/// Metadata comes from streams and may be anything.
@Suite struct StillFuzzTests {
    @Test func anyMetadataGivesAReadableFile() throws {
        var random = SeededGenerator(seed: 77)
        func any<T: FixedWidthInteger>(_ type: T.Type) -> T {
            [T.min, 0, 1, T.max, T(truncatingIfNeeded: random.next())].randomElement(using: &random) ?? 0
        }
        for _ in 0..<3000 {
            let isInteger = Bool.random(using: &random)
            let picture = PaddedImage(isInteger ? .rgba8 : .rgbaHalf, 2, 3, seed: random.next())
            let color = ColorDescription(
                primaries: any(UInt8.self) % 30, transfer: isInteger ? any(UInt8.self) % 30 : 8,
                matrix: any(UInt8.self), isFullRange: [nil, true, false].randomElement(using: &random) ?? nil)
            let file = MemoryFile()
            try picture.withImage(color: color) { image in
                image.masteringDisplay = MasteringDisplay(
                    red: SIMD2(any(UInt16.self), any(UInt16.self)), green: SIMD2(any(UInt16.self), any(UInt16.self)),
                    blue: SIMD2(any(UInt16.self), any(UInt16.self)), white: SIMD2(any(UInt16.self), any(UInt16.self)),
                    maximum: any(UInt32.self), minimum: any(UInt32.self))
                image.contentLightLevel = ContentLightLevel(
                    maximum: any(UInt16.self), frameAverage: any(UInt16.self))
                image.referenceWhite = Double(bitPattern: any(UInt64.self))
                if let ratio = StillImage.PixelAspectRatio(width: any(Int.self), height: any(Int.self)) {
                    image.pixelAspectRatio = ratio
                }
                image.software = String(decoding: (0..<20).map { _ in any(UInt8.self) }, as: UTF8.self)
                if isInteger {
                    try PNGWriter.write(image, to: file.sink)
                } else {
                    try OpenEXRWriter.write(image, to: file.sink)
                }
            }
            if isInteger {
                let reader = try PNGReader(file.bytes)
                #expect(firstDifference(reader.samples, picture.samples()) == nil)
                // The numbers of PNG have 31 bits (7.1).
                for type in ["mDCV", "cLLI", "pHYs", "cHRM", "gAMA"] {
                    guard let data = reader.data(of: type) else { continue }
                    let numbers = type == "mDCV" ? [16, 20] : Array(stride(from: 0, to: data.count / 4 * 4, by: 4))
                    #expect(numbers.allSatisfy { data[$0] < 0x80 }, "\(type)")
                }
            } else {
                #expect(try OpenEXRReader(file.bytes).width == 2)
            }
        }
    }
}
