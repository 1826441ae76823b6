import MetadataTestSupport

@testable import HDRBitstream
@testable import HDRMetadata

/// Settings of the rewriter, and units for it.
enum RewriterFixture {
    typealias Settings = HEVCMetadataRewriter.Settings

    static var all: Settings {
        var settings = Settings()
        settings.masteringDisplay = MetadataFixture.display
        settings.contentLightLevel = MetadataFixture.level
        settings.ambientViewing = MetadataFixture.ambient
        settings.preferredTransfer = 18
        settings.chromaLocation = 2
        return settings
    }

    /// The four units that `all` asks for.
    static let wanted = [
        BitstreamFixture.sei([(137, MetadataFixture.displayPayload)]),
        BitstreamFixture.sei([(144, [3, 232, 1, 144])]),
        BitstreamFixture.sei([(147, [18])]), BitstreamFixture.sei([(148, MetadataFixture.ambientPayload)]),
    ]
    static let buffering = BitstreamFixture.sei([(0, [0x80, 1, 2])])
    static let info = BitstreamFixture.sei([(5, [UInt8](repeating: 0x41, count: 60))])
    static let hash = BitstreamFixture.sei([(132, [0, 1, 2, 3])], type: 40)
    static let picture = BitstreamFixture.slice(19, seed: 3)
    /// x265's faulty message: its size is one byte short, so that its last character becomes a message's beginning.
    static let faulty: [UInt8] = [0x4E, 0x01, 0x05, 0x03, 0x6E, 0x6F, 0x2D, 0x73, 0x74]
}
