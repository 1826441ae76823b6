/// Produces PNG's filtered scan lines from a picture's rows, one after the other.
struct PNGRows: ~Copyable {
    private let image: StillImage
    /// The number of bytes of a pixel and of a row in the file.
    private let pixel: Int
    private let count: Int
    /// The unfiltered rows, preceded by a pixel of zeros.
    private var row: WorkBuffer
    private var above: WorkBuffer
    /// The filtered rows, each behind the byte that names the filter.
    private var best: WorkBuffer
    private var candidate: WorkBuffer

    /// The margin has at least the size of the widest pixel in bytes.
    private static let margin = 16

    init(_ image: StillImage) throws(StillError) {
        let pixel = image.storedComponents * image.layout.bytesPerComponent
        let count = pixel * image.width
        let row = try WorkBuffer(count: count + Self.margin)
        let above = try WorkBuffer(count: count + Self.margin)
        let best = try WorkBuffer(count: count + 1)
        let candidate = try WorkBuffer(count: count + 1)
        self.image = image
        self.pixel = pixel
        self.count = count
        self.row = row
        self.above = above
        self.best = best
        self.candidate = candidate
    }

    /// The filtered row, valid until the next one is requested. The row that was requested before is the one above.
    mutating func filtered(_ index: Int) -> UnsafeRawBufferPointer {
        swap(&row, &above)
        PNGSamples.store(image.row(index), of: image, into: row.start + Self.margin)

        let current = UnsafePointer((row.start + Self.margin).assumingMemoryBound(to: UInt8.self))
        let previous = UnsafePointer((above.start + Self.margin).assumingMemoryBound(to: UInt8.self))
        var smallest: UInt32?
        for filter in PNGFilter.allCases {
            candidate.bytes[0] = filter.rawValue
            let sum = filter.apply(
                to: current, above: previous, count: count, pixel: pixel,
                into: (candidate.start + 1).assumingMemoryBound(to: UInt8.self))
            if smallest.map({ sum < $0 }) ?? true {
                smallest = sum
                swap(&best, &candidate)
            }
        }
        return UnsafeRawBufferPointer(best.bytes)
    }
}

/// Samples in the form in which PNG stores them.
enum PNGSamples {
    /// Writes a row: 16-bit samples with their high byte first (7.1), and no fourth component where it is no alpha.
    static func store(_ row: UnsafeRawBufferPointer, of image: StillImage, into output: UnsafeMutableRawPointer) {
        guard let input = row.baseAddress else { return }
        let drops = image.storedComponents < image.layout.components
        switch (image.layout.bytesPerComponent, drops) {
        case (1, false): output.copyMemory(from: input, byteCount: row.count)
        case (1, true): drop(UInt8.self, from: input, width: image.width, into: output) { $0 }
        case (2, false):
            var offset = 0
            while offset < row.count {
                let sample = input.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
                output.storeBytes(of: sample.byteSwapped, toByteOffset: offset, as: UInt16.self)
                offset &+= 2
            }
        default: drop(UInt16.self, from: input, width: image.width, into: output) { $0.byteSwapped }
        }
    }

    /// Copies the first three of every four components.
    @inline(__always)
    private static func drop<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, from input: UnsafeRawPointer, width: Int, into output: UnsafeMutableRawPointer,
        _ stored: (T) -> T
    ) {
        let size = MemoryLayout<T>.size
        for pixel in 0..<width {
            for component in 0..<3 {
                let sample = input.loadUnaligned(fromByteOffset: (pixel &* 4 &+ component) &* size, as: type)
                output.storeBytes(of: stored(sample), toByteOffset: (pixel &* 3 &+ component) &* size, as: type)
            }
        }
    }
}
