import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

/// Random settings dictionaries.
enum RandomSettings {
    static let strings = [
        "", "hvc1", "avc1", "ap4h", "h264", "prores-422-hq", "fit", "resize", "resize-aspect", "resize-aspect-fill",
        "ITU_R_709_2", "ITU_R_2020", "P3_D65", "SMPTE_C", "SMPTE_ST_2084_PQ", "ITU_R_2100_HLG", "ITU_R_601_4", "pq",
        "hlg",
        "bt709", "bt2020", "main", "main-10", "main-422-10", "high", "high-4.1", "HEVC_Main10_AutoLevel",
        "H264_High_4_1",
        "auto", "none", "1000:400", MetadataTextFixture.display, "::::::::::", "\u{0}", "é", "main-10-", "-1", "🎬",
    ]
    static let integers = [
        0, 1, -1, 2, 15, 16, 17, 24, 30, 640, 641, 1080, 1920, 4320, 7680, 16384, 16386, 65536, 1_000_000, Int.max,
        Int.min,
    ]
    static let numbers = [
        0.0, -0.0, 0.25, 0.5, 1, 1.5, 29.97, -1, 1e300, -1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
        3600,
    ]

    static let names: [String] = {
        func all(_ descriptions: [SettingDescription]) -> [String] {
            descriptions.flatMap { [$0.key] + all($0.children) }
        }
        return all(VideoSettings.schema) + ["", "Width", "bitrate", "\u{0}", "compression_properties"]
    }()

    static func value(depth: Int, using random: inout SeededGenerator) -> SettingValue {
        switch Int.random(in: 0..<(depth < 3 ? 7 : 5), using: &random) {
        case 0: .string(strings.randomElement(using: &random) ?? "")
        case 1: .int(integers.randomElement(using: &random) ?? 0)
        case 2: .double(numbers.randomElement(using: &random) ?? 0)
        case 3: .bool(Bool.random(using: &random))
        case 4:
            .fraction(
                Fraction(
                    integers.randomElement(using: &random) ?? 0, integers.randomElement(using: &random) ?? 0))
        default: .nested(any(depth: depth + 1, using: &random))
        }
    }

    /// Random keys and values, hardly any of them valid.
    static func any(depth: Int = 0, using random: inout SeededGenerator) -> [Setting] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Setting(names.randomElement(using: &random) ?? "", value(depth: depth, using: &random))
        }
    }

    /// Known keys with values of their types, most of them sensible.
    static func valid(using random: inout SeededGenerator) -> [Setting] {
        settings(of: VideoSettings.schema, using: &random)
    }

    private static func settings(
        of schema: [SettingDescription], using random: inout SeededGenerator
    ) -> [Setting] {
        var result: [Setting] = []
        for description in schema where Int.random(in: 0..<3, using: &random) == 0 {
            guard let value = value(of: description, using: &random) else { continue }
            result.append(Setting(description.key, value))
        }
        return result
    }

    private static func value(of description: SettingDescription, using random: inout SeededGenerator) -> SettingValue?
    {
        switch description.type {
        case .string:
            switch description.key {
            case "mastering-display-color-volume": return .string(MetadataTextFixture.display)
            case "content-light-level-info": return .string(Bool.random(using: &random) ? "auto" : "1000:400")
            default: return description.values.randomElement(using: &random).map { .string($0) }
            }
        case .integer:
            if description.key == "width" || description.key == "height" {
                return .int(Int.random(in: 8...2000, using: &random) * 2)
            }
            let range = description.range ?? 0...1
            return .int(Int(Double.random(in: range, using: &random)))
        case .number: return .double(Double.random(in: description.range ?? 0...1, using: &random))
        case .boolean: return .bool(Bool.random(using: &random))
        case .fraction:
            let choices = [Fraction(30000, 1001), Fraction(4, 3), Fraction(1, 1), Fraction(8, 9)]
            return .fraction(choices.randomElement(using: &random) ?? .one)
        case .structure:
            if description.key == "color-properties" {
                return (ColorProperties.allowed.randomElement(using: &random)).map { .nested($0.settings) }
            }
            return .nested(settings(of: description.children, using: &random))
        }
    }
}

@Suite struct SettingsFuzzTests {
    static func source(using random: inout SeededGenerator) -> SourceFormat {
        let sides = [0, 1, 2, 16, 17, 640, 1080, 1920, 2161, 7680, 65535, 65536, Int.max, Int.min, -1]
        let shapes = [
            Fraction(1, 1), Fraction(4, 3), Fraction(0, 1), Fraction(1, Int.max), Fraction(100, 1), Fraction(1, 100),
        ]
        let rates = [nil, Fraction(30, 1), Fraction(0, 0), Fraction(Int.min, -1), Fraction(1, 2_000_000_000)]
        let isSensible = Int.random(in: 0..<4, using: &random) > 0
        return SourceFormat(
            width: isSensible ? Int.random(in: 16...4096, using: &random) : sides.randomElement(using: &random) ?? 0,
            height: isSensible ? Int.random(in: 16...4096, using: &random) : sides.randomElement(using: &random) ?? 0,
            frameRate: rates.randomElement(using: &random) ?? nil,
            pixelAspectRatio: isSensible ? .one : shapes.randomElement(using: &random) ?? .one,
            bitDepth: [nil, 8, 10, 12, Int.min].randomElement(using: &random) ?? nil,
            chroma: ChromaSubsampling.allCases.randomElement(using: &random),
            color: Bool.random(using: &random)
                ? SourceKind.allCases.randomElement(using: &random)?.color
                : ColorDescription(
                    primaries: .random(in: 0...255, using: &random), transfer: .random(in: 0...255, using: &random),
                    matrix: .random(in: 0...255, using: &random), isFullRange: Bool.random(using: &random),
                    chromaLocation: .random(in: 0...255, using: &random)),
            metadata: StaticMetadata(
                masteringDisplay: .p3Studio,
                contentLightLevel: ContentLightLevel(
                    maximum: .random(in: 0...65535, using: &random),
                    frameAverage: .random(in: 0...65535, using: &random))),
            codec: VideoCodec.allCases.randomElement(using: &random),
            rotation: [0, 90, 180, 270, 45, Int.min].randomElement(using: &random) ?? 0,
            isInterlaced: Bool.random(using: &random), hasAlpha: Bool.random(using: &random))
    }

    /// Dictionaries that make no sense: each is an error with a text, or settings, and nothing traps.
    @Test func anyDictionary() {
        var random = SeededGenerator(seed: 4)
        var accepted = 0
        for _ in 0..<TestWork.inputs(release: 100_000, debug: 10_000) {
            let settings = RandomSettings.any(using: &random)
            do {
                let parsed = try VideoSettings(settings)
                accepted += 1
                // A macro a turn would take most of the time.
                if (try? VideoSettings(parsed.settings)) != parsed { Issue.record("\(parsed)") }
            } catch {
                if error.message.isEmpty || error.remedy.isEmpty || error.rule.isEmpty { Issue.record("\(settings)") }
            }
        }
        #expect(accepted > 100 && accepted < TestWork.inputs(release: 100_000, debug: 10_000))
    }

    /// 20 000 exports of sensible and senseless sources with mostly sensible settings: a sound plan or an error.
    @Test func anyPlan() throws {
        var random = SeededGenerator(seed: 5)
        var plans = 0
        for _ in 0..<TestWork.inputs(release: 20_000, debug: 4_000) {
            let settings = (try? VideoSettings(RandomSettings.valid(using: &random))) ?? VideoSettings()
            let preset: ExportPreset? =
                Int.random(in: 0..<6, using: &random) == 0 ? nil : .allCases.randomElement(using: &random)
            let planner = ExportPlanner(
                preset: preset, settings: Int.random(in: 0..<3, using: &random) == 0 ? VideoSettings() : settings,
                fileType: FileType.allCases.randomElement(using: &random) ?? .mov,
                sourceFormatHint: Bool.random(using: &random) ? Self.source(using: &random) : nil)
            do {
                let plan: VideoPlan = try planner.plan(video: Self.source(using: &random))
                plans += 1
                let frame = plan.geometry.frame
                #expect(frame.width > 0 && frame.height > 0)
                #expect(plan.isPassthrough || frame.width % 2 == 0 && frame.height % 2 == 0)
                #expect(!plan.summary.isEmpty && !plan.sampleEntry.isEmpty)
                let encoders = EncoderOptions.candidates(for: plan)
                let software = plan.codec == .hevc ? 2 : 1
                #expect(plan.isPassthrough || encoders.filter { !$0.isHardware }.count == software)
                #expect(encoders.allSatisfy { !$0.sourceCaps.isEmpty && !$0.launchDescription.contains("=\"\"") })
                if plan.codec == .h264, !plan.isPassthrough { #expect(plan.color.dynamicRange == .sdr) }
                if plan.codec == .hevc, plan.color.dynamicRange.isHDR, let depth = plan.bitDepth {
                    #expect(depth >= 10)
                }
                if plan.color.dynamicRange == .sdr, !plan.isPassthrough { #expect(plan.metadata == .none) }
            } catch {
                let text = error.description
                #expect(!text.isEmpty)
            }
        }
        #expect(plans > TestWork.inputs(release: 20_000, debug: 4_000) / 10)
    }
}
