import HDRMetadata

/// Pixels at the four edges of a picture.
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

/// How the source's picture becomes the encoded one: mirror, turn, crop, scale, add borders, in this order.
package struct FrameGeometry: Equatable, Sendable {
    /// Whether the pixels themselves are mirrored left to right.
    package var isMirrored = false
    /// Degrees by which the pixels themselves are turned clockwise: 0, 90, 180 or 270.
    package var turn: Int
    /// Degrees by which players rotate the picture clockwise, written into the file.
    package var displayRotation: Int
    /// Cut off the source, after the turn.
    package var crop: FrameInsets
    /// The picture's size after scaling.
    package var scaled: FrameSize
    /// Black added around the scaled picture.
    package var borders: FrameInsets
    /// The encoded picture.
    package var frame: FrameSize
    /// Width to height of an encoded pixel.
    package var pixelAspectRatio: Fraction
    /// Whether scaling changes the picture's size.
    package var isScaled: Bool

    /// The same for a source whose pictures have another size: they are turned and cropped as the others, and scaled
    /// into the frame with black borders where their shape is another one, as videoscale does.
    /// - Parameter pixelAspect: of the source's pixels.
    package func fitting(_ size: FrameSize, pixelAspect: Fraction) -> FrameGeometry {
        let isTransposed = turn == 90 || turn == 270
        let turned = isTransposed ? size.transposed : size
        let (width, height) = (turned.width - crop.left - crop.right, turned.height - crop.top - crop.bottom)
        guard width > 0, height > 0, let own = pixelAspect.value, let made = pixelAspectRatio.value, own > 0, made > 0
        else { return self }
        let shape = Double(width) * (isTransposed ? 1 / own : own) / Double(height) / made
        var result = self
        result.scaled = frame
        let high = Int((Double(frame.width) / shape + 1e-9).rounded(.down))
        if high <= frame.height {
            result.scaled.height = high
        } else {
            result.scaled.width = min(Int((Double(frame.height) * shape + 1e-9).rounded(.down)), frame.width)
        }
        let (across, down) = (frame.width - result.scaled.width, frame.height - result.scaled.height)
        result.borders = FrameInsets(
            left: across / 2, top: down / 2, right: across - across / 2, bottom: down - down / 2)
        result.isScaled = result.scaled != FrameSize(width, height)
        return result
    }

    /// Whether the picture's visible area is another part of the frame than it was.
    package var changesActiveArea: Bool { crop != .zero || borders != .zero || changesOrientation }
    /// Whether pixels are rotated or mirrored.
    package var changesOrientation: Bool { turn != 0 || isMirrored }
}

/// AVVideoScalingModeKey.
package enum ScalingMode: String, CaseIterable, Sendable {
    /// Keeps the aspect, stays within the size, never enlarges.
    case fit
    /// Exactly the size, without regard to the aspect.
    case resize
    /// Exactly the size, the aspect kept by black borders.
    case resizeAspect = "resize-aspect"
    /// Exactly the size, the aspect kept by cropping.
    case resizeAspectFill = "resize-aspect-fill"
}
