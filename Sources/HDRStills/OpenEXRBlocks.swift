/// Produces blocks of lines, one after the other.
struct OpenEXRBlocks: ~Copyable {
    private let lines: OpenEXRLines
    private let packer: OpenEXRPacker?
    /// The number of the first line and the size, then the data.
    private let plain: WorkBuffer
    private let packed: WorkBuffer
    private let split: WorkBuffer
    private let predicted: WorkBuffer

    private static let head = 8

    init(_ lines: OpenEXRLines, size: Int, compression: OpenEXRWriter.Compression) throws(StillError) {
        let isPacked = compression == .zip
        let packer = isPacked ? try OpenEXRPacker() : nil
        let plain = try WorkBuffer(count: Self.head + size)
        // A block that zlib does not make smaller is stored as it is.
        let packed = try WorkBuffer(count: isPacked ? Self.head + size - 1 : 1)
        let split = try WorkBuffer(count: isPacked ? size : 1)
        let predicted = try WorkBuffer(count: isPacked ? size : 1)
        self.lines = lines
        self.packer = packer
        self.plain = plain
        self.packed = packed
        self.split = split
        self.predicted = predicted
    }

    /// A block with its head, valid until the next one is asked for.
    mutating func block(_ range: Range<Int>) throws(StillError) -> UnsafeRawBufferPointer {
        var position = plain.start + Self.head
        for line in range {
            lines.store(line, into: position)
            position += lines.lineBytes
        }
        let size = range.count * lines.lineBytes
        if let packer {
            let data = UnsafeRawBufferPointer(start: plain.start + Self.head, count: size)
            OpenEXRLines.predict(data, scratch: split.start, into: predicted.start)
            let room = UnsafeMutableRawBufferPointer(start: packed.start + Self.head, count: size - 1)
            let input = UnsafeRawBufferPointer(start: predicted.start, count: size)
            if let count = try packer.pack(input, into: room) {
                return Self.finished(packed.start, firstLine: range.lowerBound, size: count)
            }
        }
        return Self.finished(plain.start, firstLine: range.lowerBound, size: size)
    }

    private static func finished(
        _ start: UnsafeMutableRawPointer, firstLine: Int, size: Int
    ) -> UnsafeRawBufferPointer {
        start.storeBytes(of: Int32(truncatingIfNeeded: firstLine).littleEndian, as: Int32.self)
        start.storeBytes(of: Int32(truncatingIfNeeded: size).littleEndian, toByteOffset: 4, as: Int32.self)
        return UnsafeRawBufferPointer(start: start, count: head + size)
    }
}

/// Compresses blocks, and tests at intervals whether matches make them so much smaller than runs that their time is
/// well spent, as they do for graphics, but not for the noise of a camera.
private final class OpenEXRPacker {
    private let runs: Deflater
    private let matches: Deflater
    private var usesMatches = false
    private var block = 0

    /// The number of blocks from one test to the next.
    private static let interval = 16

    init() throws(StillError) {
        runs = try Deflater(level: 1, strategy: .runLengths)
        matches = try Deflater(level: 4, strategy: .filtered)
    }

    /// - Returns: the size, or `nil` where it is not below that of the output buffer.
    func pack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StillError) -> Int? {
        if block % Self.interval == 0 {
            let size = try runs.compressWhole(input, into: output) ?? input.count
            let other = try matches.compressWhole(input, into: output) ?? input.count
            usesMatches = other < size / 5 * 4
        }
        block += 1
        return try (usesMatches ? matches : runs).compressWhole(input, into: output)
    }
}
