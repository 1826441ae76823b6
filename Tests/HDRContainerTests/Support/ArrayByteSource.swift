@testable import HDRContainer

/// Bytes in memory.
struct ArrayByteSource: ByteSource, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var size: UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, count: Int) -> [UInt8] {
        guard count > 0, let start = Int(exactly: offset), start < bytes.count else { return [] }
        return Array(bytes[start..<start + min(count, bytes.count - start)])
    }
}
