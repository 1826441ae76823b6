/// The size of a picture, in pixels.
public struct FrameSize: Equatable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    public var description: String { "\(width)x\(height)" }

    var transposed: FrameSize { FrameSize(height, width) }
    /// Even in both directions, not larger.
    var even: FrameSize { FrameSize(width & ~1, height & ~1) }
}

/// Pixels at the four edges of a picture.
public struct FrameInsets: Equatable, Sendable {
    public var left, top, right, bottom: Int

    public init(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    public static let zero = FrameInsets()
}

/// How the source's picture becomes the encoded one: mirror, turn, crop, scale, add borders, in this order.
public struct FrameGeometry: Equatable, Sendable {
    /// Whether the pixels themselves are mirrored left to right.
    public var isMirrored = false
    /// Degrees by which the pixels themselves are turned clockwise: 0, 90, 180 or 270.
    public var turn: Int
    /// Degrees by which players turn the picture clockwise: what the file says.
    public var displayRotation: Int
    /// Cut off the source, after the turn.
    public var crop: FrameInsets
    /// The picture's size after scaling.
    public var scaled: FrameSize
    /// Black added around the scaled picture.
    public var borders: FrameInsets
    /// The encoded picture.
    public var frame: FrameSize
    /// Width to height of an encoded pixel.
    public var pixelAspectRatio: Fraction
    /// Whether scaling changes the picture's size.
    public var isScaled: Bool

    /// Whether the picture's visible area is another part of the frame than it was.
    public var changesActiveArea: Bool { crop != .zero || borders != .zero || changesOrientation }
    /// Whether the pixels change places.
    public var changesOrientation: Bool { turn != 0 || isMirrored }
}

/// AVVideoScalingModeKey.
public enum ScalingMode: String, CaseIterable, Sendable {
    /// Keeps the aspect, stays within the size, never enlarges.
    case fit
    /// Exactly the size, without regard to the aspect.
    case resize
    /// Exactly the size, the aspect kept by black borders.
    case resizeAspect = "resize-aspect"
    /// Exactly the size, the aspect kept by cropping.
    case resizeAspectFill = "resize-aspect-fill"
}
