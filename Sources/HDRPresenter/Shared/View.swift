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
    public var source: Rectangle
    public var destination: Rectangle
    public init(source: Rectangle, destination: Rectangle) {
        self.source = source
        self.destination = destination
    }
}
