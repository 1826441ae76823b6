/// The data about a picture's light that the scene tracker keeps.
public struct SceneSample: Equatable, Sendable {
    /// The PQ value that 99.995 % of the pixels do not exceed: a single hot pixel is no highlight, and 415 of 3840x2160
    /// pixels have the size of a small lamp.
    public let peak: Double
    /// The mean PQ value of the pixels that are not black; for an SDR picture that is expanded, the lift of white for
    /// its share of highlights, in PQ.
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
        average =
            white.map { HighlightExpansion<Double>.lift(ofShare: statistics.highlightShare(white: $0)) }
            ?? statistics.mean(above: Self.black)
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

    /// Whether this is the other picture with less light on it, as in a fade to black: parts of the distribution fall
    /// by one factor in light, or by one in PQ. What does not fade, such as a caption, takes the place of some of them.
    func isDimmed(from other: SceneSample) -> Bool {
        let parts = parts(from: other)
        guard parts.count(where: { $0.before - $0.now > 0.004 }) >= Self.dimmedParts else { return false }
        return isDimmed(parts, to: PQ.eotf, from: PQ.inverseEOTF) || isDimmed(parts, to: { $0 }, from: { $0 })
    }

    /// Whether most parts of the other picture's distribution are brighter, and none is darker.
    func isDarker(than other: SceneSample) -> Bool {
        let parts = parts(from: other)
        return parts.count { $0.before - $0.now > 0.004 } >= Self.dimmedParts
            && parts.allSatisfy { $0.now - $0.before < 0.002 }
    }

    /// PQ values of the same parts of the other picture's distribution and of this one.
    private func parts(from other: SceneSample) -> [(before: Double, now: Double)] {
        [0.95, 0.75, 0.5, 0.25, 0.05].map { share in
            let fraction = Float(1 - share * other.coverage)
            return (before: max(other.quantile(fraction), Self.black), now: max(quantile(fraction), Self.black))
        } + [(before: max(other.peak, Self.black), now: max(peak, Self.black))]
    }

    /// Of the parts in ``isDimmed(from:)``, as many have to fall by the factor; others fall by less.
    private static let dimmedParts = 4

    /// - Parameters:
    ///   - parts: PQ values of the same parts of two distributions.
    ///   - to, from: to the quantity that falls by one factor, and back.
    private func isDimmed(
        _ parts: [(before: Double, now: Double)], to quantity: (Double) -> Double, from inverse: (Double) -> Double
    ) -> Bool {
        // Parts that have become black tell nothing about the factor, unless most of them have.
        let left = parts.filter { $0.now > Self.black }
        let isBlack = parts.count - left.count >= Self.dimmedParts
        let factor = isBlack ? 0 : min(left.map { quantity($0.now) / quantity($0.before) }.min() ?? 0, 1)
        var followers = 0
        for part in parts {
            let expected = max(inverse(quantity(part.before) * factor), Self.black)
            let tolerance = 0.008 + 0.1 * (part.before - expected)
            if abs(part.now - expected) < tolerance {
                followers += 1
            } else if part.now < expected || part.now > part.before + tolerance {
                return false
            }
        }
        return followers >= Self.dimmedParts
    }
}
