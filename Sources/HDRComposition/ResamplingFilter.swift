import Glibc

/// Weights by which samples along one axis become samples of another number, in linear light.
///
/// Samples lie in the middle of their cells, so that edges of both pictures coincide. Where samples become fewer, the
/// kernel is widened by the ratio, so that none is left out. Edges repeat the outermost sample.
package struct ResamplingFilter: Sendable {
    package enum Kernel: CaseIterable, Sendable {
        /// A triangle: no overshoot.
        case bilinear
        /// A sinc of three lobes, windowed by the wider sinc's main lobe.
        case lanczos

        /// How far it reaches to each side, in samples.
        fileprivate var radius: Double { self == .bilinear ? 1 : 3 }

        fileprivate func callAsFunction(_ x: Double) -> Double {
            let distance = abs(x)
            switch self {
            case .bilinear: return max(1 - distance, 0)
            case .lanczos:
                guard distance < 3 else { return 0 }
                return Self.sinc(distance) * Self.sinc(distance / 3)
            }
        }

        private static func sinc(_ x: Double) -> Double {
            x < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
        }
    }

    /// Of each sample that is made: the first one that it is made of, `taps` of which lie in a row.
    package let first: [Int32]
    package let taps: Int
    /// `taps` for each sample that is made; their sum is 1.
    package let weights: [Float]

    /// - Parameters:
    ///   - source: samples that there are, 1 or more.
    ///   - target: samples that there would be, 1 or more.
    ///   - range: which of these are made.
    package init(from source: Int, to target: Int, range: Range<Int>, kernel: Kernel) {
        let ratio = Double(source) / Double(target)
        let width = max(ratio, 1)
        let radius = kernel.radius * width
        // One more where the kernel's edges lie between samples.
        let taps = min(Int((2 * radius).rounded(.up)) + 1, source)
        var first = [Int32]()
        var weights = [Float]()
        first.reserveCapacity(range.count)
        weights.reserveCapacity(range.count * taps)
        var row = [Double](repeating: 0, count: taps)
        for sample in range {
            let center = (Double(sample) + 0.5) * ratio - 0.5
            let lowest = Int((center - radius).rounded(.up))
            let start = min(max(lowest, 0), source - taps)
            for index in 0..<taps { row[index] = 0 }
            var sum = 0.0
            for index in lowest...max(Int((center + radius).rounded(.down)), lowest) {
                let weight = kernel((Double(index) - center) / width)
                row[min(max(index - start, 0), taps - 1)] += weight
                sum += weight
            }
            first.append(Int32(truncatingIfNeeded: start))
            for weight in row { weights.append(Float(weight / sum)) }
        }
        self.first = first
        self.taps = taps
        self.weights = weights
    }
}
