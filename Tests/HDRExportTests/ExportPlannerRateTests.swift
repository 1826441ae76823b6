import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct ExportPlannerRateTests {
    static func plan(_ preset: ExportPreset, _ settings: Setting..., rate: Fraction? = Fraction(30, 1)) throws
        -> VideoPlan
    {
        var source = SourceKind.bt709.format()
        source.frameRate = rate
        let nested = try VideoSettings([Setting("compression-properties", .nested(settings))])
        return try ExportPlanner(preset: preset, settings: nested).plan(video: source)
    }

    @Test func presetsChooseTheRate() throws {
        #expect(try Self.plan(.hevcHighestQuality).rate == .quality(0.75))
        #expect(try Self.plan(.hevc1920x1080).rate == .averageBitRate(8_087_040))
        #expect(try Self.plan(.h264_1920x1080).rate == .averageBitRate(11_819_520))
        #expect(try Self.plan(.proRes422).rate == .codec)
        let low = try Self.plan(.h264LowQuality).expectedBitRate
        #expect(low < 700_000 && low > 300_000)
    }

    @Test func settingsChooseTheRate() throws {
        #expect(
            try Self.plan(.hevcHighestQuality, Setting("average-bit-rate", .int(5_000_000))).rate
                == .averageBitRate(5_000_000))
        #expect(try Self.plan(.hevc1920x1080, Setting("quality", .double(0.5))).rate == .quality(0.5))
        #expect(try Self.plan(.hevc1920x1080, Setting("quality", .int(1))).rate == .quality(1))
        #expect(try Self.plan(.hevc1920x1080, Setting("quality", .double(0.5))).expectedBitRate == 8_087_040)
    }

    @Test func keyFrames() throws {
        func interval(_ settings: Setting..., rate: Fraction? = Fraction(30, 1)) throws -> Int {
            let nested = try VideoSettings([Setting("compression-properties", .nested(settings))])
            var source = SourceKind.bt709.format()
            source.frameRate = rate
            return try ExportPlanner(preset: .hevc1920x1080, settings: nested).plan(video: source).keyFrameInterval
        }
        #expect(try interval() == 60)
        #expect(try interval(rate: Fraction(24000, 1001)) == 48)
        #expect(try interval(rate: nil) == 60)
        #expect(try interval(Setting("max-key-frame-interval", .int(250))) == 250)
        #expect(try interval(Setting("max-key-frame-interval", .int(0))) == 60)
        #expect(try interval(Setting("max-key-frame-interval-duration", .double(0.5))) == 15)
        #expect(
            try interval(
                Setting("max-key-frame-interval", .int(20)), Setting("max-key-frame-interval-duration", .int(1))) == 20)
        // The hint is for sources that do not say.
        #expect(try interval(Setting("expected-source-frame-rate", .double(59.94)), rate: nil) == 120)
        #expect(try interval(Setting("expected-source-frame-rate", .double(59.94))) == 60)
        #expect(try interval(Setting("max-key-frame-interval-duration", .double(1e-9))) == 1)
        // Slow video has only key frames where that is requested.
        #expect(try interval(rate: Fraction(1, 4)) == 2)
        #expect(try interval(Setting("max-key-frame-interval", .int(1))) == 1)
        #expect(
            try interval(Setting("max-key-frame-interval-duration", .int(3600)), rate: Fraction(1000, 1)) == 100_000)
    }

    @Test func bFrames() throws {
        #expect(try Self.plan(.hevc1920x1080, Setting("b-frames", .int(5))).bFrames == 5)
        #expect(try Self.plan(.hevc1920x1080, Setting("allow-frame-reordering", .bool(false))).bFrames == 0)
        #expect(try Self.plan(.hevc1920x1080, Setting("max-key-frame-interval", .int(1))).bFrames == 0)
        #expect(try Self.plan(.hevc1920x1080, Setting("max-key-frame-interval", .int(3))).bFrames == 2)
        #expect(try Self.plan(.h264_1280x720, Setting("profile-level", .string("baseline"))).bFrames == 0)
    }
}
