import TestSupport
import Testing

@testable import HDRStills

@Suite struct PNGFilterTests {
    /// 9.2 and 9.4 word by word.
    private func reference(_ filter: PNGFilter, _ x: Int, _ a: Int, _ b: Int, _ c: Int) -> UInt8 {
        let predicted: Int
        switch filter {
        case .none: predicted = 0
        case .sub: predicted = a
        case .up: predicted = b
        case .average: predicted = (a + b) / 2
        case .paeth:
            let p = a + b - c
            let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
            predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
        }
        return UInt8(truncatingIfNeeded: x - predicted)
    }

    @Test(arguments: PNGFilter.allCases) func filtersAreAsInTheStandard(filter: PNGFilter) {
        var random = SeededGenerator(seed: 11)
        for pixel in [3, 4, 6, 8] {
            for pixels in [1, 2, 3, 5, 17, 64, 331] {
                let count = pixel * pixels
                let zeros = [UInt8](repeating: 0, count: 16)
                let range: ClosedRange<UInt8> = pixels % 2 == 0 ? 0...255 : 120...136
                let row = zeros + (0..<count).map { _ in UInt8.random(in: range, using: &random) }
                let above = zeros + (0..<count).map { _ in UInt8.random(in: range, using: &random) }
                var output = [UInt8](repeating: 0xA5, count: count + 1)
                let sum = row.withUnsafeBufferPointer { row in
                    above.withUnsafeBufferPointer { above in
                        output.withUnsafeMutableBufferPointer { output in
                            filter.apply(
                                to: row.baseAddress! + 16, above: above.baseAddress! + 16, count: count, pixel: pixel,
                                into: output.baseAddress!)
                        }
                    }
                }
                let expected = (16..<16 + count).map {
                    reference(filter, Int(row[$0]), Int(row[$0 - pixel]), Int(above[$0]), Int(above[$0 - pixel]))
                }
                #expect(Array(output.dropLast()) == expected)
                #expect(output.last == 0xA5, "nothing is written behind the row")
                #expect(Int(sum) == expected.reduce(0) { $0 + abs(Int(Int8(bitPattern: $1))) })
            }
        }
    }
}
