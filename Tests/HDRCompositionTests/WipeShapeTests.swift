import Testing

@testable import HDRComposition

/// In which order the places of a picture appear.
@Suite struct WipeShapeTests {
    /// Places of a picture of 200 by 100 pixels, with the order that the shape's words say.
    @Test(arguments: [
        (WipeShape.barRight, 0.0, 50.0, 0.0), (.barRight, 200, 50, 1), (.barLeft, 0, 50, 1), (.barDown, 90, 0, 0),
        (.barUp, 90, 0, 1), (.diagonal, 0, 0, 0), (.diagonal, 200, 100, 1), (.diagonal, 200, 0, 0.5),
        (.iris, 100, 50, 0), (.iris, 0, 0, 1), (.iris, 100, 0, 50 / 111.80339887), (.iris, 150, 50, 50 / 111.80339887),
        (.diamond, 100, 50, 0), (.diamond, 200, 50, 0.5), (.diamond, 0, 0, 1), (.clock, 100, 10, 0),
        (.clock, 180, 50, 0.25), (.clock, 100, 90, 0.5), (.clock, 20, 50, 0.75), (.barnDoor, 100, 7, 0),
        (.barnDoor, 0, 7, 1), (.barnDoor, 200, 7, 1),
    ])
    func shapesOrderPlaces(_ shape: WipeShape, _ x: Double, _ y: Double, _ order: Double) {
        #expect(abs(shape.order(x, y, 200, 100) - order) < 1e-9)
    }

    /// A map is read between the middles of its pixels, and has its outer ones to the edge.
    @Test func mapsAreInterpolated() throws {
        let picture = try #require(WipePicture(width: 2, height: 1, values: [0, 65535]))
        let shape = WipeShape.map(picture)
        for (x, order) in [(0.0, 0.0), (50, 0), (100, 0.5), (125, 0.75), (150, 1), (200, 1)] {
            #expect(abs(shape.order(x, 30, 200, 100) - order) < 1e-9, "\(x)")
        }
    }

    @Test func mapsOfOtherSizesAreRefused() {
        #expect(WipePicture(width: 2, height: 2, values: [0, 1, 2]) == nil)
        #expect(WipePicture(width: 0, height: 2, values: []) == nil)
        #expect(WipePicture(width: .max, height: 2, values: []) == nil)
    }
}
