/// Writes named fields of metadata, and refuses numbers that do not fit in them.
struct FieldWriter {
    /// The name of the structure for errors, such as "HDR10+ metadata".
    private let name: StaticString
    private var writer: RBSPWriter

    init(_ name: StaticString, capacity: Int) {
        self.name = name
        writer = RBSPWriter(capacity: capacity)
    }

    var bytes: [UInt8] { writer.bytes }

    /// - Parameter limit: the largest number allowed where the field could hold larger ones.
    mutating func write(
        _ value: some FixedWidthInteger, bits: Int, upTo limit: Int? = nil, _ field: StaticString
    ) throws(BitstreamError) {
        let limit = min(limit ?? .max, (1 << min(max(bits, 0), 32)) - 1)
        guard value >= 0, value <= limit else {
            throw BitstreamError("\(name) has \(field) \(value), and \(limit) is the maximum")
        }
        writer.write(UInt32(truncatingIfNeeded: value), bits: bits)
    }

    mutating func write(_ value: UInt16) { writer.write(UInt32(value), bits: 16) }

    mutating func write(_ flag: Bool) { writer.write(flag) }

    mutating func append(bytes: [UInt8]) { for byte in bytes { writer.write(UInt32(byte), bits: 8) } }

    /// Fills the last byte with the highest bits of a number.
    mutating func align(with filling: UInt8) {
        let free = writer.free
        writer.write(UInt32(filling) >> UInt32(8 - free), bits: free)
    }
}
