import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

/// The decisions of the plan where settings leave a choice, and their explanations in its summary.
@Suite struct ExportChoicesTests {
    static func plan(
        _ source: SourceFormat, _ preset: ExportPreset = .hevcHighestQuality, _ settings: [Setting] = [],
        change: (inout ExportPlanner) -> Void = { _ in }
    ) throws -> VideoPlan {
        var planner = ExportPlanner(preset: preset, settings: try VideoSettings(settings))
        change(&planner)
        return try planner.plan(video: source)
    }

    // MARK: Color

    @Test(
        arguments: [ExportPreset.hevc1920x1080, .h264_1280x720, .proRes422, .proRes4444], [(640, 360), (1920, 1080)])
    func untaggedRGBIsTaggedWithWhatItIsTakenFor(_ preset: ExportPreset, _ size: (Int, Int)) throws {
        var source = SourceKind.untagged.format(size.0, size.1)
        source.chroma = .rgb
        let color = try Self.plan(source, preset).color
        #expect(color.action == .tag && ColorProperties(color.target) == .bt709)
        // Pixels are RGB in full range, whatever is made of them.
        #expect(color.assumed == ColorDescription(primaries: 1, transfer: 1, matrix: 0, isFullRange: true))
    }

    @Test func theHintIsWhatUntaggedPixelsAreTakenFor() throws {
        var source = SourceKind.untagged.format()
        source.bitDepth = 10
        let plan = try Self.plan(source) { $0.sourceFormatHint = SourceKind.hlg.format() }
        #expect(plan.color.assumed.flatMap { ColorProperties($0) } == .bt2100HLG)
        #expect(try Self.plan(SourceKind.hlg.format()).color.assumed == nil)
    }

    static let unusual = [
        ColorProperties(12, 16, 1), ColorProperties(12, 16, 9), ColorProperties(1, 18, 1), ColorProperties(1, 16, 1),
        ColorProperties(6, 18, 6), ColorProperties(9, 18, 7),
    ]

    @Test(arguments: unusual) func unusualColorsOfHDRAreANote(_ color: ColorProperties) throws {
        let source = SourceKind.hdr10.format()
        for preset in [ExportPreset.hevcHighestQuality, .proRes422] {
            let asked = try Self.plan(source, preset, [Setting("color-properties", .nested(color.settings))])
            #expect(asked.color.action == .convert && ColorProperties(asked.color.target) == color)
            #expect(asked.warnings.contains { $0.contains("\(color) is unusual") }, "\(asked.warnings)")
            var tagged = source
            tagged.color = color.description(chromaLocation: nil)
            let kept = try Self.plan(tagged, preset)
            #expect(kept.color.action == .keep && kept.warnings.contains { $0.contains("kept as it is") })
        }
    }

    /// This includes colours that no setting can name, such as DCI-P3's.
    @Test(arguments: unusual + [ColorProperties(11, 16, 9)]) func alikeSourcesStayAsTheyAre(
        _ color: ColorProperties
    ) throws {
        var source = SourceKind.hdr10.format()
        source.color = color.description(chromaLocation: nil)
        let plan = try Self.plan(source) { $0.mixedColor = color }
        #expect(plan.color.action == .keep && ColorProperties(plan.color.target) == color)
        #expect(plan.color.assumed.flatMap { ColorProperties($0) } == .bt709)
        let untagged = try Self.plan(SourceKind.untagged.format()) { $0.mixedColor = color }
        #expect(untagged.color.action == .convert && ColorProperties(untagged.color.target) == color)
        let narrow = try Self.plan(source, .hevcHighestQuality, [Setting("allow-wide-color", .bool(false))]) {
            $0.mixedColor = color
        }
        #expect(ColorProperties(narrow.color.target) == .bt709)
    }

    // MARK: Frame rate

    @Test func aFrameRateIsConvertedTo() throws {
        var source = SourceKind.bt709.format()
        source.frameRate = Fraction(60, 1)
        let plan = try Self.plan(source, .hevc1920x1080, [Setting("frame-rate", .fraction(Fraction(24, 1)))])
        #expect(plan.frameRate == Fraction(24, 1) && plan.resamplesFrames && plan.keyFrameInterval == 48)
        #expect(plan.summary.contains { $0.contains("24/1 frames/s by dropping") }, "\(plan.summary)")
        #expect(exportError { _ = try VideoSettings([Setting("frame-rate", .int(0))]) }?.rule == "out-of-range")
        var copied = source
        copied.codec = .hevc
        #expect(
            exportError { _ = try Self.plan(copied, .passthrough, [Setting("frame-rate", .int(24))]) }?.rule
                == "passthrough-settings")
    }

    /// It is a hint: what is written has the source's rate.
    @Test func theExpectedFrameRateConvertsNothing() throws {
        var source = SourceKind.bt709.format()
        source.frameRate = Fraction(60, 1)
        let expected = [
            Setting("compression-properties", .nested([Setting("expected-source-frame-rate", .int(24))]))
        ]
        let plan = try Self.plan(source, .hevc1920x1080, expected)
        #expect(plan.frameRate == Fraction(60, 1) && !plan.resamplesFrames && plan.keyFrameInterval == 120)
        source.frameRate = nil
        let unknown = try Self.plan(source, .hevc1920x1080, expected)
        #expect(unknown.frameRate == nil && unknown.keyFrameInterval == 48)
    }

    // MARK: Size

    @Test(arguments: [(1920, 28, true), (46, 1080, true), (62, 62, true), (64, 64, false), (1920, 1080, false)])
    func smallPicturesAreEncodedWithoutWhatOverrunsMemory(_ width: Int, _ height: Int, _ isSmall: Bool) throws {
        let plan = try Self.plan(SourceKind.bt709.format(width, height))
        let x265 = try #require(EncoderOptions.candidates(for: plan, withHardware: false).first)
        #expect(x265.launchDescription.contains("cutree=0") == isSmall, "\(x265.launchDescription)")
    }

    /// The plan's aspect ratio is near the source's, or there is no plan.
    @Test func shapesThatCannotBeKeptAreRefused() throws {
        var random = SeededGenerator(seed: 19)
        var refused = 0
        for _ in 0..<5000 {
            var source = SourceKind.bt709.format(
                Int.random(in: 16...20000, using: &random), Int.random(in: 16...20000, using: &random))
            source.pixelAspectRatio = Fraction(
                Int.random(in: 1...100, using: &random), Int.random(in: 1...100, using: &random))
            let preset = [ExportPreset.hevc1920x1080, .h264_640x480, .proRes422].randomElement(using: &random)
            do {
                let geometry = try Self.plan(source, preset ?? .proRes422).geometry
                let frame = geometry.frame
                let shape = source.pixelAspectRatio.value ?? 0
                let before = Double(source.width & ~1) / Double(source.height & ~1) * shape
                let after = Double(frame.width) / Double(frame.height) * (geometry.pixelAspectRatio.value ?? 0)
                #expect(abs(after / before - 1) <= 6 / Double(min(frame.width, frame.height)), "\(source) \(geometry)")
            } catch let error as ExportError {
                #expect(error.rule == "frame-size")
                refused += 1
            }
        }
        #expect(refused > 50 && refused < 2500, "\(refused)")
    }

    // MARK: Summary

    @Test func metadataLinesSayWhatIsThere() throws {
        func line(_ plan: VideoPlan) -> String? { plan.summary.first { $0.hasPrefix("HDR metadata") } }
        var source = SourceKind.hdr10.format()
        #expect(try line(Self.plan(source))?.contains("mastering display 34000") == true)
        source.metadata.masteringDisplay = nil
        #expect(try line(Self.plan(source))?.hasSuffix("900:300, no mastering display, which HDR10 asks for") == true)
        source.metadata = .none
        #expect(try line(Self.plan(source)) == "HDR metadata: no mastering display, which HDR10 asks for")
        #expect(try line(Self.plan(SourceKind.hlg.format())) == nil)
        #expect(try line(Self.plan(SourceKind.bt709.format())) == nil)
    }
}
