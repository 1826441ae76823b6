import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct VideoProfileTests {
    @Test(arguments: [
        ("main", VideoCodec.hevc, VideoProfile.hevcMain, String?.none), ("main", .h264, .h264Main, nil),
        ("main-10", .hevc, .hevcMain10, nil), ("main-10-5.1", .hevc, .hevcMain10, "5.1"),
        ("main-422-10", .hevc, .hevcMain422_10, nil), ("high-4.1", .h264, .h264High, "4.1"),
        ("baseline-3", .h264, .h264Baseline, "3"), ("HEVC_Main_AutoLevel", .hevc, .hevcMain, nil),
        ("HEVC_Main10_AutoLevel", .hevc, .hevcMain10, nil), ("HEVC_Main42210_AutoLevel", .hevc, .hevcMain422_10, nil),
        ("H264_High_AutoLevel", .h264, .h264High, nil), ("H264_High_4_1", .h264, .h264High, "4.1"),
        ("H264_Baseline_3_0", .h264, .h264Baseline, "3.0"),
    ]) func profilesAndLevels(_ text: String, _ codec: VideoCodec, _ profile: VideoProfile, _ level: String?) throws {
        // Level 3.0 is written as 3.
        let expected = level == "3.0" ? "3" : level
        let setting = try ProfileLevel(text)
        #expect(try setting.profile(of: codec) == profile)
        #expect(setting.level == expected)
        #expect(try ProfileLevel(setting.text) == setting)
    }

    @Test(arguments: [
        "", "-", "Main", "main10", "main-12", "high-9.9", "main-10-", "HEVC_", "HEVC_Main10", "HEVC_High_AutoLevel",
        "H264_High_4_3", "H264_High_AutoLevel_4", "high-4.1-4.1",
    ]) func othersAreErrors(_ text: String) {
        #expect(exportError { _ = try ProfileLevel(text) }?.rule == "unknown-profile", "\(text)")
    }

    @Test func profilesOfTheOtherCodecAreErrors() {
        #expect(exportError { _ = try ProfileLevel("high").profile(of: .hevc) }?.rule == "profile-codec")
        #expect(exportError { _ = try ProfileLevel("main-10").profile(of: .h264) }?.rule == "profile-codec")
        #expect(exportError { _ = try ProfileLevel("HEVC_Main_AutoLevel").profile(of: .h264) }?.rule == "profile-codec")
    }

    /// What common pictures need: ITU-T H.264 table A-1, ITU-T H.265 table A.8.
    @Test(arguments: [
        (VideoCodec.h264, 1920, 1080, 30.0, "4"), (.h264, 1920, 1080, 60.0, "4.2"), (.h264, 3840, 2160, 30.0, "5.1"),
        (.h264, 3840, 2160, 60.0, "5.2"), (.h264, 1280, 720, 30.0, "3.1"), (.h264, 720, 576, 25.0, "3"),
        (.hevc, 1920, 1080, 30.0, "4"), (.hevc, 1920, 1080, 60.0, "4.1"), (.hevc, 3840, 2160, 30.0, "5"),
        (.hevc, 3840, 2160, 60.0, "5.1"), (.hevc, 3840, 2160, 120.0, "5.2"), (.hevc, 7680, 4320, 60.0, "6.1"),
        (.hevc, 1280, 720, 30.0, "3.1"), (.hevc, 8192, 4320, 120.0, "6.2"),
    ]) func levels(_ codec: VideoCodec, _ width: Int, _ height: Int, _ rate: Double, _ name: String) {
        let size = FrameSize(width, height)
        #expect(CodecLevel.all(of: codec).first { $0.allows(size, frameRate: rate, codec: codec) }?.name == name)
    }
}
