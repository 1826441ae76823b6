import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct SettingsAssistantTests {
    /// Settings of the assistant make the plan that the preset makes, also after a way through the dictionary.
    @Test(arguments: SettingsAssistant.presets, SourceKind.allCases)
    func settingsMakeThePresetsPlan(_ preset: ExportPreset, _ kind: SourceKind) throws {
        for (width, height) in [
            (1920, 1080), (3840, 2160), (1080, 1920), (1279, 719), (320, 240), (16, 16), (7680, 4320),
        ] {
            let source = kind.format(width, height)
            let settings = try SettingsAssistant(preset).videoSettings(for: source)
            #expect(try VideoSettings(settings.settings) == settings)
            let plan: VideoPlan = try ExportPlanner(preset: preset).plan(video: source)
            let again: VideoPlan = try ExportPlanner(settings: settings).plan(video: source)
            #expect(again == plan, "\(width)x\(height)")
            #expect((settings.width ?? .max) <= width && (settings.height ?? .max) <= height)
        }
    }

    @Test func anamorphicSourcesKeepTheirShape() throws {
        var source = SourceKind.bt709.format(1440, 1080)
        source.pixelAspectRatio = Fraction(4, 3)
        let settings = try SettingsAssistant(.hevc1920x1080).videoSettings(for: source)
        #expect(settings.width == 1440 && settings.pixelAspectRatio == Fraction(4, 3))
    }

    @Test func assistantsNeedVideoAndAFittingFile() {
        #expect(exportError { _ = try SettingsAssistant(.passthrough) }?.rule == "preset-without-video")
        #expect(exportError { _ = try SettingsAssistant(.m4a) }?.rule == "preset-without-video")
        #expect(exportError { _ = try SettingsAssistant(.proRes422, fileType: .mp4) }?.rule == "prores-in-mp4")
    }

    @Test func compatiblePresets() {
        let raw = SourceKind.hdr10.format()
        let mov = SettingsAssistant.compatiblePresets(raw, fileType: .mov)
        #expect(mov == ExportPreset.allCases.filter { $0 != .passthrough && $0 != .m4a })
        let mp4 = SettingsAssistant.compatiblePresets(raw, fileType: .mp4)
        #expect(!mp4.contains(.proRes422) && mp4.contains(.hevc3840x2160))
        #expect(
            SettingsAssistant.compatiblePresets(SourceKind.hdr10.format(codec: .hevc), fileType: .mp4).contains(
                .passthrough))
        #expect(
            !SettingsAssistant.compatiblePresets(SourceKind.hdr10.format(codec: .vp8), fileType: .mp4).contains(
                .passthrough))
        // HEVC does not take 8-bit PQ; H.264 converts it, ProRes keeps it.
        var shallow = raw
        shallow.bitDepth = 8
        let presets = SettingsAssistant.compatiblePresets(shallow, fileType: .mov)
        #expect(!presets.contains { $0.videoCodec == .hevc } && presets.contains(.h264_1920x1080))
        #expect(SettingsAssistant.compatiblePresets(SourceFormat(width: 0, height: 0), fileType: .mov).isEmpty)
    }

    @Test func supportedSettingsAreThoseThatPass() throws {
        func children(_ preset: ExportPreset?, _ key: String) -> [SettingDescription] {
            SettingsAssistant.supportedSettings(preset, fileType: .mov).first { $0.key == key }?.children ?? []
        }
        #expect(SettingsAssistant.supportedSettings(nil, fileType: .mov) == VideoSettings.schema)
        #expect(SettingsAssistant.supportedSettings(.m4a, fileType: .mp4).isEmpty)
        let codecs = SettingsAssistant.supportedSettings(nil, fileType: .mp4).first { $0.key == "codec" }?.values
        #expect(codecs == ["hevc", "h264", "hvc1", "avc1"])
        #expect(
            children(.h264_1280x720, "compression-properties").first { $0.key == "profile-level" }?.values
                == ["baseline", "main", "high"])
        #expect(!children(.proRes422, "compression-properties").contains { $0.key == "quality" })
        // The key beside codec takes the same values as the one in compression-properties.
        for preset in [ExportPreset.h264_1280x720, .hevc1920x1080, .proRes422] {
            let beside = SettingsAssistant.supportedSettings(preset, fileType: .mov).first { $0.key == "profile-level" }
            let nested = children(preset, "compression-properties").first { $0.key == "profile-level" }
            #expect(beside == nested, "\(preset)")
        }
        #expect(
            children(.h264_1280x720, "color-properties").first { $0.key == "transfer" }?.values.contains(
                "SMPTE_ST_2084_PQ")
                == false)
        // Each listed key of passthrough is taken, no other.
        let listed = children(.passthrough, "compression-properties").map(\.key)
        #expect(listed == CompressionProperties.passthroughKeys)
        for description in CompressionProperties.schema {
            guard let value = Self.example(description) else { continue }
            let error = exportError {
                try ExportPlanner(
                    preset: .passthrough, settings: try .compression(Setting(description.key, value))
                ).check()
            }
            #expect(
                (error == nil) == listed.contains(description.key), "\(description.key): \(String(describing: error))")
        }
    }

    private static func example(_ description: SettingDescription) -> SettingValue? {
        switch description.type {
        case .string:
            switch description.key {
            case "mastering-display-color-volume": .string(MetadataTextFixture.display)
            case "content-light-level-info": .string("1000:400")
            default: description.values.first.map { .string($0) }
            }
        case .integer: .int(Int(description.range?.upperBound ?? 2))
        case .number: .double(description.range?.upperBound ?? 1)
        case .boolean: .bool(true)
        case .fraction: .fraction(.one)
        case .structure: nil
        }
    }
}
