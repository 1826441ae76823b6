/// A rectangular part of a picture, in pixels.
struct Rectangle: CustomStringConvertible {
    var x, y, width, height: Int

    var description: String { "\(width)x\(height)+\(x)+\(y)" }
}

/// Several clips as one video in which each is a tile.
///
/// Encoders filter, and players interpolate chroma, across the edges of tiles, because they treat the atlas as one
/// picture. So every tile begins at a multiple of 16 samples, where blocks of a codec begin, and has its own edges
/// repeated around it: 16 samples to the left and above, at least 8 to the right and below. Filters that cross an edge
/// then find the tile's own colours.
struct Atlas {
    static let block = 16
    static let leastMargin = 8
    /// The pictures of all tiles have one format, so that they can be copied sample by sample: an HDR format, which can
    /// also hold SDR.
    static let format = "format=I420_10LE,colorimetry=bt2100-pq,chroma-site=mpeg2"

    let tiles: [Rectangle]
    /// Each tile with its margins; they cover the whole atlas.
    let cells: [Rectangle]
    let width: Int
    let height: Int

    /// Arranges the tiles in rows, about as many as there are columns.
    init(_ sizes: [(width: Int, height: Int)]) {
        var columns = 1
        while columns * columns < sizes.count { columns += 1 }
        let rows = (sizes.count + columns - 1) / columns
        func padded(_ length: Int) -> Int {
            (length + Self.block + Self.leastMargin + Self.block - 1) / Self.block * Self.block
        }
        let widths = (0..<columns).map { column in
            stride(from: column, to: sizes.count, by: columns).map { padded(sizes[$0].width) }.max() ?? 0
        }
        let heights = (0..<rows).map { row in
            sizes[(row * columns)..<min((row + 1) * columns, sizes.count)].map { padded($0.height) }.max() ?? 0
        }
        cells = sizes.indices.map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            // The last row's last tile extends to the end of the rows above.
            let span = index == sizes.count - 1 ? widths[column...].reduce(0, +) : widths[column]
            return Rectangle(
                x: widths[..<column].reduce(0, +), y: heights[..<row].reduce(0, +), width: span, height: heights[row])
        }
        tiles = zip(cells, sizes).map { cell, size in
            Rectangle(x: cell.x + Self.block, y: cell.y + Self.block, width: size.width, height: size.height)
        }
        width = widths.reduce(0, +)
        height = heights.reduce(0, +)
    }

    /// Copies a clip's picture into its cell of the atlas, and repeats its edges up to the edges of the cell.
    func draw(_ source: UnsafeRawBufferPointer, as index: Int, into atlas: UnsafeMutableRawBufferPointer) {
        let (cell, tile) = (cells[index], tiles[index])
        let (from, to) = (Planes(tile.width, tile.height), Planes(width, height))
        guard source.count >= from.size, atlas.count >= to.size else { return }
        let (samples, targets) = (source.bindMemory(to: UInt16.self), atlas.bindMemory(to: UInt16.self))
        for plane in 0..<3 {
            // Chroma is halved in both directions.
            let shift = plane == 0 ? 0 : 1
            let margin = Self.block >> shift
            let (width, height) = ((tile.width + shift) >> shift, (tile.height + shift) >> shift)
            for y in 0..<cell.height >> shift {
                let start = from.start(plane, row: min(max(y - margin, 0), height - 1))
                let place = to.start(plane, row: (cell.y >> shift) + y) + (cell.x >> shift)
                for x in 0..<cell.width >> shift {
                    targets[place + x] = samples[start + min(max(x - margin, 0), width - 1)]
                }
            }
        }
    }
}
