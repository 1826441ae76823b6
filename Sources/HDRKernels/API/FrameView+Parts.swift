import Glibc

/// Parts of pictures.
extension FrameView {
    /// Columns that parts of every layout may begin and end at: whole groups of packed samples, and of chroma.
    package static let columnStep = 48

    /// Some columns as a picture of their own.
    /// - Parameters:
    ///   - columns: from a multiple of ``columnStep`` on.
    ///   - layout: of the picture.
    package func columns(_ columns: Range<Int>, _ layout: PixelLayout) -> FrameView? {
        let columns = columns.clamped(to: 0..<width)
        func part(_ index: Int) -> Plane {
            let plane = plane(index)
            let skipped = layout.content(ofPlane: index, width: columns.lowerBound, height: height).bytes
            return Plane(data: plane.data + (columns.isEmpty ? 0 : skipped), stride: plane.stride)
        }
        return FrameView(
            width: columns.count, height: height, part(0), part(1), part(2), part(3), chromaRows: chromaRows)
    }

    /// Writes rows of another picture of the same layout and size, as they are.
    /// - Parameters:
    ///   - rows: from an even row on, and up to one or to the picture's end, where chroma is halved vertically.
    package func copy(_ rows: Range<Int>, of source: FrameView, _ layout: PixelLayout) {
        guard source.width == width, source.height == height else { return }
        let rows = rows.clamped(to: 0..<height)
        let planes = layout.packing == .words && !layout.isPacked422 ? 4 : 1
        for index in 0..<planes {
            let (bytes, all) = layout.content(ofPlane: index, width: width, height: height)
            guard bytes > 0, all > 0 else { continue }
            // A plane with fewer rows than the picture has one for two of these.
            let isHalved = all < height
            let first = isHalved ? rows.lowerBound / 2 : rows.lowerBound
            let end = isHalved ? min((rows.upperBound + 1) / 2, all) : rows.upperBound
            for y in first..<max(first, end) { memcpy(row(index, y), source.row(index, y), bytes) }
        }
    }
}
