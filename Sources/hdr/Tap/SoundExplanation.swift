import CGStreamer
import HDRPipeline

/// Errors of pipelines that read sound as a line that names the user's files.
struct SoundExplanation {
    /// The input, as messages show it.
    let source: String
    /// The output; `nil` for none.
    var target: FileName?

    func failure(_ error: any Error) -> any Error {
        guard let error = error as? PipelineError else { return error }
        let general = Explanation(source: source, target: target, deed: "processed").failure(error)
        guard let code = error.code, error.factory?.hasPrefix("hdr") != true else { return general }
        if code.domain == "gst-resource-error-quark", error.factory != "filesink" {
            let reading = [GST_RESOURCE_ERROR_READ, GST_RESOURCE_ERROR_OPEN_READ, GST_RESOURCE_ERROR_NOT_FOUND]
            if reading.contains(where: { Int($0.rawValue) == code.number }) {
                return Failure("cannot read \(source): \(error.message)")
            }
        }
        guard code.domain == "gst-stream-error-quark" else { return general }
        switch code.number {
        case Int(GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue), Int(GST_STREAM_ERROR_WRONG_TYPE.rawValue):
            return Failure(
                "\(source) is not a sound or video file that can be read: give a WAV, FLAC, Ogg, MP3, MP4 or Matroska "
                    + "file")
        case Int(GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue):
            return Failure("\(source) holds a format that GStreamer cannot decode: \(error.message)")
        case Int(GST_STREAM_ERROR_DECRYPT.rawValue), Int(GST_STREAM_ERROR_DECRYPT_NOKEY.rawValue):
            return Failure("\(source) is encrypted (DRM): take a copy without protection")
        case Int(GST_STREAM_ERROR_DEMUX.rawValue), Int(GST_STREAM_ERROR_DECODE.rawValue):
            return Self.damaged(source)
        default: return general
        }
    }

    static func noSound(_ name: String) -> Failure { Failure("\(name) has no sound: give a file with a sound track") }

    static func damaged(_ name: String) -> Failure {
        Failure("\(name) is damaged: copy it again from its origin, or repair it (for example by remuxing it)")
    }
}
