/// What the scene tracker keeps of a picture's light.
public struct SceneSample: Equatable, Sendable {
    /// The PQ value that 99.995 % of the pixels do not exceed: a single hot pixel is no highlight, and of 3840x2160
    /// pixels 415 are the size of a small lamp.
    public let peak: Double
    /// The mean PQ value of the pixels that are not black; of an SDR picture that is expanded, its share of highlights.
    public let average: Double
    /// The fraction of the pixels that are not black.
    public let coverage: Double
    /// The fraction of the pixels up to the end of each bin, and in each bin.
    let cumulative: [Float]
    let shares: [Float]

    /// Bins in which pictures are compared.
    static let bins = 128
    public static let percentile = 0.99995
    /// PQ values below this, 0.5 cd/m², count as black.
    static let black = 0.08

    /// - Parameter white: luminance of white in an SDR picture whose share of highlights counts, in cd/m²; `nil` for
    ///   HDR.
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

    /// How far light has to be moved to make one picture's distribution the other's: the mean distance in PQ (the
    /// first Wasserstein distance).
    public func distance(to other: SceneSample) -> Double {
        var sum: Float = 0
        for bin in 0..<Self.bins { sum += abs(cumulative[bin] - other.cumulative[bin]) }
        return Double(sum) / Double(Self.bins)
    }

    /// The fraction of the pixels that would have to change their bin.
    func difference(to other: SceneSample) -> Double {
        var sum: Float = 0
        for bin in 0..<Self.bins { sum += abs(shares[bin] - other.shares[bin]) }
        return Double(sum) / 2
    }
}
