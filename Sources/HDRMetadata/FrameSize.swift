/// The size of a picture, in pixels.
package struct FrameSize: Equatable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    package var description: String { "\(width)x\(height)" }

    package var transposed: FrameSize { FrameSize(height, width) }
    /// Even in both directions, not larger.
    package var even: FrameSize { FrameSize(width & ~1, height & ~1) }
}
