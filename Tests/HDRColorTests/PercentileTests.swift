import Testing

@testable import HDRColor

/// Percentiles where a fraction of the pixels is a whole number of them, against whole numbers.
@Suite struct PercentileTests {
    @Test func ranksAreExact() {
        for count in [1, 2, 3, 7, 10, 20, 30, 100, 101, 900, 1000, 3072, 921_600, 2_073_600, 33_177_600] {
            for hundredths in 0...10_000 {
                let rank = percentileRank(Double(hundredths) / 10_000, of: count)
                #expect(rank == max((hundredths * count + 9_999) / 10_000, 1), "\(hundredths) of \(count)")
            }
        }
        #expect(percentileRank(.nan, of: 8) == 1 && percentileRank(-1, of: 8) == 1 && percentileRank(2, of: 8) == 8)
        #expect(percentileRank(0.5, of: 0) == 1)
    }

    /// Some of the pixels are dark, the rest bright, and the percentile is the share of the dark ones.
    @Test(arguments: [10, 20, 64, 100, 900, 921_600]) func theLastDarkPixel(_ count: Int) {
        let (dark, bright) = (160, 800)
        for percent in 1..<100 where percent * count % 100 == 0 {
            var light = LightStatistics()
            light.pixels = count
            light.histogram[dark] = UInt32(percent * count / 100)
            light.histogram[bright] = UInt32(count - percent * count / 100)
            light.maximum = PQ.eotf((Double(bright) + 0.5) / Double(LightStatistics.bins))
            let bins = Double(LightStatistics.bins)
            let fraction = Double(percent) / 100
            #expect(light.centredPercentile(fraction) == (Double(dark) + 0.5) / bins, "\(percent) % of \(count)")
            #expect(abs(light.percentile(fraction) - Double(dark + 1) / bins) < 1e-6, "\(percent) % of \(count)")
            let more = fraction + 0.6 / Double(count)
            #expect(light.centredPercentile(more) == (Double(bright) + 0.5) / bins, "\(percent) % of \(count)")
        }
    }
}
