import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct ColorBoxTests {
    @Test func colors() {
        let quickTime = ColorBox.payload(.pq, isQuickTime: true, isFullRange: false)
        #expect(quickTime == Array("nclc".utf8) + [0, 9, 0, 16, 0, 9])
        let iso = ColorBox.payload(.pq, isQuickTime: false, isFullRange: true)
        #expect(iso == Array("nclx".utf8) + [0, 9, 0, 16, 0, 9, 0x80])
        #expect(ColorBox.color(iso)?.isFullRange == true)
        #expect(ColorBox.color(quickTime)?.isFullRange == nil)
        #expect(ColorBox.color(quickTime)?.transfer == 16)
        #expect(ColorBox.color(Array("prof".utf8) + [0, 9, 0, 16, 0, 9]) == nil)
        #expect(ColorBox.color(Array("nclx".utf8) + [1, 0, 0, 16, 0, 9, 0])?.primaries == 2)
    }
}
