/// The effort of zlib on the rows of a PNG file.
///
/// For 4K frames of 16 bits from a camera, runs make files as small as matches do, in a third of the time: the low
/// bytes are noise, which nothing matches. Graphics are repetitive, and become five times smaller with matches.
enum PNGCompression: Equatable {
    /// For pictures so small that time does not matter.
    case thorough
    case matches
    case runs

    func deflater() throws(StillError) -> Deflater {
        switch self {
        case .thorough: try Deflater(level: 6, strategy: .filtered)
        case .matches: try Deflater(level: 4, strategy: .filtered)
        case .runs: try Deflater(level: 1, strategy: .runLengths)
        }
    }

    /// The number of bytes of samples up to which a picture counts as small.
    private static let small = 1 << 20
    /// The number of bands of neighbouring rows, spread over the picture, that are compressed both ways for a
    /// comparison.
    private static let bands = 8
    private static let bandRows = 16

    static func best(for image: StillImage) throws(StillError) -> PNGCompression {
        // This cannot overflow, since all pixels are in memory.
        if image.width * image.layout.bytesPerPixel * image.height <= small { return .thorough }
        let runs = try size(of: image, with: .runs)
        let matches = try size(of: image, with: .matches)
        // Matches take three times as long, and so have to save enough.
        return matches < runs / 5 * 4 ? .matches : .runs
    }

    /// The compressed size of the bands.
    private static func size(of image: StillImage, with compression: PNGCompression) throws(StillError) -> Int {
        var rows = try PNGRows(image)
        let deflater = try compression.deflater()
        let output = try WorkBuffer(count: 1 << 16)
        var size = 0
        var used = 0
        let band = min(bandRows, image.height / bands + 1)
        for index in 0..<bands {
            let first = (image.height - band) * index / (bands - 1)
            for row in 0..<band {
                try deflater.compress(
                    rows.filtered(first + row), isLast: index == bands - 1 && row == band - 1, into: output.bytes,
                    used: &used
                ) { (count) throws(StillError) in size += count }
            }
        }
        return size
    }
}
