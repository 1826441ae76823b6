import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct NearMatchesTests {
    @Test func typosFindWhatWasMeant() {
        let presets = ExportPreset.allCases.map(\.rawValue)
        #expect(NearMatches.of("hevc-1920x1800", in: presets).first == "hevc-1920x1080")
        #expect(NearMatches.of("HEVC_HighestQuality", in: presets).first == "hevc-highest-quality")
        #expect(NearMatches.of("prores422", in: presets).first == "prores-422")
        #expect(NearMatches.of("1280x720", in: presets) == ["h264-1280x720"])
        #expect(NearMatches.of("jsno", in: ["json", "quiet"]) == ["json"])
        #expect(NearMatches.of("v9", in: ["baseline", "v3", "v4"]) == ["v3", "v4"])
    }

    @Test func nothingIsLikeNonsense() {
        #expect(NearMatches.of("", in: ["width"]).isEmpty)
        #expect(NearMatches.of("qqqqqqqqqq", in: ["width", "height"]).isEmpty)
        #expect(NearMatches.of(String(repeating: "é", count: 100_000), in: ["width"]).isEmpty)
    }

    @Test func threeAtMostAndTheNearestFirst() {
        let found = NearMatches.of("aab", in: ["bbb", "aaa", "aab", "aac", "aad"])
        #expect(found.count == 3 && found.first == "aab")
    }
}
