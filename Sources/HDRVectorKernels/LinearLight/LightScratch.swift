import CSIMD

/// The number of pixels that are converted to linear light and back at a time: whole groups of v210, and whole rows of
/// dither for chroma too. The light, the light as it was decoded and its codes together fit the first-level cache.
@inline(__always) var lightChunk: Int { 384 }

/// The number of floats from one row of a chunk to the next, with room for vectors beyond the end.
@inline(__always) private var stride: Int { lightChunk &+ 32 }

/// The number of bytes that pictures of any width need.
@inline(__always) private var chunkBytes: Int { Scratch.size(width: 0) &+ 4 &* 10 &* stride }

/// The memory in which one thread converts linear light. Rows are aligned to 64 bytes.
struct LightScratch {
    let scratch: Scratch
    private let memory: UnsafeMutableRawPointer
    private let base: Row

    /// The number of bytes for pictures of a width.
    static func size(width: Int) -> Int { chunkBytes &+ 4 &* (3 &* whole(width) &+ 16 &* half(width) &+ 64) }

    /// - Parameter memory: `size(width:)` bytes, aligned to 64.
    @inline(__always) init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
        scratch = Scratch(memory)
        base = (memory + Scratch.size(width: 0)).assumingMemoryBound(to: Float.self)
    }

    @inline(__always) private func row(_ index: Int) -> Row { base + index &* stride }

    /// The light as it was decoded.
    @inline(__always) var decoded: Rows { Rows(scratch.pixels.0, scratch.pixels.1, scratch.pixels.2) }
    @inline(__always) var decodedAlpha: Row { row(0) }
    /// The R'G'B' or Y'CbCr that the light was decoded from, with chroma at luma's positions.
    @inline(__always) var codes: Rows { Rows(row(1), row(2), row(3)) }
    /// The light that is encoded, and later its codes.
    @inline(__always) var light: Rows { Rows(row(4), row(5), row(6)) }
    @inline(__always) var alpha: Row { row(7) }
    /// 1 where light differs from what was decoded, else 0.
    @inline(__always) var changes: Row { row(8) }

    @inline(__always) var lightRows: KernelLightRows {
        KernelLightRows(red: light.a, green: light.b, blue: light.c, alpha: alpha)
    }

    /// The chunk of these rows that steps of the colour conversion work on.
    @inline(__always) func chunk(_ rows: Rows, _ count: Int) -> Chunk {
        let own = scratch.chunk(count)
        return Chunk(rows: rows, m: own.m, n: own.n, cones: own.cones, signals: own.signals, count: count)
    }

    // MARK: Rows of the picture

    /// The number of floats in a row of pixels, and in a row of halved chroma, with room to the left and for vectors
    /// beyond the end.
    @inline(__always) private static func whole(_ width: Int) -> Int { (width &+ 15) & ~15 &+ 96 }
    @inline(__always) private static func half(_ width: Int) -> Int { ((width &+ 1) / 2 &+ 15) & ~15 &+ 64 }

    @inline(__always) private var rows: Row { (memory + chunkBytes).assumingMemoryBound(to: Float.self) }

    /// Y', Cb and Cr of a whole row, not yet rounded.
    @inline(__always) func picture(_ width: Int) -> Rows {
        let first = rows + 16
        let step = LightScratch.whole(width)
        return Rows(first, first + step, first + 2 &* step)
    }

    /// The even and the odd columns of a row of one component.
    typealias PairedRow = (even: Row, odd: Row)
    typealias Pairs = (b: PairedRow, c: PairedRow)

    /// Cb and Cr of a whole row, not yet rounded, in the memory of `picture`.
    @inline(__always) func pairs(_ width: Int) -> Pairs {
        let rows = picture(width)
        let step = ((width &+ 1) / 2 &+ 15) & ~15 &+ 32
        return ((rows.b, rows.b + step), (rows.c, rows.c + step))
    }

    /// Cb and Cr of row `y`, halved horizontally. The last eight rows are kept.
    @inline(__always) func halved(_ y: Int, _ width: Int) -> (Row, Row) {
        let step = LightScratch.half(width)
        let first = rows + (3 &* LightScratch.whole(width) &+ (y & 7) &* 2 &* step)
        return (first, first + step)
    }
}
