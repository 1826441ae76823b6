/// The pixels of a picture that statistics count.
package enum SamplingGrid: Sendable {
    /// All pixels; chroma is interpolated linearly at luma's positions, as for a conversion.
    case every
    /// A subset of the pixels in pictures of at least 128x128, otherwise all: see ``GridSampler``.
    case sparse
}

/// Copies the pixels of a fixed grid into a small picture of the same layout, which the kernels then process as a whole
/// picture.
///
/// The grid consists of pairs of rows, and in them pairs of columns: 2x2 pixels that share a sample of chroma, which
/// all of them get unchanged. From 512 columns and 512 rows on it takes every 8th pair of columns of every 8th pair of
/// rows, a 64th of the pixels; in smaller pictures every (width / 64)th and (height / 64)th. In every second of its
/// pairs of rows it begins half a step further to the right, so that vertical lines do not fall between its columns. In
/// v210 it takes groups of six columns in place of pairs. An area of 16x16 pixels (48x16 in v210) is found wherever it
/// lies; single pixels may be missed.
///
/// Most of the time goes into reading rows from memory. Fewer rows with more columns would therefore cost less, but
/// miss more.
final class GridSampler: @unchecked Sendable {
    /// The number of pairs of columns and of rows from one pair of the grid to the next.
    let grid: (columnStep: Int, rowStep: Int)
    /// The number of columns of the widest of the small pictures.
    let width: Int
    private let layout: PixelLayout
    /// The number of columns in a unit that is copied: 2, or 6 for v210.
    private let unit: Int
    /// For each plane: the bytes of a unit in a row, the bytes from one row of the small picture to the next, and the
    /// offset in a thread's memory.
    private let planes: [(unit: Int, stride: Int, offset: Int)]
    private let memory: UnsafeMutableRawPointer
    private let threadSize: Int

    /// - Returns: `nil` for small pictures, in which all pixels count.
    init?(_ layout: PixelLayout, width: Int, height: Int, threads: Int) {
        guard width >= 128, height >= 128 else { return nil }
        self.layout = layout
        grid = (min(8, width / 64), min(8, height / 64))
        unit = layout.packing == .v210 ? 6 : 2
        let units = (width / unit + grid.columnStep - 1) / grid.columnStep
        self.width = units * unit
        let count = 1 + ((layout.components + (layout.alpha.map { [$0] } ?? [])).map(\.plane).max() ?? 0)
        var planes: [(unit: Int, stride: Int, offset: Int)] = []
        var offset = 0
        for plane in 0..<count {
            let bytes = layout.content(ofPlane: plane, width: unit, height: 1).bytes
            // Readers read whole vectors.
            let stride = (units * bytes + 128 + 63) / 64 * 64
            planes.append((bytes, stride, offset))
            offset += 2 * stride
        }
        self.planes = planes
        threadSize = (offset + 127) / 64 * 64
        memory = .allocate(byteCount: threadSize * threads, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: threadSize * threads)
    }

    deinit { memory.deallocate() }

    /// One pair of rows of the grid, as a picture of two rows, or of one at the end of an odd height.
    func load(_ frame: FrameView, pair: Int, thread: Int) -> FrameView {
        let y = 2 * grid.rowStep * pair
        let rows = min(2, frame.height - y)
        let first = pair % 2 == 0 ? 0 : grid.columnStep / 2
        let count = (frame.width / unit - first + grid.columnStep - 1) / grid.columnStep
        let base = memory + thread * threadSize
        for (index, plane) in planes.enumerated() {
            let isHalved = layout.verticalShift > 0 && index > 0 && index != layout.alpha?.plane
            for row in 0..<(isHalved ? 1 : rows) {
                let from = isHalved ? min(y / 2, max(frame.chromaRows, 1) - 1) : y + row
                copy(
                    frame.row(index, from) + first * plane.unit, base + (plane.offset + row * plane.stride), plane.unit,
                    count)
            }
        }
        func place(_ index: Int) -> FrameView.Plane {
            let plane = planes[index < planes.count ? index : 0]
            return FrameView.Plane(data: base + plane.offset, stride: plane.stride)
        }
        return FrameView(
            width: count * unit, height: rows, place(0), place(1), place(2), place(3),
            chromaRows: layout.verticalShift > 0 ? 1 : nil)?.reshaped(by: frame.reshaper) ?? frame
    }

    /// Copies `count` units, of every `columnStep`th column.
    private func copy(
        _ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ bytes: Int, _ count: Int
    ) {
        switch bytes {
        case 1: copy(UInt8.self, from, to, count)
        case 2: copy(UInt16.self, from, to, count)
        case 4: copy(UInt32.self, from, to, count)
        case 8: copy(UInt64.self, from, to, count)
        case 16: copy(SIMD2<UInt64>.self, from, to, count)
        default:
            for index in 0..<count {
                (to + index &* bytes).copyMemory(from: from + index &* bytes &* grid.columnStep, byteCount: bytes)
            }
        }
    }

    @inline(__always)
    private func copy<Unit: BitwiseCopyable>(
        _ type: Unit.Type, _ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ count: Int
    ) {
        let size = MemoryLayout<Unit>.size
        let step = size &* grid.columnStep
        var index = 0
        while index < count {
            let unit = (from + index &* step).loadUnaligned(as: Unit.self)
            (to + index &* size).storeBytes(of: unit, as: Unit.self)
            index &+= 1
        }
    }
}
