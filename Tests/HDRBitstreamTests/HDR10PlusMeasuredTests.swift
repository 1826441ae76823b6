import HDRColor
import Testing

@testable import HDRBitstream

/// HDR10+ of what was measured.
@Suite struct HDR10PlusMeasuredTests {
    @Test func fieldsAreThoseOfTheProfiles() throws {
        var light = PQDistribution()
        func code(_ light: Double) -> UInt16 { UInt16((PQ.inverseEOTF(light) * 65535).rounded()) }
        // 100 000 pixels: 60 % of 50 cd/m², 39.97 % of 400, 0.02 % of 2000, 0.01 % of 4000, which are red.
        var components: [UInt16] = []
        for (count, red, other) in [(60000, 50.0, 40.0), (39970, 400, 300), (20, 2000, 1000), (10, 4000, 500)] {
            for _ in 0..<count { components += [code(red), code(other), code(other / 2), 0] }
        }
        components.withUnsafeBufferPointer { light.add($0) }
        let metadata = HDR10PlusMetadata(light)
        #expect(metadata.profile == .a && metadata.findings.isEmpty, "\(metadata.findings)")
        let window = try #require(metadata.windows.first)
        func isNear(_ steps: UInt32, _ light: Double) -> Bool { abs(Double(steps) / 10 - light) <= 0.05 + light * 1e-4 }
        #expect(isNear(window.maxSCL.x, 4000) && isNear(window.maxSCL.y, 1000) && isNear(window.maxSCL.z, 500))
        #expect(isNear(window.averageMaxRGB, 0.6 * 50 + 0.3997 * 400 + 0.0002 * 2000 + 0.0001 * 4000))
        #expect(window.distributionMaxRGB.map(\.percentage) == [1, 5, 10, 25, 50, 75, 90, 95, 99])
        let values = window.distributionMaxRGB.map(\.percentile)
        #expect(values[2] == 60)
        for (index, light) in [(0, 50.0), (1, 2000), (3, 50), (4, 50), (5, 400), (6, 400), (7, 400), (8, 2000)] {
            #expect(isNear(values[index], light), "entry \(index): \(values[index])")
        }
        #expect(try HDR10PlusMetadata(payload: metadata.payload) == metadata)
    }

    @Test func blackHasNoLight() throws {
        var light = PQDistribution()
        [UInt16](repeating: 0, count: 400).withUnsafeBufferPointer { light.add($0) }
        let metadata = HDR10PlusMetadata(light)
        #expect(metadata.windows[0].maxSCL == SIMD3() && metadata.windows[0].averageMaxRGB == 0)
        #expect(metadata.windows[0].distributionMaxRGB.map(\.percentile) == [0, 0, 100, 0, 0, 0, 0, 0, 0])
        #expect(try HDR10PlusMetadata(payload: metadata.payload) == metadata)
    }
}
