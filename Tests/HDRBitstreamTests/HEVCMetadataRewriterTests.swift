import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct HEVCMetadataRewriterTests {
    typealias Settings = HEVCMetadataRewriter.Settings

    private func rewritten(
        _ units: [[UInt8]], _ settings: Settings = RewriterFixture.all, _ framing: NALFraming = .byteStream
    ) throws -> [[UInt8]]? {
        let rewriter = try HEVCMetadataRewriter(settings, framing: framing)
        let input = BitstreamFixture.framed(units, framing)
        guard let output = try rewriter.rewrite(input) else { return nil }
        #expect(output != input)
        // A second time changes nothing more.
        #expect(try rewriter.rewrite(output) == nil)
        return try BitstreamFixture.units(output, framing)
    }

    @Test(arguments: BitstreamFixture.framings) func everyMessageOnceBeforeThePicture(framing: NALFraming) throws {
        var settings = RewriterFixture.all
        settings.chromaLocation = nil
        let before = [
            BitstreamFixture.aud, BitstreamFixture.vps, BitstreamFixture.x265SPS, BitstreamFixture.pps,
            RewriterFixture.buffering,
            RewriterFixture.info,
        ]
        let output = try rewritten(before + [RewriterFixture.picture, RewriterFixture.hash], settings, framing)
        #expect(output == before + RewriterFixture.wanted + [RewriterFixture.picture, RewriterFixture.hash])
    }

    @Test(arguments: BitstreamFixture.framings) func oldMessagesGoWhereverTheyAre(framing: NALFraming) throws {
        var other = MetadataFixture.display
        other.maximum = 1
        let old = other.payload
        let units: [[UInt8]] = [
            BitstreamFixture.sei([(144, [0, 0, 0, 0])]), BitstreamFixture.vps,
            BitstreamFixture.sei([(0, [1]), (137, old), (5, [7, 0, 0, 1])]),
            BitstreamFixture.sei([(137, old)]), RewriterFixture.faulty, RewriterFixture.picture,
            BitstreamFixture.slice(19, seed: 4),
            BitstreamFixture.sei([(148, MetadataFixture.ambientPayload), (132, [9])], type: 40),
            BitstreamFixture.sei([(147, [1])], type: 40),
        ]
        let output = try rewritten(units, RewriterFixture.all, framing)
        #expect(
            output == [
                BitstreamFixture.vps, BitstreamFixture.sei([(0, [1]), (5, [7, 0, 0, 1])]), RewriterFixture.faulty,
            ]
                + RewriterFixture.wanted + [
                    RewriterFixture.picture, BitstreamFixture.slice(19, seed: 4),
                    BitstreamFixture.sei([(132, [9])], type: 40),
                ])
    }

    @Test func everyRandomAccessTypeStartsAndNoOther() throws {
        for type in 0...31 as ClosedRange<UInt8> {
            let output = try rewritten([BitstreamFixture.slice(type)])
            #expect(
                output == ((16...23).contains(type) ? RewriterFixture.wanted + [BitstreamFixture.slice(type)] : nil))
        }
    }

    @Test func picturesInBetweenLoseMessagesAndGetNone() throws {
        #expect(try rewritten([BitstreamFixture.slice(1)]) == nil)
        #expect(
            try rewritten([BitstreamFixture.aud, RewriterFixture.info, BitstreamFixture.slice(1), RewriterFixture.hash])
                == nil)
        let output = try rewritten([BitstreamFixture.sei([(144, [0, 0, 0, 0])]), BitstreamFixture.slice(1)])
        #expect(output == [BitstreamFixture.slice(1)])
    }

    @Test func theFirstStartCodeKeepsItsFourBytes() throws {
        let rewriter = try HEVCMetadataRewriter(Settings(), framing: .byteStream)
        let output = try rewriter.rewrite(
            BitstreamFixture.framed([RewriterFixture.wanted[0], RewriterFixture.picture], .byteStream))
        #expect(output == [0, 0, 0, 1] + RewriterFixture.picture)
    }

    @Test func headersWithoutAPictureOnlyLoseMessages() throws {
        var settings = RewriterFixture.all
        settings.chromaLocation = nil
        let output = try rewritten(
            [BitstreamFixture.vps, BitstreamFixture.x265SPS, BitstreamFixture.pps, RewriterFixture.wanted[1]], settings)
        #expect(output == [BitstreamFixture.vps, BitstreamFixture.x265SPS, BitstreamFixture.pps])
    }

    @Test func insertionNoneStripsAndWritesNone() throws {
        var settings = RewriterFixture.all
        settings.insertion = .none
        settings.chromaLocation = nil
        #expect(
            try rewritten([RewriterFixture.info] + RewriterFixture.wanted + [RewriterFixture.picture], settings) == [
                RewriterFixture.info, RewriterFixture.picture,
            ])
        #expect(try rewritten([RewriterFixture.info, RewriterFixture.picture], settings) == nil)
    }

    @Test func settingsMayChangeInMidStream() throws {
        var rewriter = try HEVCMetadataRewriter(RewriterFixture.all, framing: .byteStream)
        let input = BitstreamFixture.framed([RewriterFixture.picture], .byteStream)
        var settings = Settings()
        settings.contentLightLevel = ContentLightLevel(maximum: 7, frameAverage: 5)
        let first = try #require(try rewriter.rewrite(input))
        try rewriter.change(to: settings)
        let second = try #require(try rewriter.rewrite(first))
        #expect(
            try BitstreamFixture.units(second, .byteStream) == [
                BitstreamFixture.sei([(144, [0, 7, 0, 5])]), RewriterFixture.picture,
            ])
    }

    @Test func dynamicMetadataIsKeptOrStripped() throws {
        let rpu = BitstreamFixture.slice(62, seed: 8)
        let layer = BitstreamFixture.slice(63, seed: 9)
        let captions = BitstreamFixture.sei([(4, MetadataFixture.bytes("b5003147413934"))])
        let both = BitstreamFixture.sei([(4, MetadataFixture.hdr10Plus), (5, [1])])
        let units = [
            captions, both, BitstreamFixture.sei([(4, MetadataFixture.hdr10Plus)]), BitstreamFixture.slice(1), rpu,
            layer,
        ]
        #expect(try rewritten(units) == nil)
        var settings = Settings()
        settings.hdr10Plus = .strip
        #expect(
            try rewritten(units, settings) == [
                captions, BitstreamFixture.sei([(5, [1])]), BitstreamFixture.slice(1), rpu, layer,
            ])
        settings = Settings()
        settings.dolbyVision = .strip
        #expect(try rewritten(units, settings) == Array(units.dropLast(2)))
    }

    @Test func messagesThatAreCutOffGoWithTheirKind() throws {
        let cut: [UInt8] = [0x4E, 1, 137, 24, 1, 2, 3]
        #expect(try rewritten([cut, BitstreamFixture.slice(1)]) == [BitstreamFixture.slice(1)])
        let after: [UInt8] = [0x4E, 1, 5, 1, 9, 144, 4, 1]
        #expect(
            try rewritten([after, BitstreamFixture.slice(1)]) == [
                BitstreamFixture.sei([(5, [9])]), BitstreamFixture.slice(1),
            ])
        #expect(try rewritten([RewriterFixture.faulty, BitstreamFixture.slice(1)]) == nil)
    }

    @Test func colorIsWrittenIntoEverySPS() throws {
        var settings = Settings()
        settings.chromaLocation = 2
        settings.color = .bt2100HLG
        settings.colorPolicy = .replace
        var plain = HEVCTestSPS()
        plain.vui = nil
        let output = try #require(
            try rewritten(
                [
                    BitstreamFixture.vps, plain.unit, BitstreamFixture.x265SPS, BitstreamFixture.pps,
                    BitstreamFixture.slice(1),
                ], settings))
        #expect(output.count == 5 && output[0] == BitstreamFixture.vps && output[3] == BitstreamFixture.pps)
        for unit in output[1...2] {
            var color = ColorDescription.bt2100HLG
            color.chromaLocation = 2
            #expect(try HEVCSequenceParameterSet(unit).color == color)
        }
    }

    @Test func setsOfHigherLayersAreLeftAlone() throws {
        var settings = Settings()
        settings.chromaLocation = 2
        var layered = BitstreamFixture.x265SPS
        layered[1] = 0x09
        #expect(try rewritten([layered, BitstreamFixture.slice(1)], settings) == nil)
    }

    @Test func badInputIsAnErrorOnlyWhereItMatters() throws {
        let broken: [UInt8] = [0x42, 0x01, 0x01]
        #expect(try rewritten([broken, BitstreamFixture.slice(1)], Settings()) == nil)
        #expect(throws: BitstreamError.self) { try rewritten([broken, BitstreamFixture.slice(1)]) }
        let rewriter = try HEVCMetadataRewriter(Settings(), framing: .lengthPrefixed(.four))
        #expect(throws: BitstreamError.self) { try rewriter.rewrite([0, 0, 9, 9, 1]) }
        #expect(try rewriter.rewrite([]) == nil)
        // Units without a whole header stay where they are.
        #expect(try rewritten([[0x26], BitstreamFixture.slice(1)]) == nil)
    }

    @Test func locationsThatDoNotExistAreRefused() {
        var settings = Settings()
        settings.chromaLocation = 6
        #expect(settings.defect != nil)
        #expect(throws: BitstreamError.self) { try HEVCMetadataRewriter(settings, framing: .byteStream) }
    }

    /// A message of 24 bytes does not fit where lengths have one byte only if the unit is longer than 255.
    @Test func unitsThatAreTooLongForTheirLengthAreErrors() throws {
        let long = BitstreamFixture.sei([(5, [UInt8](repeating: 9, count: 280)), (144, [0, 0, 0, 0])])
        let input = BitstreamFixture.framed([long, BitstreamFixture.slice(1)], .lengthPrefixed(.two))
        #expect(try HEVCMetadataRewriter(framing: .lengthPrefixed(.two)).rewrite(input) != nil)
        let change = NALUnitChange(range: 0..<0, outcome: .replace(long))
        #expect(throws: BitstreamError.self) {
            try [UInt8]().withUnsafeBytes {
                try NALUnitChange.apply([change], to: $0, framing: .lengthPrefixed(.one))
            }
        }
    }
}

@Suite struct HEVCMetadataRewriterConfigurationTests {
    private func rewritten(
        _ record: [UInt8], _ settings: HEVCMetadataRewriter.Settings
    ) throws -> HEVCConfigurationRecord? {
        let rewriter = try HEVCMetadataRewriter(settings, framing: .lengthPrefixed(.four))
        guard let output = try rewriter.rewriteConfiguration(record) else { return nil }
        #expect(try rewriter.rewriteConfiguration(output) == nil)
        return try HEVCConfigurationRecord(output)
    }

    @Test func messagesAndColorAreWritten() throws {
        let record = try #require(try rewritten(ConfigurationRecordFixture.plain, RewriterFixture.all))
        #expect(record.arrays.map(\.type) == [32, 33, 34, 39])
        #expect(record.arrays[3].units == RewriterFixture.wanted && !record.arrays[3].isComplete)
        #expect(try HEVCSequenceParameterSet(record.arrays[1].units[0]).color.chromaLocation == 2)
        #expect(record.arrays[0].units == [BitstreamFixture.vps] && record.arrays[2].units == [BitstreamFixture.pps])
    }

    @Test func oldMessagesAreReplaced() throws {
        let info = RewriterFixture.info
        let input = ConfigurationRecordFixture.hevc([
            (39, true, [BitstreamFixture.sei([(148, [UInt8](repeating: 1, count: 8))]), info]),
            (33, true, [BitstreamFixture.x265SPS]),
        ])
        var settings = HEVCMetadataRewriter.Settings()
        settings.ambientViewing = MetadataFixture.ambient
        let record = try #require(try rewritten(input, settings))
        #expect(record.arrays.map(\.type) == [39, 33])
        #expect(record.arrays[0].units == [info, RewriterFixture.wanted[3]])
        settings.insertion = .none
        #expect(try rewritten(input, settings)?.arrays[0].units == [info])
    }

    @Test func emptyArraysGoAndNothingToDoIsNil() throws {
        let old = BitstreamFixture.sei([(144, [0])])
        let input = ConfigurationRecordFixture.hevc([(33, true, [BitstreamFixture.x265SPS]), (39, false, [old])])
        #expect(try rewritten(input, .init())?.arrays.map(\.type) == [33])
        #expect(try rewritten(ConfigurationRecordFixture.plain, .init()) == nil)
    }
}
