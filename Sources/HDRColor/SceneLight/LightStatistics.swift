/// The distribution of one picture's light, which tone curves, scopes and dynamic metadata are derived from.
///
/// A pixel counts by the largest of its R, G and B (maxRGB, CTA-861.3 Annex A) in PQ, SMPTE ST 2084, whose steps are
/// about equally visible.
public struct LightStatistics: Equatable, Sendable {
    /// The number of bins in the histogram, which have equal widths in PQ.
    public static let bins = 1024

    /// The number of pixels for each bin: bin b holds those with PQ values from b / 1024 to (b + 1) / 1024.
    public var histogram: [UInt32]
    /// The number of pixels that were measured, on a grid or in all of the picture.
    public var pixels: Int
    /// The light of the brightest pixel, in cd/m².
    public var maximum: Double
    /// The mean light of all pixels, in cd/m².
    public var average: Double
    /// The number of pixels with a component of less than -1 % of their largest one in the requested primaries, which
    /// are colours outside that gamut.
    public var outsideGamut: Int
    /// The number of pixels outside the gamut of other primaries, where it was requested.
    public var outsideWiderGamut: Int

    /// The statistics of a picture before anything has been measured.
    public init() {
        histogram = Array(repeating: 0, count: Self.bins)
        pixels = 0
        maximum = 0
        average = 0
        outsideGamut = 0
        outsideWiderGamut = 0
    }

    /// The fraction of pixels outside the gamut.
    public var gamutExcess: Double { pixels > 0 ? Double(outsideGamut) / Double(pixels) : 0 }

    /// The PQ value that a fraction of the pixels does not exceed: linear within a bin, and never above the maximum's.
    public func percentile(_ fraction: Double) -> Double {
        let top = PQ.inverseEOTF(min(max(maximum, 0), PQ.peak))
        var above = Double(pixels) - fraction * Double(pixels)
        for bin in histogram.indices.reversed() where histogram[bin] > 0 {
            let count = Double(histogram[bin])
            // Where the products are rounded, the bin's last pixel may seem to lie in the bin below.
            if count > above + 1e-6 { return min((Double(bin + 1) - above / count) / Double(Self.bins), top) }
            above -= count
        }
        return 0
    }

    /// The PQ value that a fraction of the pixels does not exceed: the middle of the bin that holds the pixel, which is
    /// within half a bin, or the average of a picture that lies in one bin, and never above the maximum's.
    /// ``percentile(_:)``, which moves smoothly from picture to picture, is up to a bin off where the pixels of a bin
    /// are all alike.
    public func centredPercentile(_ fraction: Double) -> Double {
        let top = PQ.inverseEOTF(min(max(maximum, 0), PQ.peak))
        guard fraction < 1 else { return top }
        var above = pixels - percentileRank(fraction, of: pixels)
        var lowest = 0.0
        for bin in histogram.indices.reversed() where histogram[bin] > 0 {
            let middle = (Double(bin) + 0.5) / Double(Self.bins)
            // A picture within one bin is mostly a flat one, whose light the average is; near black that is not exact
            // enough in PQ.
            let isFlat = Int(histogram[bin]) == pixels && average > 0.1
            let mean = isFlat ? PQ.inverseEOTF(min(average, PQ.peak)) : middle
            lowest = min(max(mean, Double(bin) / Double(Self.bins)), top)
            if Int(histogram[bin]) > above { return lowest }
            above -= Int(histogram[bin])
        }
        return lowest
    }

    /// The share of an SDR picture that consists of highlights, weighted by ``HighlightExpansion/weight(_:)``, [0, 1].
    /// - Parameter white: the luminance of SDR white, in cd/m².
    public func highlightShare(white: Double) -> Double {
        guard pixels > 0, white > 0 else { return 0 }
        let knee = PQ.inverseEOTF(HighlightExpansion(white: white, peak: white).knee)
        let first = min(max(Int(knee * Double(Self.bins)), 0), Self.bins - 1)
        var sum = 0.0
        for bin in first..<Self.bins where histogram[bin] > 0 {
            let light = PQ.eotf((Double(bin) + 0.5) / Double(Self.bins))
            sum += Double(histogram[bin]) * HighlightExpansion<Double>.weight(light / white)
        }
        return sum / Double(pixels)
    }

    /// The mean PQ value of the pixels above a PQ value, which leaves out black bars and borders; 0 where there are no
    /// such pixels.
    public func mean(above floor: Double) -> Double {
        let first = min(max(Int((floor * Double(Self.bins)).rounded(.up)), 0), Self.bins - 1)
        var count = 0.0
        var sum = 0.0
        for bin in first..<Self.bins {
            let pixels = Double(histogram[bin])
            count += pixels
            sum += pixels * (Double(bin) + 0.5)
        }
        return count > 0 ? sum / count / Double(Self.bins) : 0
    }
}
