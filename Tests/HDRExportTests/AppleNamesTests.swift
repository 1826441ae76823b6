import Testing

@testable import HDRExport
@testable import HDRMetadata

/// Settings as they are written for AVFoundation and VideoToolbox.
@Suite struct AppleNamesTests {
    @Test func aDictionaryOfConstants() throws {
        let apple = try VideoSettings([
            Setting("AVVideoCodecKey", .string("AVVideoCodecTypeHEVC")), Setting("AVVideoWidthKey", .int(1280)),
            Setting("AVVideoHeightKey", .int(720)),
            Setting("AVVideoScalingModeKey", .string("AVVideoScalingModeResizeAspectFill")),
            Setting(
                "AVVideoCleanApertureKey",
                .nested([
                    Setting("AVVideoCleanApertureWidthKey", .int(1278)),
                    Setting("AVVideoCleanApertureHeightKey", .int(718)),
                    Setting("AVVideoCleanApertureHorizontalOffsetKey", .int(0)),
                    Setting("AVVideoCleanApertureVerticalOffsetKey", .int(1)),
                ])),
            Setting(
                "AVVideoColorPropertiesKey",
                .nested([
                    Setting("AVVideoColorPrimariesKey", .string("AVVideoColorPrimaries_ITU_R_2020")),
                    Setting("AVVideoTransferFunctionKey", .string("AVVideoTransferFunction_SMPTE_ST_2084_PQ")),
                    Setting("AVVideoYCbCrMatrixKey", .string("AVVideoYCbCrMatrix_ITU_R_2020")),
                ])),
            Setting("AVVideoAllowWideColorKey", .bool(true)),
            Setting(
                "AVVideoCompressionPropertiesKey",
                .nested([
                    Setting("AVVideoAverageBitRateKey", .int(1_000_000)),
                    Setting("AVVideoMaxKeyFrameIntervalKey", .int(30)),
                    Setting("AVVideoMaxKeyFrameIntervalDurationKey", .int(1)),
                    Setting("AVVideoAllowFrameReorderingKey", .bool(false)),
                    Setting("AVVideoExpectedSourceFrameRateKey", .int(24)),
                    Setting("AVVideoProfileLevelKey", .string("kVTProfileLevel_HEVC_Main10_AutoLevel")),
                    Setting("kVTCompressionPropertyKey_HDRMetadataInsertionMode", .string("Auto")),
                    Setting("PreserveDynamicHDRMetadata", .bool(true)),
                ])),
        ])
        var same = VideoSettings()
        same.codec = .hevc
        (same.width, same.height, same.scalingMode) = (1280, 720, .resizeAspectFill)
        same.cleanAperture = CleanAperture(width: 1278, height: 718, verticalOffset: 1)
        (same.color, same.allowWideColor) = (.bt2100PQ, true)
        same.compression.averageBitRate = 1_000_000
        (same.compression.maxKeyFrameInterval, same.compression.maxKeyFrameIntervalDuration) = (30, 1)
        same.compression.allowFrameReordering = false
        same.compression.expectedSourceFrameRate = Fraction(24, 1)
        same.compression.profileLevel = try ProfileLevel("HEVC_Main10_AutoLevel")
        (same.compression.insertionMode, same.compression.preserveDynamicMetadata) = (.auto, true)
        #expect(apple == same)
    }

    @Test(arguments: ["profile-level", "AVVideoProfileLevelKey", "kVTCompressionPropertyKey_ProfileLevel"])
    func theProfileStandsBesideTheCodecToo(_ key: String) throws {
        let settings = try VideoSettings([Setting(key, .string("HEVC_Main10_AutoLevel"))])
        #expect(settings.compression.profileLevel == (try ProfileLevel("HEVC_Main10_AutoLevel")))
        // Written as a dictionary it has Apple's structure again.
        #expect(try VideoSettings(settings.settings) == settings)
        let twice = exportError {
            _ = try VideoSettings([
                Setting(key, .string("main-10")),
                Setting("compression-properties", .nested([Setting("profile-level", .string("main-10"))])),
            ])
        }
        #expect(twice?.rule == "duplicate-key")
    }

    @Test func oneKeyInTwoSpellingsIsThereTwice() {
        let error = exportError {
            _ = try VideoSettings([Setting("width", .int(640)), Setting("AVVideoWidthKey", .int(640))])
        }
        #expect(error?.rule == "duplicate-key")
    }

    @Test(arguments: [
        ("AVVideoProfileLevelH264High41", "high", "4.1"), ("AVVideoProfileLevelH264Baseline30", "baseline", "3"),
        ("AVVideoProfileLevelH264MainAutoLevel", "main", nil), ("kVTProfileLevel_H264_High_5_2", "high", "5.2"),
        ("kVTProfileLevel_HEVC_Main42210_AutoLevel", "main-422-10", nil),
    ]) func profiles(_ text: String, _ name: String, _ level: String?) throws {
        let profile = try ProfileLevel(text)
        #expect(profile.name == name && profile.level == level)
    }

    @Test(arguments: [
        ("AVVideoCodecTypeH264", VideoCodec.h264), ("AVVideoCodecTypeAppleProRes422HQ", .proRes422HQ),
        ("AVVideoCodecTypeAppleProRes4444", .proRes4444),
    ]) func codecs(_ text: String, _ codec: VideoCodec) throws {
        #expect(try VideoCodec(named: text) == codec)
    }
}
