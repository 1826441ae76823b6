import MetadataTestSupport
import Testing

@testable import HDRMetadata

@Suite struct AmbientViewingTests {
    @Test func luxAndDefects() {
        #expect(abs(MetadataFixture.ambient.lux - 314) < 1e-9)
        #expect(MetadataFixture.ambient.defect == nil)
        #expect(AmbientViewing(illuminance: 0, light: SIMD2(15635, 16450)).defect != nil)
        #expect(AmbientViewing(illuminance: 1, light: SIMD2(50001, 16450)).defect != nil)
        #expect(AmbientViewing(illuminance: 1, light: SIMD2(50000, 50000)).defect == nil)
    }
}
