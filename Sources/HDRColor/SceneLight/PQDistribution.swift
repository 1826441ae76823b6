/// The distribution of a PQ picture's light, exact to a code of 16 bits: the largest of R, G and B of each pixel
/// (maxRGB, CTA-861.3 Annex A), and the maximum of each component. It is finer than ``LightStatistics``, for metadata
/// with light in steps of 0.1 cd/m².
public struct PQDistribution: Equatable, Sendable {
    /// The number of pixels for each code of the largest component, in full range.
    public private(set) var histogram = Array(repeating: UInt32(0), count: 1 << 16)
    /// The highest codes of R, G and B.
    public private(set) var maximum = SIMD3<UInt16>()

    public init() {}

    /// Discards what was added.
    public mutating func reset() {
        for code in histogram.indices { histogram[code] = 0 }
        maximum = SIMD3()
    }

    /// Adds pixels of four components each: R, G, B and one that is ignored.
    public mutating func add(_ components: UnsafeBufferPointer<UInt16>) {
        var (red, green, blue) = (maximum.x, maximum.y, maximum.z)
        histogram.withUnsafeMutableBufferPointer { histogram in
            for pixel in 0..<components.count / 4 {
                let (r, g, b) = (components[4 &* pixel], components[4 &* pixel &+ 1], components[4 &* pixel &+ 2])
                red = max(red, r)
                green = max(green, g)
                blue = max(blue, b)
                histogram[Int(max(r, g, b))] &+= 1
            }
        }
        maximum = SIMD3(red, green, blue)
    }

    /// Adds the distribution of another part of the picture.
    public mutating func add(_ other: PQDistribution) {
        for code in histogram.indices { histogram[code] &+= other.histogram[code] }
        maximum = pointwiseMax(maximum, other.maximum)
    }

    public var pixels: Int { histogram.reduce(0) { $0 + Int($1) } }

    /// The light of a code, in cd/m².
    public static func light(_ code: UInt16) -> Double { PQ.eotf(Double(code) / 65535) }

    /// The mean light of all pixels, in cd/m².
    public var average: Double {
        var sum = 0.0
        for (code, count) in histogram.enumerated() where count > 0 {
            sum += Double(count) * Self.light(UInt16(truncatingIfNeeded: code))
        }
        return pixels > 0 ? sum / Double(pixels) : 0
    }

    /// The least light, in cd/m², that this fraction of the pixels does not exceed.
    public func percentile(_ fraction: Double) -> Double {
        let wanted = percentileRank(fraction, of: pixels)
        var seen = 0
        for (code, count) in histogram.enumerated() where count > 0 {
            seen += Int(count)
            if seen >= wanted { return Self.light(UInt16(truncatingIfNeeded: code)) }
        }
        return 0
    }

    /// The fraction of pixels that do not exceed a light in cd/m².
    public func share(upTo light: Double) -> Double {
        let top = Int((PQ.inverseEOTF(min(max(light, 0), PQ.peak)) * 65535).rounded())
        let count = histogram.prefix(top + 1).reduce(0) { $0 + Int($1) }
        return pixels > 0 ? Double(count) / Double(pixels) : 0
    }
}
