import Testing

@testable import HDRMetadata

@Suite struct StaticMetadataTests {
    static let display = MasteringDisplay(
        red: SIMD2(35400, 14600), green: SIMD2(8500, 39850), blue: SIMD2(6550, 2300), white: SIMD2(15635, 16450),
        maximum: 40_000_000, minimum: 50)

    @Test func contentLightLevelComesFirst() {
        let both = StaticMetadata(
            masteringDisplay: Self.display, contentLightLevel: ContentLightLevel(maximum: 1200, frameAverage: 400))
        #expect(both.peak == 1200)
        #expect(StaticMetadata(masteringDisplay: Self.display).peak == 4000)
        #expect(StaticMetadata.none.peak == nil)
    }

    @Test(arguments: [
        ContentLightLevel(maximum: 0, frameAverage: 0), ContentLightLevel(maximum: 10001, frameAverage: 1),
        ContentLightLevel(maximum: 400, frameAverage: 1000),
    ]) func absurdLightLevelsAreIgnored(_ level: ContentLightLevel) {
        let metadata = StaticMetadata(masteringDisplay: Self.display, contentLightLevel: level)
        #expect(metadata.peak == 4000)
        #expect(metadata.defects.count == 1)
    }

    @Test(arguments: [(UInt32(0), UInt32(0)), (100_000_001, 1), (50, 4000), (7, 7)])
    func absurdDisplaysAreIgnored(_ maximum: UInt32, _ minimum: UInt32) {
        var display = Self.display
        display.maximum = maximum
        display.minimum = minimum
        let metadata = StaticMetadata(masteringDisplay: display)
        #expect(metadata.peak == nil)
        #expect(metadata.defects.count == 1)
    }

    @Test func limitsCutAndNeverRaise() {
        let metadata = StaticMetadata(
            masteringDisplay: Self.display, contentLightLevel: ContentLightLevel(maximum: 3000, frameAverage: 700))
        let cut = metadata.limited(to: 600)
        #expect(cut.masteringDisplay?.maximum == 6_000_000 && cut.masteringDisplay?.minimum == 50)
        #expect(cut.contentLightLevel == ContentLightLevel(maximum: 600, frameAverage: 600))
        #expect(metadata.limited(to: 10000) == metadata)
        #expect(metadata.limited(to: .infinity) == metadata)
        #expect(metadata.limited(to: -.infinity).masteringDisplay?.maximum == 0)
        #expect(metadata.limited(to: .nan).masteringDisplay?.maximum == 0)
    }

    @Test func valuesThatAReaderCutsOff() {
        let display = Self.display
        var near = display
        near.maximum -= 1
        near.red.x -= 1
        #expect(display.isNear(near) && near.isNear(display))
        near.red.x -= 1
        #expect(!display.isNear(near))
        near = display
        near.minimum = .max
        #expect(!display.isNear(near))
    }
}
