import HDRMetadata

/// The settings that a preset stands for, as a starting point for custom ones (AVOutputSettingsAssistant).
package struct SettingsAssistant: Equatable, Sendable {
    package let preset: ExportPreset
    package let fileType: FileType

    /// The presets for which an assistant exists.
    package static let presets: [ExportPreset] = ExportPreset.allCases.filter { $0.videoCodec != nil }

    /// - Throws: ``ExportError/presetWithoutVideo(_:)`` for passthrough and m4a, which have no video settings, and the
    ///   error for a preset that the file type cannot hold.
    package init(_ preset: ExportPreset, fileType: FileType = .mov) throws(ExportError) {
        guard preset.videoCodec != nil else { throw .presetWithoutVideo(preset) }
        self.preset = preset
        self.fileType = fileType
        try ExportPlanner(preset: preset, fileType: fileType).check()
    }

    /// The settings with which this source becomes the preset's output. The size is never larger than the source's.
    package func videoSettings(for source: SourceFormat) throws(ExportError) -> VideoSettings {
        let plan = try ExportPlanner(preset: preset, fileType: fileType).plan(video: source)
        var settings = VideoSettings()
        settings.codec = plan.codec
        settings.width = plan.geometry.frame.width
        settings.height = plan.geometry.frame.height
        if !plan.geometry.pixelAspectRatio.equals(.one) {
            settings.pixelAspectRatio = plan.geometry.pixelAspectRatio
        }
        // Only differences from the source are set, so that the settings also suit another source.
        if plan.color.action == .convert { settings.color = plan.color.target.flatMap { ColorProperties($0) } }
        settings.compression.expectedSourceFrameRate = plan.frameRate
        guard !plan.codec.isProRes, let profile = plan.profile else { return settings }
        settings.compression.profileLevel = try ProfileLevel(profile.name)
        switch plan.rate {
        case .averageBitRate(let bitRate): settings.compression.averageBitRate = bitRate
        case .quality(let quality): settings.compression.quality = quality
        case .codec, .copied: break
        }
        settings.compression.maxKeyFrameIntervalDuration = ExportPlanner.keyFrameDuration
        settings.compression.allowFrameReordering = plan.bFrames > 0
        settings.compression.bFrames = plan.bFrames
        return settings
    }

    /// The presets that can make a file of this type from this source (AVAssetExportSession's
    /// exportPresets(compatibleWith:)).
    package static func compatiblePresets(_ source: SourceFormat, fileType: FileType) -> [ExportPreset] {
        ExportPreset.allCases.filter { preset in
            guard preset.fileTypes.contains(fileType) else { return false }
            return (try? ExportPlanner(preset: preset, fileType: fileType).plan(video: source)) != nil
        }
    }

    /// The settings that a preset and a file type accept: keys, types, ranges and values.
    /// - Parameter preset: `nil` for all settings that any preset accepts.
    package static func supportedSettings(_ preset: ExportPreset?, fileType: FileType) -> [SettingDescription] {
        if preset == .m4a { return [] }
        if preset == .passthrough {
            return VideoSettings.schema.compactMap { description in
                guard description.key == "compression-properties" else { return nil }
                return description.with(
                    children: description.children.filter { child in
                        CompressionProperties.passthroughKeys.contains(child.key)
                    })
            }
        }
        let codecs = fileType.videoCodecs.filter(VideoCodec.encodable.contains)
        return VideoSettings.schema.compactMap { description -> SettingDescription? in
            switch description.key {
            case "codec":
                return description.with(values: codecs.map(\.rawValue) + codecs.map(\.fourCharacterCode))
            case "compression-properties":
                return description.with(children: compression(preset, description.children))
            // The same value as that of compression-properties, and the same key.
            case CompressionProperties.profileLevel.key:
                return compression(preset, [description]).first
            case "color-properties" where preset?.videoCodec == .h264:
                return description.with(
                    children: description.children.map { child in
                        guard child.key == "transfer" else { return child }
                        return child.with(
                            values: child.values.filter { !["SMPTE_ST_2084_PQ", "ITU_R_2100_HLG"].contains($0) })
                    })
            default: return description
            }
        }
    }

    private static func compression(_ preset: ExportPreset?, _ all: [SettingDescription]) -> [SettingDescription] {
        guard let codec = preset?.videoCodec else { return all }
        if codec.isProRes { return all.filter { CompressionProperties.proResKeys.contains($0.key) } }
        return all.map { description in
            guard description.key == "profile-level" else { return description }
            return description.with(values: VideoProfile.settable(for: codec).map(\.name))
        }
    }
}

extension SettingDescription {
    fileprivate func with(values: [String]) -> SettingDescription {
        SettingDescription(key, type, meaning, range: range, values: values, children: children)
    }

    fileprivate func with(children: [SettingDescription]) -> SettingDescription {
        SettingDescription(key, type, meaning, range: range, values: values, children: children)
    }
}
