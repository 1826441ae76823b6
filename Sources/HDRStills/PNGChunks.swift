import HDRMetadata

/// The chunks before the picture: PNG third edition, 11.3.
enum PNGChunks {
    struct Chunk: Equatable {
        let type: String
        var data: [UInt8]

        init(_ type: String, _ data: [UInt8]) {
            self.type = type
            self.data = data
        }
    }

    /// The chunks of an image up to its first IDAT. Colour chunks are in the order of their priority (4.3).
    static func header(of image: StillImage) -> [Chunk] {
        var chunks = [imageHeader(of: image)]
        if let signal = signal(of: image) {
            chunks.append(signal)
            // mDCV requires a cICP chunk (11.3.2.7). Light levels say little without a known signal, too.
            if let display = image.masteringDisplay, display.defect == nil { chunks.append(masteringDisplay(display)) }
            if let level = image.contentLightLevel, level.defect == nil { chunks.append(contentLightLevel(level)) }
        }
        chunks += fallback(for: image)
        if !image.pixelAspectRatio.isSquare { chunks.append(physicalPixels(image.pixelAspectRatio)) }
        let software = image.softwareBytes
        if !software.isEmpty { chunks.append(Chunk("tEXt", Array("Software".utf8) + [0] + software)) }
        return chunks
    }

    private static func imageHeader(of image: StillImage) -> Chunk {
        let depth = UInt8(truncatingIfNeeded: 8 * image.layout.bytesPerComponent)
        let colorType: UInt8 = image.storedComponents == 4 ? 6 : 2
        // These are the compression, filter and interlace methods.
        return Chunk("IHDR", bytes(image.width) + bytes(image.height) + [depth, colorType, 0, 0, 0])
    }

    /// The chunk cICP, 11.3.2.6; `nil` where primaries or transfer are not known. PNG holds RGB, so the matrix is 0.
    private static func signal(of image: StillImage) -> Chunk? {
        let color = image.color
        let transfers: ClosedRange<UInt8> = 1...18
        // 2 is unspecified, 3 is reserved.
        guard Chromaticities(primaries: color.primaries) != nil, transfers.contains(color.transfer),
            color.transfer != 2, color.transfer != 3
        else { return nil }
        return Chunk("cICP", [color.primaries, color.transfer, 0, image.isFullRange ? 1 : 0])
    }

    /// The chunk mDCV, 11.3.2.7: primaries in the order red, green, blue, white in 0.00002; luminances in 0.0001 cd/m².
    private static func masteringDisplay(_ display: MasteringDisplay) -> Chunk {
        let points = [display.red, display.green, display.blue, display.white]
        return Chunk(
            "mDCV",
            points.flatMap { bytes(UInt32($0.x) << 16 | UInt32($0.y)) } + bytes(display.maximum)
                + bytes(display.minimum))
    }

    /// The chunk cLLI, 11.3.2.8: MaxCLL and MaxFALL in 0.0001 cd/m².
    private static func contentLightLevel(_ level: ContentLightLevel) -> Chunk {
        Chunk("cLLI", bytes(UInt32(level.maximum) * 10000) + bytes(UInt32(level.frameAverage) * 10000))
    }

    /// Chunks for readers that do not know cICP, where older chunks express the same or nearly the same (12.2, 12.3):
    /// sRGB, gAMA and cHRM. None of them can describe PQ, HLG or narrow range, and a wrong gamma is worse than none.
    private static func fallback(for image: StillImage) -> [Chunk] {
        let color = image.color
        guard image.isFullRange, let gamma = gamma(of: color.transfer),
            let points = Chromaticities(primaries: color.primaries), points.blue.y > 0
        else { return [] }
        // The value 0 is the perceptual rendering intent.
        let isSRGB = color.primaries == 1 && color.transfer == 13
        let coordinates = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
        return (isSRGB ? [Chunk("sRGB", [0])] : []) + [
            Chunk("gAMA", bytes(hundredThousandths(gamma))),
            Chunk("cHRM", coordinates.flatMap { bytes(hundredThousandths($0)) }),
        ]
    }

    /// The exponent for gAMA, from display light to codes; `nil` where no power law comes near.
    private static func gamma(of transfer: UInt8) -> Double? {
        switch transfer {
        // A reference display shows these by BT.1886.
        case 1, 6, 7, 14, 15: 1 / 2.4
        case 4, 13: 1 / 2.2
        case 5: 1 / 2.8
        case 8: 1
        default: nil
        }
    }

    private static func hundredThousandths(_ value: Double) -> UInt32 { UInt32((value * 100000).rounded()) }

    /// The chunk pHYs, 11.3.4.3: the numbers of pixels per unknown unit in x and in y. The wider pixels are, the fewer
    /// of them there are per unit.
    private static func physicalPixels(_ ratio: StillImage.PixelAspectRatio) -> Chunk {
        Chunk("pHYs", bytes(ratio.height) + bytes(ratio.width) + [0])
    }

    private static func bytes(_ value: Int) -> [UInt8] { bytes(UInt32(truncatingIfNeeded: value)) }

    /// The bytes of a number, high byte first (7.1).
    static func bytes(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}
