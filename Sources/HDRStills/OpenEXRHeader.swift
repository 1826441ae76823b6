import HDRMetadata

/// The part of an OpenEXR file before its table of lines ("OpenEXR File Layout").
enum OpenEXRHeader {
    static func bytes(of image: StillImage, compression: OpenEXRWriter.Compression) -> [UInt8] {
        // These are the magic number, and version 2 with no flag: scan lines, one part, short names.
        var bytes: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0]
        func add(_ name: String, _ type: String, _ value: [UInt8]) {
            bytes += Array(name.utf8) + [0] + Array(type.utf8) + [0] + word(value.count) + value
        }

        let window = word(0) + word(0) + word(image.width - 1) + word(image.height - 1)
        add("channels", "chlist", channels(of: image))
        if let points = Chromaticities(primaries: image.color.primaries) {
            let coordinates = [points.red, points.green, points.blue, points.white]
            add("chromaticities", "chromaticities", coordinates.flatMap { float($0.x) + float($0.y) })
        }
        add("compression", "compression", [compression.code])
        add("dataWindow", "box2i", window)
        add("displayWindow", "box2i", window)
        add("lineOrder", "lineOrder", [0])
        let ratio = image.pixelAspectRatio
        add("pixelAspectRatio", "float", float(Double(ratio.width) / Double(ratio.height)))
        add("screenWindowCenter", "v2f", float(0) + float(0))
        add("screenWindowWidth", "float", float(1))
        if !image.softwareBytes.isEmpty { add("software", "string", image.softwareBytes) }
        if let white = image.referenceWhite, white > 0, Float(white).isFinite {
            add("whiteLuminance", "float", float(white))
        }
        return bytes + [0]
    }

    /// Half-float channels without subsampling, in the order of their names.
    private static func channels(of image: StillImage) -> [UInt8] {
        let names = image.storedComponents == 4 ? ["A", "B", "G", "R"] : ["B", "G", "R"]
        // Pixel type 1 is half; pLinear and three reserved bytes are 0; every pixel has a sample.
        let meaning: [UInt8] = [1, 0, 0, 0] + [0, 0, 0, 0] + [1, 0, 0, 0] + [1, 0, 0, 0]
        let channels: [[UInt8]] = names.map { Array($0.utf8) + [0] + meaning }
        return channels.flatMap { $0 } + [0]
    }

    /// A word with its low byte first.
    private static func word(_ value: Int) -> [UInt8] { little(UInt32(truncatingIfNeeded: value)) }

    private static func float(_ value: Double) -> [UInt8] { little(Float(value).bitPattern) }

    private static func little(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
