import HDRMetadata

/// AVAssetExportSession's presets, in kebab case.
///
/// | preset | largest picture | rate | audio |
/// |---|---|---|---|
/// | hevc-highest-quality | HEVC's level 6.2 | quality 0.75 | AAC |
/// | hevc-WxH | WxH | ``RatePolicy`` | AAC |
/// | h264-low-quality | 426x240 | half of it | AAC |
/// | h264-medium-quality | 640x360 | ``RatePolicy`` | AAC |
/// | h264-highest-quality | 4096x2304, level 5.2 | quality 0.75 | AAC |
/// | h264-WxH | WxH | ``RatePolicy`` | AAC |
/// | prores-422, prores-4444 | | the codec's | PCM |
/// | passthrough | | | copied |
/// | m4a | no video | | AAC |
///
/// Sizes apply to landscape pictures, and transposed to portrait ones; nothing is scaled up. HEVC and ProRes keep the
/// source's dynamic range; H.264 is SDR.
package enum ExportPreset: String, CaseIterable, Sendable {
    case hevcHighestQuality = "hevc-highest-quality"
    case hevc1920x1080 = "hevc-1920x1080"
    case hevc3840x2160 = "hevc-3840x2160"
    case hevc7680x4320 = "hevc-7680x4320"
    case hevc4320x2160 = "hevc-4320x2160"
    case h264LowQuality = "h264-low-quality"
    case h264MediumQuality = "h264-medium-quality"
    case h264HighestQuality = "h264-highest-quality"
    case h264_640x480 = "h264-640x480"
    case h264_960x540 = "h264-960x540"
    case h264_1280x720 = "h264-1280x720"
    case h264_1920x1080 = "h264-1920x1080"
    case h264_3840x2160 = "h264-3840x2160"
    case proRes422 = "prores-422"
    case proRes4444 = "prores-4444"
    case passthrough
    case m4a

    /// The preset of a name, or of AVFoundation's name for it.
    package init(named name: String) throws(ExportError) {
        guard let preset = Self(rawValue: name) ?? Self.allCases.first(where: { $0.appleName == name }) else {
            throw .unknownPreset(
                String(name.prefix(64)), near: NearMatches.of(name, in: Self.allCases.map(\.rawValue)))
        }
        self = preset
    }

    /// Whether it encodes pictures, so that clips can be joined: passthrough copies them, and m4a is audio only.
    package var encodesPictures: Bool { self != .passthrough && self != .m4a }

    /// AVFoundation's constant.
    package var appleName: String {
        let tail =
            switch self {
            case .hevcHighestQuality: "HEVCHighestQuality"
            case .hevc1920x1080: "HEVC1920x1080"
            case .hevc3840x2160: "HEVC3840x2160"
            case .hevc7680x4320: "HEVC7680x4320"
            case .hevc4320x2160: "HEVC4320x2160"
            case .h264LowQuality: "LowQuality"
            case .h264MediumQuality: "MediumQuality"
            case .h264HighestQuality: "HighestQuality"
            case .h264_640x480: "640x480"
            case .h264_960x540: "960x540"
            case .h264_1280x720: "1280x720"
            case .h264_1920x1080: "1920x1080"
            case .h264_3840x2160: "3840x2160"
            case .proRes422: "AppleProRes422LPCM"
            case .proRes4444: "AppleProRes4444LPCM"
            case .passthrough: "Passthrough"
            case .m4a: "AppleM4A"
            }
        return "AVAssetExportPreset" + tail
    }

    /// The video codec; `nil` for the source's (passthrough), or for no video (m4a).
    package var videoCodec: VideoCodec? {
        switch self {
        case .hevcHighestQuality, .hevc1920x1080, .hevc3840x2160, .hevc7680x4320, .hevc4320x2160: .hevc
        case .h264LowQuality, .h264MediumQuality, .h264HighestQuality, .h264_640x480, .h264_960x540, .h264_1280x720,
            .h264_1920x1080, .h264_3840x2160:
            .h264
        case .proRes422: .proRes422
        case .proRes4444: .proRes4444
        case .passthrough, .m4a: nil
        }
    }

    /// The audio codec; `nil` for the source's.
    package var audioCodec: AudioCodec? {
        switch self {
        case .proRes422, .proRes4444: .pcm
        case .passthrough: nil
        default: .aac
        }
    }

    /// The maximum size of a landscape picture; `nil` where only the codec limits it.
    package var maximumSize: FrameSize? {
        switch self {
        case .hevc1920x1080, .h264_1920x1080: FrameSize(1920, 1080)
        case .hevc3840x2160, .h264_3840x2160: FrameSize(3840, 2160)
        case .hevc7680x4320: FrameSize(7680, 4320)
        case .hevc4320x2160: FrameSize(4320, 2160)
        case .h264LowQuality: FrameSize(426, 240)
        case .h264MediumQuality: FrameSize(640, 360)
        case .h264HighestQuality: FrameSize(4096, 2304)
        case .h264_640x480: FrameSize(640, 480)
        case .h264_960x540: FrameSize(960, 540)
        case .h264_1280x720: FrameSize(1280, 720)
        case .hevcHighestQuality, .proRes422, .proRes4444, .passthrough, .m4a: nil
        }
    }

    /// The default rate control.
    var rate: RatePolicy {
        switch self {
        case .hevcHighestQuality, .h264HighestQuality: .quality(0.75)
        case .h264LowQuality: .average(0.5)
        default: .average(1)
        }
    }

    /// The file types that can hold the preset's output. For passthrough the source's codec decides.
    package var fileTypes: [FileType] {
        switch self {
        case .m4a: [.mp4, .mov]
        default: FileType.allCases.filter { type in videoCodec.map(type.videoCodecs.contains) ?? true }
        }
    }
}
