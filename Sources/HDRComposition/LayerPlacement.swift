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
    /// The size that the picture is scaled to; `nil` for its own. Where the picture fills it, pixels of another shape
    /// than the canvas's then change it, as in GStreamer's `compositor`.
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

    /// The rectangle of the canvas that the pad's position, width and height select, in pixels of the canvas.
    ///
    /// With ``Sizing/fill``, a pixel aspect ratio other than the canvas's changes one side, by the rule of GStreamer's
    /// `compositor`. Let a:b be the display aspect ratio of the selected size in lowest terms: the height changes where
    /// the width is a multiple of b and the height is not a multiple of a; otherwise the width changes.
    /// - Parameters:
    ///   - part: the part of the picture, in its pixels.
    ///   - shape: the pixel aspect ratio of the picture divided by that of the canvas.
    package func box(_ part: PixelRect, pixels shape: PixelShape = .square) -> PixelRect {
        guard !part.isEmpty else { return PixelRect(x: x, y: y, width: 0, height: 0) }
        let (width, height) = (width ?? part.width, height ?? part.height)
        guard sizing == .fill, width > 0, height > 0 else {
            return PixelRect(x: x, y: y, width: min(width, Self.largest), height: min(height, Self.largest))
        }
        let shown = shape.shown(width, height)
        return PixelRect(
            x: x, y: y, width: min(shown.width, Self.largest), height: min(shown.height, Self.largest))
    }

    /// The place of a part of a picture on the canvas.
    /// - Parameters:
    ///   - part: the part of the picture, in its pixels.
    ///   - shape: the pixel aspect ratio of the picture divided by that of the canvas.
    package func place(_ part: PixelRect, pixels shape: PixelShape = .square) -> PixelRect {
        let box = box(part, pixels: shape)
        guard sizing == .keepAspectRatio, !box.isEmpty else { return box }
        let (width, height) = shape.fit(part, into: box)
        return PixelRect(
            x: x &+ (box.width - width) / 2, y: y &+ (box.height - height) / 2, width: width, height: height)
    }
}

/// A pixel aspect ratio: width over height.
package struct PixelShape: Equatable, Sendable {
    private let width: Int
    private let height: Int

    package static let square = PixelShape(1, 1)

    /// A pixel aspect ratio of two positive numbers; square pixels otherwise.
    package init(_ width: Int32, _ height: Int32) {
        (self.width, self.height) = width > 0 && height > 0 ? (Int(width), Int(height)) : (1, 1)
    }

    private init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The shape of pixels that are turned by 90 degrees.
    package var transposed: PixelShape { PixelShape(width: height, height: width) }

    /// This pixel aspect ratio divided by another one, whose pixels then count as square.
    package func beside(_ other: PixelShape) -> PixelShape {
        // Both are products of two 32-bit numbers at most.
        PixelShape(width: width &* other.height, height: height &* other.width)
    }

    var aspect: Double { Double(width) / Double(height) }

    /// The largest size within a box that has the display aspect ratio of a part of a picture. As in GStreamer's
    /// `compositor`, the height that follows from the box's width is rounded down before the ratio is taken from it.
    fileprivate func fit(_ part: PixelRect, into box: PixelRect) -> (width: Int, height: Int) {
        let (across, down) = (Double(part.width) * Double(width), Double(part.height) * Double(height))
        let whole = (Double(box.width) * down / across).rounded(.down)
        guard whole >= 1 else { return (0, 0) }
        if whole == Double(box.height) { return (box.width, box.height) }
        let ratio = Double(box.width) / whole
        return whole < Double(box.height)
            ? (box.width, Int(Double(box.width) / ratio)) : (Int(Double(box.height) * ratio), box.height)
    }

    /// The size in square pixels of a picture of some columns and rows, both above 0.
    fileprivate func shown(_ columns: Int, _ rows: Int) -> (width: Int, height: Int) {
        if width == height { return (columns, rows) }
        let (across, tooWide) = columns.multipliedReportingOverflow(by: width)
        let (down, tooHigh) = rows.multipliedReportingOverflow(by: height)
        guard !tooWide, !tooHigh else {
            return (Int(min(Double(columns) * aspect, Double(LayerPlacement.largest))), rows)
        }
        var (divisor, rest) = (across, down)
        while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
        let keepsWidth = rows % (across / divisor) != 0 && columns % (down / divisor) == 0
        return keepsWidth ? (columns, down / width) : (across / height, rows)
    }
}
