import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct VideoCodecTests {
    @Test(arguments: [
        ("hvc1", VideoCodec.hevc), ("hevc", .hevc), ("HEVC", .hevc), ("h265", .hevc), ("avc1", .h264), ("h264", .h264),
        ("ap4h", .proRes4444), ("ap4x", .proRes4444XQ), ("apcn", .proRes422), ("apch", .proRes422HQ),
        ("apcs", .proRes422LT), ("apco", .proRes422Proxy), ("prores-422", .proRes422), ("prores-422-hq", .proRes422HQ),
    ]) func namesAndFourCharacterCodes(_ name: String, _ codec: VideoCodec) throws {
        #expect(try VideoCodec(named: name) == codec)
    }

    /// AV1 can be copied but not encoded; `muxa` is HEVC with alpha.
    @Test(arguments: ["av1", "av01", "muxa", "vp9", "", "hvc", "jpeg"]) func othersAreErrors(_ name: String) {
        #expect(exportError { _ = try VideoCodec(named: name) }?.rule == "unknown-codec")
    }

    @Test func codesAreFourCharacters() {
        #expect(VideoCodec.allCases.allSatisfy { $0.fourCharacterCode.utf8.count == 4 })
        #expect(Set(VideoCodec.allCases.map(\.fourCharacterCode)).count == VideoCodec.allCases.count)
        for codec in VideoCodec.allCases { #expect((codec.proResVariant != nil) == codec.isProRes) }
    }

    @Test func fileTypesTakeWhatTheirMuxersTake() throws {
        for codec in VideoCodec.encodable {
            for type in FileType.allCases {
                let error = exportError { try type.check(codec) }
                #expect((error == nil) == (type == .mov || type == .matroska || !codec.isProRes))
                #expect(error == nil || error?.rule == (type == .mp4 ? "prores-in-mp4" : "codec-file-type"))
            }
        }
        #expect(exportError { try FileType.mov.check(VideoCodec.vp8) }?.rule == "codec-file-type")
        #expect(exportError { try FileType.mp4.check(AudioCodec.pcm) }?.rule == "audio-file-type")
        #expect(FileType.mov.sampleEntry(of: .hevc) == "hvc1")
        #expect(FileType.mp4.sampleEntry(of: .h264) == "avc1")
        #expect(FileType.matroska.sampleEntry(of: .hevc) == "V_MPEGH/ISO/HEVC")
        #expect(FileType.mpegts.sampleEntry(of: .hevc) == "0x24" && FileType.mpegts.sampleEntry(of: .h264) == "0x1b")
        #expect(exportError { try FileType.mpegts.check(VideoCodec.av1) }?.rule == "codec-file-type")
        #expect(exportError { try FileType.mpegts.check(AudioCodec.pcm) }?.rule == "audio-file-type")
    }

    @Test func fileTypesByName() throws {
        #expect(try FileType(named: "mkv") == .matroska)
        #expect(try FileType(named: "ts") == .mpegts)
        #expect(try FileType(named: "com.apple.quicktime-movie") == .mov)
        #expect(exportError { _ = try FileType(named: "avi") }?.rule == "unknown-file-type")
        #expect(exportError { _ = try FileType(named: "mkw") }?.remedy.contains("mkv") == true)
    }
}
