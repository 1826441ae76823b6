import MetadataTestSupport

@testable import HDRBitstream
@testable import HDRContainer
@testable import HDRInspection
@testable import HDRMetadata

/// Typical data of a container and a bitstream, before a test changes them.
enum SignalFixture {
    static let bt2020Display = MasteringDisplay(
        red: SIMD2(35400, 14600), green: SIMD2(8500, 39850), blue: SIMD2(6550, 2300), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)
    static let level = ContentLightLevel(maximum: 1000, frameAverage: 400)

    static func movie(_ color: ColorDescription?, codec: String = "hvc1") -> ContainerSignal {
        var signal = ContainerSignal(kind: .iso)
        signal.color = color
        signal.codec = codec
        (signal.width, signal.height) = (1920, 1080)
        return signal
    }

    static func hevc(_ color: ColorDescription, depth: UInt8 = 10) -> BitstreamInspection {
        var inspection = BitstreamInspection(codec: .hevc)
        inspection.color = color
        (inspection.width, inspection.height) = (1920, 1080)
        (inspection.lumaDepth, inspection.chromaDepth) = (depth, depth)
        return inspection
    }

    /// HDR10 that leaves nothing to find.
    static var hdr10: (container: ContainerSignal, bitstream: BitstreamInspection) {
        var (container, bitstream) = (movie(.bt2100PQ), hevc(.bt2100PQ))
        (container.masteringDisplay, container.hasMasteringMetadata) = (bt2020Display, true)
        container.contentLightLevel = level
        bitstream.masteringDisplay = bt2020Display
        bitstream.contentLightLevel = level
        return (container, bitstream)
    }

    /// An iPhone's recording, which leaves nothing to find either.
    static var dolbyVision84: (container: ContainerSignal, bitstream: BitstreamInspection) {
        var (container, bitstream) = (movie(.bt2100HLG), hevc(.bt2100HLG))
        container.dolbyVision = DolbyVisionRecord(profile: 8, level: 4, compatibility: 4)
        container.ambientViewing = MetadataFixture.ambient
        bitstream.ambientViewing = MetadataFixture.ambient
        (bitstream.hasDolbyVisionRPU, bitstream.dolbyVisionProfile) = (true, 8)
        return (container, bitstream)
    }
}

extension SignalReport {
    var codes: [String] { findings.map(\.code) }
}
