/// How a picture is rotated and mirrored before it is shown: one of the eight orientations of a rectangle.
package struct LayerOrientation: Equatable, Sendable, CaseIterable {
    /// Whether columns become rows. Mirrors apply to the stored picture, before that.
    package var isTransposed = false
    package var mirrorsColumns = false
    package var mirrorsRows = false

    package init(isTransposed: Bool = false, mirrorsColumns: Bool = false, mirrorsRows: Bool = false) {
        (self.isTransposed, self.mirrorsColumns, self.mirrorsRows) = (isTransposed, mirrorsColumns, mirrorsRows)
    }

    package static let identity = LayerOrientation()
    /// A quarter turn clockwise, and one counterclockwise.
    package static let right = LayerOrientation(isTransposed: true, mirrorsRows: true)
    package static let left = LayerOrientation(isTransposed: true, mirrorsColumns: true)
    package static let upsideDown = LayerOrientation(mirrorsColumns: true, mirrorsRows: true)

    package static let allCases = [false, true].flatMap { transposed in
        [false, true].flatMap { columns in
            [false, true].map { LayerOrientation(isTransposed: transposed, mirrorsColumns: columns, mirrorsRows: $0) }
        }
    }

    /// The size of a picture after rotation.
    package func size(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
        isTransposed ? (height, width) : (width, height)
    }

    /// The pixel of a stored picture of `width` and `height` that is shown at a place.
    @inline(__always)
    package func source(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
        let (column, row) = isTransposed ? (y, x) : (x, y)
        return (mirrorsColumns ? width &- 1 &- column : column, mirrorsRows ? height &- 1 &- row : row)
    }

    /// The place in a stored picture of `width` and `height` that is shown at a place, both of which may lie between
    /// pixels.
    package func source(_ x: Double, _ y: Double, _ width: Int, _ height: Int) -> (x: Double, y: Double) {
        let (column, row) = isTransposed ? (y, x) : (x, y)
        return (mirrorsColumns ? Double(width) - column : column, mirrorsRows ? Double(height) - row : row)
    }

    /// The rectangle of a stored picture of `width` and `height` that is shown in a rectangle of the rotated one.
    func source(_ part: PixelRect, _ width: Int, _ height: Int) -> PixelRect {
        guard !part.isEmpty else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let first = source(part.x, part.y, width, height)
        let last = source(part.x + part.width - 1, part.y + part.height - 1, width, height)
        return PixelRect(
            x: min(first.x, last.x), y: min(first.y, last.y), width: abs(first.x - last.x) + 1,
            height: abs(first.y - last.y) + 1)
    }
}
