import HDRMetadata

/// Finds the track of a file to which a stream belongs.
extension ContainerInspection {
    /// - Parameters:
    ///   - identifier: the track number of the stream, where it is known.
    ///   - codec: the stream's codec; `nil` where it comes decoded, and may have been scaled.
    ///   - size: the size of its pictures.
    /// - Returns: `nil` where several tracks match.
    package func track(identifier: UInt64?, codec: VideoCodec?, size: FrameSize) -> VideoTrack? {
        func fits(_ track: VideoTrack) -> Bool {
            guard let codec else { return true }
            return track.videoCodec.map { $0.family == codec.family } ?? true
        }
        let candidates = tracks.filter(fits)
        if let identifier, let track = candidates.first(where: { $0.identifier == identifier }) { return track }
        if candidates.count == 1 { return candidates.first }
        let sized = candidates.filter { $0.width == size.width && $0.height == size.height }
        return sized.count == 1 ? sized.first : nil
    }
}

extension VideoTrack {
    /// The codec; `nil` for codecs that are not known here.
    package var videoCodec: VideoCodec? {
        switch originalFormat ?? codec {
        case "hvc1", "hev1", "dvh1", "dvhe", "V_MPEGH/ISO/HEVC", "0x24": .hevc
        case "avc1", "avc3", "dva1", "dvav", "V_MPEG4/ISO/AVC", "0x1b": .h264
        case "av01", "dav1", "V_AV1": .av1
        case "vp09", "V_VP9": .vp9
        case "mp4v", "V_MPEG4/ISO/ASP", "V_MPEG4/ISO/SP", "V_MPEG4/ISO/AP": .mpeg4
        case "jpeg", "mjpa", "V_MJPEG": .motionJPEG
        case "apco": .proRes422Proxy
        case "apcs": .proRes422LT
        case "apcn": .proRes422
        case "apch": .proRes422HQ
        case "ap4h": .proRes4444
        case "ap4x": .proRes4444XQ
        case "V_PRORES": proRes
        default: nil
        }
    }

    /// The variant of ProRes, which Matroska has in CodecPrivate.
    private var proRes: VideoCodec {
        switch configuration.map({ String(decoding: $0.bytes.prefix(4), as: UTF8.self) }) {
        case "apco": .proRes422Proxy
        case "apcs": .proRes422LT
        case "apch": .proRes422HQ
        case "ap4h": .proRes4444
        case "ap4x": .proRes4444XQ
        default: .proRes422
        }
    }
}

extension VideoCodec {
    /// The codec with all variants of ProRes treated as one.
    fileprivate var family: VideoCodec { isProRes ? .proRes422 : self }
}
