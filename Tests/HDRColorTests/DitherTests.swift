import Testing

@testable import HDRColor

struct DitherTests {
    @Test func offsets() {
        let pattern = Dither.orderedPattern
        #expect(pattern.count == 64 && Set(pattern).count == 64)
        #expect(pattern.allSatisfy { $0 > -0.5 && $0 < 0.5 })
        // Multiples of 1/128, so that the sum is exact.
        #expect(pattern.reduce(0, +) == 0)
        #expect(pattern.min() == -63.0 / 128 && pattern.max() == 63.0 / 128)
    }

    /// A level of k/64 between two codes gives k of 64 samples the upper one.
    @Test func levelsKeepTheirMean() {
        for k in 0...64 {
            let value = 100 + Float(k) / 64
            let codes = Dither.orderedPattern.map { (value + $0 + 0.5).rounded(.down) }
            #expect(codes.reduce(0, +) == 100 * 64 + Float(k))
        }
    }

    /// Bayer's index matrix of order 8, by rows.
    @Test func bayer() {
        let indices = [
            0, 32, 8, 40, 2, 34, 10, 42,
            48, 16, 56, 24, 50, 18, 58, 26,
            12, 44, 4, 36, 14, 46, 6, 38,
            60, 28, 52, 20, 62, 30, 54, 22,
            3, 35, 11, 43, 1, 33, 9, 41,
            51, 19, 59, 27, 49, 17, 57, 25,
            15, 47, 7, 39, 13, 45, 5, 37,
            63, 31, 55, 23, 61, 29, 53, 21,
        ]
        #expect(Dither.orderedPattern.map { Int(($0 + 0.5) * 64) } == indices)
    }

    /// A Bayer matrix spreads its levels: every aligned block of 2x2 has one offset in each quarter of the step, and
    /// every one of 4x4 one in each sixteenth.
    @Test(arguments: [2, 4]) func blocks(_ size: Int) {
        for top in stride(from: 0, to: 8, by: size) {
            for left in stride(from: 0, to: 8, by: size) {
                var parts = Set<Int>()
                for y in top..<top + size {
                    for x in left..<left + size {
                        parts.insert(Int((Dither.ordered.offset(x: x, y: y) + 0.5) * Float(size * size)))
                    }
                }
                #expect(parts == Set(0..<size * size))
            }
        }
    }

    /// A value that is a code stays it, wherever it lies.
    @Test func codesStay() {
        for offset in Dither.orderedPattern {
            for code in [Float(0), 1, 64, 1023, 65535] { #expect((code + offset + 0.5).rounded(.down) == code) }
        }
    }

    // MARK: Blue noise

    /// Each rank occurs once, so that each level keeps its mean; there is room for rounding errors around a code.
    @Test func blueNoiseOffsets() {
        #expect(Dither.blueNoiseTile.sorted() == Array(0..<4096))
        let pattern = Dither.blueNoisePattern
        #expect(pattern.reduce(0, +) == 0)
        #expect(pattern.allSatisfy { abs($0) <= 63.0 / 128 })
        // Adding a half loses nothing.
        #expect(pattern.allSatisfy { ($0 + 0.5) - 0.5 == $0 })
    }

    /// Behind a Gaussian of 1.5 pixels the error of flat fields, averaged over all levels, and that of ramps, over
    /// their directions, has a lower RMS than ordered dither's.
    @Test func blueNoiseShowsLess() {
        let (blue, ordered) = (DitherTile(.blueNoise), DitherTile(.ordered))
        #expect(blue.filteredRMS([(0, 0)]) < 0.99 * ordered.filteredRMS([(0, 0)]))
        for pixels in [1024.0, 256, 128, 64, 48, 32, 24, 16, 12, 8] {
            let (step, diagonal) = (1 / pixels, 0.5.squareRoot() / pixels)
            let ramps = [(step, 0), (0, step), (diagonal, diagonal), (diagonal, -diagonal)]
            #expect(blue.filteredRMS(ramps) < ordered.filteredRMS(ramps), "\(pixels) pixels a code")
        }
    }

    /// The formula's result is that of samples: a ramp of 64 pixels for each code, at 64 phases.
    @Test(arguments: [Dither.ordered, .blueNoise]) func formula(_ dither: Dither) {
        let tile = DitherTile(dither)
        let wanted = tile.filteredRMS([(1.0 / 64, 0)])
        #expect(abs(tile.sampledRMS(step: 1.0 / 64) / wanted - 1) < 0.03)
    }

    /// The spectrum of the error on flat fields: little at low frequencies, where white noise has 1, and no peak,
    /// which ordered dither has.
    @Test func blueNoiseHasNoPeak() {
        let (blue, ordered) = (DitherTile(.blueNoise).spectrum(), DitherTile(.ordered).spectrum())
        #expect(blue.highestPeak < 8 && ordered.highestPeak > 50)
        for cycles in 1..<8 { #expect(blue.rings[cycles] < 0.05, "\(cycles) cycles in 64 pixels") }
    }

    // MARK: Places

    @Test func position() {
        for y in -16..<24 {
            for x in -16..<24 {
                let offset = Dither.ordered.offset(x: x, y: y)
                #expect(offset == Dither.orderedPattern[((y + 16) % 8) * 8 + (x + 16) % 8])
                #expect(Dither.blueNoise.offset(x: x, y: y) == Dither.blueNoise.offset(x: x + 64, y: y - 128))
                #expect(Dither.none.offset(x: x, y: y) == 0)
            }
        }
        // Rows and columns differ.
        #expect(Dither.ordered.offset(x: 1, y: 0) != Dither.ordered.offset(x: 0, y: 1))
        #expect(Dither.ordered.offset(x: .max, y: .min) == Dither.ordered.offset(x: 7, y: 0))
    }
}
