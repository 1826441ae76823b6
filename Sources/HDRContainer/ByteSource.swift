/// Bytes that are read in pieces, such as a file's.
package protocol ByteSource {
    var size: UInt64 { get throws }

    /// Reads `count` bytes at `offset`; fewer only where the source ends.
    func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

/// Bytes in memory.
package struct ArrayByteSource: ByteSource, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var size: UInt64 { UInt64(bytes.count) }

    package func read(at offset: UInt64, count: Int) -> [UInt8] {
        guard count > 0, let start = Int(exactly: offset), start < bytes.count else { return [] }
        return Array(bytes[start..<start + min(count, bytes.count - start)])
    }
}
