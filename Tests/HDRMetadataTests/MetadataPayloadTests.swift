import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRMetadata

@Suite struct MetadataPayloadTests {
    @Test func masteringDisplayIsGreenBlueRed() throws {
        let distinct = MasteringDisplay(
            red: SIMD2(0x0101, 0x0202), green: SIMD2(0x0303, 0x0404), blue: SIMD2(0x0505, 0x0606),
            white: SIMD2(0x0707, 0x0808), maximum: 0x090A_0B0C, minimum: 0x0D0E_0F10)
        let payload = MetadataFixture.bytes("030304040505060601010202 07070808 090a0b0c 0d0e0f10")
        #expect(distinct.payload == payload)
        #expect(MasteringDisplay(payload: payload) == distinct)
        #expect(MetadataFixture.display.payload == MetadataFixture.displayPayload)
    }

    @Test func lightLevelIsMaximumThenAverage() {
        #expect(MetadataFixture.level.payload == [0x03, 0xE8, 0x01, 0x90])
        #expect(ContentLightLevel(payload: [0x03, 0xE8, 0x01, 0x90]) == MetadataFixture.level)
    }

    @Test func ambientViewingIsAsAPhoneWritesIt() {
        #expect(MetadataFixture.ambient.payload == MetadataFixture.ambientPayload)
        #expect(AmbientViewing(payload: MetadataFixture.ambientPayload) == MetadataFixture.ambient)
    }

    @Test(arguments: 0..<40) func fewerBytesAreNoPayload(size: Int) {
        let bytes = [UInt8](repeating: 7, count: size)
        #expect((MasteringDisplay(payload: bytes) != nil) == (size >= 24))
        #expect((ContentLightLevel(payload: bytes) != nil) == (size >= 4))
        #expect((AmbientViewing(payload: bytes) != nil) == (size >= 8))
    }

    @Test func everyPayloadComesBack() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<1000 {
            let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(MasteringDisplay(payload: bytes)?.payload == bytes)
            #expect(ContentLightLevel(payload: bytes[3..<7])?.payload == Array(bytes[3..<7]))
            #expect(AmbientViewing(payload: bytes[5..<13])?.payload == Array(bytes[5..<13]))
        }
    }
}
