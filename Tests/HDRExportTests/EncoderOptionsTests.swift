import Testing

@testable import HDRExport

@Suite struct EncoderOptionsTests {
    static func options(
        _ kind: SourceKind, _ preset: ExportPreset, _ settings: Setting..., type: FileType = .mov, alpha: Bool = false
    ) throws -> EncoderOptions {
        var source = kind.format()
        source.hasAlpha = alpha
        let nested = try VideoSettings([Setting("compression-properties", .nested(settings))])
        let plan: VideoPlan = try ExportPlanner(preset: preset, settings: nested, fileType: type).plan(video: source)
        return try #require(EncoderOptions.candidates(for: plan, withHardware: false).first)
    }

    @Test func hdr10() throws {
        let options = try Self.options(.hdr10, .hevc1920x1080)
        #expect(
            options.launchDescription
                == "hdrx265enc speed-preset=medium key-int-max=60 bitrate=10108 option-string=repeat-headers=1:info=0:"
                + "open-gop=0:psy-rd=2.0:bframes=3:chromaloc=2:hdr10-opt=1")
        #expect(options.rawFormat == "I420_10LE" && options.sourceCaps == "video/x-h265, profile=(string)main-10")
        #expect(options.muxerCaps.isEmpty)
    }

    @Test func keyFramesOnlyHaveAnIntraProfile() throws {
        let options = try Self.options(.hdr10, .hevc1920x1080, Setting("max-key-frame-interval", .int(1)))
        #expect(options.launchDescription.contains("key-int-max=1 "))
        #expect(options.sourceCaps == "video/x-h265, profile=(string){ main-10, main-10-intra }")
    }

    /// hdrx265enc keeps to the rates of Dolby Vision's levels by itself.
    @Test func dolbyVisionLimitsTheRate() throws {
        var source = SourceKind.hlg.format()
        source.dynamicMetadata = [.dolbyVision]
        func line(_ factory: String, _ source: SourceFormat, _ preset: ExportPreset = .hevc1920x1080) throws -> String {
            let plan: VideoPlan = try ExportPlanner(preset: preset).plan(video: source)
            let all = EncoderOptions.candidates(for: plan, withHardware: false)
            return try #require(all.first { $0.factory == factory }).launchDescription
        }
        #expect(try line("x265enc", source).contains(":vbv-maxrate=20000:vbv-bufsize=20000:high-tier=0"))
        #expect(try line("x265enc", source, .hevcHighestQuality).contains(":vbv-maxrate="))
        #expect(!(try line("hdrx265enc", source).contains("vbv")))
        source.dynamicMetadata = []
        #expect(!(try line("x265enc", source).contains("vbv")))
    }

    @Test func anEncoderIsTakenByItsName() throws {
        let plan: VideoPlan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hlg.format())
        let all = EncoderOptions.candidates(for: plan)
        #expect(try EncoderOptions.named("", of: all, codec: "HEVC") == all)
        #expect(try EncoderOptions.named("x265enc", of: all, codec: "HEVC").map(\.factory) == ["x265enc"])
        let error = #expect(throws: ExportError.self) { try EncoderOptions.named("x264enc", of: all, codec: "HEVC") }
        #expect(error?.description.contains("\"x264enc\" is none that encodes HEVC") == true)
        #expect(error?.description.contains("hdrx265enc or x265enc") == true)
    }

    @Test func hevcByQualityAndLevel() throws {
        let hlg = try Self.options(.hlg, .hevcHighestQuality, Setting("profile-level", .string("main-422-10-5.1")))
        #expect(hlg.launchDescription.contains("crf=20.0:level-idc=5.1"))
        #expect(!hlg.launchDescription.contains("hdr10-opt") && !hlg.launchDescription.contains("bitrate"))
        #expect(hlg.rawFormat == "I422_10LE" && hlg.sourceCaps.hasSuffix("main-422-10"))
    }

    @Test func untaggedIsSaidToBeUnknown() throws {
        let hevc = try Self.options(.untagged, .hevc1920x1080).launchDescription
        #expect(hevc.hasSuffix("colorprim=unknown:transfer=unknown:colormatrix=unknown"))
        #expect(try Self.options(.untagged, .h264_1920x1080).launchDescription.hasSuffix("insert-vui=false"))
        #expect(!(try Self.options(.bt709, .h264_1920x1080).launchDescription.contains("insert-vui")))
    }

    /// Over the property's 102 400 kbit/s only the option string helps.
    @Test func highBitRates() throws {
        func line(_ bitRate: Int) throws -> String {
            try Self.options(.hdr10, .hevc1920x1080, Setting("average-bit-rate", .int(bitRate))).launchDescription
        }
        #expect(try line(102_400_000).contains(" bitrate=102400 "))
        #expect(try line(102_401_000).contains(":bitrate=102401:"))
        #expect(try line(16_000).contains(" bitrate=16 "))
    }

    @Test func h264() throws {
        let options = try Self.options(.hdr10, .h264_1920x1080)
        #expect(
            options.launchDescription
                == "x264enc speed-preset=medium key-int-max=60 bframes=3 dct8x8=true cabac=true vbv-buf-capacity=0 "
                + "pass=cbr bitrate=11819")
        #expect(options.rawFormat == "I420" && options.sourceCaps == "video/x-h264, profile=(string)high")
        let quality = try Self.options(.bt709, .h264HighestQuality, Setting("profile-level", .string("H264_Main_4_1")))
        #expect(
            quality.launchDescription.hasSuffix("dct8x8=false cabac=true vbv-buf-capacity=0 pass=qual quantizer=17"))
        #expect(quality.sourceCaps == "video/x-h264, profile=(string)main, level=(string)4.1")
        let baseline = try Self.options(.bt709, .h264_1280x720, Setting("profile-level", .string("baseline")))
        #expect(baseline.launchDescription.contains("bframes=0 dct8x8=false cabac=false"))
    }

    @Test func proRes() throws {
        let mov = try Self.options(.hdr10, .proRes422)
        #expect(mov.launchDescription == "avenc_prores_ks profile=standard vendor=apl0")
        #expect(mov.rawFormat == "I422_10LE" && mov.muxerCaps.isEmpty)
        let matroska = try Self.options(.hdr10, .proRes4444, type: .matroska, alpha: true)
        #expect(matroska.launchDescription == "avenc_prores_ks profile=4444 vendor=apl0 alpha-bits=16")
        #expect(matroska.muxerCaps == "video/x-prores, format=(string)4444")
    }

    @Test func speedIsPassedOn() throws {
        let plan: VideoPlan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hlg.format())
        for speed in EncoderSpeed.allCases {
            let all = EncoderOptions.candidates(for: plan, speed: speed, withHardware: false)
            #expect(all.map(\.factory) == ["hdrx265enc", "x265enc"] && all.allSatisfy { !$0.isHardware })
            #expect(all.first?.launchDescription.contains(" speed-preset=\(speed.rawValue) ") == true)
        }
    }

    @Test func qualityScalesAreMonotonous() {
        var last = (100.0, 100)
        for step in 0...20 {
            let quality = Double(step) / 20
            let factors = (
                EncoderOptions.x265RateFactor(quality: quality), EncoderOptions.x264RateFactor(quality: quality)
            )
            #expect(factors.0 < last.0 && factors.1 < last.1 && factors.0 >= 14 && factors.1 >= 11)
            last = factors
        }
    }
}
