import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct RatePolicyTests {
    static func megabits(
        _ codec: VideoCodec, _ width: Int, _ height: Int, _ rate: Double, _ range: DynamicRange = .sdr
    ) -> Double {
        RatePolicy.bitRate(codec, size: FrameSize(width, height), frameRate: rate, range: range) / 1e6
    }

    @Test func documentedNumbers() {
        #expect(abs(Self.megabits(.hevc, 1920, 1080, 30) - 8.087) < 0.001)
        #expect(abs(Self.megabits(.h264, 1920, 1080, 30) - 11.820) < 0.001)
        let ratio = Self.megabits(.hevc, 3840, 2160, 60) / Self.megabits(.hevc, 1920, 1080, 30)
        #expect(abs(ratio - 4) < 0.001)
        #expect(abs(Self.megabits(.hevc, 1920, 1080, 30, .pq) / Self.megabits(.hevc, 1920, 1080, 30) - 1.25) < 1e-9)
    }

    /// Apple ProRes White Paper.
    @Test(arguments: [
        (VideoCodec.proRes422Proxy, 45.0), (.proRes422LT, 102.0), (.proRes422, 147.0), (.proRes422HQ, 220.0),
        (.proRes4444, 330.0), (.proRes4444XQ, 500.0),
    ]) func proResTargetDataRates(_ codec: VideoCodec, _ rate: Double) {
        #expect(abs(Self.megabits(codec, 1920, 1080, 30000 / 1001) - rate) < 0.01)
        #expect(abs(Self.megabits(codec, 3840, 2160, 30000 / 1001) - 4 * rate) < 0.01)
    }

    @Test func moreOfAnythingNeedsMore() {
        for codec in VideoCodec.encodable {
            #expect(Self.megabits(codec, 1920, 1080, 30) < Self.megabits(codec, 1922, 1080, 30))
            #expect(Self.megabits(codec, 1920, 1080, 30) < Self.megabits(codec, 1920, 1080, 50))
        }
        var last = 0.0
        for step in 0...10 {
            let factor = RatePolicy.expectedFactor(quality: Double(step) / 10)
            #expect(factor > last)
            last = factor
        }
    }

    @Test func wholeNumbersAreBounded() {
        for rate in [Double.nan, .infinity, -.infinity, -5, 0, 1e300] {
            #expect((16_000...10_000_000_000).contains(RatePolicy.whole(rate)))
        }
    }
}
