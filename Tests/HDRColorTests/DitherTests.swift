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

    @Test func position() {
        for y in -16..<24 {
            for x in -16..<24 {
                let offset = Dither.ordered.offset(x: x, y: y)
                #expect(offset == Dither.orderedPattern[((y + 16) % 8) * 8 + (x + 16) % 8])
                #expect(Dither.none.offset(x: x, y: y) == 0)
            }
        }
        // Rows and columns differ.
        #expect(Dither.ordered.offset(x: 1, y: 0) != Dither.ordered.offset(x: 0, y: 1))
        #expect(Dither.ordered.offset(x: .max, y: .min) == Dither.ordered.offset(x: 7, y: 0))
    }
}
