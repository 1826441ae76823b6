import Testing

@testable import HDRMetadata

@Suite struct ContentLightMeterTests {
    @Test func theBrightestOfAllPictures() {
        var meter = ContentLightMeter()
        meter.add(maximum: 812.4, average: 120.6, percentile: 700.5)
        meter.add(maximum: 300, average: 203.49, percentile: 299)
        meter.add(maximum: 990.5, average: 3, percentile: 100)
        #expect(meter.frames == 3)
        #expect(meter.levels == ContentLightLevel(maximum: 991, frameAverage: 203))
        #expect(meter.percentile == 700.5)
    }

    @Test func nothingBeforeTheFirstPicture() {
        var meter = ContentLightMeter()
        #expect(meter.levels == nil && meter.percentile == nil && meter.frames == 0)
        for bad in [Double.nan, .infinity, -.infinity] {
            meter.add(maximum: bad, average: 1)
            meter.add(maximum: 1, average: bad)
        }
        #expect(meter.levels == nil && meter.frames == 0)
        meter.add(maximum: 0, average: 0, percentile: 0)
        #expect(meter.levels == ContentLightLevel(maximum: 0, frameAverage: 0))
        #expect(meter.percentile == 0)
    }

    @Test(arguments: [
        (0.49, 0), (0.5, 1), (1.5, 2), (2.5, 3), (999.9999, 1000), (1000.0001, 1000), (10000, 10000), (65535.4, 65535),
        (1e9, 65535), (-3, 0),
    ]) func rounding(_ light: Double, _ integer: UInt16) {
        var meter = ContentLightMeter()
        meter.add(maximum: light, average: light, percentile: light)
        let levels = ContentLightLevel(maximum: integer, frameAverage: integer)
        #expect(meter.levels == levels)
    }

    @Test func percentilesAreOfEveryPictureOrOfNone() {
        var meter = ContentLightMeter()
        meter.add(maximum: 10, average: 5, percentile: 9)
        meter.add(maximum: 20, average: 5)
        meter.add(maximum: 10, average: 5, percentile: 9)
        #expect(meter.percentile == nil)
        #expect(meter.levels == ContentLightLevel(maximum: 20, frameAverage: 5))

        var late = ContentLightMeter()
        late.add(maximum: 10, average: 5)
        late.add(maximum: 10, average: 5, percentile: 9)
        #expect(late.percentile == nil)
        late.add(maximum: 10, average: 5, percentile: .nan)
        #expect(late.frames == 3 && late.percentile == nil)
    }

    @Test func partsOfAStreamAddUp() {
        let frames: [(Int, Int, Int)] = (1...20).map { i in (i * 37 % 20 * 10, i * 13 % 20, i * 7 % 20 * 9) }
        var whole = ContentLightMeter()
        var parts = [ContentLightMeter(), ContentLightMeter(), ContentLightMeter()]
        for (index, frame) in frames.enumerated() {
            let (maximum, average, percentile) = (Double(frame.0), Double(frame.1), Double(frame.2))
            whole.add(maximum: maximum, average: average, percentile: percentile)
            parts[index % 2].add(maximum: maximum, average: average, percentile: percentile)
        }
        // The third has no picture.
        var sum = ContentLightMeter()
        for part in [parts[2], parts[0], parts[2], parts[1]] { sum.add(part) }
        #expect(sum == whole)
        var without = ContentLightMeter()
        without.add(maximum: 1, average: 1)
        sum.add(without)
        #expect(sum.frames == 21 && sum.percentile == nil && sum.levels == whole.levels)
    }
}
