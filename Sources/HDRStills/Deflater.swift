import CZlib

/// A compressor that produces a zlib stream.
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>

    enum Strategy {
        case standard
        /// For differences between neighbouring samples: prefers Huffman coding to short matches.
        case filtered
        /// Matches runs of one byte only, and is fast.
        case runLengths

        var code: Int32 {
            switch self {
            case .standard: Z_DEFAULT_STRATEGY
            case .filtered: Z_FILTERED
            case .runLengths: Z_RLE
            }
        }
    }

    init(level: Int32, strategy: Strategy = .standard) throws(StillError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, level, Z_DEFLATED, 15, 9, strategy.code, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            // deflateEnd refuses a stream without a state, which this one is then.
            throw StillError("zlib cannot start (\(status)): out of memory, or not the version of the headers")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// The maximum number of bytes that are passed to zlib at a time, whose counters are 32 bits wide.
    private static let most = 1 << 30

    /// Compresses bytes. Each time that `output` is full, and at the end of the stream, `full` is passed the number of
    /// its valid bytes. The rest in `output` stays for the next call.
    func compress(
        _ input: UnsafeRawBufferPointer, isLast: Bool, into output: UnsafeMutableRawBufferPointer, used: inout Int,
        full: (Int) throws(StillError) -> Void
    ) throws(StillError) {
        var position = 0
        while true {
            let count = min(input.count - position, Self.most)
            let ends = isLast && position + count == input.count
            // zlib reads these bytes and does not write them.
            stream.pointee.next_in = input.baseAddress.map {
                UnsafeMutablePointer(mutating: ($0 + position).assumingMemoryBound(to: UInt8.self))
            }
            stream.pointee.avail_in = UInt32(count)
            try feed(ends: ends, into: output, used: &used, full: full)
            position += count
            if position >= input.count { return }
        }
    }

    private func feed(
        ends: Bool, into output: UnsafeMutableRawBufferPointer, used: inout Int,
        full: (Int) throws(StillError) -> Void
    ) throws(StillError) {
        let capacity = min(output.count, Self.most)
        while true {
            guard let start = output.baseAddress, used < capacity else { throw StillError("zlib has no room to write") }
            stream.pointee.next_out = (start + used).assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(capacity - used)
            let status = deflate(stream, ends ? Z_FINISH : Z_NO_FLUSH)
            used = capacity - Int(stream.pointee.avail_out)
            switch status {
            case Z_STREAM_END:
                if used > 0 { try full(used) }
                used = 0
                return
            case Z_OK, Z_BUF_ERROR:
                // As long as there is room for output, zlib takes all input; only a full output leaves some of it over.
                guard used == capacity else {
                    if ends { throw StillError("zlib does not end its stream") }
                    return
                }
                try full(used)
                used = 0
            default:
                throw StillError("zlib failed (\(status))")
            }
        }
    }

    /// Compresses bytes to a stream of their own.
    /// - Returns: the size of the stream, or `nil` where it does not fit into `output`.
    func compressWhole(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StillError) -> Int? {
        guard input.count <= Self.most, output.count <= Self.most, deflateReset(stream) == Z_OK else {
            throw StillError("zlib cannot compress \(input.count) bytes at a time")
        }
        stream.pointee.next_in = input.baseAddress.map {
            UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
        }
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        switch deflate(stream, Z_FINISH) {
        case Z_STREAM_END: return output.count - Int(stream.pointee.avail_out)
        case Z_OK, Z_BUF_ERROR: return nil
        case let status: throw StillError("zlib failed (\(status))")
        }
    }
}

/// CRC-32 of ISO 3309, which PNG and gzip use.
enum CRC32 {
    static func of(_ bytes: UnsafeRawBufferPointer, after previous: UInt = 0) -> UInt {
        crc32_z(previous, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}
