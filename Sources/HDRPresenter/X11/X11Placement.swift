/// The place of a view in the window, in whole pixels, and the part of the picture that it shows.
struct X11Placement: Equatable {
    /// The visible part of the destination, in the window's pixels.
    var x, y, width, height: Int
    /// The left and top edges of that part, in the picture's pixels.
    var originX, originY: Double
    /// The number of the picture's pixels per pixel of the window.
    var scaleX, scaleY: Double

    /// The maximum of coordinates and sizes in X11.
    static let limit = 32767

    /// - Returns: `nil` where nothing of the view is visible. Edges are rounded to whole pixels of the window, so that
    ///   a view of the picture's own size is copied unchanged.
    init?(_ view: View, picture: (width: Int, height: Int), window: (width: Int, height: Int)) {
        guard
            let across = Self.axis(
                view.source.x, view.source.width, picture.width, view.destination.x, view.destination.width,
                window.width),
            let down = Self.axis(
                view.source.y, view.source.height, picture.height, view.destination.y, view.destination.height,
                window.height)
        else { return nil }
        (x, width, originX, scaleX) = across
        (y, height, originY, scaleY) = down
    }

    private static func axis(
        _ sourceStart: Double, _ sourceLength: Double, _ pictureLength: Int, _ start: Double, _ length: Double,
        _ windowLength: Int
    ) -> (start: Int, length: Int, origin: Double, scale: Double)? {
        let bound = 1e9
        guard [sourceStart, sourceLength, start, length].allSatisfy({ abs($0) < bound }), sourceLength > 0, length > 0
        else { return nil }
        let from = max(0, sourceStart)
        let to = min(Double(pictureLength), sourceStart + sourceLength)
        guard to > from else { return nil }

        // A source beyond the picture is clipped, and the destination with it.
        let magnification = length / sourceLength
        let first = (start + (from - sourceStart) * magnification).rounded()
        let last = (start + (to - sourceStart) * magnification).rounded()
        let visibleFirst = max(0, first)
        let visibleLast = min(Double(windowLength), last)
        guard visibleLast > visibleFirst else { return nil }
        let scale = (to - from) / (last - first)
        return (Int(visibleFirst), Int(visibleLast - visibleFirst), from + (visibleFirst - first) * scale, scale)
    }

    /// The first pixel to copy, if the view is a plain copy.
    var copyOrigin: (x: Int, y: Int)? {
        guard
            scaleX == 1, scaleY == 1, originX == originX.rounded(), originY == originY.rounded(),
            let x = Int(exactly: originX), let y = Int(exactly: originY)
        else { return nil }
        return (x, y)
    }
}

/// The steps for scaling a view below half size: the picture's part is halved, so that each pixel is the mean of two,
/// until the remaining factor is small enough for a bilinear filter.
struct X11Halving: Equatable {
    /// The part of the picture that is needed, in whole pixels.
    var x, y, width, height: Int
    /// The axes that each step halves, in order.
    var steps: [Step]
    /// The placement's origin and scale, in pixels of the last step.
    var originX, originY: Double
    var scaleX, scaleY: Double

    struct Step: Equatable {
        var isAcross, isDown: Bool
        /// The size of the step's result.
        var width, height: Int
    }

    init(_ placement: X11Placement, picture: (width: Int, height: Int)) {
        (x, width) = Self.part(placement.originX, placement.scaleX * Double(placement.width), picture.width)
        (y, height) = Self.part(placement.originY, placement.scaleY * Double(placement.height), picture.height)
        originX = placement.originX - Double(x)
        originY = placement.originY - Double(y)
        (scaleX, scaleY) = (placement.scaleX, placement.scaleY)
        steps = []
        var size = (width: width, height: height)
        while scaleX > 2 || scaleY > 2, steps.count < 16 {
            let step = (isAcross: scaleX > 2, isDown: scaleY > 2)
            if step.isAcross {
                (scaleX, originX, size.width) = (scaleX / 2, originX / 2, (size.width + 1) / 2)
            }
            if step.isDown {
                (scaleY, originY, size.height) = (scaleY / 2, originY / 2, (size.height + 1) / 2)
            }
            steps.append(Step(isAcross: step.isAcross, isDown: step.isDown, width: size.width, height: size.height))
        }
    }

    private static func part(_ origin: Double, _ length: Double, _ pictureLength: Int) -> (Int, Int) {
        let first = min(max(0, Int(origin.rounded(.down))), max(0, pictureLength - 1))
        let last = min(pictureLength, Int((origin + length).rounded(.up)))
        return (first, max(1, last - first))
    }
}
