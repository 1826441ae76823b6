import HDRMetadata

/// Why an export cannot be made as requested. Each case is one rule; ``rule`` names it, ``message`` says what is wrong
/// and ``remedy`` what to do.
package enum ExportError: Error, Equatable, Sendable {
    // Errors in names.
    case unknownPreset(String, near: [String])
    case unknownFileType(String, near: [String])
    case unknownCodec(String, near: [String])
    case unknownProfile(String, near: [String])
    case unknownInsertionMode(String)
    case unknownSpeed(String, near: [String])

    // Errors in the settings dictionary.
    case unknownKey(String, near: [String])
    case duplicateKey(String)
    case wrongType(String, expected: SettingType, found: String)
    case outOfRange(String, value: String, allowed: String)
    case unknownValue(String, value: String, near: [String], allowed: [String])
    case nothingAsked

    // Errors in the color settings.
    case incompleteColorProperties(present: [String], missing: [String])
    case mismatchedColorProperties(ColorProperties)
    case hdrNeedsTenBits(DynamicRange, bitDepth: Int)
    case hdrWithH264(DynamicRange)
    case wideColorNotAllowed(ColorProperties)

    // Errors in codec, profile and size.
    case profileDepth(VideoProfile, DynamicRange)
    case profileCodec(String, VideoCodec)
    case level(String, VideoCodec, size: FrameSize, frameRate: Fraction?, needed: String?)
    case frameSize(width: Int?, height: Int?, reason: String, remedy: String)
    case cleanAperture(String)
    case proResInMP4(VideoCodec)
    case codecFileType(VideoCodec, FileType)
    case audioFileType(AudioCodec, FileType)
    case presetFileType(ExportPreset, FileType)
    case presetWithoutVideo(ExportPreset)
    case propertyForOtherCodec(key: String, VideoCodec)
    case twoRates
    case bFramesConflict(String)

    // Errors in the metadata settings.
    case masteringDisplay(String, reason: String)
    case contentLightLevel(String, reason: String)
    case ambientViewing(String, reason: String)
    case metadataForSDR(key: String)
    case metadataNotInserted(key: String)

    // Errors in passthrough, source and system.
    case passthroughReencodes(keys: [String])
    case passthroughNeedsCompressed
    case sourceNotUsable(String)
    /// Pictures that need their Dolby Vision metadata came without them; the value is the profile.
    case dolbyVisionOnly(Int)
    /// The source is Dolby Vision profile 5 that was converted to RGB or grey before its metadata were applied.
    case dolbyVisionConverted
    /// The encoder of this name does not exist; the choices are those of the codec.
    case unknownEncoder(String, codec: String, choices: [String])
    /// No encoder can be used; `instead` is another installed encoder of the codec, where the user has named one that
    /// is not installed.
    case missingEncoder(codec: String, refusals: [EncoderRefusal], package: String, instead: String? = nil)
    /// An element other than an encoder is missing, such as a parser.
    case missingElement(_ factory: String, package: String)
}

extension ExportError {
    /// The stable short name of the rule.
    package var rule: String {
        switch self {
        case .unknownPreset: "unknown-preset"
        case .unknownFileType: "unknown-file-type"
        case .unknownCodec: "unknown-codec"
        case .unknownSpeed: "unknown-speed"
        case .unknownProfile: "unknown-profile"
        case .unknownInsertionMode: "unknown-insertion-mode"
        case .unknownKey: "unknown-key"
        case .duplicateKey: "duplicate-key"
        case .wrongType: "wrong-type"
        case .outOfRange: "out-of-range"
        case .unknownValue: "unknown-value"
        case .nothingAsked: "nothing-asked"
        case .incompleteColorProperties: "color-properties-incomplete"
        case .mismatchedColorProperties: "color-properties-mismatch"
        case .hdrNeedsTenBits: "hdr-needs-10-bits"
        case .hdrWithH264: "hdr-with-h264"
        case .wideColorNotAllowed: "wide-color-not-allowed"
        case .profileDepth: "profile-depth"
        case .profileCodec: "profile-codec"
        case .level: "level-too-low"
        case .frameSize: "frame-size"
        case .cleanAperture: "clean-aperture"
        case .proResInMP4: "prores-in-mp4"
        case .codecFileType: "codec-file-type"
        case .audioFileType: "audio-file-type"
        case .presetFileType: "preset-file-type"
        case .presetWithoutVideo: "preset-without-video"
        case .propertyForOtherCodec: "property-codec"
        case .twoRates: "two-rates"
        case .bFramesConflict: "b-frames"
        case .masteringDisplay: "mastering-display-malformed"
        case .contentLightLevel: "content-light-level-malformed"
        case .ambientViewing: "ambient-viewing-malformed"
        case .metadataForSDR: "metadata-for-sdr"
        case .metadataNotInserted: "metadata-not-inserted"
        case .passthroughReencodes: "passthrough-settings"
        case .passthroughNeedsCompressed: "passthrough-source"
        case .sourceNotUsable: "source"
        case .dolbyVisionOnly: "dolby-vision-only"
        case .dolbyVisionConverted: "dolby-vision-converted"
        case .unknownEncoder: "unknown-encoder"
        case .missingEncoder: "missing-encoder"
        case .missingElement: "missing-element"
        }
    }
}

extension ExportError: CustomStringConvertible {
    package var description: String { "\(message) (rule \(rule)). \(remedy)" }
}
