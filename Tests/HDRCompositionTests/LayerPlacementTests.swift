import Testing

@testable import HDRComposition

/// The positions of pictures on a canvas.
@Suite struct LayerPlacementTests {
    @Test func aPictureHasItsOwnSizeUnlessThereIsAnother() {
        var placement = LayerPlacement()
        (placement.x, placement.y) = (-5, 7)
        let part = placement.visiblePart(ofWidth: 64, height: 48)
        #expect(part == PixelRect(x: 0, y: 0, width: 64, height: 48))
        #expect(placement.place(part) == PixelRect(x: -5, y: 7, width: 64, height: 48))
        placement.width = 10
        #expect(placement.place(part) == PixelRect(x: -5, y: 7, width: 10, height: 48))
        placement.height = 0
        #expect(placement.place(part).isEmpty)
    }

    @Test func cropsTakeColumnsAndRowsAway() {
        var placement = LayerPlacement()
        (placement.cropLeft, placement.cropRight, placement.cropTop, placement.cropBottom) = (3, 5, 2, 40)
        let part = placement.visiblePart(ofWidth: 64, height: 48)
        #expect(part == PixelRect(x: 3, y: 2, width: 56, height: 6))
        #expect(placement.place(part).width == 56)
        placement.cropTop = 20
        #expect(placement.visiblePart(ofWidth: 64, height: 48).isEmpty)
        placement.cropLeft = .max
        #expect(placement.visiblePart(ofWidth: 64, height: 48).isEmpty)
        #expect(placement.place(placement.visiblePart(ofWidth: 64, height: 48)).isEmpty)
    }

    /// Proportions are kept in the middle of what width and height say, with pixels that are not square too.
    @Test(arguments: [
        (100, 100, 1.0, PixelRect(x: 10, y: 42, width: 100, height: 56)),
        (320, 90, 1.0, PixelRect(x: 90, y: 20, width: 160, height: 90)),
        (100, 100, 2.0, PixelRect(x: 10, y: 56, width: 100, height: 28)),
        (1, 500, 1.0, PixelRect(x: 10, y: 270, width: 0, height: 0)),
    ]) func proportionsAreKept(_ width: Int, _ height: Int, _ aspect: Double, _ expected: PixelRect) {
        var placement = LayerPlacement()
        (placement.x, placement.y, placement.width, placement.height) = (10, 20, width, height)
        placement.sizing = .keepAspectRatio
        let part = placement.visiblePart(ofWidth: 1600, height: 900)
        let place = placement.place(part, pixels: PixelShape(Int32(aspect), 1))
        #expect(abs(place.y - expected.y) <= 1 && place.x == expected.x)
        #expect(place.width == expected.width && place.height == expected.height)
    }

    /// What GStreamer's `compositor` makes of pads of 40x24 pixels, for each pixel aspect ratio, and other widths and
    /// heights.
    @Test(
        arguments: [
            (nil, nil, 2, 1, 80, 24), (nil, nil, 1, 2, 20, 24), (60, 36, 2, 1, 60, 18), (50, nil, 2, 1, 100, 24),
            (36, 20, 2, 1, 72, 20), (36, 20, 3, 2, 54, 20), (36, 20, 16, 15, 38, 20), (37, 20, 3, 2, 55, 20),
            (37, 20, 16, 15, 39, 20), (50, 30, 1, 1, 50, 30),
        ] as [(Int?, Int?, Int32, Int32, Int, Int)])
    func pixelsThatAreNotSquareWidenThePicture(
        _ width: Int?, _ height: Int?, _ across: Int32, _ down: Int32, _ shownWidth: Int, _ shownHeight: Int
    ) {
        var placement = LayerPlacement()
        (placement.width, placement.height) = (width, height)
        let part = placement.visiblePart(ofWidth: 40, height: 24)
        let shape = PixelShape(across, down)
        #expect(placement.place(part, pixels: shape) == PixelRect(x: 0, y: 0, width: shownWidth, height: shownHeight))
        #expect(placement.place(part, pixels: shape) == placement.box(part, pixels: shape))
        #expect(placement.place(part, pixels: shape.beside(shape)) == placement.place(part))
        #expect(shape.transposed.transposed == shape)
        placement.sizing = .keepAspectRatio
        #expect(placement.box(part, pixels: shape) == placement.box(part))
    }

    @Test func noNumberOverflows() {
        var placement = LayerPlacement()
        for x in [Int(Int32.min), Int(Int32.max)] {
            for size in [Int(Int32.max), 1] {
                (placement.x, placement.y, placement.width, placement.height) = (x, x, size, size)
                for sizing in [LayerPlacement.Sizing.fill, .keepAspectRatio] {
                    placement.sizing = sizing
                    let place = placement.place(
                        placement.visiblePart(ofWidth: 1920, height: 1080),
                        pixels: PixelShape(.max, 1).beside(PixelShape(1, .max)))
                    #expect(place.width <= max(LayerPlacement.largest, size))
                    #expect(place.columns.lowerBound <= place.columns.upperBound)
                }
            }
        }
    }
}
