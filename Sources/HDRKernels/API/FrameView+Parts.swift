import CKernels
import Glibc

/// Parts of pictures.
extension FrameView {
    /// Some columns as a picture of their own.
    /// - Parameters:
    ///   - columns: the columns, from a multiple of the layout's ``PixelLayout/columnStep`` on.
    ///   - layout: the picture's layout.
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

    /// Copies rows of another picture of the same layout and size, unchanged.
    /// - Parameters:
    ///   - rows: the rows. Where chroma is halved vertically, they start at an even row, and end at one or at the
    ///     picture's end.
    package func copy(_ rows: Range<Int>, of source: FrameView, _ layout: PixelLayout) {
        guard source.width == width, source.height == height else { return }
        let rows = rows.clamped(to: 0..<height)
        forEachRow(rows, layout) { index, y, bytes in memcpy(row(index, y), source.row(index, y), bytes) }
    }

    /// Mixes rows of two other pictures of the same layout and size, code value by code value, rounded to the nearest.
    /// - Parameters:
    ///   - rows: the rows, as for copies.
    ///   - upper: the picture that is mixed in.
    ///   - share: its share, from 0 to 1.
    ///   - layout: the layout of all three, for which ``PixelLayout/mixesWords`` holds.
    package func mix(
        _ rows: Range<Int>, of lower: FrameView, with upper: FrameView, share: Float, _ layout: PixelLayout,
        _ kernels: KernelTable
    ) {
        guard lower.width == width, lower.height == height, upper.width == width, upper.height == height else {
            return
        }
        var words = KernelRepacking()
        words.bytes_per_word = Int32(layout.bytesPerWord)
        words.shift = Int32(layout.components[0].shift)
        words.is_big_endian = layout.isBigEndian ? 1 : 0
        forEachRow(rows.clamped(to: 0..<height), layout) { index, y, bytes in
            kernels.mix_words(
                lower.row(index, y), upper.row(index, y), row(index, y), bytes / layout.bytesPerWord, words, share)
        }
    }

    /// Calls a body with the number of each plane, and with each of its rows in a range of the picture's rows, and the
    /// number of bytes that samples fill there.
    private func forEachRow(_ rows: Range<Int>, _ layout: PixelLayout, _ body: (Int, Int, Int) -> Void) {
        let planes = layout.packing == .words && !layout.isPacked422 ? 4 : 1
        for index in 0..<planes {
            let (bytes, all) = layout.content(ofPlane: index, width: width, height: height)
            guard bytes > 0, all > 0 else { continue }
            // A plane with fewer rows than the picture has one for two of these.
            let isHalved = all < height
            let first = isHalved ? rows.lowerBound / 2 : rows.lowerBound
            let end = isHalved ? min((rows.upperBound + 1) / 2, all) : rows.upperBound
            for y in first..<max(first, end) { body(index, y, bytes) }
        }
    }

    /// Copies a part of another picture of the same layout, unchanged.
    /// - Parameters:
    ///   - columns, rows: the part of this picture, which starts and ends between samples of chroma, or at its end.
    ///   - x, y: where the other picture's upper left corner lies on this one, also between samples of chroma.
    ///   - layout: the layout of both, with planes of words.
    package func copy(
        columns: Range<Int>, rows: Range<Int>, of source: FrameView, x: Int, y: Int, _ layout: PixelLayout
    ) {
        let columns = columns.clamped(to: 0..<width).clamped(to: x..<(x + source.width))
        let rows = rows.clamped(to: 0..<height).clamped(to: y..<(y + source.height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        for index in 0..<4 {
            func bytes(_ width: Int) -> Int { layout.content(ofPlane: index, width: width, height: height).bytes }
            let all = layout.content(ofPlane: index, width: width, height: height).rows
            guard bytes(width) > 0, all > 0 else { continue }
            let shift = all < height ? layout.verticalShift : 0
            let (to, from) = (bytes(columns.lowerBound), bytes(columns.lowerBound - x))
            let count = bytes(columns.upperBound) - to
            // The last row of a picture with an odd number of rows has chroma of its own.
            for line in (rows.lowerBound >> shift)..<((rows.upperBound + shift) >> shift) {
                memcpy(row(index, line) + to, source.row(index, line - y >> shift) + from, count)
            }
        }
    }
}

extension PixelLayout {
    /// Whether each word is a sample, of which none is alpha, so that pictures may be mixed word by word.
    package var mixesWords: Bool { packing == .words && !hasAlpha }

    /// The number whose multiples are columns that a part of a picture may begin and end at: whole groups of packed
    /// samples and of chroma, and whole vectors.
    package var columnStep: Int { packing == .v210 ? 48 : 16 }
}
