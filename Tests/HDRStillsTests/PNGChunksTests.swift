import HDRMetadata
import Testing

@testable import HDRStills

@Suite struct PNGChunksTests {
    /// The examples of 11.3.2.7.
    static let display = MasteringDisplay(
        red: SIMD2(35400, 14600), green: SIMD2(8500, 39850), blue: SIMD2(6550, 2300), white: SIMD2(15635, 16450),
        maximum: 40_000_000, minimum: 5)

    private func chunks(
        _ layout: StillImage.Layout = .rgb16, color: ColorDescription, _ change: (inout StillImage) -> Void = { _ in }
    ) throws -> [String: [UInt8]] {
        try PaddedImage(layout, 3, 2).withImage(color: color) { image in
            change(&image)
            let list = PNGChunks.header(of: image)
            #expect(Set(list.map(\.type)).count == list.count)
            #expect(list.first?.type == "IHDR")
            return Dictionary(uniqueKeysWithValues: list.map { ($0.type, $0.data) })
        }
    }

    private func color(_ primaries: UInt8, _ transfer: UInt8, fullRange: Bool? = true) -> ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 9, isFullRange: fullRange)
    }

    @Test(arguments: zip(StillImage.Layout.allCases, [(8, 2), (8, 6), (16, 2), (16, 6)]))
    func imageHeader(layout: StillImage.Layout, depthAndType: (UInt8, UInt8)) throws {
        let expected = [0, 0, 0, 3, 0, 0, 0, 2, depthAndType.0, depthAndType.1, 0, 0, 0]
        #expect(try chunks(layout, color: color(9, 16))["IHDR"] == expected)
        #expect(try chunks(layout, color: color(9, 16)) { $0.ignoresAlpha = true }["IHDR"]?[9] == 2)
    }

    @Test func signalsAreTheExamplesOfTheStandard() throws {
        #expect(try chunks(color: color(9, 16))["cICP"] == [9, 0x10, 0, 1])
        #expect(try chunks(color: color(9, 18))["cICP"] == [9, 0x12, 0, 1])
        #expect(try chunks(color: color(1, 1, fullRange: false))["cICP"] == [1, 1, 0, 0])
        #expect(try chunks(color: color(12, 13))["cICP"] == [0x0C, 0x0D, 0, 1])
        #expect(try chunks(color: color(12, 13, fullRange: nil))["cICP"] == [0x0C, 0x0D, 0, 1])
    }

    @Test func masteringDisplayIsRedGreenBlueWhite() throws {
        let found = try chunks(color: color(9, 16)) { $0.masteringDisplay = Self.display }
        #expect(
            found["mDCV"] == [
                0x8A, 0x48, 0x39, 0x08, 0x21, 0x34, 0x9B, 0xAA, 0x19, 0x96, 0x08, 0xFC, 0x3D, 0x13, 0x40, 0x42,
                0x02, 0x62, 0x5A, 0x00, 0x00, 0x00, 0x00, 0x05,
            ])
    }

    @Test func lightLevelsAreInTenThousandths() throws {
        let found = try chunks(color: color(9, 16)) {
            $0.contentLightLevel = ContentLightLevel(maximum: 1000, frameAverage: 250)
        }
        #expect(found["cLLI"] == [0x00, 0x98, 0x96, 0x80, 0x00, 0x26, 0x25, 0xA0])
    }

    @Test func whatCannotBeBelievedIsLeftOut() throws {
        let unspecified = try chunks(color: .unspecified) {
            $0.masteringDisplay = Self.display
            $0.contentLightLevel = ContentLightLevel(maximum: 1000, frameAverage: 250)
        }
        #expect(Set(unspecified.keys) == ["IHDR", "tEXt"], "mDCV needs cICP")
        let reserved: [(UInt8, UInt8)] = [
            (2, 16), (9, 2), (0, 16), (9, 0), (3, 16), (9, 3), (23, 16), (9, 19), (255, 255),
        ]
        for (primaries, transfer) in reserved {
            #expect(try chunks(color: color(primaries, transfer))["cICP"] == nil)
        }
        let absurd = try chunks(color: color(9, 16)) {
            $0.masteringDisplay = Self.display
            $0.masteringDisplay?.maximum = 0
            $0.contentLightLevel = ContentLightLevel(maximum: 60000, frameAverage: 250)
        }
        #expect(absurd["mDCV"] == nil && absurd["cLLI"] == nil && absurd["cICP"] != nil)
    }

    @Test func olderReadersGetWhatOlderChunksCanSay() throws {
        let sRGB = try chunks(color: color(1, 13))
        #expect(sRGB["sRGB"] == [0])
        #expect(sRGB["gAMA"] == [0, 0, 0xB1, 0x8F], "45455, the only value beside sRGB")
        let coordinates: [UInt32] = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
        #expect(sRGB["cHRM"] == coordinates.flatMap { PNGChunks.bytes($0) })

        let p3 = try chunks(color: color(12, 13))
        #expect(p3["sRGB"] == nil)
        #expect(p3["gAMA"] == [0, 0, 0xB1, 0x8F])
        let p3Coordinates: [UInt32] = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000]
        #expect(p3["cHRM"] == p3Coordinates.flatMap { PNGChunks.bytes($0) })
        #expect(try chunks(color: color(1, 1))["gAMA"] == PNGChunks.bytes(41667))

        for hdr in [color(9, 16), color(9, 18), color(1, 13, fullRange: false)] {
            let found = try chunks(color: hdr)
            #expect(found["gAMA"] == nil && found["cHRM"] == nil && found["sRGB"] == nil)
        }
    }

    @Test func physicalPixelsAreFewerTheWiderTheyAre() throws {
        let found = try chunks(color: color(9, 16)) {
            $0.pixelAspectRatio = StillImage.PixelAspectRatio(width: 64, height: 45) ?? .square
        }
        #expect(found["pHYs"] == [0, 0, 0, 45, 0, 0, 0, 64, 0])
        #expect(try chunks(color: color(9, 16))["pHYs"] == nil)
        let square = try chunks(color: color(9, 16)) {
            $0.pixelAspectRatio = StillImage.PixelAspectRatio(width: 7, height: 7) ?? .square
        }
        #expect(square["pHYs"] == nil)
    }

    @Test func softwareIsLatin1() throws {
        #expect(try chunks(color: color(9, 16))["tEXt"] == Array("Software\0gst-hdr".utf8))
        let found = try chunks(color: color(9, 16)) {
            $0.software = "é\0\u{9f}日\n" + String(repeating: "x", count: 900)
        }
        let text = try #require(found["tEXt"])
        #expect(text.count == 9 + 255)
        #expect(Array(text[9..<14]) == [0xE9] + Array("????".utf8))
        #expect(try chunks(color: color(9, 16)) { $0.software = "" }["tEXt"] == nil)
    }
}
