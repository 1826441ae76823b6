import Testing

@testable import HDRExport
@testable import HDRMetadata

/// Every rule, broken as a user would break it.
@Suite struct ExportErrorTests {
    struct Case: Sendable, CustomStringConvertible {
        let rule: String
        /// Must stand in the message, and in the remedy.
        let message, remedy: String
        let breaks: @Sendable () throws -> Void
        var description: String { rule }

        init(_ rule: String, _ message: String, _ remedy: String, _ breaks: @escaping @Sendable () throws -> Void) {
            self.rule = rule
            self.message = message
            self.remedy = remedy
            self.breaks = breaks
        }
    }

    static func plan(
        _ kind: SourceKind = .bt709, _ preset: ExportPreset? = .hevc1920x1080, _ settings: [Setting] = [],
        _ type: FileType = .mov, change: (inout SourceFormat) -> Void = { _ in }
    ) throws {
        var source = kind.format()
        change(&source)
        _ = try ExportPlanner(preset: preset, settings: try VideoSettings(settings), fileType: type).plan(
            video: source, audio: [])
    }

    static func compression(_ key: String, _ value: SettingValue) -> [Setting] {
        [Setting("compression-properties", .nested([Setting(key, value)]))]
    }

    static func color(_ primaries: String?, _ transfer: String?, _ matrix: String?) -> [Setting] {
        let all = [("primaries", primaries), ("transfer", transfer), ("matrix", matrix)]
        return [
            Setting(
                "color-properties", .nested(all.compactMap { key, value in value.map { Setting(key, .string($0)) } }))
        ]
    }

    static let dictionary: [Case] = [
        Case("unknown-preset", "hevc-1920x1088", "hevc-1920x1080") { _ = try ExportPreset(named: "hevc-1920x1088") },
        Case("unknown-file-type", "avi", "matroska") { _ = try FileType(named: "avi") },
        Case("unknown-codec", "hvc2", "hvc1") { try plan(.bt709, nil, [Setting("codec", .string("hvc2"))]) },
        Case("unknown-profile", "main-11", "main-10") {
            try plan(.bt709, .hevc1920x1080, compression("profile-level", .string("main-11")))
        },
        Case("unknown-insertion-mode", "always", "auto or none") {
            try plan(.bt709, .hevc1920x1080, compression("hdr-metadata-insertion-mode", .string("always")))
        },
        Case("unknown-key", "\"widht\"", "width") { try plan(.bt709, nil, [Setting("widht", .int(640))]) },
        Case("unknown-key", "compression-properties.bitrate", "compression-properties.average-bit-rate") {
            try plan(.bt709, nil, compression("bitrate", .int(640)))
        },
        Case("duplicate-key", "\"width\"", "Keep one") {
            try plan(.bt709, nil, [Setting("width", .int(640)), Setting("width", .int(640))])
        },
        Case("wrong-type", "\"width\" must be of type integer, not string \"640\"", "width=(int)") {
            try plan(.bt709, nil, [Setting("width", .string("640"))])
        },
        Case("wrong-type", "color-properties\" must be of type structure", "color-properties=") {
            try plan(.bt709, nil, [Setting("color-properties", .string("bt709"))])
        },
        Case("out-of-range", "quality\" is 1.5; it may be 0 to 1", "range") {
            try plan(.bt709, .hevc1920x1080, compression("quality", .double(1.5)))
        },
        Case("out-of-range", "quality\" is nan", "range") {
            try plan(.bt709, .hevc1920x1080, compression("quality", .double(.nan)))
        },
        Case("out-of-range", "expected-source-frame-rate\" is 30/0", "range") {
            try plan(.bt709, .hevc1920x1080, compression("expected-source-frame-rate", .fraction(Fraction(30, 0))))
        },
        Case("unknown-value", "\"scaling-mode\" cannot be \"resize-fill\"", "resize-aspect-fill") {
            try plan(.bt709, .hevc1920x1080, [Setting("scaling-mode", .string("resize-fill"))])
        },
        Case("unknown-value", "color-properties.transfer", "SMPTE_ST_2084_PQ") {
            try plan(.bt709, .hevc1920x1080, color("bt2020", "smpte2048", "bt2020"))
        },
        Case("nothing-asked", "Neither a preset nor a codec", "codec=hvc1") { try plan(.bt709, nil) },
    ]

    static let colorRules: [Case] = [
        Case("color-properties-incomplete", "primaries and transfer but not matrix", "matrix") {
            try plan(.bt709, .hevc1920x1080, color("bt2020", "pq", nil))
        },
        Case("color-properties-incomplete", "matrix but not primaries and transfer", "primaries and transfer") {
            try plan(.bt709, .hevc1920x1080, color(nil, nil, "bt2020"))
        },
        Case("color-properties-mismatch", "IEC_sRGB", "P3_D65/IEC_sRGB/ITU_R_709_2") {
            try plan(.bt709, .hevc1920x1080, color("bt2020", "srgb", "bt2020"))
        },
        Case("frame-size", "so long that 1920x10.8 pixels were left", "scaling-mode=resize") {
            try plan { $0.pixelAspectRatio = Fraction(100, 1) }
        },
        Case("frame-size", "over 4222 pixels need at least 32", "resize-aspect") {
            try plan(.bt709, .hevcHighestQuality) { ($0.width, $0.height) = (4224, 30) }
        },
        Case("frame-size", "H.264 needs at least 16x16", "videoscale") {
            try plan(.bt709, .h264HighestQuality) { ($0.width, $0.height) = (640, 14) }
        },
        Case("hdr-needs-10-bits", "PQ video in HEVC needs 10 bits; the source has 8", "10-bit") {
            try plan(.hdr10) { $0.bitDepth = 8 }
        },
        Case("hdr-needs-10-bits", "HLG video in HEVC", "ITU_R_709_2") {
            try plan(.untagged, .hevc1920x1080, color("bt2020", "hlg", "bt2020"))
        },
        Case("hdr-with-h264", "H.264 cannot be exported as PQ", "HEVC or ProRes") {
            try plan(.hdr10, .h264_1920x1080, color("bt2020", "pq", "bt2020"))
        },
        Case("wide-color-not-allowed", "P3_D65", "allow-wide-color to true") {
            try plan(
                .bt709, .hevc1920x1080, color("p3", "bt709", "bt709") + [Setting("allow-wide-color", .bool(false))])
        },
        Case("profile-depth", "The profile Main has 8 bits; PQ", "main-10") {
            try plan(.hdr10, .hevc1920x1080, compression("profile-level", .string("main")))
        },
        Case("profile-depth", "The profile Main has 8 bits; HLG", "main-10") {
            try plan(.hlg, .hevc1920x1080, compression("profile-level", .string("HEVC_Main_AutoLevel")))
        },
    ]

    static let formatRules: [Case] = [
        Case("profile-codec", "\"high\" is not a profile of HEVC", "main-10") {
            try plan(.bt709, .hevc1920x1080, compression("profile-level", .string("high")))
        },
        Case("level-too-low", "Level 3.1 of HEVC is too low for 1920x1080 at 30/1", "level 4 ") {
            try plan(.bt709, .hevc1920x1080, compression("profile-level", .string("main-3.1")))
        },
        Case("frame-size", "the width is odd", "1920 or 1922") {
            try plan(.bt709, .hevc1920x1080, [Setting("width", .int(1921)), Setting("height", .int(1080))])
        },
        Case("frame-size", "the width is odd", "Use 16 or more.") {
            try plan(.bt709, .hevc1920x1080, [Setting("width", .int(1)), Setting("height", .int(1))])
        },
        Case("frame-size", "the height is 0", "above 0") {
            try plan(.bt709, .hevc1920x1080, [Setting("height", .int(0))])
        },
        Case("frame-size", "the width is over 16384", "7680x4320") {
            try plan(.bt709, .hevc1920x1080, [Setting("width", .int(32768))])
        },
        Case("frame-size", "level 6.2", "7680x4320") {
            try plan(.bt709, .hevc1920x1080, [Setting("width", .int(16384)), Setting("height", .int(8192))])
        },
        Case("frame-size", "at least 16x16", "larger size") {
            try plan(.bt709, .hevc1920x1080, [Setting("width", .int(8)), Setting("height", .int(8))])
        },
        Case("frame-size", "at least 16x16", "source up") {
            try plan(.bt709, .hevc1920x1080) { ($0.width, $0.height) = (8, 8) }
        },
        Case("clean-aperture", "1920x1080 at 2, 0 is not inside", "within the picture") {
            let aperture = [
                Setting("width", .int(1920)), Setting("height", .int(1080)), Setting("horizontal-offset", .int(2)),
            ]
            try plan(.bt709, .hevc1920x1080, [Setting("clean-aperture", .nested(aperture))])
        },
        Case("prores-in-mp4", "ProRes 422 cannot be stored in an MP4", "mov or matroska") {
            try plan(.bt709, .proRes422, [], .mp4)
        },
        Case("prores-in-mp4", "ProRes 4444", "mov") {
            try plan(.bt709, nil, [Setting("codec", .string("ap4h"))], .mp4)
        },
        Case("codec-file-type", "VP8", "file-type to matroska") { try plan(.bt709, .passthrough) { $0.codec = .vp8 } },
        Case("audio-file-type", "PCM audio cannot be stored in an MP4", "mov or matroska") {
            _ = try ExportPlanner(preset: .passthrough, fileType: .mp4).plan(
                audio: AudioSource(sampleRate: 48000, channels: 2))
        },
        Case("preset-file-type", "m4a makes no Matroska", "mov or mp4") {
            _ = try ExportPlanner(preset: .m4a, fileType: .matroska).plan(video: nil, audio: [])
        },
        Case("preset-without-video", "m4a has no video settings", "hevc-highest-quality") {
            try plan(.bt709, .m4a, [Setting("width", .int(640))])
        },
        Case("property-codec", "ProRes 422 has no setting \"compression-properties.quality\"", "Remove") {
            try plan(.bt709, .proRes422, compression("quality", .double(0.5)))
        },
        Case("two-rates", "both set", "Keep one") {
            let both = [Setting("quality", .double(0.5)), Setting("average-bit-rate", .int(1_000_000))]
            try plan(.bt709, .hevc1920x1080, [Setting("compression-properties", .nested(both))])
        },
        Case("b-frames", "allow-frame-reordering is false", "b-frames to 0") {
            let both = [Setting("b-frames", .int(2)), Setting("allow-frame-reordering", .bool(false))]
            try plan(.bt709, .hevc1920x1080, [Setting("compression-properties", .nested(both))])
        },
        Case("b-frames", "Baseline", "b-frames to 0") {
            let both = [Setting("b-frames", .int(2)), Setting("profile-level", .string("baseline"))]
            try plan(.bt709, .h264_1280x720, [Setting("compression-properties", .nested(both))])
        },
    ]

    static let metadataRules: [Case] = [
        Case("mastering-display-malformed", "3 numbers", "Rx:Ry:Gx") {
            try plan(.hdr10, .hevc1920x1080, compression("mastering-display-color-volume", .string("1:2:3")))
        },
        Case("content-light-level-malformed", "MaxFALL is above MaxCLL", "MaxCLL:MaxFALL") {
            try plan(.hdr10, .hevc1920x1080, compression("content-light-level-info", .string("100:1000")))
        },
        Case(
            "metadata-for-sdr", "mastering-display-color-volume is set, but the output is SDR",
            "color-properties to HDR"
        ) {
            try plan(
                .bt709, .hevc1920x1080,
                compression("mastering-display-color-volume", .string(MetadataTextFixture.display)))
        },
        Case("metadata-for-sdr", "content-light-level-info", "Remove") {
            try plan(.hdr10, .h264_1920x1080, compression("content-light-level-info", .string("1000:400")))
        },
        Case("metadata-not-inserted", "insertion-mode is none", "auto") {
            let both = [
                Setting("content-light-level-info", .string("1000:400")),
                Setting("hdr-metadata-insertion-mode", .string("none")),
            ]
            try plan(.hdr10, .hevc1920x1080, [Setting("compression-properties", .nested(both))])
        },
        Case("passthrough-settings", "cannot change codec and width", "another preset") {
            try plan(.bt709, .passthrough, [Setting("codec", .string("hvc1")), Setting("width", .int(640))]) {
                $0.codec = .hevc
            }
        },
        Case("passthrough-settings", "average-bit-rate", "Remove") {
            try plan(.bt709, .passthrough, compression("average-bit-rate", .int(1_000_000))) { $0.codec = .hevc }
        },
        Case("passthrough-settings", "content-light-level-info=auto", "Remove") {
            try plan(.hdr10, .passthrough, compression("content-light-level-info", .string("auto"))) {
                $0.codec = .hevc
            }
        },
        Case("passthrough-source", "the source is raw", "without a decoder") { try plan(.bt709, .passthrough) },
        Case("source", "0x1080", "upstream of this pad") { try plan(.bt709) { $0.width = 0 } },
        Case("unknown-encoder", "\"x264enc\" is none that encodes HEVC", "hdrx265enc or x265enc") {
            let plan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hdr10.format()) as VideoPlan
            let all = EncoderOptions.candidates(for: plan)
            _ = try EncoderOptions.named("x264enc", of: all, codec: plan.codec.title)
        },
        Case(
            "missing-encoder",
            "No encoder for HEVC is installed; tried nvh265enc, nvcudah265enc, vah265enc, vah265lpenc, "
                + "qsvh265enc, hdrx265enc and x265enc", "apt install gstreamer1.0-plugins-bad"
        ) {
            let plan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hdr10.format()) as VideoPlan
            throw EncoderOptions.missing(EncoderOptions.candidates(for: plan), codec: plan.codec.title)
        },
        Case(
            "missing-encoder",
            "No encoder for H.264 can be used: nvh264enc does not take NV12 of 96x64; vah264enc has no "
                + "rate-control=vbr; qsvh264enc does not start: its device or driver refuses the plan; not installed: "
                + "vah264lpenc and x264enc",
            "apt install gstreamer1.0-plugins-ugly"
        ) {
            let plan = try ExportPlanner(preset: .h264_1920x1080).plan(video: SourceKind.bt709.format()) as VideoPlan
            let reasons: [EncoderRefusal.Reason?] = [
                .input("NV12 of 96x64"), nil, .property("rate-control=vbr"), .missing, .device, .missing,
            ]
            let candidates = EncoderOptions.candidates(for: plan)
            let refusals = zip(candidates, reasons).compactMap { encoder, reason in
                reason.map { EncoderRefusal(encoder, $0) }
            }
            throw EncoderOptions.refused(refusals, of: candidates, codec: plan.codec.title)
        },
        Case(
            "missing-encoder",
            "The encoder hdrx265enc is missing: GStreamer finds no plugin libgsthdrx265.so, or not the libx265",
            "apt install gstreamer1.0-hdr-x265. Or use x265enc, which is installed."
        ) { try name("hdrx265enc", instead: "x265enc") },
        Case("missing-encoder", "The encoder hdrx265enc is missing", "libgsthdrx265.so, which meson-wrap/build-plugin")
        {
            try name("hdrx265enc")
        },
        Case(
            "missing-encoder", "The encoder x265enc for HEVC is not installed",
            "apt install gstreamer1.0-plugins-bad. Or use hdrx265enc, which is installed."
        ) { try name("x265enc", instead: "hdrx265enc") },
        Case("missing-encoder", "tried fdkaacenc, avenc_aac and voaacenc", "apt install gstreamer1.0-libav") {
            let plan = try ExportPlanner(preset: .m4a).plan(audio: AudioSource(sampleRate: 48000, channels: 2))
            throw EncoderOptions.missing(EncoderOptions.candidates(for: plan), codec: plan.codec.title)
        },
    ]

    /// Names an encoder that is missing.
    private static func name(_ factory: String, instead: String? = nil) throws {
        let plan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hdr10.format()) as VideoPlan
        let codec = plan.codec.title
        let named = try EncoderOptions.named(factory, of: EncoderOptions.candidates(for: plan), codec: codec)
        throw EncoderOptions.refused(
            named.map { EncoderRefusal($0, .missing) }, of: named, codec: codec, instead: instead)
    }

    static let all = dictionary + colorRules + formatRules + metadataRules

    @Test(arguments: all) func everyRuleSaysWhatAndHow(_ broken: Case) throws {
        let error = try #require(exportError { try broken.breaks() }, "nothing was thrown")
        #expect(error.rule == broken.rule)
        #expect(error.message.contains(broken.message), "\(error)")
        #expect(error.remedy.contains(broken.remedy), "\(error)")
        #expect(error.description.contains(error.rule) && error.description.contains(error.remedy))
        #expect(
            !error.message.hasSuffix(".") && (error.remedy.hasSuffix(".") || error.remedy.hasSuffix("?")), "\(error)")
    }

    /// One example of each case of the enumeration is broken above.
    @Test func noRuleIsLeftOut() {
        let rules: Set = [
            "unknown-preset", "unknown-file-type", "unknown-codec", "unknown-profile", "unknown-insertion-mode",
            "unknown-key", "duplicate-key", "wrong-type", "out-of-range", "unknown-value", "nothing-asked",
            "color-properties-incomplete", "color-properties-mismatch", "hdr-needs-10-bits", "hdr-with-h264",
            "wide-color-not-allowed", "profile-depth", "profile-codec", "level-too-low", "frame-size", "clean-aperture",
            "prores-in-mp4", "codec-file-type", "audio-file-type", "preset-file-type", "preset-without-video",
            "property-codec", "two-rates", "b-frames", "mastering-display-malformed", "content-light-level-malformed",
            "metadata-for-sdr", "metadata-not-inserted", "passthrough-settings", "passthrough-source", "source",
            "missing-encoder", "unknown-encoder",
        ]
        #expect(Set(Self.all.map(\.rule)) == rules)
    }

    @Test func messagesStayShort() {
        let long = String(repeating: "x", count: 1_000_000)
        for error in [
            exportError { _ = try ExportPreset(named: long) },
            exportError { _ = try VideoSettings([Setting(long, .int(1))]) },
            exportError { _ = try VideoSettings([Setting("codec", .string(long))]) },
            exportError { _ = try VideoSettings([Setting("width", .string(long))]) },
            exportError { _ = try VideoSettings([Setting("scaling-mode", .string(long))]) },
            exportError { _ = try MasteringDisplay(text: long) },
            exportError { _ = try LightLevelSetting(text: long) },
            exportError { _ = try ProfileLevel(long) },
        ] {
            #expect((error?.description.utf8.count ?? .max) < 700)
        }
    }
}
