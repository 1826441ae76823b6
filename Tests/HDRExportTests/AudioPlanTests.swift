import Testing

@testable import HDRExport

@Suite struct AudioPlanTests {
    static func plan(
        _ preset: ExportPreset, _ rate: Int, _ channels: Int, depth: Int? = nil, codec: AudioCodec? = nil,
        _ type: FileType = .mov
    ) throws -> AudioPlan {
        try ExportPlanner(preset: preset, fileType: type).plan(
            audio: AudioSource(sampleRate: rate, channels: channels, bitDepth: depth, codec: codec))
    }

    @Test(arguments: [
        (48000, 2, 48000, 2, 160_000), (44100, 1, 44100, 1, 96_000), (48000, 6, 48000, 6, 384_000),
        (96000, 8, 96000, 6, 384_000), (192_000, 2, 48000, 2, 160_000), (176_400, 2, 44100, 2, 160_000),
        (8000, 1, 8000, 1, 17_000), (22050, 2, 22050, 2, 80_000), (7000, 1, 8000, 1, 17_000),
        (50000, 2, 48000, 2, 160_000),
    ]) func aac(_ rate: Int, _ channels: Int, _ outRate: Int, _ outChannels: Int, _ bitRate: Int) throws {
        let plan = try Self.plan(.hevc1920x1080, rate, channels)
        #expect(plan.codec == .aac && plan.sampleRate == outRate && plan.channels == outChannels)
        #expect(plan.bitRate == bitRate)
        #expect(plan.bitRate <= 6 * outRate * outChannels)
    }

    @Test func pcmKeepsTheDepth() throws {
        #expect(try Self.plan(.proRes422, 96000, 8, depth: 24).rawFormat == "S24LE")
        #expect(try Self.plan(.proRes422, 48000, 2, depth: 16).rawFormat == "S16LE")
        #expect(try Self.plan(.proRes422, 48000, 2).rawFormat == "S16LE")
        #expect(try Self.plan(.proRes422, 48000, 2).bitRate == 1_536_000)
        #expect(EncoderOptions.candidates(for: try Self.plan(.proRes422, 48000, 2)).isEmpty)
    }

    @Test func passthroughCopiesWhatFits() throws {
        #expect(try Self.plan(.passthrough, 48000, 2, codec: .opus).isPassthrough)
        #expect(exportError { _ = try Self.plan(.passthrough, 48000, 2, codec: .flac) }?.rule == "audio-file-type")
        #expect(exportError { _ = try Self.plan(.passthrough, 48000, 2, .mp4) }?.rule == "audio-file-type")
        #expect(try Self.plan(.passthrough, 48000, 2, codec: .flac, .matroska).codec == .flac)
    }

    @Test func encodersTakeTheChannels() throws {
        func factories(_ channels: Int) throws -> [String] {
            EncoderOptions.candidates(for: try Self.plan(.hevc1920x1080, 48000, channels)).map(\.factory)
        }
        #expect(try factories(2) == ["fdkaacenc", "avenc_aac", "voaacenc"])
        #expect(try factories(6) == ["fdkaacenc", "avenc_aac"])
    }

    /// Forced mid/side coding would bring sound of one side to both.
    @Test func aSideIsCodedAlone() throws {
        let encoders = EncoderOptions.candidates(for: try Self.plan(.hevc1920x1080, 48000, 2))
        #expect(
            encoders.map(\.launchDescription) == [
                "fdkaacenc bitrate=160000", "avenc_aac bitrate=160000 aac-ms=false", "voaacenc bitrate=160000",
            ])
    }

    @Test(arguments: [(0, 2), (48000, 0), (-1, 2), (48000, Int.max), (Int.max, 2)])
    func absurdSourcesAreErrors(_ rate: Int, _ channels: Int) {
        #expect(exportError { _ = try Self.plan(.hevc1920x1080, rate, channels) }?.rule == "source")
    }
}
