/// A video codec. HEVC, H.264 and ProRes can be encoded; the others only copied.
package enum VideoCodec: String, CaseIterable, Sendable {
    case hevc
    case h264
    case proRes422Proxy = "prores-422-proxy"
    case proRes422LT = "prores-422-lt"
    case proRes422 = "prores-422"
    case proRes422HQ = "prores-422-hq"
    case proRes4444 = "prores-4444"
    case proRes4444XQ = "prores-4444-xq"
    case av1
    case vp9
    case vp8
    case mpeg4
    case mpeg2
    case motionJPEG = "motion-jpeg"

    package var isProRes: Bool {
        switch self {
        case .proRes422Proxy, .proRes422LT, .proRes422, .proRes422HQ, .proRes4444, .proRes4444XQ: true
        default: false
        }
    }

    /// The name for people.
    package var title: String {
        switch self {
        case .hevc: "HEVC"
        case .h264: "H.264"
        case .proRes422Proxy: "ProRes 422 Proxy"
        case .proRes422LT: "ProRes 422 LT"
        case .proRes422: "ProRes 422"
        case .proRes422HQ: "ProRes 422 HQ"
        case .proRes4444: "ProRes 4444"
        case .proRes4444XQ: "ProRes 4444 XQ"
        case .av1: "AV1"
        case .vp9: "VP9"
        case .vp8: "VP8"
        case .mpeg4: "MPEG-4 Visual"
        case .mpeg2: "MPEG-2"
        case .motionJPEG: "Motion JPEG"
        }
    }

    /// The four-character code of the sample entry in QuickTime and ISO files: AVVideoCodecKey's value.
    package var fourCharacterCode: String {
        switch self {
        case .hevc: "hvc1"
        case .h264: "avc1"
        case .proRes422Proxy: "apco"
        case .proRes422LT: "apcs"
        case .proRes422: "apcn"
        case .proRes422HQ: "apch"
        case .proRes4444: "ap4h"
        case .proRes4444XQ: "ap4x"
        case .av1: "av01"
        case .vp9: "vp09"
        case .vp8: "vp08"
        case .mpeg4: "mp4v"
        case .mpeg2: "mp2v"
        case .motionJPEG: "jpeg"
        }
    }

    /// Matroska's CodecID.
    package var matroskaCodecID: String {
        switch self {
        case .hevc: "V_MPEGH/ISO/HEVC"
        case .h264: "V_MPEG4/ISO/AVC"
        case .proRes422Proxy, .proRes422LT, .proRes422, .proRes422HQ, .proRes4444, .proRes4444XQ: "V_PRORES"
        case .av1: "V_AV1"
        case .vp9: "V_VP9"
        case .vp8: "V_VP8"
        case .mpeg4: "V_MPEG4/ISO/ASP"
        case .mpeg2: "V_MPEG2"
        case .motionJPEG: "V_MJPEG"
        }
    }

    /// `variant` in GStreamer's `video/x-prores`, and the encoder's profile.
    package var proResVariant: String? {
        switch self {
        case .proRes422Proxy: "proxy"
        case .proRes422LT: "lt"
        case .proRes422: "standard"
        case .proRes422HQ: "hq"
        case .proRes4444: "4444"
        case .proRes4444XQ: "4444xq"
        default: nil
        }
    }
}
