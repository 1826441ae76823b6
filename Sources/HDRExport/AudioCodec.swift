/// An audio codec. AAC and PCM can be encoded; the others only copied.
package enum AudioCodec: String, CaseIterable, Sendable {
    case aac
    case pcm
    case alac
    case ac3
    case eac3
    case mp3
    case opus
    case flac
    case vorbis

    /// The name for display.
    package var title: String {
        switch self {
        case .aac: "AAC"
        case .pcm: "PCM"
        case .alac: "Apple Lossless"
        case .ac3: "AC-3"
        case .eac3: "E-AC-3"
        case .mp3: "MP3"
        case .opus: "Opus"
        case .flac: "FLAC"
        case .vorbis: "Vorbis"
        }
    }
}
