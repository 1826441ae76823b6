import HDRMetadata

/// A preset as a GstEncodingTarget file (`.gep`, GKeyFile format), for encodebin, GES and gst-transcoder-1.0, which
/// look for `hdr/NAME.gep` in GST_ENCODING_TARGET_PATH.
///
/// The target has the preset's name and a profile for each file type, and `default` besides. Encoding targets specify
/// codec, format and size, but cannot convert HDR to SDR, keep HDR metadata in the container, or set an encoder's
/// options: that takes `hdrmux-settings`. Maximum sizes are those of landscape pictures.
package struct EncodingTarget: Equatable, Sendable {
    package static let category = "hdr"

    package let preset: ExportPreset

    /// All targets, one for each preset that encodes.
    package static let all: [EncodingTarget] = ExportPreset.allCases.compactMap(EncodingTarget.init)

    package init?(_ preset: ExportPreset) {
        if preset == .passthrough { return nil }
        self.preset = preset
    }

    /// The path of the file in a folder of GST_ENCODING_TARGET_PATH.
    package var path: String { "\(Self.category)/\(preset.rawValue).gep" }

    /// The names of the profiles: `default`, then one for each file type.
    package var profiles: [(name: String, fileType: FileType)] {
        // In encodebin matroskamux does not get the ProRes variant, and writes every ProRes as 422.
        let types = preset.fileTypes.filter { preset != .proRes4444 || $0 != .matroska }
        return types.prefix(1).map { ("default", $0) } + types.map { ($0.rawValue, $0) }
    }

    /// The text of the file.
    package var text: String {
        var groups = [
            group(
                "GStreamer Encoding Target",
                [("name", preset.rawValue), ("category", Self.category), ("description", description)])
        ]
        for profile in profiles {
            groups.append(
                group(
                    "profile-\(profile.name)",
                    [
                        ("name", profile.name), ("type", "container"),
                        ("description", "\(description), as \(profile.fileType.title)"),
                        ("format", profile.fileType.caps),
                    ]))
        }
        // The list of all profiles ends with a separator, too.
        let parents = profiles.map { $0.name + ";" }.joined()
        if let video {
            groups.append(
                group(
                    "streamprofile-video",
                    [("parent", parents), ("name", "video"), ("type", "video")] + video
                        + [("presence", "0"), ("pass", "0"), ("variableframerate", "true")]))
        }
        groups.append(
            group(
                "streamprofile-audio",
                [("parent", parents), ("name", "audio"), ("type", "audio")] + audio + [("presence", "0")]))
        return groups.joined(separator: "\n")
    }

    private func group(_ name: String, _ entries: [(String, String)]) -> String {
        "[\(name)]\n" + entries.map { "\($0.0)=\($0.1)\n" }.joined()
    }

    private var description: String {
        guard let codec = preset.videoCodec else { return "AAC audio" }
        let size = preset.maximumSize.map { ", at most \($0)" } ?? ""
        let range = codec == .h264 ? ", for SDR sources" : ", SDR, HLG and PQ"
        return codec.title + size + range
    }

    /// Caps of the encoded video and of the raw video before the encoder; `nil` where there is no video.
    package var videoCaps: (format: String, restriction: String)? {
        guard let video, let format = video.first, let restriction = video.last else { return nil }
        return (format.1, restriction.1)
    }
    /// Caps of the encoded audio.
    package var audioFormat: String { audio.first?.1 ?? "" }

    private var video: [(String, String)]? {
        guard let codec = preset.videoCodec else { return nil }
        let format: String
        let caps: String
        switch codec {
        case .hevc: (caps, format) = ("video/x-h265", "{ (string)I420_10LE, (string)I420 }")
        case .h264: (caps, format) = ("video/x-h264, profile=(string)high", "(string)I420")
        default:
            caps = "video/x-prores" + (codec.proResVariant.map { ", variant=(string)\($0)" } ?? "")
            format = codec == .proRes4444 ? "{ (string)A444_10LE, (string)Y444_10LE }" : "(string)I422_10LE"
        }
        let least = VideoCodec.minimumSide
        func range(_ side: Int?) -> String { "(int)[ \(least), \(side ?? FrameFitting.maximumSide), 2 ]" }
        let size = preset.maximumSize
        // Without it videoscale fills a box with pixels that are not square.
        let shape = size == nil ? "" : ", pixel-aspect-ratio=(fraction)1/1"
        return [
            ("format", caps),
            (
                "restriction",
                "video/x-raw, format=\(format), width=\(range(size?.width)), height=\(range(size?.height))" + shape
            ),
        ]
    }

    private var audio: [(String, String)] {
        guard preset.audioCodec == .pcm else {
            return [("format", "audio/mpeg, mpegversion=(int)4, base-profile=(string)lc")]
        }
        return [("format", "audio/x-raw, format=(string)S16LE")]
    }
}
