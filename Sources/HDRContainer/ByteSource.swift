/// Bytes that are read in pieces, such as those of a file.
package protocol ByteSource {
    var size: UInt64 { get throws }

    /// Reads `count` bytes at `offset`; fewer only where the source ends.
    func read(at offset: UInt64, count: Int) throws -> [UInt8]
}
