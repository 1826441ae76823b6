import Testing

@testable import HDRExport

@Suite struct ExportPresetTests {
    /// Programs depend on these strings.
    static let contract = [
        "hevc-highest-quality", "hevc-1920x1080", "hevc-3840x2160", "hevc-7680x4320", "hevc-4320x2160",
        "h264-low-quality", "h264-medium-quality", "h264-highest-quality", "h264-640x480", "h264-960x540",
        "h264-1280x720", "h264-1920x1080", "h264-3840x2160", "prores-422", "prores-4444", "passthrough", "m4a",
    ]

    @Test func namesAreTheContract() throws {
        #expect(ExportPreset.allCases.map(\.rawValue) == Self.contract)
        for name in Self.contract { #expect(try ExportPreset(named: name).rawValue == name) }
    }

    @Test func appleNamesAreUnderstood() throws {
        #expect(Set(ExportPreset.allCases.map(\.appleName)).count == Self.contract.count)
        #expect(try ExportPreset(named: "AVAssetExportPresetHEVC3840x2160") == .hevc3840x2160)
        #expect(try ExportPreset(named: "AVAssetExportPresetHighestQuality") == .h264HighestQuality)
        #expect(try ExportPreset(named: "AVAssetExportPresetAppleProRes422LPCM") == .proRes422)
    }

    @Test func namesWithASizeHaveIt() {
        for preset in ExportPreset.allCases {
            guard let size = preset.maximumSize, preset.rawValue.last?.isNumber == true else { continue }
            #expect(preset.rawValue.hasSuffix("-\(size)"))
        }
    }

    @Test func fileTypesFollowFromTheCodec() {
        for preset in ExportPreset.allCases {
            #expect(preset.fileTypes.contains(.mov))
            let isProRes = preset == .proRes422 || preset == .proRes4444
            #expect(preset.fileTypes.contains(.mp4) == !isProRes)
            #expect(preset.fileTypes.contains(.matroska) == (preset != .m4a))
            #expect((preset.audioCodec == .pcm) == isProRes)
        }
    }

    @Test(arguments: ["", "hevc", "HEVC-1920x1080", "h265-1920x1080", "passthru", "\u{0}", "prores-422\n"])
    func otherNamesAreErrors(_ name: String) {
        let error = exportError { _ = try ExportPreset(named: name) }
        #expect(error?.rule == "unknown-preset")
    }

    @Test func errorsListNearNames() {
        let error = exportError { _ = try ExportPreset(named: "hevc-1920x1088") }
        #expect(error?.remedy.contains("hevc-1920x1080") == true)
        #expect(exportError { _ = try ExportPreset(named: "zzzzzzz") }?.remedy.contains("m4a") == true)
    }
}
