import Testing

@testable import HDRComposition

/// Weights of scaling.
@Suite struct ResamplingFilterTests {
    static let ratios = [(1, 1), (1, 7), (7, 1), (16, 5), (5, 16), (100, 99), (640, 1), (2, 1000)]

    @Test(arguments: ResamplingFilter.Kernel.allCases, ratios)
    func weightsAreWithinTheSourceAndAddUpToOne(_ kernel: ResamplingFilter.Kernel, _ ratio: (Int, Int)) {
        let filter = ResamplingFilter(from: ratio.0, to: ratio.1, range: 0..<ratio.1, kernel: kernel)
        #expect(filter.first.count == ratio.1 && filter.weights.count == ratio.1 * filter.taps)
        for index in 0..<ratio.1 {
            let first = Int(filter.first[index])
            #expect(first >= 0 && first + filter.taps <= ratio.0)
            let sum = (0..<filter.taps).map { Double(filter.weights[index * filter.taps + $0]) }.reduce(0, +)
            #expect(abs(sum - 1) < 1e-5)
        }
    }

    /// A part of the samples has the weights that it has among all.
    @Test func aPartIsThatOfTheWhole() {
        let whole = ResamplingFilter(from: 30, to: 77, range: 0..<77, kernel: .lanczos)
        let part = ResamplingFilter(from: 30, to: 77, range: 20..<50, kernel: .lanczos)
        #expect(part.taps == whole.taps)
        #expect(part.first == Array(whole.first[20..<50]))
        #expect(part.weights == Array(whole.weights[(20 * whole.taps)..<(50 * whole.taps)]))
    }

    /// Equal sizes keep samples, and a ramp stays a ramp away from the edges.
    @Test(arguments: ResamplingFilter.Kernel.allCases)
    func rampsStayRamps(_ kernel: ResamplingFilter.Kernel) {
        func scaled(_ source: Int, _ target: Int) -> [Double] {
            let filter = ResamplingFilter(from: source, to: target, range: 0..<target, kernel: kernel)
            return (0..<target).map { index in
                (0..<filter.taps).reduce(0.0) {
                    $0 + Double(filter.weights[index * filter.taps + $1]) * Double(Int(filter.first[index]) + $1)
                }
            }
        }
        for (index, value) in scaled(50, 50).enumerated() { #expect(abs(value - Double(index)) < 1e-4) }
        for target in [25, 100, 150] {
            let values = scaled(50, target)
            let ratio = 50.0 / Double(target)
            for index in target / 4..<target * 3 / 4 {
                // A windowed sinc passes ramps but for a ripple.
                #expect(abs(values[index] - ((Double(index) + 0.5) * ratio - 0.5)) < 0.02)
            }
        }
    }
}
