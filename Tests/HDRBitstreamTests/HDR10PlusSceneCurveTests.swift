import HDRColor
import TestSupport
import Testing

@testable import HDRBitstream

/// HDR10+'s curve as colour maths take it.
@Suite struct HDR10PlusSceneCurveTests {
    private static func metadata() -> HDR10PlusMetadata {
        var metadata = HDR10PlusMetadata()
        metadata.targetedSystemDisplayMaximumLuminance = 400
        metadata.windows[0].maxSCL = SIMD3(5000, 8123, 7000)
        metadata.windows[0].toneMapping = .init(
            kneePoint: SIMD2(410, 819), bezierCurveAnchors: [256, 512, 700, 850, 1000])
        return metadata
    }

    /// On the targeted display it is the curve of the metadata itself.
    @Test func targetedDisplay() throws {
        let metadata = Self.metadata()
        let scene = try #require(metadata.sceneCurve)
        let peak = try #require(metadata.scenePeak)
        #expect(peak == 812.3 && scene.targetedPeak == 400 && scene.anchors.count == 5)
        let curve = try #require(ST209440(scene, scenePeak: peak, displayPeak: 400))
        let own = HDR10PlusToneCurve(try #require(metadata.windows[0].toneMapping))
        for step in 0...1000 {
            let share = Double(step) / 1000
            #expect(abs(curve(share * peak) - 400 * own.value(at: share)) < 1e-9)
        }
    }

    @Test func missingParts() throws {
        var metadata = Self.metadata()
        metadata.windows[0].maxSCL = SIMD3(0, 0, 0)
        #expect(metadata.scenePeak == nil)
        metadata.windows[0].distributionMaxRGB = [
            .init(percentage: 1, percentile: 10), .init(percentage: 10, percentile: 99999),
            .init(percentage: 99, percentile: 6000),
        ]
        #expect(metadata.scenePeak == 600)
        metadata.targetedSystemDisplayMaximumLuminance = 0
        #expect(metadata.sceneCurve == nil)
        metadata = Self.metadata()
        metadata.windows[0].toneMapping = nil
        #expect(metadata.sceneCurve == nil)
        metadata.windows = []
        #expect(metadata.sceneCurve == nil && metadata.scenePeak == nil)
        // The field is wider than what is allowed.
        metadata = Self.metadata()
        metadata.windows[0].maxSCL = SIMD3(131071, 0, 0)
        #expect(metadata.scenePeak == 10000)
    }
}
