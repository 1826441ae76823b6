/// A rectangle of whole pixels.
package struct PixelRect: Equatable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Columns and rows; edges beyond `Int` are cut.
    package var columns: Range<Int> { Self.range(x, width) }
    package var rows: Range<Int> { Self.range(y, height) }

    /// What of it lies on a canvas.
    package func cut(toWidth width: Int, height: Int) -> PixelRect {
        let columns = columns.clamped(to: 0..<width)
        let rows = rows.clamped(to: 0..<height)
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func range(_ start: Int, _ length: Int) -> Range<Int> {
        let (end, overflow) = start.addingReportingOverflow(max(length, 0))
        return start..<(overflow ? .max : end)
    }
}

/// Where a picture lies on a canvas, as the properties of a pad say it.
package struct LayerPlacement: Equatable, Sendable {
    /// How a picture fills width and height.
    package enum Sizing: Equatable, Sendable {
        case fill
        /// As large as fits in its own proportions, in the middle.
        case keepAspectRatio
    }

    /// The upper left corner on the canvas.
    package var x = 0
    package var y = 0
    /// In pixels of the canvas; `nil` for the picture's own.
    package var width: Int?
    package var height: Int?
    package var sizing = Sizing.fill
    /// Columns and rows of the picture that are left out, 0 or more.
    package var cropLeft = 0
    package var cropRight = 0
    package var cropTop = 0
    package var cropBottom = 0

    package init() {}

    /// The largest width and height that a layer gets, in pixels.
    package static let largest = 1 << 17

    /// The part of a picture that is shown; empty where crops leave nothing.
    package func visiblePart(ofWidth width: Int, height: Int) -> PixelRect {
        let left = min(max(cropLeft, 0), width)
        let top = min(max(cropTop, 0), height)
        return PixelRect(
            x: left, y: top, width: max(width - left - min(max(cropRight, 0), width), 0),
            height: max(height - top - min(max(cropBottom, 0), height), 0))
    }

    /// Where that part goes on the canvas.
    /// - Parameters:
    ///   - part: of the picture.
    ///   - pixelAspect: the width of the picture's pixels over that of the canvas's, both of the same height.
    package func place(_ part: PixelRect, pixelAspect: Double = 1) -> PixelRect {
        guard !part.isEmpty else { return PixelRect(x: x, y: y, width: 0, height: 0) }
        let natural = Self.limited((Double(part.width) * pixelAspect).rounded())
        let whole = PixelRect(x: x, y: y, width: width ?? natural, height: height ?? part.height)
        guard sizing == .keepAspectRatio, !whole.isEmpty else {
            return PixelRect(
                x: x, y: y, width: min(whole.width, Self.largest), height: min(whole.height, Self.largest))
        }
        let aspect = Double(part.width) * pixelAspect / Double(part.height)
        var (width, height) = (Double(whole.width), Double(whole.height))
        if width > height * aspect { width = height * aspect } else { height = width / aspect }
        let (fitWidth, fitHeight) = (max(Self.limited(width.rounded()), 1), max(Self.limited(height.rounded()), 1))
        return PixelRect(
            x: x &+ (whole.width - fitWidth) / 2, y: y &+ (whole.height - fitHeight) / 2, width: fitWidth,
            height: fitHeight)
    }

    private static func limited(_ size: Double) -> Int { Int(min(max(size, 0), Double(largest))) }
}
