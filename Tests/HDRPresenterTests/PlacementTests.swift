import Testing

@testable import HDRPresenter

@Suite struct PlacementTests {
    private func place(_ source: (Double, Double, Double, Double), _ target: (Double, Double, Double, Double))
        -> Placement?
    {
        Placement(
            View(
                source: .init(x: source.0, y: source.1, width: source.2, height: source.3),
                destination: .init(x: target.0, y: target.1, width: target.2, height: target.3)),
            width: 100, height: 50, scale: 1)
    }

    @Test func neighborsLeaveNoGap() {
        for split in stride(from: 0.1, to: 20, by: 0.37) {
            let left = place((0, 0, 50, 50), (0, 0, split, 10))
            let right = place((50, 0, 50, 50), (split, 0, 20 - split, 10))
            if let left, let right { #expect(left.x + left.width == right.x) }
        }
    }

    @Test func sourceNeverLeavesTheBuffer() throws {
        let numbers: [Double] = [-1e5, -3.7, -0.001, 0, 0.001, 0.5, 33.3333, 99.999, 100, 1e5, 1e7, .nan, .infinity]
        var count = 0
        for x in numbers {
            for width in numbers {
                guard let placement = place((x, 0, width, 50), (3, 3, 4000, 10)) else { continue }
                count += 1
                #expect(placement.sourceX >= 0 && placement.sourceWidth > 0 && placement.width > 0)
                #expect(placement.sourceX + placement.sourceWidth <= 100 * 256)
            }
        }
        #expect(count > 10)
    }

    @Test(arguments: [0.0, -5, .nan, .infinity, 1e300])
    func viewWithoutAPlaceIsHidden(size: Double) {
        #expect(place((0, 0, 100, 50), (0, 0, size, 10)) == nil)
        #expect(place((0, 0, size, 50), (0, 0, 10, 10)) == nil)
        #expect(place((size.isFinite ? 1000 : size, 0, 1, 50), (0, 0, 10, 10)) == nil)
    }
}
