import CSIMD

/// The number of pixels that are converted at a time: whole vectors, whole groups of v210, and whole rows of dither
/// (64) for chroma too. Each step is a loop over the chunk, and the processor waits at the end of each loop, so that
/// short chunks lose time.
@inline(__always) var chunkLength: Int { 768 }

/// The number of floats from one row of scratch memory to the next: room for one sample to the left, which takes a
/// cache line so that rows stay aligned, and for a vector to the right.
@inline(__always) private var stride: Int { 16 &+ chunkLength &+ 32 }

/// The memory that one thread works in. All of it except the rows of `above` fits the first-level cache.
struct Scratch {
    private let base: Row

    /// The number of bytes for pictures of a width.
    static func size(width: Int) -> Int { 4 * (17 * stride + 2 * ((width + 1) / 2 + 64)) }

    /// - Parameter memory: `size(width:)` bytes, aligned to 64.
    @inline(__always) init(_ memory: UnsafeMutableRawPointer) {
        base = memory.assumingMemoryBound(to: Float.self)
    }

    @inline(__always) private func row(_ index: Int) -> Row { base + (index &* stride &+ 16) }

    /// The samples that are being converted.
    @inline(__always) func chunk(_ count: Int) -> Chunk {
        // These rows also hold rounded samples, and Cb and Cr before they are interpolated at luma's positions, neither
        // of which are needed while colours are converted.
        let cones = Rows(row(13), row(14), row(15))
        let signals = Rows(row(5), row(6), row(4))
        return Chunk(
            rows: Rows(row(0), row(1), row(2)), m: row(3), n: row(4), cones: cones, signals: signals, count: count)
    }
    @inline(__always) var pixels: (Row, Row, Row) { (row(0), row(1), row(2)) }
    /// Cb and Cr before they are interpolated at luma's positions.
    @inline(__always) var near: (Row, Row) { (row(5), row(6)) }
    /// The halved Cb and Cr of the two rows of a pair.
    @inline(__always) var upper: (Row, Row) { (row(7), row(8)) }
    @inline(__always) var lower: (Row, Row) { (row(9), row(10)) }
    /// The halved Cb and Cr of the row above a pair.
    @inline(__always) var outer: (Row, Row) { (row(3), row(4)) }
    /// The last Cb and Cr of the chunk to the left, for both rows of a pair and the one above it.
    @inline(__always) var carried: Row { row(11) }
    /// The gains of contrast recovery's low-pass.
    @inline(__always) var lowPass: Row { row(16) }
    /// The codes of alpha.
    @inline(__always) var alpha: UnsafeMutablePointer<UInt16> { codes(12) }
    /// Rounded luma and chroma on their way to formats that pack both.
    @inline(__always) var rounded:
        (UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt16>)
    {
        (codes(13), codes(14), codes(15))
    }
    /// The halved Cb and Cr of the row above a pair, for the picture's whole width.
    @inline(__always) func above(_ width: Int) -> (Row, Row) {
        let first = base + 17 &* stride
        return (first, first + ((width &+ 1) / 2 &+ 32))
    }

    @inline(__always) private func codes(_ index: Int) -> UnsafeMutablePointer<UInt16> {
        UnsafeMutableRawPointer(row(index)).assumingMemoryBound(to: UInt16.self)
    }
}
