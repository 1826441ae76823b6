import Foundation
import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct BitstreamInspectionTests {
    @Test(arguments: BitstreamFixture.framings) func whatTheRewriterWritesIsRead(framing: NALFraming) throws {
        let rewriter = try HEVCMetadataRewriter(RewriterFixture.all, framing: framing)
        let input = BitstreamFixture.framed(
            [BitstreamFixture.x265SPS, BitstreamFixture.pps, BitstreamFixture.slice(20)], framing)
        let output = try #require(try rewriter.rewrite(input))
        var found = BitstreamInspection(codec: .hevc, framing: framing)
        try found.read(accessUnit: output)
        #expect(found.masteringDisplay == MetadataFixture.display && found.contentLightLevel == MetadataFixture.level)
        #expect(found.ambientViewing == MetadataFixture.ambient && found.alternativeTransfer == 18)
        #expect(found.color.isPQ && found.displayColor.isHLG && found.color.chromaLocation == 2)
        #expect(found.lumaDepth == 10 && found.width == 320 && found.height == 180 && found.profileName == "Main 10")
        #expect(!found.hasHDR10Plus && !found.hasDolbyVisionRPU && !found.hasEnhancementLayer)
    }

    @Test func theConfigurationSetsTheFraming() throws {
        var found = BitstreamInspection(codec: .hevc)
        let rewriter = try HEVCMetadataRewriter(RewriterFixture.all, framing: .lengthPrefixed(.four))
        let record = try #require(try rewriter.rewriteConfiguration(ConfigurationRecordFixture.plain))
        try found.read(configuration: record)
        #expect(
            found.framing == .lengthPrefixed(.four) && found.staticMetadata.masteringDisplay == MetadataFixture.display
        )
        #expect(found.color.primaries == 9 && found.ambientViewing == MetadataFixture.ambient)
    }

    @Test func laterMetadataTakesTheOldOnesPlace() throws {
        var found = BitstreamInspection(codec: .hevc)
        for maximum in [100, 200] as [UInt16] {
            let level = ContentLightLevel(maximum: maximum, frameAverage: 1)
            try found.read(
                accessUnit: BitstreamFixture.framed([BitstreamFixture.sei([(144, level.payload)])], .byteStream))
            #expect(found.contentLightLevel == level)
        }
        // One that is cut off changes nothing; one that a later edition makes longer counts.
        try found.read(accessUnit: BitstreamFixture.framed([BitstreamFixture.sei([(144, [1, 2, 3])])], .byteStream))
        #expect(found.contentLightLevel?.maximum == 200)
        try found.read(
            accessUnit: BitstreamFixture.framed([BitstreamFixture.sei([(144, [0, 9, 0, 8, 7])])], .byteStream))
        #expect(found.contentLightLevel == ContentLightLevel(maximum: 9, frameAverage: 8))
    }

    @Test func messagesAreReadBesideABrokenSPS() {
        var found = BitstreamInspection(codec: .hevc)
        let units = [[0x42, 1, 1], BitstreamFixture.sei([(4, MetadataFixture.hdr10Plus)])]
        #expect(throws: BitstreamError.self) { try found.read(accessUnit: BitstreamFixture.framed(units, .byteStream)) }
        #expect(found.hasHDR10Plus)
    }

    @Test func h264HasTheSameMessages() throws {
        var found = BitstreamInspection(codec: .avc)
        let sps = MetadataFixture.bytes("676e000da6cd941519e226c05a848804db800000030080000019078a14cb")
        // These are messages as x264 writes them.
        let sei = MetadataFixture.bytes("06891821349baa199608fc8a4839083d13404200989680000003003280")
        try found.read(
            accessUnit: BitstreamFixture.framed([sps, sei, [0x06, 144, 4, 3, 232, 1, 144, 0x80]], .byteStream))
        #expect(found.color.isPQ && found.lumaDepth == 10 && found.profileName == "High 10")
        #expect(found.contentLightLevel == MetadataFixture.level)
        #expect(
            found.masteringDisplay?.text == "35400:14600:8500:39850:6550:2300:15635:16450:10000000:50")
    }

    @Test func proResHasColorAndDepth() throws {
        var found = BitstreamInspection(codec: .proRes)
        var frame = ProResFixture.plain
        try ProResFrameHeader.setColor(.bt2100PQ, in: &frame)
        try found.read(accessUnit: frame)
        #expect(found.color == .bt2100PQ && found.lumaDepth == 10 && found.chromaFormat == 2)
    }

    @Test func enhancementLayersAreSeen() throws {
        var found = BitstreamInspection(codec: .hevc)
        try found.read(
            accessUnit: BitstreamFixture.framed([BitstreamFixture.slice(1), BitstreamFixture.slice(63)], .byteStream))
        #expect(found.hasEnhancementLayer && !found.hasDolbyVisionRPU)
    }
}

/// Real files, read as other readers read them. They are not part of the repository.
@Suite(Samples.areThere)
struct BitstreamSampleTests {
    private func inspection(
        _ name: String, _ codec: BitstreamInspection.Codec, record: String
    ) throws -> (BitstreamMovie, BitstreamInspection) {
        let movie = try BitstreamMovie(name, record: record)
        var found = BitstreamInspection(codec: codec)
        try found.read(configuration: movie.configuration)
        for unit in movie.accessUnits { try found.read(accessUnit: unit) }
        return (movie, found)
    }

    @Test func aPhonesRecording() throws {
        let (movie, found) = try inspection("iphone-dolby-vision-8.4-hlg.mov", .hevc, record: "hvcC")
        #expect(movie.accessUnits.count == 5 && found.framing == .lengthPrefixed(.four))
        #expect(found.color == .bt2100HLG && found.ambientViewing == MetadataFixture.ambient)
        #expect(found.hasDolbyVisionRPU && found.dolbyVisionProfile == 8 && !found.hasEnhancementLayer)
        #expect(found.width == 1280 && found.height == 720 && found.profileName == "Main 10")
        #expect(found.masteringDisplay == nil && found.contentLightLevel == nil && !found.hasHDR10Plus)
        // The encoder's emulation prevention is what this module would write.
        let record = try HEVCConfigurationRecord(movie.configuration)
        for unit in record.arrays.flatMap(\.units) {
            let payload = unit.withUnsafeBytes { EmulationPrevention.removed(from: $0) }
            #expect(EmulationPrevention.inserted(into: payload) == unit)
        }
        #expect(try record.bytes() == movie.configuration)
    }

    @Test func staticAndDynamicMetadataInTheStreamAlone() throws {
        let (movie, found) = try inspection("hdr10-plus-no-colr.mp4", .hevc, record: "hvcC")
        #expect(movie.accessUnits.count == 28 && found.color == .bt2100PQ && found.hasHDR10Plus)
        #expect(found.contentLightLevel == ContentLightLevel(maximum: 1000, frameAverage: 200))
        // Its maker put red where green belongs, as ffprobe says too.
        #expect(found.masteringDisplay?.text == "7500:3000:34000:16000:13250:34500:15635:16450:1000:50")
        #expect(!found.hasDolbyVisionRPU)
    }

    @Test func av1() throws {
        let (_, found) = try inspection("hdr10-av1.mp4", .av1, record: "av1C")
        #expect(found.color.isPQ && found.color.primaries == 9 && found.lumaDepth == 10)
        #expect(found.width == 720 && found.height == 1280 && found.profileName == "Main")
    }

    /// Coded pictures stay as they are, and the stream carries the metadata that are written into it.
    @Test(arguments: ["iphone-dolby-vision-8.4-hlg.mov", "hlg10.mp4", "hdr10-plus-no-colr.mp4"])
    func realStreamsAreRewritten(name: String) throws {
        let movie = try BitstreamMovie(name, record: "hvcC")
        let framing = try HEVCConfigurationRecord(movie.configuration).framing
        let rewriter = try HEVCMetadataRewriter(RewriterFixture.all, framing: framing)
        var found = BitstreamInspection(codec: .hevc)
        try found.read(configuration: try #require(try rewriter.rewriteConfiguration(movie.configuration)))
        var starts = 0
        for unit in movie.accessUnits {
            let output = try rewriter.rewrite(unit)
            try found.read(accessUnit: output ?? unit)
            let before = try BitstreamFixture.units(unit, framing)
            let after = try BitstreamFixture.units(output ?? unit, framing)
            let isKept: ([UInt8]) -> Bool = { $0[0] >> 1 < 32 || $0[0] >> 1 > 61 }
            #expect(before.filter(isKept) == after.filter(isKept))
            if before.contains(where: { (16...23).contains($0[0] >> 1) }) {
                starts += 1
                #expect(
                    RewriterFixture.wanted.allSatisfy { wanted in after.filter { $0 == wanted }.count == 1 })
            }
            if let output { #expect(try rewriter.rewrite(output) == nil) }
        }
        #expect(starts > 0)
        #expect(found.masteringDisplay == MetadataFixture.display && found.contentLightLevel == MetadataFixture.level)
        #expect(found.ambientViewing == MetadataFixture.ambient && found.alternativeTransfer == 18)
        #expect(found.color.chromaLocation == 2)
    }

    /// Of which damaged ones are counted and say nothing.
    @Test func adaptiveToneMapsAreFound() throws {
        var metadata = ST209450Metadata(baselineHDRHeadroom: 23000)
        metadata.hdrReferenceWhite = 500
        let message = try metadata.payload
        var hevc = BitstreamInspection(codec: .hevc)
        try hevc.read(accessUnit: [0, 0, 0, 1] + BitstreamFixture.sei([(4, message)]))
        #expect(hevc.hasST209450 && hevc.st209450 == metadata && !hevc.hasHDR10Plus)
        #expect(metadata.summary == "reference white 100 cd/m², headroom 2.3 stops, reference white tone map")
        var damaged = BitstreamInspection(codec: .hevc)
        try damaged.read(accessUnit: [0, 0, 0, 1] + BitstreamFixture.sei([(4, Array(message.prefix(6)))]))
        #expect(damaged.hasST209450 && damaged.st209450 == nil)
    }

    @Test(
        arguments: [
            ("profile84", 8), ("profile8", 8), ("profile5", 5), ("mel_orig", 7), ("fel_orig", 7), ("cmv40_full_rpu", 8),
        ] as [(String, UInt8)]) func profilesOfDolbyVision(name: String, profile: UInt8) throws
    {
        let file = try Samples.bytes("rpu/\(name).bin")
        let payload = file.withUnsafeBytes { EmulationPrevention.removed(from: $0) }
        let header = DolbyVisionRPU.Header(payload: Array(payload.drop { $0 != 25 }))
        #expect(header?.signaledProfile == profile)
    }
}
