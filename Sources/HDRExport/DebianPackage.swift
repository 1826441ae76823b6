/// The Debian package that contains a GStreamer element, or one that reads a media type.
package enum DebianPackage {
    private static let core = "libgstreamer1.0-0"
    private static let base = "gstreamer1.0-plugins-base"
    private static let good = "gstreamer1.0-plugins-good"
    private static let bad = "gstreamer1.0-plugins-bad"
    private static let ugly = "gstreamer1.0-plugins-ugly"
    /// This project's package with the x265 encoder.
    private static let ownX265 = "gstreamer1.0-hdr-x265"
    private static let libav = "gstreamer1.0-libav"

    /// - Parameter element: a factory's name. Elements that are not listed are in the plugins-base package.
    package static func of(element: String) -> String { known(element: element) ?? base }

    /// The package of an element that is listed; `nil` for others.
    package static func known(element: String) -> String? {
        elements.first { $0.names.contains(element) }?.package
            ?? prefixes.first { element.hasPrefix($0.prefix) }?.package
    }

    static let elements: [(package: String, names: Set<String>)] = [
        (
            core,
            [
                "capsfilter", "concat", "fakesink", "filesink", "filesrc", "funnel", "identity", "input-selector",
                "multiqueue", "queue", "tee", "typefind",
            ]
        ),
        (
            good,
            [
                "aacparse", "ac3parse", "autoaudiosink", "autovideosink", "avidemux", "capssetter", "deinterlace",
                "flacdec", "flacenc", "flacparse", "imagefreeze", "jpegdec", "jpegenc", "matroskademux", "matroskamux",
                "mp4mux", "mpegaudioparse", "pngdec", "pngenc", "qtdemux", "qtmux", "souphttpsrc", "taginject",
                "videobox", "videocrop", "videoflip", "vp9dec", "wavenc", "wavparse",
            ]
        ),
        (
            bad,
            [
                "av1dec", "av1parse", "faad", "fbdevsink", "fdkaacdec", "fdkaacenc", "h264parse", "h264timestamper",
                "h265parse", "h265timestamper", "hlsdemux", "jpegparse", "kmssink", "mpeg4videoparse",
                "mpegtsmux", "mpegvideoparse", "openh264dec", "tsdemux", "voaacenc", "vp9parse", "waylandsink",
                "x265enc",
            ]
        ),
        (ownX265, [EncoderOptions.own]), (ugly, ["x264enc"]), ("gstreamer1.0-gl", ["glimagesink"]),
        ("gstreamer1.0-gtk3", ["gtksink"]),
        ("gstreamer1.0-x", ["clockoverlay", "textoverlay", "textrender", "timeoverlay", "ximagesink", "xvimagesink"]),
    ]

    /// The name prefixes of FFmpeg's elements, and of the encoders of NVENC, VA-API and Quick Sync.
    private static let prefixes = [("av", libav), ("nv", bad), ("va", bad), ("qsv", bad)].map {
        (prefix: $0.0, package: $0.1)
    }

    /// - Parameter mediaType: a media type, or text with one in it, such as
    ///   "gstreamer|1.0|hdr|Matroska demuxer|decoder-video/x-matroska".
    package static func of(mediaType: String) -> String {
        mediaTypes.first { mediaType.contains($0.type) }?.package ?? "\(good) \(bad) \(libav)"
    }

    /// The packages by media type; the first match counts.
    private static let mediaTypes: [(type: String, package: String)] = [
        // Decoders of the codecs whose parsers are in the plugins-bad package.
        ("decoder-video/x-h265", libav), ("decoder-video/x-h264", libav),
        ("video/x-h265", bad), ("video/x-h264", bad), ("video/x-av1", bad), ("video/x-vp9", bad), ("video/mpegts", bad),
        ("video/mpeg", bad), ("application/mxf", bad), ("video/x-ivf", bad), ("video/quicktime", good),
        ("video/x-matroska", good), ("video/webm", good), ("video/x-msvideo", good), ("video/x-flv", good),
        ("application/ogg", base), ("video/x-ms-asf", ugly), ("audio/", good),
    ]
}
