import CGStreamer
import GstBridge

/// The brightness pattern of a picture in a few cells: with it, a shot is told from another of the same brightness, and
/// a fade from a cut.
struct PictureStructure {
    private static let (columns, rows) = (16, 9)
    /// The number of samples along each side of a cell.
    private static let samples = 4
    /// The standard deviation below which a picture counts as flat, relative to the signal's range.
    private static let flat: Float = 0.004

    /// The difference of each cell from the picture's mean, normalized to a vector of length 1.
    private let cells: [Float]

    init?(values: [Float]) {
        guard !values.isEmpty else { return nil }
        let mean = values.reduce(0, +) / Float(values.count)
        let energy = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        guard energy > Self.flat * Self.flat * Float(values.count) else { return nil }
        cells = values.map { ($0 - mean) / energy.squareRoot() }
    }

    /// Samples the first component, luma or red.
    /// - Parameter size: the pixels of the picture that count, from its first one on.
    /// - Returns: `nil` for a flat picture, and for formats whose samples do not occupy whole bytes or words.
    init?(_ frame: UnsafePointer<GstVideoFrame>, _ size: (width: Int, height: Int)) {
        guard let format = frame.pointee.info.finfo?.pointee, let start = frame.pointee.data.0,
            format.flags.rawValue & (GST_VIDEO_FORMAT_FLAG_COMPLEX.rawValue | GST_VIDEO_FORMAT_FLAG_TILED.rawValue)
                == 0,
            format.plane.0 == 0, format.depth.0 > 0, format.depth.0 <= 16,
            size.width >= Self.columns * Self.samples, size.height >= Self.rows * Self.samples,
            size.width <= Int(frame.pointee.info.width), size.height <= Int(frame.pointee.info.height)
        else { return nil }
        let bytes = UnsafeRawPointer(start) + Int(format.poffset.0)
        let (step, stride) = (Int(format.pixel_stride.0), Int(frame.pointee.info.stride.0))
        let isLittle = format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_LE.rawValue != 0
        let scale = 1 / Float(1 << (Int(format.depth.0) + Int(format.shift.0)))
        func sample(_ x: Int, _ y: Int) -> Float {
            let place = bytes + y * stride + x * step
            guard format.depth.0 + format.shift.0 > 8 else { return Float(place.load(as: UInt8.self)) * scale }
            let word = place.loadUnaligned(as: UInt16.self)
            return Float(isLittle ? UInt16(littleEndian: word) : UInt16(bigEndian: word)) * scale
        }
        let (across, down) = (Self.columns * Self.samples, Self.rows * Self.samples)
        var sums = [Float](repeating: 0, count: Self.columns * Self.rows)
        for row in 0..<down {
            let y = (2 * row + 1) * size.height / (2 * down)
            for column in 0..<across {
                let x = (2 * column + 1) * size.width / (2 * across)
                sums[row / Self.samples * Self.columns + column / Self.samples] += sample(x, y)
            }
        }
        self.init(values: sums.map { $0 / Float(Self.samples * Self.samples) })
    }

    /// The correlation of two pictures, whatever their brightness and contrast: 1 for equal ones, 0 for unrelated ones,
    /// -1 for negatives.
    func correlation(with other: PictureStructure) -> Double {
        guard cells.count == other.cells.count else { return 0 }
        return Double(zip(cells, other.cells).reduce(0) { $0 + $1.0 * $1.1 })
    }
}
