import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct MediaTimescaleTests {
    @Test(
        arguments: [
            (600, nil, 90000), (24000, nil, 96000), (90000, nil, 90000), (48000, (25, 1), 96000),
            (nil, (30000, 1001), 90000), (nil, (24000, 1001), 96000), (nil, (25, 1), 90000), (nil, nil, 90000),
            (nil, (0, 1), 90000), (1_000_000, (24, 1), 90000), (0, (50, 1), 90000), (1, nil, 90000),
            (200_000, nil, 200_000), (nil, (Int.max, 1), 90000), (Int.min, nil, 90000),
        ] as [(Int?, (Int, Int)?, Int)])
    func multiples(_ source: Int?, _ rate: (Int, Int)?, _ expected: Int) {
        let rate = rate.map { Fraction($0.0, $0.1) }
        #expect(MediaTimescale.of(source: source, frameRate: rate) == expected)
    }
}
