import HDRMetadata

/// A container, with what may stand in it.
package enum FileType: String, CaseIterable, Sendable {
    /// QuickTime.
    case mov
    /// ISO base media file format, MPEG-4.
    case mp4
    case matroska

    /// The file type of a name, an ending or Apple's uniform type identifier.
    package init(named name: String) throws(ExportError) {
        switch name.lowercased() {
        case "mov", "qt", "quicktime", "com.apple.quicktime-movie": self = .mov
        case "mp4", "m4v", "m4a", "public.mpeg-4", "com.apple.m4v-video", "com.apple.m4a-audio": self = .mp4
        case "matroska", "mkv": self = .matroska
        default:
            throw .unknownFileType(
                String(name.prefix(64)), near: NearMatches.of(name, in: Self.allCases.map(\.rawValue) + ["mkv"]))
        }
    }

    /// The name for people.
    package var title: String {
        switch self {
        case .mov: "QuickTime"
        case .mp4: "MP4"
        case .matroska: "Matroska"
        }
    }

    package var fileExtension: String { self == .matroska ? "mkv" : rawValue }

    /// The GStreamer element that writes it.
    package var muxer: String {
        switch self {
        case .mov: "qtmux"
        case .mp4: "mp4mux"
        case .matroska: "matroskamux"
        }
    }

    /// The caps of the muxer's stream.
    package var caps: String {
        switch self {
        case .mov: "video/quicktime, variant=(string)apple"
        case .mp4: "video/quicktime, variant=(string)iso"
        case .matroska: "video/x-matroska"
        }
    }

    /// What the muxer takes. MP4 has no ProRes: only Apple's own tools would read it.
    package var videoCodecs: [VideoCodec] {
        switch self {
        case .mov: VideoCodec.encodable + [.av1, .vp9, .mpeg4, .motionJPEG]
        case .mp4: [.hevc, .h264, .av1, .vp9, .mpeg4]
        case .matroska: VideoCodec.allCases
        }
    }

    /// What the muxer takes. MP4 has no PCM: ISO/IEC 23003-5 is younger than mp4mux.
    package var audioCodecs: [AudioCodec] {
        switch self {
        case .mov: [.aac, .pcm, .alac, .ac3, .mp3, .opus]
        case .mp4: [.aac, .alac, .ac3, .mp3, .opus]
        case .matroska: [.aac, .pcm, .ac3, .eac3, .mp3, .opus, .flac, .vorbis]
        }
    }

    /// Whether the file carries a rotation. matroskamux writes none, so that the picture itself is rotated.
    package var carriesRotation: Bool { self != .matroska }

    /// The sample entry's four-character code, or Matroska's CodecID. HEVC is `hvc1`, which is what Apple's players
    /// want: parameter sets are in the file's header.
    package func sampleEntry(of codec: VideoCodec) -> String {
        self == .matroska ? codec.matroskaCodecID : codec.fourCharacterCode
    }

    func check(_ codec: VideoCodec) throws(ExportError) {
        if videoCodecs.contains(codec) { return }
        if codec.isProRes { throw .proResInMP4(codec) }
        throw .codecFileType(codec, self)
    }

    func check(_ codec: AudioCodec) throws(ExportError) {
        if !audioCodecs.contains(codec) { throw .audioFileType(codec, self) }
    }
}
