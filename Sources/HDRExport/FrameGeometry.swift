import HDRMetadata

/// Numbers of pixels at the four edges of a picture.
package struct FrameInsets: Equatable, Sendable {
    package var left, top, right, bottom: Int

    package init(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    package static let zero = FrameInsets()
}

/// The steps from the source's picture to the encoded one: mirror, rotate, crop, scale, add borders, in this order.
package struct FrameGeometry: Equatable, Sendable {
    /// Whether the pixels themselves are mirrored left to right.
    package var isMirrored = false
    /// The degrees by which the pixels themselves are rotated clockwise: 0, 90, 180 or 270.
    package var turn: Int
    /// The degrees by which players rotate the picture clockwise, written into the file.
    package var displayRotation: Int
    /// The pixels cut off the source, after rotation.
    package var crop: FrameInsets
    /// The picture's size after scaling.
    package var scaled: FrameSize
    /// The black borders added around the scaled picture.
    package var borders: FrameInsets
    /// The size of the encoded picture.
    package var frame: FrameSize
    /// The pixel aspect ratio of the encoded picture, width over height.
    package var pixelAspectRatio: Fraction
    /// Whether scaling changes the picture's size.
    package var isScaled: Bool

    /// The geometry for source pictures of another size: they are rotated and cropped in the same way, and scaled into
    /// the frame with black borders where their aspect ratio differs, as videoscale does.
    /// - Parameter pixelAspect: the pixel aspect ratio of the source, width over height.
    package func fitting(_ size: FrameSize, pixelAspect: Fraction) -> FrameGeometry {
        let isTransposed = turn == 90 || turn == 270
        let turned = isTransposed ? size.transposed : size
        let (width, height) = (turned.width - crop.left - crop.right, turned.height - crop.top - crop.bottom)
        guard width > 0, height > 0, let own = pixelAspect.value, let made = pixelAspectRatio.value, own > 0, made > 0
        else { return self }
        let shape = Double(width) * (isTransposed ? 1 / own : own) / Double(height) / made
        var result = self
        result.scaled = frame
        let high = (Double(frame.width) / shape + 1e-9).rounded(.down)
        if high <= Double(frame.height) {
            result.scaled.height = Int(high)
        } else {
            let wide = (Double(frame.height) * shape + 1e-9).rounded(.down)
            result.scaled.width = Int(min(wide, Double(frame.width)))
        }
        let (across, down) = (frame.width - result.scaled.width, frame.height - result.scaled.height)
        result.borders = FrameInsets(
            left: across / 2, top: down / 2, right: across - across / 2, bottom: down - down / 2)
        result.isScaled = result.scaled != FrameSize(width, height)
        return result
    }

    /// Whether pixels are rotated or mirrored.
    package var changesOrientation: Bool { turn != 0 || isMirrored }
}

/// The values of AVVideoScalingModeKey.
package enum ScalingMode: String, CaseIterable, Sendable {
    /// Keeps the aspect ratio, stays within the size, never enlarges.
    case fit
    /// Fills the size exactly, without regard to the aspect ratio.
    case resize
    /// Fills the size exactly, and keeps the aspect ratio by black borders.
    case resizeAspect = "resize-aspect"
    /// Fills the size exactly, and keeps the aspect ratio by cropping.
    case resizeAspectFill = "resize-aspect-fill"
}
