/// Writes stills as OpenEXR: scan lines of half-float numbers in linear light.
package enum OpenEXRWriter {
    package enum Compression: CaseIterable, Sendable {
        case none
        /// Lossless compression of blocks of 16 lines by zlib.
        case zip

        var code: UInt8 {
            switch self {
            case .none: 0
            case .zip: 3
            }
        }

        var linesPerBlock: Int {
            switch self {
            case .none: 1
            case .zip: 16
            }
        }
    }

    /// Writes an image of half-float or float samples, whose colours are linear light with 1.0 as reference white and,
    /// where there is alpha, premultiplied with it. It uses memory for a block of lines.
    /// - Throws: where the samples are integers or not linear, a line is too long for the format, there is no memory,
    ///   or the sink throws.
    package static func write(
        _ image: StillImage, compression: Compression = .zip, to sink: @escaping StillSink
    ) throws(StillError) {
        guard !image.layout.isInteger else {
            throw StillError("OpenEXR holds linear light in floating point, not integer codes; convert, or write PNG")
        }
        // 8 is linear, 2 is unspecified.
        guard [2, 8].contains(image.color.transfer) else {
            throw StillError("OpenEXR holds linear light, not \(image.color.transferName); convert, or write PNG")
        }
        let lines = OpenEXRLines(image: image)
        let blockLines = min(compression.linesPerBlock, image.height)
        let (blockBytes, overflows) = lines.lineBytes.multipliedReportingOverflow(by: blockLines)
        guard !overflows, blockBytes <= 1 << 30 else {
            throw StillError("\(image.width) pixels are too wide for OpenEXR; write PNG, or scale the picture down")
        }

        var output = SequentialOutput(sink)
        try output.write(OpenEXRHeader.bytes(of: image, compression: compression))
        let blocks = (image.height - 1) / compression.linesPerBlock + 1
        var table = OpenEXRTable(at: output.offset, sink)
        try table.reserve(blocks, in: &output)

        var encoder = try OpenEXRBlocks(lines, size: blockBytes, compression: compression)
        for block in 0..<blocks {
            try table.add(output.offset)
            let first = block * compression.linesPerBlock
            try output.write(encoder.block(first..<min(first + compression.linesPerBlock, image.height)))
        }
        try table.finish()
    }
}

/// The table of the positions of all blocks of lines. It precedes the blocks, whose sizes are known only later.
private struct OpenEXRTable {
    private let sink: StillSink
    private var offset: Int
    private var entries: [UInt64] = []

    private static let most = 512

    init(at offset: Int, _ sink: @escaping StillSink) {
        self.sink = sink
        self.offset = offset
    }

    /// Writes zeros, which tell readers that the file has not been finished.
    func reserve(_ count: Int, in output: inout SequentialOutput) throws(StillError) {
        var left = count
        while left > 0 {
            let part = min(left, Self.most)
            try output.write([UInt8](repeating: 0, count: part * 8))
            left -= part
        }
    }

    mutating func add(_ start: Int) throws(StillError) {
        entries.append(UInt64(truncatingIfNeeded: start).littleEndian)
        if entries.count == Self.most { try finish() }
    }

    mutating func finish() throws(StillError) {
        guard !entries.isEmpty else { return }
        try entries.withUnsafeBufferPointer { (buffer) throws(StillError) in
            try sink(UnsafeRawBufferPointer(buffer), offset)
        }
        offset += entries.count * 8
        entries.removeAll(keepingCapacity: true)
    }
}
