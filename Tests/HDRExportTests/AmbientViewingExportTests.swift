import MetadataTestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct AmbientViewingExportTests {
    @Test func ambientViewingAsText() throws {
        let viewing = try AmbientViewing(text: "3140000:15635:16450")
        #expect(viewing == MetadataFixture.ambient && viewing.text == "3140000:15635:16450")
        for text in ["", "3140000", "0:15635:16450", "1:50001:1", "1:2:3:4", "-1:2:3", "1:2:70000", "auto"] {
            #expect(throws: ExportError.self) { try AmbientViewing(text: text) }
        }
    }

    @Test func plansKeepAmbientViewing() throws {
        let hlg = ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false, chromaLocation: nil)
        var source = SourceFormat(width: 1280, height: 720, bitDepth: 10, color: hlg)
        source.metadata.ambientViewing = MetadataFixture.ambient
        var planner = ExportPlanner(preset: .hevcHighestQuality)
        #expect(try planner.plan(video: source).metadata.known.ambientViewing == MetadataFixture.ambient)
        let requested = AmbientViewing(illuminance: 50000, light: SIMD2(15635, 16450))
        planner.settings.compression.ambientViewing = requested
        #expect(try planner.plan(video: source).metadata.ambientViewing == requested)
        #expect(try CompressionProperties(planner.settings.compression.settings).ambientViewing == requested)
        // The metadata are about pictures that no longer exist.
        planner = ExportPlanner(preset: .h264_1280x720)
        #expect(try planner.plan(video: source).metadata.ambientViewing == nil)
        planner.settings.compression.ambientViewing = requested
        #expect(throws: ExportError.metadataForSDR(key: "ambient-viewing-environment")) {
            try planner.plan(video: source)
        }
        source.codec = .hevc
        #expect(
            try ExportPlanner(preset: .passthrough).plan(video: source).metadata.ambientViewing
                == MetadataFixture.ambient)
    }
}
