/// The rows that one thread works in: made once, when a conversion is planned.
final class RowScratch: @unchecked Sendable {
    /// The row that is being converted.
    let row: RowTriple
    let alpha: UnsafeMutablePointer<UInt16>
    /// Chroma before it is interpolated at luma's positions.
    let spare: (Row, Row)
    /// Halved chroma of the row above a pair and of the pair's rows, for Cb and for Cr.
    let above: (Row, Row)
    let upper: (Row, Row)
    let lower: (Row, Row)
    /// The low-pass gains around the pixels of the row, for contrast recovery.
    let lowPass: Row

    private let storage: UnsafeMutableRawPointer
    private let alphaStorage: UnsafeMutablePointer<UInt16>

    init(width: Int) {
        // There is room to the left for one sample, in a whole cache line for alignment, and to the right for a vector.
        let margin = 64
        let length = margin + (width + 63) / 64 * 64 + margin
        let count = 12 * length
        storage = .allocate(byteCount: count * MemoryLayout<Double>.stride, alignment: 64)
        let base = storage.bindMemory(to: Double.self, capacity: count)
        base.initialize(repeating: 0, count: count)
        alphaStorage = .allocate(capacity: length)
        alphaStorage.initialize(repeating: 0, count: length)
        alpha = alphaStorage
        func row(_ index: Int) -> Row { base + index * length + margin }
        self.row = RowTriple(a: row(0), b: row(1), c: row(2))
        spare = (row(3), row(4))
        above = (row(5), row(6))
        upper = (row(7), row(8))
        lower = (row(9), row(10))
        lowPass = row(11)
    }

    deinit {
        storage.deallocate()
        alphaStorage.deallocate()
    }
}
