import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct VideoSettingsTests {
    @Test func everyKeyIsRead() throws {
        let settings = try VideoSettings([
            Setting("codec", .string("hvc1")), Setting("width", .int(1920)), Setting("height", .int(1080)),
            Setting("scaling-mode", .string("resize-aspect-fill")),
            Setting("pixel-aspect-ratio", .fraction(Fraction(8, 6))),
            Setting(
                "clean-aperture",
                .nested([
                    Setting("width", .int(1900)), Setting("height", .int(1000)),
                    Setting("horizontal-offset", .int(-4)), Setting("vertical-offset", .int(6)),
                ])),
            Setting(
                "color-properties",
                .nested([
                    Setting("primaries", .string("ITU_R_2020")), Setting("transfer", .string("SMPTE_ST_2084_PQ")),
                    Setting("matrix", .string("ITU_R_2020")),
                ])),
            Setting("allow-wide-color", .bool(true)),
            Setting(
                "compression-properties",
                .nested([
                    Setting("profile-level", .string("main-10-5.1")), Setting("average-bit-rate", .int(20_000_000)),
                    Setting("max-key-frame-interval", .int(120)),
                    Setting("max-key-frame-interval-duration", .double(1.5)),
                    Setting("allow-frame-reordering", .bool(true)), Setting("b-frames", .int(2)),
                    Setting("expected-source-frame-rate", .double(29.97)),
                    Setting("mastering-display-color-volume", .string(MetadataTextFixture.display)),
                    Setting("content-light-level-info", .string("1000:400")),
                    Setting("hdr-metadata-insertion-mode", .string("auto")),
                    Setting("preserve-dynamic-hdr-metadata", .bool(false)),
                ])),
        ])
        #expect(settings.codec == .hevc && settings.width == 1920 && settings.height == 1080)
        #expect(settings.scalingMode == .resizeAspectFill && settings.pixelAspectRatio == Fraction(4, 3))
        #expect(
            settings.cleanAperture
                == CleanAperture(width: 1900, height: 1000, horizontalOffset: -4, verticalOffset: 6))
        #expect(settings.color == .bt2100PQ && settings.allowWideColor == true)
        let compression = settings.compression
        #expect(compression.profileLevel?.name == "main-10" && compression.profileLevel?.level == "5.1")
        #expect(compression.averageBitRate == 20_000_000 && compression.quality == nil)
        #expect(compression.maxKeyFrameInterval == 120 && compression.maxKeyFrameIntervalDuration == 1.5)
        #expect(compression.allowFrameReordering == true && compression.bFrames == 2)
        #expect(compression.expectedSourceFrameRate == Fraction(30000, 1001))
        #expect(compression.masteringDisplay == .p3Studio)
        #expect(compression.contentLightLevel == .fixed(ContentLightLevel(maximum: 1000, frameAverage: 400)))
        #expect(compression.insertionMode == .auto && compression.preserveDynamicMetadata == false)
        #expect(try VideoSettings(settings.settings) == settings)
    }

    @Test func nothingIsNothing() throws {
        #expect(try VideoSettings([]).isEmpty && VideoSettings().settings.isEmpty)
        #expect(try VideoSettings([Setting("compression-properties", .nested([]))]).isEmpty)
    }

    @Test(arguments: [
        ("ITU_R_709_2", "ITU_R_709_2", "ITU_R_709_2", ColorProperties.bt709), ("bt709", "bt709", "bt709", .bt709),
        ("SMPTE_C", "ITU_R_709_2", "ITU_R_601_4", .bt601), ("P3_D65", "ITU_R_709_2", "ITU_R_709_2", .displayP3),
        ("P3_D65", "ITU_R_2100_HLG", "ITU_R_709_2", ColorProperties(12, 18, 1)),
        ("ITU_R_2020", "ITU_R_709_2", "ITU_R_2020", .bt2020),
        ("ITU_R_2020", "SMPTE_ST_2084_PQ", "ITU_R_2020", .bt2100PQ),
        ("bt2020", "smpte2084", "bt2020", .bt2100PQ), ("bt2020", "pq", "bt2020", .bt2100PQ),
        ("bt2020", "arib-std-b67", "bt2020", .bt2100HLG), ("BT2020", "HLG", "bt2020", .bt2100HLG),
        (
            "AVVideoColorPrimaries_ITU_R_2020", "AVVideoTransferFunction_ITU_R_2100_HLG",
            "AVVideoYCbCrMatrix_ITU_R_2020",
            .bt2100HLG
        ),
        ("smpteeg432", "srgb", "bt709", ColorProperties(12, 13, 1)),
    ]) func colorNames(_ primaries: String, _ transfer: String, _ matrix: String, _ color: ColorProperties) throws {
        #expect(try VideoSettings.color(primaries, transfer, matrix).color == color)
    }

    /// Of all combinations of known names those of HDR pass, and of SDR just the usual ones.
    @Test func combinations() throws {
        for (primaries, primariesNames) in ColorProperties.primariesNames {
            for (transfer, transferNames) in ColorProperties.transferNames {
                for (matrix, matrixNames) in ColorProperties.matrixNames {
                    let requested = ColorProperties(primaries, transfer, matrix)
                    let error = exportError {
                        _ = try VideoSettings.color(
                            try #require(primariesNames.first), try #require(transferNames.first),
                            try #require(matrixNames.first))
                    }
                    #expect((error == nil) == (requested.isUsual || requested.dynamicRange.isHDR))
                    if requested.isUsual, requested.dynamicRange.isHDR {
                        #expect(
                            requested.primaries == 9 && requested.matrix == 9 || requested == ColorProperties(12, 18, 1)
                        )
                    }
                    if let error { #expect(error.rule == "color-properties-mismatch") }
                }
            }
        }
    }

    /// Whatever can be set reads back from its dictionary as the same.
    @Test func roundTrip() throws {
        var random = SeededGenerator(seed: 3)
        var valid = 0
        for _ in 0..<5000 {
            let settings = RandomSettings.valid(using: &random)
            let parsed: VideoSettings
            do { parsed = try VideoSettings(settings) } catch { continue }
            valid += 1
            #expect(try VideoSettings(parsed.settings) == parsed)
            #expect(try VideoSettings(parsed.settings).settings == parsed.settings)
        }
        #expect(valid > 1500)
    }

    @Test func theSchemaDescribesEveryKey() {
        func check(_ descriptions: [SettingDescription]) {
            #expect(Set(descriptions.map(\.key)).count == descriptions.count)
            for description in descriptions {
                #expect(!description.meaning.isEmpty && !description.meaning.hasSuffix("."))
                #expect((description.type == .structure) == !description.children.isEmpty)
                #expect(description.key.allSatisfy { $0.isLowercase || $0 == "-" })
                check(description.children)
            }
        }
        check(VideoSettings.schema)
    }
}
