import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct DynamicRangeMixingTests {
    typealias Source = DynamicRangeMixing.Source

    static func source(_ kind: SourceKind, peak: UInt32? = nil, levels: ContentLightLevel? = nil) -> Source {
        var metadata = StaticMetadata(contentLightLevel: levels)
        if let peak {
            metadata.masteringDisplay = .p3Studio
            metadata.masteringDisplay?.maximum = peak
        }
        return Source(color: kind.color, metadata: metadata)
    }

    @Test(arguments: [
        ([SourceKind.hdr10, .hlg], SourceKind.hlg, [0]), ([.bt709, .hdr10], .hdr10, [0]),
        ([.bt709, .hlg, .untagged], .hlg, [0, 2]), ([.bt709, .displayP3], .displayP3, [0]),
        ([.untagged, .bt709], .bt709, []), ([.untagged, .displayP3], .displayP3, [0]),
        ([.untagged, .untagged], .untagged, []),
        ([.hlg], .hlg, []), ([.hdr10, .hlg, .bt709, .displayP3, .untagged], .hlg, [0, 2, 3, 4]), ([], .untagged, []),
    ]) func whoWins(_ kinds: [SourceKind], _ winner: SourceKind, _ converted: [Int]) {
        let mix = DynamicRangeMixing(kinds.map { Self.source($0) })
        #expect(mix.target.flatMap { ColorProperties($0) } == ColorProperties(winner.color))
        #expect(mix.converted == converted)
    }

    @Test func metadataOverNoneAndTheLargestOfAll() {
        let levels = ContentLightLevel(maximum: 1000, frameAverage: 200)
        let other = ContentLightLevel(maximum: 600, frameAverage: 400)
        let mix = DynamicRangeMixing([
            Self.source(.hdr10), Self.source(.hdr10, peak: 40_000_000, levels: levels),
            Self.source(.hdr10, peak: 10_000_000, levels: other), Self.source(.bt709),
        ])
        #expect(mix.metadata.masteringDisplay?.maximum == 40_000_000)
        #expect(mix.metadata.contentLightLevel == ContentLightLevel(maximum: 1000, frameAverage: 400))
        #expect(mix.converted == [3])
    }

    /// PQ's metadata says nothing about the HLG that it becomes.
    @Test func metadataOfWhatIsConvertedIsDropped() {
        let mix = DynamicRangeMixing([Self.source(.hdr10, peak: 40_000_000), Self.source(.hlg)])
        #expect(mix.metadata == .none)
        let sdr = DynamicRangeMixing([Self.source(.bt709, peak: 40_000_000)])
        #expect(sdr.metadata == .none)
    }

    @Test func unbelievableMetadataDoesNotWin() {
        let absurd = ContentLightLevel(maximum: 65535, frameAverage: 1)
        let sane = ContentLightLevel(maximum: 800, frameAverage: 100)
        let mix = DynamicRangeMixing([
            Self.source(.hdr10, peak: .max, levels: absurd), Self.source(.hdr10, peak: 10_000_000, levels: sane),
        ])
        #expect(mix.metadata.contentLightLevel == sane && mix.metadata.masteringDisplay?.maximum == 10_000_000)
    }

    static func any(using random: inout SeededGenerator) -> Source {
        let codes: [UInt8] = [1, 2, 5, 6, 9, 11, 12, 255]
        let transfers: [UInt8] = [1, 2, 13, 14, 16, 18]
        let color =
            Int.random(in: 0..<5, using: &random) == 0
            ? nil
            : ColorDescription(
                primaries: codes.randomElement(using: &random) ?? 1,
                transfer: transfers.randomElement(using: &random) ?? 1,
                matrix: [0, 1, 2, 6, 9].randomElement(using: &random) ?? 1,
                isFullRange: [nil, true, false].randomElement(using: &random) ?? nil,
                chromaLocation: [nil, 0, 2].randomElement(using: &random) ?? nil)
        func coordinate() -> UInt16 { .random(in: 0...3, using: &random) }
        var metadata = StaticMetadata.none
        if Bool.random(using: &random) {
            metadata.masteringDisplay = MasteringDisplay(
                red: SIMD2(coordinate(), coordinate()), green: SIMD2(coordinate(), coordinate()),
                blue: SIMD2(coordinate(), coordinate()), white: SIMD2(coordinate(), coordinate()),
                maximum: [0, 5_000_000, 10_000_000, .max].randomElement(using: &random) ?? 1,
                minimum: .random(in: 0...60, using: &random))
        }
        if Bool.random(using: &random) {
            metadata.contentLightLevel = ContentLightLevel(
                maximum: .random(in: 0...2000, using: &random), frameAverage: .random(in: 0...500, using: &random))
        }
        return Source(color: color, metadata: metadata)
    }

    @Test func orderDoesNotMatterAndMixingAgainChangesNothing() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<5000 {
            let sources = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.any(using: &random) }
            let mix = DynamicRangeMixing(sources)
            let shuffled = sources.shuffled(using: &random)
            let other = DynamicRangeMixing(shuffled)
            #expect(other.target == mix.target && other.metadata == mix.metadata)
            // The same sources are converted in any order.
            #expect(other.converted.count == mix.converted.count)
            for index in sources.indices where !mix.converted.contains(index) {
                #expect(
                    shuffled.indices.contains { shuffled[$0] == sources[index] && !other.converted.contains($0) })
            }
            let result = Source(color: mix.target, metadata: mix.metadata)
            let again = DynamicRangeMixing([result])
            #expect(again.target == mix.target && again.metadata == mix.metadata && again.converted.isEmpty)
            let joined = DynamicRangeMixing(sources + [result])
            #expect(joined.target == mix.target && joined.metadata == mix.metadata)
            // Step by step as well as all at once.
            let half = sources.count / 2
            let parts = [DynamicRangeMixing(Array(sources[..<half])), DynamicRangeMixing(Array(sources[half...]))]
            var steps = DynamicRangeMixing(parts.map { Source(color: $0.target, metadata: $0.metadata) })
            // But for range and siting where R'G'B' is among the sources, which has none of Y'CbCr.
            if let target = mix.target, sources.contains(where: { $0.color?.matrix == 0 }) {
                steps.target?.isFullRange = target.isFullRange
                steps.target?.chromaLocation = target.chromaLocation
            }
            #expect(steps.target == mix.target && steps.metadata == mix.metadata)
        }
    }

    /// A title in R'G'B' changes nothing of video in the same primaries.
    @Test(arguments: [false, true]) func titlesTakeVideosColor(_ isFullRange: Bool) {
        let video = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: isFullRange, chromaLocation: 0)
        let title = ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true, chromaLocation: nil)
        let other = ColorDescription(primaries: 1, transfer: 1, matrix: 0, isFullRange: true, chromaLocation: nil)
        for sources in [[video, title], [title, video], [video, other], [video, title, other]] {
            #expect(DynamicRangeMixing(sources.map { Source(color: $0) }).target == video)
        }
        #expect(DynamicRangeMixing([Source(color: title)]).target?.isFullRange == false)
    }

    @Test func manySources() {
        let sources = (0..<50_000).map { Self.source($0 % 2 == 0 ? .hdr10 : .bt709, peak: UInt32(1000 + $0)) }
        let mix = DynamicRangeMixing(sources)
        #expect(mix.converted.count == 25_000 && mix.metadata.masteringDisplay?.maximum == 50_998)
    }
}
