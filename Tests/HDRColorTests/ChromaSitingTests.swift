import Testing

@testable import HDRColor

struct ChromaSitingTests {
    @Test func locations() {
        // Chroma sample location types 0 and 2 of H.273 clause 8.7, and type 1 for the centre.
        #expect(ChromaSiting.left == ChromaSiting(horizontallyCosited: true, verticallyCosited: false))
        #expect(ChromaSiting.topLeft == ChromaSiting(horizontallyCosited: true, verticallyCosited: true))
        #expect(ChromaSiting.center == ChromaSiting(horizontallyCosited: false, verticallyCosited: false))
    }

    /// The position of chroma sample `index` on the luma grid.
    static func place(_ index: Int, cosited: Bool) -> Double { Double(2 * index) + (cosited ? 0 : 0.5) }

    /// Chroma that rises with its place gives every luma sample its own place: no shift at all.
    @Test(arguments: [true, false]) func linearHasNoPhase(_ cosited: Bool) {
        for position in 0..<64 {
            let taps = ChromaInterpolation(position: position, cosited: cosited, mode: .linear)
            let first = Self.place(taps.first, cosited: cosited)
            let second = Self.place(taps.first + 1, cosited: cosited)
            #expect(first + (second - first) * Double(taps.secondWeight) == Double(position))
            #expect(taps.secondWeight >= 0 && taps.secondWeight < 1)
        }
    }

    /// Each chroma sample stands for the two luma samples of its pair.
    @Test(arguments: [true, false]) func nearestRepeats(_ cosited: Bool) {
        for position in 0..<64 {
            let taps = ChromaInterpolation(position: position, cosited: cosited, mode: .nearest)
            #expect(taps.first == position / 2)
            #expect(taps.secondWeight == 0)
            // The sample is at most half a pair away: 1 luma sample when cosited, half of one when midway.
            let distance = abs(Self.place(taps.first, cosited: cosited) - Double(position))
            #expect(distance <= (cosited ? 1 : 0.5))
        }
    }

    /// H.273 figure: luma 0 and 1 of a pair, cosited 1 and 1/2 + 1/2, midway 1/4 + 3/4 and 3/4 + 1/4.
    @Test(arguments: [
        (true, 6, 3, Float(0)), (true, 7, 3, 0.5), (false, 6, 2, 0.75), (false, 7, 3, 0.25), (false, 0, -1, 0.75),
    ])
    func weights(_ cosited: Bool, _ position: Int, _ first: Int, _ second: Float) {
        let taps = ChromaInterpolation(position: position, cosited: cosited, mode: .linear)
        #expect(taps.first == first && taps.secondWeight == second)
    }
}
