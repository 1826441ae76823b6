/// Bytes that are read in pieces, such as a file's.
public protocol ByteSource {
    var size: UInt64 { get throws }

    /// Reads `count` bytes at `offset`; fewer only where the source ends.
    func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

/// Bytes in memory.
public struct ArrayByteSource: ByteSource, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var size: UInt64 { UInt64(bytes.count) }

    public func read(at offset: UInt64, count: Int) -> [UInt8] {
        guard count > 0, let start = Int(exactly: offset), start < bytes.count else { return [] }
        return Array(bytes[start..<start + min(count, bytes.count - start)])
    }
}
