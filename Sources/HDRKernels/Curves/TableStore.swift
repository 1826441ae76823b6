/// Owns the tables of one conversion, each aligned to a cache line.
final class TableStore: @unchecked Sendable {
    private(set) var blocks: [UnsafeMutableRawBufferPointer] = []
    /// Other stores whose tables this conversion uses.
    private var others: [TableStore] = []

    /// Keeps another store's tables alive as long as its own.
    func keep(_ other: TableStore) { others.append(other) }

    /// All tables that conversions with this store use.
    var allBlocks: [UnsafeMutableRawBufferPointer] { blocks + others.flatMap(\.allBlocks) }

    /// The numbers of the table that starts at this address; empty where it is not this store's.
    func table(at start: UnsafePointer<Float>) -> [Float] {
        let block = blocks.first { $0.baseAddress == UnsafeMutableRawPointer(mutating: start) }
        return block.map { Array($0.bindMemory(to: Float.self)) } ?? []
    }

    private func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes, 1), alignment: 64)
        blocks.append(block)
        return block.baseAddress!
    }

    /// Makes a table of `count` values. It may be called only while the conversion is being made.
    func make(_ count: Int, _ value: (Int) -> Double) -> UnsafePointer<Float> {
        let values = allocate(count * MemoryLayout<Float>.stride).bindMemory(to: Float.self, capacity: count)
        for i in 0..<count {
            let v = Float(value(i))
            (values + i).initialize(to: v.isFinite ? v : 0)
        }
        return UnsafePointer(values)
    }

    func make(_ values: [Float]) -> UnsafePointer<Float> { make(values.count) { Double(values[$0]) } }

    /// Makes a table of 16-bit words.
    func makeWords(_ count: Int, _ value: (Int) -> UInt16) -> UnsafePointer<UInt16> {
        let words = allocate(count * MemoryLayout<UInt16>.stride).bindMemory(to: UInt16.self, capacity: count)
        for i in 0..<count { (words + i).initialize(to: value(i)) }
        return UnsafePointer(words)
    }

    /// Makes a table of 32-bit cells.
    func makeCells(_ count: Int, _ value: (Int) -> UInt32) -> UnsafePointer<UInt32> {
        let cells = allocate(count * MemoryLayout<UInt32>.stride).bindMemory(to: UInt32.self, capacity: count)
        for i in 0..<count { (cells + i).initialize(to: value(i)) }
        return UnsafePointer(cells)
    }

    deinit {
        for block in blocks { block.deallocate() }
    }
}
