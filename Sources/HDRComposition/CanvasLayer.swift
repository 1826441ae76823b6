import HDRColor
import HDRKernels

/// A picture with its placement on a canvas.
package struct CanvasLayer {
    /// The whole source picture.
    package let frame: FrameView
    /// Converts the picture's signal to light in the canvas's space, in single precision.
    package let converter: LinearLightConverter
    package let orientation: LayerOrientation
    /// The part of the rotated picture that is shown, and its place on the canvas.
    package let part: PixelRect
    package let place: PixelRect
    package private(set) var blend: BlendOperator
    /// The opacity of all pixels, from 0 to 1.
    package let opacity: Float
    /// The places that are shown; `nil` for all of them. Its map covers the area that the layer reaches.
    package let wipe: LayerWipe?

    package init(
        frame: FrameView, converter: LinearLightConverter, orientation: LayerOrientation = .identity, part: PixelRect,
        place: PixelRect, blend: BlendOperator, opacity: Double, wipe: LayerWipe? = nil
    ) {
        self.frame = frame
        self.converter = converter
        self.orientation = orientation
        self.part = part
        self.place = place
        self.blend = blend
        self.opacity = Float(min(max(opacity, 0), 1))
        self.wipe = wipe
    }

    /// The same layer with another operator.
    package func blended(_ blend: BlendOperator) -> CanvasLayer {
        var layer = self
        layer.blend = blend
        return layer
    }

    /// Whether its pixels do not map to those of the canvas one to one.
    var isScaled: Bool {
        part.width != place.width || part.height != place.height || orientation != .identity
    }

    /// Whether nothing below it shows through.
    package var isOpaque: Bool {
        wipe == nil && opacity == 1
            && (blend == .source || blend == .over && !converter.source.layout.hasAlpha)
    }

    /// Whether it hides a rectangle of the canvas completely.
    package func covers(_ rect: PixelRect) -> Bool {
        isOpaque && place.columns.contains(rect.columns) && place.rows.contains(rect.rows)
    }

    /// The part of the canvas that it reaches.
    func reach(width: Int, height: Int) -> PixelRect { place.cut(toWidth: width, height: height) }
}

extension Range<Int> {
    fileprivate func contains(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
