@testable import HDRExport
@testable import HDRMetadata

/// Metadata as GStreamer's caps have it.
enum MetadataTextFixture {
    static let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
}
