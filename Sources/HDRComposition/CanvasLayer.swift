import HDRColor
import HDRKernels

/// A picture on its way onto a canvas.
package struct CanvasLayer {
    /// The whole picture.
    package let frame: FrameView
    /// Its signal to light in the canvas's space, in single precision.
    package let converter: LinearLightConverter
    package let orientation: LayerOrientation
    /// The part of the picture, as it is turned, that is shown, and where it goes on the canvas.
    package let part: PixelRect
    package let place: PixelRect
    package let blend: BlendOperator
    /// Of all pixels, [0, 1].
    package let opacity: Float
    /// Which places are shown; `nil` for all of them. Its map is of what the layer reaches.
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

    /// Whether its pixels are not those of the canvas, one by one.
    var isScaled: Bool {
        part.width != place.width || part.height != place.height || orientation != .identity
    }

    /// Whether nothing of what is below shows through.
    package var isOpaque: Bool {
        wipe == nil && opacity == 1
            && (blend == .source || blend == .over && !converter.source.layout.hasAlpha)
    }

    /// Whether it hides a part of the canvas.
    package func covers(_ rect: PixelRect) -> Bool {
        isOpaque && place.columns.contains(rect.columns) && place.rows.contains(rect.rows)
    }

    /// What of a canvas it reaches.
    func reach(width: Int, height: Int) -> PixelRect { place.cut(toWidth: width, height: height) }
}

extension Range<Int> {
    fileprivate func contains(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
