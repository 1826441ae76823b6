import Glibc

/// Weights to resample along one axis in linear light.
///
/// Samples lie in the middle of their cells, so that the edges of both pictures coincide. For downscaling the kernel is
/// widened by the ratio, so that no sample is left out. At the edges the outermost sample is repeated.
package struct ResamplingFilter: Sendable {
    package enum Kernel: CaseIterable, Sendable {
        /// A triangle kernel, without overshoot.
        case bilinear
        /// A sinc of three lobes, windowed by the main lobe of a wider sinc (Lanczos).
        case lanczos

        /// The radius of the kernel in samples.
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

    // What the filter was made for, as in the initializer.
    let source: Int
    let target: Int
    let range: Range<Int>
    let kernel: Kernel
    let step: Int

    /// For each output sample, the index of the first of the `taps` consecutive source samples.
    package let first: [Int32]
    package let taps: Int
    /// The weights: `taps` for each output sample, with a sum of 1.
    package let weights: [Float]

    /// - Parameters:
    ///   - source: the number of source samples, 1 or more.
    ///   - target: the number of output samples of the whole axis, 1 or more.
    ///   - range: the output samples that are computed.
    ///   - step: what `taps` is a multiple of, where the source is long enough and the size changes.
    package init(from source: Int, to target: Int, range: Range<Int>, kernel: Kernel, step: Int = 1) {
        (self.source, self.target, self.range, self.kernel, self.step) = (source, target, range, kernel, step)
        guard source != target else {
            first = range.map { Int32(truncatingIfNeeded: $0) }
            taps = 1
            weights = Array(repeating: 1, count: range.count)
            return
        }
        let ratio = Double(source) / Double(target)
        let width = max(ratio, 1)
        let radius = kernel.radius * width
        // The kernel is 0 at its edges, so that samples there do not count.
        let taps = min((Int((2 * radius).rounded(.up)) + step - 1) / step * step, source)
        var first = [Int32]()
        var weights = [Float]()
        first.reserveCapacity(range.count)
        weights.reserveCapacity(range.count * taps)
        var row = [Double](repeating: 0, count: taps)
        for sample in range {
            let center = (Double(sample) + 0.5) * ratio - 0.5
            let lowest = Int((center - radius).rounded(.down)) + 1
            let start = min(max(lowest, 0), source - taps)
            for index in 0..<taps { row[index] = 0 }
            var sum = 0.0
            for index in lowest...max(Int((center + radius).rounded(.up)) - 1, lowest) {
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
