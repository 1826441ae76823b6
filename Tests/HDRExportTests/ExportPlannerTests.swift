import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct ExportPlannerTests {
    /// A picture of a source, as coded.
    struct Shape: Sendable {
        let name: String
        let width, height: Int
        var rotation = 0

        static let all = [
            Shape(name: "landscape", width: 1920, height: 1080), Shape(name: "portrait", width: 1080, height: 1920),
            Shape(name: "rotated", width: 1920, height: 1080, rotation: 90),
            Shape(name: "odd", width: 1279, height: 719), Shape(name: "tiny", width: 16, height: 16),
            Shape(name: "8K", width: 7680, height: 4320), Shape(name: "panorama", width: 12000, height: 3000),
        ]
    }

    /// Every preset, file type, kind and shape of source: the plan, or the one error that is right.
    @Test(arguments: ExportPreset.allCases, FileType.allCases)
    func everyPlan(_ preset: ExportPreset, _ fileType: FileType) throws {
        for kind in SourceKind.allCases {
            for shape in Shape.all {
                var source = kind.format(shape.width, shape.height, codec: preset == .passthrough ? .hevc : nil)
                source.rotation = shape.rotation
                let planner = ExportPlanner(preset: preset, fileType: fileType)
                let context = "\(preset.rawValue) \(fileType) \(kind) \(shape.name)"
                if preset == .m4a {
                    #expect(exportError { _ = try planner.plan(video: source) as VideoPlan } != nil)
                    continue
                }
                if preset.videoCodec?.isProRes == true, fileType == .mp4 || fileType == .mpegts {
                    let rule = fileType == .mp4 ? "prores-in-mp4" : "codec-file-type"
                    #expect(exportError { _ = try planner.plan(video: source) as VideoPlan }?.rule == rule)
                    continue
                }
                let plan: VideoPlan = try planner.plan(video: source)
                expectSound(plan, of: source, kind: kind, preset: preset, context)
            }
        }
    }

    private func expectSound(
        _ plan: VideoPlan, of source: SourceFormat, kind: SourceKind, preset: ExportPreset, _ context: String
    ) {
        let comment = Comment(rawValue: "\(context)\n" + plan.summary.joined(separator: "\n"))
        #expect(plan.codec == preset.videoCodec ?? source.codec, comment)
        #expect(plan.sampleEntry == plan.fileType.sampleEntry(of: plan.codec), comment)
        #expect(plan.summary.count >= 2, comment)
        if preset == .passthrough {
            #expect(plan.isPassthrough && plan.rawFormat == nil && plan.geometry.isScaled == false, comment)
            #expect(plan.geometry.frame == FrameSize(source.width, source.height), comment)
            #expect(plan.color.target == source.color && plan.metadata.known == source.metadata, comment)
            #expect(EncoderOptions.candidates(for: plan).isEmpty, comment)
            return
        }
        let frame = plan.geometry.frame
        #expect(frame.width % 2 == 0 && frame.height % 2 == 0, comment)
        let turned = plan.geometry.turn == 90
        #expect(frame.width <= (turned ? source.height : source.width), comment)
        #expect(frame.height <= (turned ? source.width : source.height), comment)
        if let box = preset.maximumSize {
            #expect(max(frame.width, frame.height) <= max(box.width, box.height), comment)
            #expect(min(frame.width, frame.height) <= min(box.width, box.height), comment)
        }
        let becomesSDR = kind.isHDR && plan.codec == .h264
        #expect(plan.color.dynamicRange == (becomesSDR ? .sdr : source.dynamicRange), comment)
        #expect(plan.color.action == (kind == .untagged ? .untagged : becomesSDR ? .convert : .keep), comment)
        #expect((plan.color.target == nil) == (kind == .untagged), comment)
        #expect(plan.metadata.known == (becomesSDR ? .none : source.metadata), comment)
        let format =
            switch plan.codec {
            case .hevc: kind.isHDR ? "I420_10LE" : "I420"
            case .h264: "I420"
            case .proRes422: "I422_10LE"
            default: "Y444_10LE"
            }
        #expect(plan.rawFormat == format, comment)
        let profile: VideoProfile =
            plan.codec.isProRes ? .proRes : plan.codec == .h264 ? .h264High : kind.isHDR ? .hevcMain10 : .hevcMain
        #expect(plan.profile == profile, comment)
        #expect(plan.keyFrameInterval == (plan.codec.isProRes ? 0 : 60), comment)
        #expect(plan.bFrames == (plan.codec.isProRes ? 0 : 3), comment)
        #expect((16_000...10_000_000_000).contains(plan.expectedBitRate), comment)
        let rotates = plan.fileType == .mov || plan.fileType == .mp4
        #expect(plan.geometry.displayRotation == (rotates ? source.rotation : 0), comment)
        #expect(plan.geometry.turn == (rotates ? 0 : source.rotation), comment)
        // HEVC has hdrx265enc and x265enc.
        let software = plan.codec == .hevc ? 2 : 1
        #expect(EncoderOptions.candidates(for: plan, withHardware: false).count == software, comment)
        #expect(EncoderOptions.candidates(for: plan).count == software + (plan.codec.isProRes ? 0 : 5), comment)
    }

    @Test func deepSDRStaysDeep() throws {
        var source = SourceKind.bt709.format()
        source.bitDepth = 10
        #expect(try ExportPlanner(preset: .hevc1920x1080).plan(video: source).profile == .hevcMain10)
        #expect(try ExportPlanner(preset: .h264_1920x1080).plan(video: source).profile == .h264High)
        let planner = ExportPlanner(
            preset: .hevc1920x1080, settings: try .compression(Setting("profile-level", .string("main"))))
        #expect(try planner.plan(video: source).rawFormat == "I420")
    }

    @Test(arguments: [("main-422-10", "I422_10LE"), ("main-444-10", "Y444_10LE"), ("main-10", "I420_10LE")])
    func profilesChooseTheFormat(_ profile: String, _ format: String) throws {
        let planner = ExportPlanner(
            preset: .hevc1920x1080, settings: try .compression(Setting("profile-level", .string(profile))))
        for kind in SourceKind.allCases { #expect(try planner.plan(video: kind.format()).rawFormat == format) }
    }

    @Test func alphaIsKeptByProRes4444() throws {
        var source = SourceKind.bt709.format()
        source.hasAlpha = true
        #expect(try ExportPlanner(preset: .proRes4444).plan(video: source).rawFormat == "A444_10LE")
        #expect(try ExportPlanner(preset: .proRes422).plan(video: source).rawFormat == "I422_10LE")
    }

    @Test func settingsOverrideThePreset() throws {
        var settings = try VideoSettings([
            Setting("codec", .string("avc1")), Setting("width", .int(640)), Setting("height", .int(480)),
        ])
        settings.compression.averageBitRate = 1_000_000
        let planner = ExportPlanner(preset: .hevc3840x2160, settings: settings)
        let plan = try planner.plan(video: SourceKind.hdr10.format(3840, 2160)) as VideoPlan
        #expect(plan.codec == .h264 && plan.geometry.frame == FrameSize(640, 360))
        #expect(plan.rate == .averageBitRate(1_000_000) && plan.expectedBitRate == 1_000_000)
        #expect(plan.color.dynamicRange == .sdr)
    }

    @Test func theHintFillsInWhatIsMissing() throws {
        let bare = SourceFormat(width: 3840, height: 2160)
        let hint = SourceKind.hdr10.format(640, 360)
        let planner = ExportPlanner(preset: .hevc1920x1080, sourceFormatHint: hint)
        let plan = try planner.plan(video: bare) as VideoPlan
        #expect(plan.geometry.frame == FrameSize(1920, 1080))
        #expect(plan.color.dynamicRange == .pq && plan.metadata.known == hint.metadata && plan.profile == .hevcMain10)
        #expect(plan.frameRate == Fraction(30, 1))
        // The source's own colour takes precedence.
        let sdr = try planner.plan(video: SourceKind.bt709.format()) as VideoPlan
        #expect(sdr.color.dynamicRange == .sdr)
    }

    @Test func wholeFiles() throws {
        let audio = [AudioSource(sampleRate: 48000, channels: 2), AudioSource(sampleRate: 44100, channels: 1)]
        let plan = try ExportPlanner(preset: .proRes422).plan(video: SourceKind.hlg.format(), audio: audio)
        #expect(plan.video?.codec == .proRes422 && plan.audio.map(\.codec) == [.pcm, .pcm])
        #expect(plan.summary.first == "QuickTime file by qtmux" && plan.summary.count >= 5)
        let m4a = try ExportPlanner(preset: .m4a, fileType: .mp4).plan(video: SourceKind.hlg.format(), audio: audio)
        #expect(m4a.video == nil && m4a.audio.count == 2 && m4a.audio.allSatisfy { $0.codec == .aac })
    }

    /// A picture that is coded in landscape and shown upright keeps its rotation where the file can express it.
    @Test func rotation() throws {
        var source = SourceKind.hlg.format(3840, 2160)
        source.rotation = 90
        let mov = try ExportPlanner(preset: .hevc1920x1080).plan(video: source).geometry
        #expect(mov.frame == FrameSize(1920, 1080) && mov.displayRotation == 90 && mov.turn == 0)
        let matroska = try ExportPlanner(preset: .hevc1920x1080, fileType: .matroska).plan(video: source).geometry
        #expect(matroska.frame == FrameSize(1080, 1920) && matroska.displayRotation == 0 && matroska.turn == 90)
        source.pixelAspectRatio = Fraction(4, 3)
        source.width = 1440
        source.height = 1080
        let turned = try ExportPlanner(preset: .hevc1920x1080, fileType: .matroska).plan(video: source).geometry
        #expect(turned.frame == FrameSize(1080, 1440) && turned.pixelAspectRatio == Fraction(3, 4))
    }

    /// Settings made in code are held to the dictionary's ranges.
    @Test func settingsMadeInCodeAreChecked() {
        var settings = VideoSettings()
        settings.codec = .hevc
        settings.compression.quality = 7
        #expect(exportError { try ExportPlanner(settings: settings).check() }?.rule == "out-of-range")
        settings.compression.quality = nil
        settings.width = Int.max
        #expect(exportError { try ExportPlanner(settings: settings).check() }?.rule == "frame-size")
        settings.width = nil
        settings.color = ColorProperties(9, 13, 9)
        #expect(exportError { try ExportPlanner(settings: settings).check() } != nil)
    }

    @Test(arguments: [
        (Int.max, Int.max), (0, 0), (-5, 100), (65536, 2), (Int.min, Int.min),
    ]) func absurdSourcesAreErrors(_ width: Int, _ height: Int) {
        let source = SourceFormat(width: width, height: height)
        #expect(exportError { _ = try ExportPlanner(preset: .hevc1920x1080).plan(video: source) }?.rule == "source")
    }

    @Test func absurdDetailsAreErrorsOrIgnored() throws {
        var source = SourceKind.bt709.format()
        source.pixelAspectRatio = Fraction(0, 0)
        #expect(exportError { _ = try ExportPlanner(preset: .hevc1920x1080).plan(video: source) }?.rule == "source")
        source.pixelAspectRatio = .one
        source.rotation = 45
        #expect(exportError { _ = try ExportPlanner(preset: .hevc1920x1080).plan(video: source) }?.rule == "source")
        source.rotation = 0
        for rate in [Fraction(0, 1), Fraction(Int.max, 1), Fraction(1, 0), Fraction(2_000_000_000, 1)] {
            source.frameRate = rate
            let plan = try ExportPlanner(preset: .hevc1920x1080).plan(video: source) as VideoPlan
            #expect(plan.frameRate == nil && plan.keyFrameInterval == 60)
        }
    }
}
