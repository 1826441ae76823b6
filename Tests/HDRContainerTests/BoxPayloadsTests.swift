import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct BoxPayloadsTests {
    @Test func masteringDisplayIsGreenBlueRed() {
        let bytes = BoxPayloads.mdcv(.p3)
        #expect(
            bytes == [
                0x33, 0xc2, 0x86, 0xc4, 0x1d, 0x4c, 0x0b, 0xb8, 0x84, 0xd0, 0x3e, 0x80, 0x3d, 0x13, 0x40, 0x42, 0x00,
                0x98, 0x96, 0x80, 0x00, 0x00, 0x00, 0x32,
            ])
        #expect(BoxPayloads.masteringDisplay(bytes) == .p3)
        #expect(BoxPayloads.masteringDisplay(Array(bytes.dropLast())) == nil)
    }

    @Test func lightLevels() {
        let level = ContentLightLevel(maximum: 1000, frameAverage: 400)
        #expect(BoxPayloads.clli(level) == [0x03, 0xe8, 0x01, 0x90])
        #expect(BoxPayloads.contentLightLevel([0x03, 0xe8, 0x01, 0x90]) == level)
        #expect(BoxPayloads.contentLightLevel([0x03, 0xe8, 0x01]) == nil)
    }

    /// The bytes of a phone's `amve` box.
    @Test func ambientViewing() {
        let bytes: [UInt8] = [0x00, 0x2f, 0xe9, 0xa0, 0x3d, 0x13, 0x40, 0x42]
        let viewing = AmbientViewing(illuminance: 3_140_000, light: SIMD2(15635, 16450))
        #expect(BoxPayloads.ambientViewing(bytes) == viewing)
        #expect(BoxPayloads.amve(viewing) == bytes)
        #expect(BoxPayloads.ambientViewing(Array(bytes.dropLast())) == nil)
    }

    @Test func colors() {
        let quickTime = BoxPayloads.colr(.pq, isQuickTime: true, isFullRange: false)
        #expect(quickTime == Array("nclc".utf8) + [0, 9, 0, 16, 0, 9])
        let iso = BoxPayloads.colr(.pq, isQuickTime: false, isFullRange: true)
        #expect(iso == Array("nclx".utf8) + [0, 9, 0, 16, 0, 9, 0x80])
        #expect(BoxPayloads.color(iso)?.isFullRange == true)
        #expect(BoxPayloads.color(quickTime)?.isFullRange == nil)
        #expect(BoxPayloads.color(quickTime)?.transfer == 16)
        #expect(BoxPayloads.color(Array("prof".utf8) + [0, 9, 0, 16, 0, 9]) == nil)
        #expect(BoxPayloads.color(Array("nclx".utf8) + [1, 0, 0, 16, 0, 9, 0])?.primaries == 2)
    }
}
