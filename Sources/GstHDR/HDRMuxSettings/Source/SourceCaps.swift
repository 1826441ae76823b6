import CGStreamer
import CGstFormat
import GstBridge
import HDRExport
import HDRMetadata

/// Reads a source's caps and tags into the planner's types.
extension SourceFormat {
    /// - Returns: `nil` for caps that describe no video.
    init?(_ caps: UnsafeMutablePointer<GstCaps>, rotation: Int = 0) {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        self.init(structure, rotation: rotation)
        metadata = StaticMetadata(caps: caps)
    }

    init?(_ structure: Caps.Structure, rotation: Int = 0) {
        guard let name = gst_structure_get_name(structure).map({ String(cString: $0) }),
            name.hasPrefix("video/") || name == "image/jpeg"
        else { return nil }
        var width: gint = 0
        var height: gint = 0
        gst_structure_get_int(structure, "width", &width)
        gst_structure_get_int(structure, "height", &height)
        self.init(width: Int(width), height: Int(height), rotation: rotation)
        codec = VideoCodec(structure)
        frameRate = Fraction(structure, "framerate")
        if frameRate?.numerator == 0 { frameRate = nil }
        if let aspect = Fraction(structure, "pixel-aspect-ratio"), aspect.numerator > 0 { pixelAspectRatio = aspect }
        color = Caps.string(structure, "colorimetry").flatMap { ColorDescription(colorimetry: $0) }
        if let site = Caps.string(structure, "chroma-site") {
            var description = color ?? .unspecified
            description.chromaLocation = Self.chromaLocation(site)
            if color != nil { color = description }
        }
        isInterlaced = Caps.string(structure, "interlace-mode").map { $0 != "progressive" } ?? false
        if let format = Caps.string(structure, "format"), codec == nil {
            let info = gst_video_format_get_info(hdr_video_format_from_string(format))
            if let info, info.pointee.n_components > 0 {
                bitDepth = Int(info.pointee.depth.0)
                hasAlpha = info.pointee.flags.rawValue & GST_VIDEO_FORMAT_FLAG_ALPHA.rawValue != 0
                let isRGB = info.pointee.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0
                chroma =
                    isRGB
                    ? .rgb
                    : info.pointee.n_components < 3
                        ? .yuv420 : info.pointee.w_sub.1 == 0 ? .yuv444 : info.pointee.h_sub.1 == 0 ? .yuv422 : .yuv420
            }
        } else {
            var depth: guint = 0
            if gst_structure_get_uint(structure, "bit-depth-luma", &depth) != 0 { bitDepth = Int(depth) }
            switch Caps.string(structure, "chroma-format") {
            case "4:2:0": chroma = .yuv420
            case "4:2:2": chroma = .yuv422
            case "4:4:4": chroma = .yuv444
            default: break
            }
        }
    }

    /// ISO/IEC 23091-2's ChromaSampleLocType.
    static func chromaLocation(_ site: String) -> UInt8? {
        switch gst_video_chroma_site_from_string(site) {
        case GST_VIDEO_CHROMA_SITE_MPEG2: 0
        case GST_VIDEO_CHROMA_SITE_JPEG: 1
        // GStreamer uses libav's name for this location.
        case GST_VIDEO_CHROMA_SITE_COSITED, GST_VIDEO_CHROMA_SITE_DV: 2
        case GST_VIDEO_CHROMA_SITE_V_COSITED: 3
        default: nil
        }
    }
}

extension AudioSource {
    init?(_ caps: UnsafeMutablePointer<GstCaps>) {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var rate: gint = 0
        var channels: gint = 0
        gst_structure_get_int(structure, "rate", &rate)
        gst_structure_get_int(structure, "channels", &channels)
        self.init(sampleRate: Int(rate), channels: Int(channels), codec: AudioCodec(structure))
        if let format = Caps.string(structure, "format"), codec == nil,
            let info = gst_audio_format_get_info(hdr_audio_format_from_string(format))
        {
            bitDepth = Int(info.pointee.depth)
            isFloat = info.pointee.flags.rawValue & GST_AUDIO_FORMAT_FLAG_FLOAT.rawValue != 0
            isBigEndian = info.pointee.endianness == 4321
        }
        if let mask = gst_structure_get_value(structure, "channel-mask"),
            g_type_check_value_holds(mask, gst_bitmask_get_type()) != 0
        {
            channelMask = UInt64(gst_value_get_bitmask(mask))
        } else if channels == 2 {
            // Caps of two channels without a mask are stereo.
            channelMask = 0x3
        }
    }
}

extension Fraction {
    init?(_ structure: Caps.Structure, _ field: String) {
        var numerator: gint = 0
        var denominator: gint = 0
        guard gst_structure_get_fraction(structure, field, &numerator, &denominator) != 0, denominator > 0 else {
            return nil
        }
        self.init(Int(numerator), Int(denominator))
    }
}

extension VideoCodec {
    /// The codec of caps; `nil` for raw video and for codecs that are not known here.
    init?(_ structure: Caps.Structure) {
        switch gst_structure_get_name(structure).map({ String(cString: $0) }) {
        case "video/x-h265": self = .hevc
        case "video/x-h264": self = .h264
        case "video/x-av1": self = .av1
        case "video/x-vp9": self = .vp9
        case "video/mpeg": self = .mpeg4
        case "image/jpeg": self = .motionJPEG
        case "video/x-prores":
            // matroskademux 1.22 uses another field name for it.
            switch Caps.string(structure, "variant") ?? Caps.string(structure, "format") {
            case "proxy": self = .proRes422Proxy
            case "lt": self = .proRes422LT
            case "hq": self = .proRes422HQ
            case "4444": self = .proRes4444
            case "4444xq": self = .proRes4444XQ
            default: self = .proRes422
            }
        default: return nil
        }
    }
}

extension AudioCodec {
    init?(_ structure: Caps.Structure) {
        switch gst_structure_get_name(structure).map({ String(cString: $0) }) {
        case "audio/mpeg":
            var version: gint = 4
            gst_structure_get_int(structure, "mpegversion", &version)
            self = version == 1 ? .mp3 : .aac
        case "audio/x-alac": self = .alac
        case "audio/x-ac3": self = .ac3
        case "audio/x-eac3": self = .eac3
        case "audio/x-opus": self = .opus
        case "audio/x-flac": self = .flac
        case "audio/x-vorbis": self = .vorbis
        default: return nil
        }
    }
}

extension SourceFormat {
    /// Adds the metadata of a stream's first pictures that may change from picture to picture.
    /// - Parameters:
    ///   - pictures: the first pictures; of each format the first metadata among them count.
    ///   - history: what elements before the bin have done to the pictures.
    mutating func readMetadata(_ pictures: [UnsafeMutablePointer<GstBuffer>], _ history: PictureHistory) {
        guard codec == nil else { return }
        for format in DynamicMetadataFormat.allCases {
            guard let metadata = pictures.lazy.compactMap({ $0.metadata(format.payloadFormat) }).first else { continue }
            dynamicMetadata.insert(format)
            if metadata.isStale { hasStaleMetadata = true }
            let described = history.described(FrameSize(metadata.width, metadata.height))
            if history.isCropped(described, to: FrameSize(width, height)) { hasCroppedMetadata = true }
        }
    }
}

extension FrameSize {
    /// The size in caps of a video stream; `nil` where they have none.
    init?(_ caps: Caps.Pointer) {
        var (width, height): (gint, gint) = (0, 0)
        guard let structure = gst_caps_get_structure(caps, 0),
            gst_structure_get_int(structure, "width", &width) != 0,
            gst_structure_get_int(structure, "height", &height) != 0, width > 0, height > 0
        else { return nil }
        self.init(Int(width), Int(height))
    }
}
