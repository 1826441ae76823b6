/// Writes stills as Portable Network Graphics, third edition (W3C, ISO/IEC 15948).
package enum PNGWriter {
    /// Writes an image with integer samples. Its bytes come in order; it uses memory for a few rows.
    /// - Throws: where the samples are not integers, there is no memory, or the sink throws.
    package static func write(_ image: StillImage, to sink: @escaping StillSink) throws(StillError) {
        guard image.layout.isInteger else {
            throw StillError("PNG holds integers, not light in floating point; convert to 16 bits, or write OpenEXR")
        }
        var output = SequentialOutput(sink)
        try output.write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        for chunk in PNGChunks.header(of: image) { try write(chunk, to: &output) }
        try writeRows(of: image, to: &output)
        try write(PNGChunks.Chunk("IEND", []), to: &output)
    }

    /// The number of data bytes in an IDAT chunk; the last one may have fewer.
    private static let chunkSize = 1 << 17

    private static func write(_ chunk: PNGChunks.Chunk, to output: inout SequentialOutput) throws(StillError) {
        let body = Array(chunk.type.utf8) + chunk.data
        let check = body.withUnsafeBytes { CRC32.of($0) }
        try output.write(
            PNGChunks.bytes(UInt32(truncatingIfNeeded: chunk.data.count)) + body
                + PNGChunks.bytes(UInt32(truncatingIfNeeded: check)))
    }

    private static func writeRows(of image: StillImage, to output: inout SequentialOutput) throws(StillError) {
        var rows = try PNGRows(image)
        let deflater = try PNGCompression.best(for: image).deflater()
        // The length, type, data and checksum of a chunk are passed on in one piece.
        let chunk = try WorkBuffer(count: 8 + chunkSize + 4)
        let data = UnsafeMutableRawBufferPointer(rebasing: chunk.bytes[8..<8 + chunkSize])
        var used = 0
        for index in 0..<image.height {
            try deflater.compress(
                rows.filtered(index), isLast: index == image.height - 1, into: data, used: &used
            ) { (count) throws(StillError) in
                chunk.start.storeBytes(of: UInt32(truncatingIfNeeded: count).bigEndian, as: UInt32.self)
                chunk.bytes[4..<8].copyBytes(from: "IDAT".utf8)
                let check = CRC32.of(UnsafeRawBufferPointer(rebasing: chunk.bytes[4..<8 + count]))
                chunk.start.storeBytes(
                    of: UInt32(truncatingIfNeeded: check).bigEndian, toByteOffset: 8 + count, as: UInt32.self)
                try output.write(UnsafeRawBufferPointer(rebasing: chunk.bytes[..<(12 + count)]))
            }
        }
    }
}
