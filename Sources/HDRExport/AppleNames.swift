/// The names of Apple's constants, as AVVideoSettings.h and VTCompressionProperties.h spell them, and the strings that
/// some of them stand for.
enum AppleNames {
    /// The key of the setting for a constant's name or its string; `nil` where it is not one of Apple's.
    static func key(_ name: String) -> String? { keys[name] }

    /// The value for a constant's name; the text itself where it is not one of Apple's.
    static func value(_ text: String) -> String { values[text] ?? text }

    /// The string that the constant of a profile and level stands for, such as `HEVC_Main10_AutoLevel`; the text itself
    /// where it is not one of Apple's.
    static func profile(_ text: String) -> String {
        let toolbox = "kVTProfileLevel_"
        if text.hasPrefix(toolbox) { return String(text.dropFirst(toolbox.count)) }
        return profiles[text] ?? text
    }

    private static let keys: [String: String] = {
        var keys = [
            "AVVideoCodecKey": "codec", "AVVideoWidthKey": "width", "AVVideoHeightKey": "height",
            "AVVideoScalingModeKey": "scaling-mode", "AVVideoPixelAspectRatioKey": "pixel-aspect-ratio",
            "AVVideoCleanApertureKey": "clean-aperture", "AVVideoCleanApertureWidthKey": "width",
            "AVVideoCleanApertureHeightKey": "height",
            "AVVideoCleanApertureHorizontalOffsetKey": "horizontal-offset",
            "AVVideoCleanApertureVerticalOffsetKey": "vertical-offset",
            "AVVideoColorPropertiesKey": "color-properties", "AVVideoColorPrimariesKey": "primaries",
            "AVVideoTransferFunctionKey": "transfer", "AVVideoYCbCrMatrixKey": "matrix",
            "AVVideoAllowWideColorKey": "allow-wide-color",
            "AVVideoCompressionPropertiesKey": "compression-properties",
            "AVVideoExpectedSourceFrameRateKey": "expected-source-frame-rate",
            "kVTCompressionPropertyKey_ExpectedFrameRate": "expected-source-frame-rate",
            "ExpectedFrameRate": "expected-source-frame-rate",
        ]
        // The other constants have the same names in both headers, and their strings equal their names.
        let compression = [
            "ProfileLevel": "profile-level", "AverageBitRate": "average-bit-rate",
            "MaxKeyFrameInterval": "max-key-frame-interval",
            "MaxKeyFrameIntervalDuration": "max-key-frame-interval-duration", "Quality": "quality",
            "AllowFrameReordering": "allow-frame-reordering",
            "MasteringDisplayColorVolume": "mastering-display-color-volume",
            "ContentLightLevelInfo": "content-light-level-info",
            "HDRMetadataInsertionMode": "hdr-metadata-insertion-mode",
            "PreserveDynamicHDRMetadata": "preserve-dynamic-hdr-metadata",
        ]
        for (name, key) in compression {
            keys[name] = key
            keys["AVVideo\(name)Key"] = key
            keys["kVTCompressionPropertyKey_\(name)"] = key
        }
        return keys
    }()

    private static let values = [
        "AVVideoCodecTypeHEVC": "hvc1", "AVVideoCodecTypeH264": "avc1", "AVVideoCodecTypeAppleProRes422": "apcn",
        "AVVideoCodecTypeAppleProRes422HQ": "apch", "AVVideoCodecTypeAppleProRes422LT": "apcs",
        "AVVideoCodecTypeAppleProRes422Proxy": "apco", "AVVideoCodecTypeAppleProRes4444": "ap4h",
        "AVVideoCodecTypeAppleProRes4444XQ": "ap4x", "AVVideoCodecHEVC": "hvc1", "AVVideoCodecH264": "avc1",
        "AVVideoScalingModeFit": "fit", "AVVideoScalingModeResize": "resize",
        "AVVideoScalingModeResizeAspect": "resize-aspect",
        "AVVideoScalingModeResizeAspectFill": "resize-aspect-fill",
        "kVTHDRMetadataInsertionMode_Auto": "auto", "kVTHDRMetadataInsertionMode_None": "none",
        "Auto": "auto", "None": "none",
    ]

    private static let profiles = [
        "AVVideoProfileLevelH264Baseline30": "H264_Baseline_3_0",
        "AVVideoProfileLevelH264Baseline31": "H264_Baseline_3_1",
        "AVVideoProfileLevelH264Baseline41": "H264_Baseline_4_1",
        "AVVideoProfileLevelH264BaselineAutoLevel": "H264_Baseline_AutoLevel",
        "AVVideoProfileLevelH264Main30": "H264_Main_3_0", "AVVideoProfileLevelH264Main31": "H264_Main_3_1",
        "AVVideoProfileLevelH264Main32": "H264_Main_3_2", "AVVideoProfileLevelH264Main41": "H264_Main_4_1",
        "AVVideoProfileLevelH264MainAutoLevel": "H264_Main_AutoLevel",
        "AVVideoProfileLevelH264High40": "H264_High_4_0", "AVVideoProfileLevelH264High41": "H264_High_4_1",
        "AVVideoProfileLevelH264HighAutoLevel": "H264_High_AutoLevel",
    ]
}
