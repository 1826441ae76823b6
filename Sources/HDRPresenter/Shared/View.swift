/// A part of the picture, in the picture's pixels, and its place in the window, in the window's pixels. The first view
/// is the main one; the others lie above it in order.
public struct View: Equatable, Sendable {
    public struct Rectangle: Equatable, Sendable {
        public var x, y, width, height: Double
        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The shape of a view: all of its destination, or the ellipse that touches the destination's four sides.
    public enum Mask: Sendable { case none, ellipse }

    public var source: Rectangle
    public var destination: Rectangle
    public var mask: Mask
    /// The opacity from 0 to 1, by which the view hides what lies below it.
    public var opacity: Double
    /// The width of the soft edge as a share of the way from the outline to the middle, 0 to 1.
    public var feather: Double

    public init(
        source: Rectangle, destination: Rectangle, mask: Mask = .none, opacity: Double = 1, feather: Double = 0
    ) {
        self.source = source
        self.destination = destination
        self.mask = mask
        self.opacity = opacity
        self.feather = feather
    }
}

extension View {
    /// Whether the view hides all that lies below its destination.
    var isOpaque: Bool { mask == .none && opacity >= 1 && feather <= 0 }

    /// The share, 0 to 1, by which the view hides what lies below it at a point of the window inside the destination.
    ///
    /// An ellipse's edge is as soft as a pixel is wide. A feathered edge rises by the smooth cubic 3 t² - 2 t³, without
    /// a visible line where it begins or ends.
    func coverage(x: Double, y: Double) -> Double {
        let (halfWidth, halfHeight) = (destination.width / 2, destination.height / 2)
        let across = abs(x - destination.x - halfWidth)
        let down = abs(y - destination.y - halfHeight)
        /// The share of the way from the outline to the middle.
        let depth: Double
        var coverage = min(max(opacity, 0), 1)
        switch mask {
        case .none:
            depth = min(halfWidth - across, halfHeight - down) / min(halfWidth, halfHeight)
        case .ellipse:
            let (u, v) = (across / halfWidth, down / halfHeight)
            let square = u * u + v * v
            depth = 1 - square.squareRoot()
            // The distance to the outline, in pixels, is to first order the equation's value over its gradient.
            let gradient = 2 * ((u / halfWidth) * (u / halfWidth) + (v / halfHeight) * (v / halfHeight)).squareRoot()
            if gradient > 0 { coverage *= min(max(0.5 - (square - 1) / gradient, 0), 1) }
        }
        guard feather > 0 else { return coverage }
        let rise = min(max(depth / feather, 0), 1)
        return coverage * rise * rise * (3 - 2 * rise)
    }
}
