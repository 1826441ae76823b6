/// A part of the picture (in its pixels) and where it goes (in the window's pixels). The first is the main view; the
/// others lie above it, in order.
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
