/// How hard zlib tries on the rows of a PNG file.
///
/// Of 4K frames of 16 bits that a camera took, runs make files as small as matches do, in a third of the time: the low
/// bytes are noise, which nothing matches. Graphics repeat themselves, and become five times smaller with matches.
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

    /// Bytes of samples up to which a picture is small.
    private static let small = 1 << 20
    /// Rows that are compressed both ways to find out: bands of neighbours, all over the picture.
    private static let bands = 8
    private static let bandRows = 16

    static func best(for image: StillImage) throws(StillError) -> PNGCompression {
        // The pixels lie in memory, so their number is one.
        if image.width * image.layout.bytesPerPixel * image.height <= small { return .thorough }
        let runs = try size(of: image, with: .runs)
        let matches = try size(of: image, with: .matches)
        // Matches cost three times the time; they have to be worth it.
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
