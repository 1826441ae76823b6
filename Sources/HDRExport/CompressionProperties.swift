import HDRMetadata

/// kVTCompressionPropertyKey_HDRMetadataInsertionMode.
package enum MetadataInsertionMode: String, CaseIterable, Sendable {
    /// The metadata that suit the output's dynamic range.
    case auto
    /// No HDR metadata, neither in the bitstream nor in the container.
    case none
}

/// The settings of AVVideoCompressionPropertiesKey.
package struct CompressionProperties: Equatable, Sendable {
    package var profileLevel: ProfileLevel?
    /// The average bit rate in bit/s.
    package var averageBitRate: Int?
    /// The maximum distance of key frames in frames; 0 leaves it unspecified.
    package var maxKeyFrameInterval: Int?
    /// The maximum distance of key frames in seconds; 0 leaves it unspecified.
    package var maxKeyFrameIntervalDuration: Double?
    /// The quality from 0 to 1.
    package var quality: Double?
    /// Whether the coding order of frames may differ from the display order, as with B-frames.
    package var allowFrameReordering: Bool?
    /// The number of consecutive B-frames.
    package var bFrames: Int?
    /// The expected frame rate per second, a hint that converts nothing.
    package var expectedSourceFrameRate: Fraction?
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: LightLevelSetting?
    package var ambientViewing: AmbientViewing?
    package var insertionMode: MetadataInsertionMode?
    package var preserveDynamicMetadata: Bool?

    package init() {}

    package var isEmpty: Bool { self == CompressionProperties() }

    static let profileLevel = SettingDescription(
        "profile-level", .string,
        "Profile, optionally followed by a level (high-4.1); also Apple's names (HEVC_Main10_AutoLevel)",
        values: VideoProfile.settable.map(\.name).uniqued)

    static let schema: [SettingDescription] = [
        profileLevel,
        SettingDescription("average-bit-rate", .integer, "Bit rate in bit/s", range: 16_000...2_000_000_000),
        SettingDescription(
            "max-key-frame-interval", .integer,
            "Frames from one key frame to the next; 1: only key frames; 0: unspecified",
            range: 0...100_000),
        SettingDescription(
            "max-key-frame-interval-duration", .number, "Seconds from one key frame to the next; 0: unspecified",
            range: 0...3600),
        SettingDescription("quality", .number, "From 0 (small) to 1 (nearly lossless)", range: 0...1),
        SettingDescription("allow-frame-reordering", .boolean, "Whether B-frames may be used"),
        SettingDescription("b-frames", .integer, "Consecutive B-frames", range: 0...16),
        SettingDescription(
            "expected-source-frame-rate", .fraction,
            "Frames a second to plan bit rates and key frames with, where the source does not say; converts nothing"),
        SettingDescription(
            "mastering-display-color-volume", .string,
            "Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min in steps of 0.00002 and 0.0001 cd/m2"),
        SettingDescription(
            "content-light-level-info", .string, "MaxCLL:MaxFALL in cd/m2, or auto: measured while writing"),
        SettingDescription(
            "ambient-viewing-environment", .string,
            "illuminance:x:y of the light around the display, in steps of 0.0001 lux and 0.00002"),
        SettingDescription(
            "hdr-metadata-insertion-mode", .string, "Whether HDR metadata is written",
            values: MetadataInsertionMode.allCases.map(\.rawValue)),
        SettingDescription(
            "preserve-dynamic-hdr-metadata", .boolean, "Keep the frames' HDR metadata; false: compute it anew"),
    ]

    /// The keys of ``schema`` that passthrough can apply, because they concern metadata only.
    static let passthroughKeys = [
        "mastering-display-color-volume", "content-light-level-info", "ambient-viewing-environment",
        "hdr-metadata-insertion-mode", "preserve-dynamic-hdr-metadata",
    ]

    /// The keys that ProRes can apply: it has neither rate control nor dependent frames, and one profile per codec.
    static let proResKeys = [
        "expected-source-frame-rate", "mastering-display-color-volume", "content-light-level-info",
        "ambient-viewing-environment", "hdr-metadata-insertion-mode",
    ]

    /// Reads a settings dictionary.
    package init(_ settings: [Setting], path: String = "") throws(ExportError) {
        let reader = try SettingReader(settings, schema: Self.schema, path: path)
        if let text = reader.string("profile-level") { profileLevel = try ProfileLevel(text) }
        averageBitRate = reader.integer("average-bit-rate")
        maxKeyFrameInterval = reader.integer("max-key-frame-interval")
        maxKeyFrameIntervalDuration = reader.number("max-key-frame-interval-duration")
        quality = reader.number("quality")
        allowFrameReordering = reader.boolean("allow-frame-reordering")
        bFrames = reader.integer("b-frames")
        expectedSourceFrameRate = try reader.frameRate("expected-source-frame-rate")
        if let text = reader.string("mastering-display-color-volume") {
            masteringDisplay = try MasteringDisplay(text: text)
        }
        if let text = reader.string("content-light-level-info") {
            contentLightLevel = try LightLevelSetting(text: text)
        }
        if let text = reader.string("ambient-viewing-environment") { ambientViewing = try AmbientViewing(text: text) }
        if let text = reader.string("hdr-metadata-insertion-mode") {
            guard let mode = MetadataInsertionMode(rawValue: AppleNames.value(text)) else {
                throw .unknownInsertionMode(String(text.prefix(64)))
            }
            insertionMode = mode
        }
        preserveDynamicMetadata = reader.boolean("preserve-dynamic-hdr-metadata")
        if averageBitRate != nil, quality != nil { throw .twoRates }
        if allowFrameReordering == false, let bFrames, bFrames > 0 {
            throw .bFramesConflict("allow-frame-reordering is false")
        }
    }

    /// The settings as a dictionary.
    package var settings: [Setting] {
        var result: [Setting] = []
        func add(_ key: String, _ value: SettingValue?) {
            if let value { result.append(Setting(key, value)) }
        }
        add("profile-level", profileLevel.map { .string($0.text) })
        add("average-bit-rate", averageBitRate.map { .int($0) })
        add("max-key-frame-interval", maxKeyFrameInterval.map { .int($0) })
        add("max-key-frame-interval-duration", maxKeyFrameIntervalDuration.map { .double($0) })
        add("quality", quality.map { .double($0) })
        add("allow-frame-reordering", allowFrameReordering.map { .bool($0) })
        add("b-frames", bFrames.map { .int($0) })
        add("expected-source-frame-rate", expectedSourceFrameRate.map { .fraction($0) })
        add("mastering-display-color-volume", masteringDisplay.map { .string($0.text) })
        add("content-light-level-info", contentLightLevel.map { .string($0.text) })
        add("ambient-viewing-environment", ambientViewing.map { .string($0.text) })
        add("hdr-metadata-insertion-mode", insertionMode.map { .string($0.rawValue) })
        add("preserve-dynamic-hdr-metadata", preserveDynamicMetadata.map { .bool($0) })
        return result
    }
}

extension Array where Element: Equatable {
    /// The elements without repetitions.
    var uniqued: [Element] {
        var result: [Element] = []
        for element in self where !result.contains(element) { result.append(element) }
        return result
    }
}
