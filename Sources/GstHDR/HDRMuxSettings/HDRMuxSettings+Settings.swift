import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRExport
import HDRMetadata

extension HDRMuxSettings {
    /// The values of the properties. Structures and caps are kept as text.
    struct Settings: Sendable {
        var preset = GST_HDR_MUX_SETTINGS_DEFAULT_PRESET
        var fileType = FileType(GST_HDR_MUX_SETTINGS_DEFAULT_FILE_TYPE)
        var dictionary: String?
        var masteringDisplay: String?
        var contentLightLevel: String?
        var ambientViewing: String?
        /// The value for the property scene-light of the hdrconvert inside; `nil` where it is not set.
        var sceneLight: String?
        var insertsMetadata = GST_HDR_MUX_SETTINGS_DEFAULT_INSERTION_MODE == GST_HDR_INSERTION_AUTO
        var preservesDynamic = GST_HDR_MUX_SETTINGS_DEFAULT_PRESERVE_DYNAMIC != 0
        var authored = DynamicMetadataRequest(GST_HDR_MUX_SETTINGS_DEFAULT_DYNAMIC_METADATA)
        var sourceFormatHint: String?
        var mixedSources: String?
        var speedPreset = GST_HDR_MUX_SETTINGS_DEFAULT_SPEED_PRESET
        /// The factory name of the encoder; empty for the best that is installed.
        var encoder = GST_HDR_MUX_SETTINGS_DEFAULT_ENCODER
        var acceleratesInHardware = GST_HDR_MUX_SETTINGS_DEFAULT_HARDWARE_ACCELERATION != 0
        var optimizesForNetwork = GST_HDR_MUX_SETTINGS_DEFAULT_OPTIMIZE_FOR_NETWORK != 0
        /// The duration of fragments in ms; 0 for a file without fragments.
        var fragmentDuration = GST_HDR_MUX_SETTINGS_DEFAULT_FRAGMENT_DURATION

        /// The export planner for these settings.
        func planner() throws(ExportError) -> ExportPlanner {
            var video = VideoSettings()
            if let dictionary, let structure = gst_structure_from_string(dictionary, nil) {
                defer { gst_structure_free(structure) }
                video = try VideoSettings(SettingStructure.settings(structure))
            }
            if let masteringDisplay {
                video.compression.masteringDisplay = try MasteringDisplay(text: masteringDisplay)
            }
            if let contentLightLevel {
                video.compression.contentLightLevel = try LightLevelSetting(text: contentLightLevel)
            }
            if let ambientViewing { video.compression.ambientViewing = try AmbientViewing(text: ambientViewing) }
            if !insertsMetadata { video.compression.insertionMode = MetadataInsertionMode.none }
            if !preservesDynamic { video.compression.preserveDynamicMetadata = false }
            let preset = preset.isEmpty ? nil : try ExportPreset(named: preset)
            let mixedColor = mix(into: &video, codec: video.codec ?? preset?.videoCodec)
            var planner = ExportPlanner(
                preset: preset, settings: video, fileType: fileType,
                sourceFormatHint: Self.sources(sourceFormatHint).first)
            planner.carriesRotation = fileType.carriesRotation
            planner.mixedColor = mixedColor
            let sources = Self.sources(mixedSources)
            planner.joinsSources = sources.count > 1
            planner.joinedMetadata = sources.reduce(into: []) { $0.formUnion($1.dynamicMetadata) }
            planner.authored = authored
            return planner
        }

        /// Chooses colour and metadata for a file that joins several sources.
        /// - Returns: the common colour; `nil` where the settings name one, or there is only one source.
        private func mix(into settings: inout VideoSettings, codec: VideoCodec?) -> ColorProperties? {
            let sources = Self.sources(mixedSources)
            guard sources.count > 1, settings.color == nil, codec != .h264 else { return nil }
            let mixing = DynamicRangeMixing(sources.map { .init(color: $0.color, metadata: $0.metadata) })
            guard let color = ColorProperties(mixing.target) else { return nil }
            guard color.dynamicRange == .pq, settings.allowWideColor != false, insertsMetadata else { return color }
            if settings.compression.masteringDisplay == nil {
                settings.compression.masteringDisplay = mixing.metadata.masteringDisplay
            }
            if settings.compression.contentLightLevel == nil, let level = mixing.metadata.contentLightLevel {
                settings.compression.contentLightLevel = .fixed(level)
            }
            return color
        }

        private static func sources(_ caps: String?) -> [SourceFormat] {
            guard let caps, let parsed = gst_caps_from_string(caps) else { return [] }
            defer { gst_caps_unref(parsed) }
            return Caps.structures(parsed).compactMap { structure in
                // SourceFormat reads caps of one structure.
                guard let copy = gst_structure_copy(structure), let one = gst_caps_new_empty() else { return nil }
                gst_caps_append_structure(one, copy)
                defer { gst_caps_unref(one) }
                var source = SourceFormat(one)
                let names = Caps.strings(structure, "dynamic-hdr-metadata") ?? []
                source?.dynamicMetadata = Set(names.compactMap { DynamicMetadataFormat(rawValue: $0) })
                return source
            }
        }
    }

    func setProperty(_ property: GstHdrMuxSettingsProp, _ value: UnsafePointer<GValue>) {
        func text() -> String? { g_value_get_string(value).map { String(cString: $0) } }
        func serialized(_ make: (gpointer) -> UnsafeMutablePointer<gchar>?) -> String? {
            guard let boxed = g_value_get_boxed(value), let text = make(boxed) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
        func caps() -> String? { serialized { gst_caps_to_string($0.assumingMemoryBound(to: GstCaps.self)) } }
        do throws(ExportError) {
            switch property {
            case GST_HDR_MUX_SETTINGS_PROP_PRESET:
                if let text = text(), !text.isEmpty { _ = try ExportPreset(named: text) }
            case GST_HDR_MUX_SETTINGS_PROP_SPEED_PRESET: if let text = text() { _ = try EncoderSpeed(named: text) }
            case GST_HDR_MUX_SETTINGS_PROP_MASTERING_DISPLAY:
                if let text = text() { _ = try MasteringDisplay(text: text) }
            case GST_HDR_MUX_SETTINGS_PROP_CONTENT_LIGHT_LEVEL:
                if let text = text() { _ = try LightLevelSetting(text: text) }
            case GST_HDR_MUX_SETTINGS_PROP_SCENE_LIGHT:
                if let problem = SceneList(text: text() ?? "").problems.first {
                    ElementMessage.refusal(gstElement, "scene-light: left out: \(problem)")
                }
            default: break
            }
        } catch {
            // `check` refuses it too, but only at NULL to READY, when it is unclear where the value was set.
            ElementMessage.refusal(gstElement, error.description)
        }
        settings.withLock { settings in
            switch property {
            case GST_HDR_MUX_SETTINGS_PROP_PRESET: settings.preset = text() ?? ""
            case GST_HDR_MUX_SETTINGS_PROP_FILE_TYPE:
                settings.fileType = FileType(GstHdrFileType(rawValue: UInt32(bitPattern: g_value_get_enum(value))))
            case GST_HDR_MUX_SETTINGS_PROP_SETTINGS:
                settings.dictionary = serialized {
                    gst_structure_to_string($0.assumingMemoryBound(to: GstStructure.self))
                }
            case GST_HDR_MUX_SETTINGS_PROP_MASTERING_DISPLAY: settings.masteringDisplay = text()
            case GST_HDR_MUX_SETTINGS_PROP_CONTENT_LIGHT_LEVEL: settings.contentLightLevel = text()
            case GST_HDR_MUX_SETTINGS_PROP_AMBIENT_VIEWING: settings.ambientViewing = text()
            case GST_HDR_MUX_SETTINGS_PROP_SCENE_LIGHT: settings.sceneLight = text()
            case GST_HDR_MUX_SETTINGS_PROP_INSERTION_MODE:
                settings.insertsMetadata = g_value_get_enum(value) != gint(GST_HDR_INSERTION_NONE.rawValue)
            case GST_HDR_MUX_SETTINGS_PROP_PRESERVE_DYNAMIC: settings.preservesDynamic = g_value_get_boolean(value) != 0
            case GST_HDR_MUX_SETTINGS_PROP_ENCODER: settings.encoder = text() ?? ""
            case GST_HDR_MUX_SETTINGS_PROP_DYNAMIC_METADATA:
                settings.authored = DynamicMetadataRequest(
                    GstHdrDynamicMetadata(rawValue: UInt32(bitPattern: g_value_get_enum(value))))
            case GST_HDR_MUX_SETTINGS_PROP_SOURCE_FORMAT_HINT: settings.sourceFormatHint = caps()
            case GST_HDR_MUX_SETTINGS_PROP_MIXED_SOURCES: settings.mixedSources = caps()
            case GST_HDR_MUX_SETTINGS_PROP_SPEED_PRESET:
                settings.speedPreset = text() ?? GST_HDR_MUX_SETTINGS_DEFAULT_SPEED_PRESET
            case GST_HDR_MUX_SETTINGS_PROP_OPTIMIZE_FOR_NETWORK:
                settings.optimizesForNetwork = g_value_get_boolean(value) != 0
            case GST_HDR_MUX_SETTINGS_PROP_FRAGMENT_DURATION: settings.fragmentDuration = g_value_get_uint(value)
            case GST_HDR_MUX_SETTINGS_PROP_HARDWARE_ACCELERATION:
                settings.acceleratesInHardware = g_value_get_boolean(value) != 0
            default: break
            }
        }
    }

    func getProperty(_ property: GstHdrMuxSettingsProp, _ value: UnsafeMutablePointer<GValue>) {
        let settings = settings.current
        func give(_ caps: String?) {
            guard let caps, let parsed = gst_caps_from_string(caps) else { return }
            g_value_take_boxed(value, parsed)
        }
        switch property {
        case GST_HDR_MUX_SETTINGS_PROP_PRESET: g_value_set_string(value, settings.preset)
        case GST_HDR_MUX_SETTINGS_PROP_FILE_TYPE:
            g_value_set_enum(value, gint(settings.fileType.propertyValue.rawValue))
        case GST_HDR_MUX_SETTINGS_PROP_SETTINGS:
            guard let text = settings.dictionary, let structure = gst_structure_from_string(text, nil) else { return }
            g_value_take_boxed(value, structure)
        case GST_HDR_MUX_SETTINGS_PROP_MASTERING_DISPLAY: g_value_set_string(value, settings.masteringDisplay)
        case GST_HDR_MUX_SETTINGS_PROP_CONTENT_LIGHT_LEVEL: g_value_set_string(value, settings.contentLightLevel)
        case GST_HDR_MUX_SETTINGS_PROP_AMBIENT_VIEWING: g_value_set_string(value, settings.ambientViewing)
        case GST_HDR_MUX_SETTINGS_PROP_SCENE_LIGHT: g_value_set_string(value, settings.sceneLight)
        case GST_HDR_MUX_SETTINGS_PROP_INSERTION_MODE:
            let mode = settings.insertsMetadata ? GST_HDR_INSERTION_AUTO : GST_HDR_INSERTION_NONE
            g_value_set_enum(value, gint(mode.rawValue))
        case GST_HDR_MUX_SETTINGS_PROP_PRESERVE_DYNAMIC: g_value_set_boolean(value, settings.preservesDynamic ? 1 : 0)
        case GST_HDR_MUX_SETTINGS_PROP_ENCODER: g_value_set_string(value, settings.encoder)
        case GST_HDR_MUX_SETTINGS_PROP_DYNAMIC_METADATA:
            g_value_set_enum(value, gint(settings.authored.propertyValue.rawValue))
        case GST_HDR_MUX_SETTINGS_PROP_SOURCE_FORMAT_HINT: give(settings.sourceFormatHint)
        case GST_HDR_MUX_SETTINGS_PROP_MIXED_SOURCES: give(settings.mixedSources)
        case GST_HDR_MUX_SETTINGS_PROP_SPEED_PRESET: g_value_set_string(value, settings.speedPreset)
        case GST_HDR_MUX_SETTINGS_PROP_OPTIMIZE_FOR_NETWORK:
            g_value_set_boolean(value, settings.optimizesForNetwork ? 1 : 0)
        case GST_HDR_MUX_SETTINGS_PROP_FRAGMENT_DURATION: g_value_set_uint(value, settings.fragmentDuration)
        case GST_HDR_MUX_SETTINGS_PROP_HARDWARE_ACCELERATION:
            g_value_set_boolean(value, settings.acceleratesInHardware ? 1 : 0)
        case GST_HDR_MUX_SETTINGS_PROP_MEASURED_LIGHT_LEVELS:
            let measured = branches.current.lazy.compactMap { $0.levels.current.structure("light-levels") }
            if let structure = measured.first { g_value_take_boxed(value, structure) }
        default: break
        }
    }
}

extension DynamicMetadataRequest {
    init(_ propertyValue: GstHdrDynamicMetadata) {
        switch propertyValue {
        case GST_HDR_DYNAMIC_METADATA_DOLBY_VISION: self = .author(.dolbyVision)
        case GST_HDR_DYNAMIC_METADATA_HDR10_PLUS: self = .author(.hdr10Plus)
        default: self = .auto
        }
    }

    var propertyValue: GstHdrDynamicMetadata {
        switch self {
        case .author(.dolbyVision): GST_HDR_DYNAMIC_METADATA_DOLBY_VISION
        case .author(.hdr10Plus): GST_HDR_DYNAMIC_METADATA_HDR10_PLUS
        default: GST_HDR_DYNAMIC_METADATA_AUTO
        }
    }
}

extension FileType {
    init(_ propertyValue: GstHdrFileType) {
        self = Self.allCases.first { $0.propertyValue == propertyValue } ?? .mov
    }

    var propertyValue: GstHdrFileType {
        switch self {
        case .mov: GST_HDR_FILE_TYPE_MOV
        case .mp4: GST_HDR_FILE_TYPE_MP4
        case .matroska: GST_HDR_FILE_TYPE_MATROSKA
        case .mpegts: GST_HDR_FILE_TYPE_MPEGTS
        }
    }
}

extension ContentLightMeter {
    /// A new structure, which the caller owns; `nil` before the first frame.
    func structure(_ name: String) -> UnsafeMutablePointer<GstStructure>? {
        guard let levels else { return nil }
        var settings = [
            Setting("max-cll", .int(Int(levels.maximum))), Setting("max-fall", .int(Int(levels.frameAverage))),
            Setting("max-cll-exact", .double(maximum)), Setting("max-fall-exact", .double(frameAverage)),
            Setting("frames", .int(frames)),
        ]
        if let percentile { settings.append(Setting("max-cll-99.99", .double(percentile))) }
        return SettingStructure.make(name, settings)
    }
}
