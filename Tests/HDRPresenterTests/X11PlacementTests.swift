import Testing

@testable import HDRPresenter

/// The placement of views, without a server.
@Suite struct X11PlacementTests {
    private func placement(
        _ source: (Double, Double, Double, Double), _ destination: (Double, Double, Double, Double),
        window: (width: Int, height: Int) = (100, 100)
    ) -> X11Placement? {
        X11Placement(
            View(
                source: .init(x: source.0, y: source.1, width: source.2, height: source.3),
                destination: .init(x: destination.0, y: destination.1, width: destination.2, height: destination.3)),
            picture: (200, 100), window: window)
    }

    @Test func equalSizesAreCopied() throws {
        let whole = try #require(placement((0, 0, 200, 100), (0, 0, 200, 100), window: (200, 100)))
        let origin = try #require(whole.copyOrigin)
        #expect(origin == (0, 0))
        // Borders of half a pixel make no blur.
        let half = try #require(placement((0, 0, 200, 100), (0.5, 10.5, 200, 100), window: (210, 150)))
        #expect((half.x, half.y, half.width, half.height) == (1, 11, 200, 100))
        #expect(half.copyOrigin != nil)
        #expect(placement((0.5, 0, 100, 100), (0, 0, 100, 100))?.copyOrigin == nil)
        #expect(placement((0, 0, 200, 100), (0, 0, 100, 100))?.copyOrigin == nil)
    }

    @Test func whatLiesOutsideIsCut() throws {
        let zoomed = try #require(placement((0, 0, 200, 100), (-1000, -500, 4000, 2000)))
        #expect((zoomed.x, zoomed.y, zoomed.width, zoomed.height) == (0, 0, 100, 100))
        #expect((zoomed.originX, zoomed.originY, zoomed.scaleX, zoomed.scaleY) == (50, 25, 0.05, 0.05))
        let beyond = try #require(placement((100, 50, 200, 100), (0, 0, 100, 100)))
        #expect((beyond.width, beyond.height, beyond.scaleX, beyond.scaleY) == (50, 50, 2, 1))
        let before = try #require(placement((-20, 0, 40, 100), (0, 0, 40, 100)))
        #expect((before.x, before.width) == (20, 20))
    }

    @Test func whatCannotBeSeenIsLeftOut() {
        #expect(placement((0, 0, 200, 100), (100, 0, 50, 50)) == nil)
        #expect(placement((0, 0, 200, 100), (-50, 0, 50, 50)) == nil)
        #expect(placement((200, 0, 50, 50), (0, 0, 50, 50)) == nil)
        #expect(placement((0, 0, 200, 100), (0, 0, 0.3, 50)) == nil)
        for bad in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, -1] {
            #expect(placement((0, 0, bad, 100), (0, 0, 50, 50)) == nil)
            #expect(placement((0, 0, 200, 100), (0, 0, 50, bad)) == nil)
            if bad.magnitude > 1 || bad.isNaN { #expect(placement((bad, 0, 200, 100), (0, bad, 50, 50)) == nil) }
        }
    }

    @Test func halvingsLeaveAFactorOfTwoAtMost() throws {
        for (width, height) in [(100, 100), (99, 50), (67, 33), (31, 3), (1, 1), (200, 1)] {
            let small = try #require(
                placement((0, 0, 200, 100), (0, 0, Double(width), Double(height)), window: (200, 100)))
            let halving = X11Halving(small, picture: (200, 100))
            #expect(halving.scaleX <= 2 && halving.scaleY <= 2)
            #expect(halving.scaleX > 1 || small.scaleX <= 1)
            // The last step covers what the placement shows.
            if let last = halving.steps.last {
                #expect(Double(last.width) >= halving.originX + halving.scaleX * Double(small.width) - 0.001)
                #expect(Double(last.height) >= halving.originY + halving.scaleY * Double(small.height) - 0.001)
            } else {
                #expect(small.scaleX <= 2 && small.scaleY <= 2)
            }
        }
        let cut = try #require(placement((51.5, 10, 100, 80), (0, 0, 20, 20)))
        let halving = X11Halving(cut, picture: (200, 100))
        #expect((halving.x, halving.y, halving.width, halving.height) == (51, 10, 101, 80))
        #expect(halving.steps.map(\.width) == [51, 26] && halving.steps.map(\.height) == [40, 40])
        #expect((halving.originX, halving.scaleX, halving.scaleY) == (0.125, 1.25, 2))
    }
}
