/// The data about a picture's light that the scene tracker keeps.
public struct SceneSample: Equatable, Sendable {
    /// The PQ value that 99.995 % of the pixels do not exceed: a single hot pixel is no highlight, and 415 of 3840x2160
    /// pixels have the size of a small lamp.
    public let peak: Double
    /// The mean PQ value of the pixels that are not black; for an SDR picture that is expanded, its share of
    /// highlights.
    public let average: Double
    /// The fraction of the pixels that are not black.
    public let coverage: Double
    /// The fraction of the pixels up to the end of each bin, and the fraction in each bin.
    let cumulative: [Float]
    let shares: [Float]

    /// The number of bins in which pictures are compared.
    static let bins = 128
    public static let percentile = 0.99995
    /// PQ values below this, 0.18 cd/m², count as black.
    static let black = 0.08

    /// - Parameter white: the luminance of white in an SDR picture whose share of highlights is measured, in cd/m²;
    ///   `nil` for HDR.
    public init(_ statistics: LightStatistics, expandedFrom white: Double? = nil) {
        peak = statistics.percentile(Self.percentile)
        average = white.map { statistics.highlightShare(white: $0) } ?? statistics.mean(above: Self.black)
        let width = LightStatistics.bins / Self.bins
        let scale = 1 / Float(max(statistics.pixels, 1))
        var sums = [Float](repeating: 0, count: Self.bins)
        var shares = sums
        var sum: UInt32 = 0
        for bin in 0..<Self.bins {
            var own: UInt32 = 0
            for fine in bin * width..<(bin + 1) * width where fine < statistics.histogram.count {
                own &+= statistics.histogram[fine]
            }
            sum &+= own
            shares[bin] = Float(own) * scale
            sums[bin] = Float(sum) * scale
        }
        cumulative = sums
        self.shares = shares
        let dark = Int((Self.black * Double(Self.bins)).rounded(.up))
        coverage = statistics.pixels > 0 ? 1 - Double(sums[dark - 1]) : 0
    }

    /// Whether there is nothing to adapt to.
    var isBlack: Bool { coverage < 0.0005 }

    /// The distance between the light distributions of two pictures: the mean distance in PQ by which light has to be
    /// moved to turn one into the other (the first Wasserstein distance).
    public func distance(to other: SceneSample) -> Double {
        var sum: Float = 0
        for bin in 0..<Self.bins { sum += abs(cumulative[bin] - other.cumulative[bin]) }
        return Double(sum) / Double(Self.bins)
    }

    /// The fraction of the pixels that would have to move to another bin.
    func difference(to other: SceneSample) -> Double {
        var sum: Float = 0
        for bin in 0..<Self.bins { sum += abs(shares[bin] - other.shares[bin]) }
        return Double(sum) / 2
    }

    /// The PQ value that a fraction of the pixels does not exceed, exact to the width of a bin.
    func quantile(_ fraction: Float) -> Double {
        guard let bin = cumulative.firstIndex(where: { $0 >= fraction }) else { return 1 }
        let below = bin > 0 ? cumulative[bin - 1] : 0
        let part = shares[bin] > 0 ? (fraction - below) / shares[bin] : 1
        return (Double(bin) + Double(min(max(part, 0), 1))) / Double(Self.bins)
    }

    /// The mean excess over a PQ value, averaged over all pixels, in PQ.
    func excess(over level: Double) -> Double {
        let first = min(max(Int(level * Double(Self.bins)), 0), Self.bins - 1)
        var sum = 0.0
        for bin in first..<Self.bins where shares[bin] > 0 {
            let middle = (Double(bin) + 0.5) / Double(Self.bins)
            sum += Double(shares[bin]) * max(middle - level, 0)
        }
        return sum
    }

    /// Whether nine tenths of the pixels are about as bright as the brightest, as in a picture without content.
    var isUniform: Bool { quantile(0.1) > peak - 0.03 }

    /// Whether this is the other picture with less light on all of it, as in a fade to black: each part of the
    /// distribution falls as the peak falls, by a factor in light or by one in PQ.
    func isDimmed(from other: SceneSample) -> Bool {
        let fall = other.peak - peak
        guard fall > 0.004 else { return false }
        let light = PQ.eotf(peak) / max(PQ.eotf(other.peak), 1e-6)
        let signal = peak / max(other.peak, 1e-6)
        let tolerance = 0.008 + 0.1 * fall
        var (isLight, isSignal) = (true, true)
        for share in [0.95, 0.75, 0.5, 0.25, 0.05] {
            let fraction = Float(1 - share * other.coverage)
            let (before, now) = (other.quantile(fraction), max(quantile(fraction), Self.black))
            isLight = isLight && abs(now - max(PQ.inverseEOTF(PQ.eotf(before) * light), Self.black)) < tolerance
            isSignal = isSignal && abs(now - max(before * signal, Self.black)) < tolerance
        }
        return isLight || isSignal
    }
}
