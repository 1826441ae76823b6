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

    /// The columns and rows that it covers; edges beyond the range of `Int` are clamped.
    package var columns: Range<Int> { Self.range(x, width) }
    package var rows: Range<Int> { Self.range(y, height) }

    /// The part of it that lies on a canvas.
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

/// The placement of a picture on a canvas, in the terms of a pad's properties.
package struct LayerPlacement: Equatable, Sendable {
    /// How a picture fills width and height.
    package enum Sizing: Equatable, Sendable {
        case fill
        /// As large as possible with the picture's own aspect ratio, centred.
        case keepAspectRatio
    }

    /// The upper left corner on the canvas, in pixels.
    package var x = 0
    package var y = 0
    /// The size in pixels of the canvas; `nil` for the picture's own.
    package var width: Int?
    package var height: Int?
    package var sizing = Sizing.fill
    /// The numbers of columns and rows of the picture that are cropped, 0 or more.
    package var cropLeft = 0
    package var cropRight = 0
    package var cropTop = 0
    package var cropBottom = 0

    package init() {}

    /// The maximum width and height of a layer, in pixels.
    package static let largest = 1 << 17

    /// The part of a picture that is shown; empty where crops leave nothing.
    package func visiblePart(ofWidth width: Int, height: Int) -> PixelRect {
        let left = min(max(cropLeft, 0), width)
        let top = min(max(cropTop, 0), height)
        return PixelRect(
            x: left, y: top, width: max(width - left - min(max(cropRight, 0), width), 0),
            height: max(height - top - min(max(cropBottom, 0), height), 0))
    }

    /// The place of that part on the canvas.
    /// - Parameters:
    ///   - part: the part of the picture, in its pixels.
    ///   - pixelAspect: the width of the picture's pixels over that of the canvas's, for equal heights.
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
