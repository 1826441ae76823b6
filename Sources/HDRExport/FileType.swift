import HDRMetadata

/// A container format and the codecs that it can hold.
package enum FileType: String, CaseIterable, Sendable {
    /// QuickTime (MOV).
    case mov
    /// The ISO base media file format (MP4).
    case mp4
    case matroska
    /// The MPEG transport stream (ITU-T H.222.0).
    case mpegts

    /// The file type for a name, a file extension or Apple's uniform type identifier.
    package init(named name: String) throws(ExportError) {
        switch name.lowercased() {
        case "mov", "qt", "quicktime", "com.apple.quicktime-movie": self = .mov
        case "mp4", "m4v", "m4a", "public.mpeg-4", "com.apple.m4v-video", "com.apple.m4a-audio": self = .mp4
        case "matroska", "mkv": self = .matroska
        case "mpegts", "mpeg-ts", "ts": self = .mpegts
        default:
            throw .unknownFileType(
                String(name.prefix(64)), near: NearMatches.of(name, in: Self.allCases.map(\.rawValue) + ["mkv", "ts"]))
        }
    }

    /// The name for display.
    package var title: String {
        switch self {
        case .mov: "QuickTime"
        case .mp4: "MP4"
        case .matroska: "Matroska"
        case .mpegts: "MPEG-TS"
        }
    }

    /// The name for display, with its article.
    var withArticle: String { (title.hasPrefix("MP") ? "an " : "a ") + title }

    package var fileExtension: String {
        switch self {
        case .mov, .mp4: rawValue
        case .matroska: "mkv"
        case .mpegts: "ts"
        }
    }

    /// The GStreamer element that writes it.
    package var muxer: String {
        switch self {
        case .mov: "qtmux"
        case .mp4: "mp4mux"
        case .matroska: "matroskamux"
        case .mpegts: "mpegtsmux"
        }
    }

    /// The caps of the muxer's stream.
    package var caps: String {
        switch self {
        case .mov: "video/quicktime, variant=(string)apple"
        case .mp4: "video/quicktime, variant=(string)iso"
        case .matroska: "video/x-matroska"
        case .mpegts: "video/mpegts, systemstream=(boolean)true, packetsize=(int)188"
        }
    }

    /// The video codecs that the muxer accepts. MP4 has no ProRes: only Apple's own tools would read it.
    package var videoCodecs: [VideoCodec] {
        switch self {
        case .mov: VideoCodec.encodable + [.av1, .vp9, .mpeg4, .motionJPEG]
        case .mp4: [.hevc, .h264, .av1, .vp9, .mpeg4]
        case .matroska: VideoCodec.allCases
        case .mpegts: [.hevc, .h264]
        }
    }

    /// The audio codecs that the muxer accepts. MP4 has no PCM: ISO/IEC 23003-5 is younger than mp4mux.
    package var audioCodecs: [AudioCodec] {
        switch self {
        case .mov: [.aac, .pcm, .alac, .ac3, .mp3, .opus]
        case .mp4: [.aac, .alac, .ac3, .mp3, .opus]
        case .matroska: [.aac, .pcm, .ac3, .eac3, .mp3, .opus, .flac, .vorbis]
        case .mpegts: [.aac, .ac3, .mp3, .opus]
        }
    }

    /// Whether it is a file of boxes, with edit lists and sample tables.
    package var isMovie: Bool { self == .mov || self == .mp4 }

    /// Whether the file can contain a rotation. matroskamux writes none and a transport stream has no place for it, so
    /// the picture itself is rotated there.
    package var carriesRotation: Bool { isMovie }

    /// The sample entry's four-character code, Matroska's CodecID, or the stream type in a transport stream's program
    /// map. HEVC is `hvc1` in movies, which is what Apple's players want: parameter sets are in the file's header. It
    /// is `dvh1` where its pictures cannot be shown without Dolby Vision's metadata, as in profile 5.
    package func sampleEntry(of codec: VideoCodec, needsDolbyVision: Bool = false) -> String {
        switch self {
        case .mov, .mp4: codec == .hevc && needsDolbyVision ? "dvh1" : codec.fourCharacterCode
        case .matroska: codec.matroskaCodecID
        case .mpegts: codec == .hevc ? "0x24" : "0x1b"
        }
    }

    func check(_ codec: VideoCodec) throws(ExportError) {
        if videoCodecs.contains(codec) { return }
        if codec.isProRes, self == .mp4 { throw .proResInMP4(codec) }
        throw .codecFileType(codec, self)
    }

    func check(_ codec: AudioCodec) throws(ExportError) {
        if !audioCodecs.contains(codec) { throw .audioFileType(codec, self) }
    }
}
