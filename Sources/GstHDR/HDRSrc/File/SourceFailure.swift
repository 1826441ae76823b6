import CGStreamer
import GstBridge

/// Why a file cannot be played, and what to do about it; the texts contain the file's name.
struct SourceFailure: Error {
    let text: String
    let code: MessageCode

    private init(_ text: String, _ code: MessageCode) {
        self.text = text
        self.code = code
    }

    typealias Name = ShownName

    // MARK: The file

    static let noLocation = SourceFailure(
        "no file is named: set location to the path of a video file", .resource(GST_RESOURCE_ERROR_NOT_FOUND))

    static func refused(_ name: Name, _ refusal: LocalFile.Refusal) -> SourceFailure {
        switch refusal {
        case .absent:
            SourceFailure(
                "there is no file \(name): check the spelling and the folder", .resource(GST_RESOURCE_ERROR_NOT_FOUND))
        case .folder:
            SourceFailure(
                "\(name) is a folder: give the name of a video file", .resource(GST_RESOURCE_ERROR_OPEN_READ))
        case .notRegular:
            SourceFailure(
                "\(name) is not a regular file: save it as a file first", .resource(GST_RESOURCE_ERROR_OPEN_READ))
        case .empty:
            SourceFailure("\(name) is empty: copy it again from its origin", .resource(GST_RESOURCE_ERROR_READ))
        case .notAllowed:
            SourceFailure(
                "\(name) may not be read by you: change its permissions (chmod +r)",
                .resource(GST_RESOURCE_ERROR_NOT_AUTHORIZED))
        case .other(let reason): unreadable(name, reason)
        }
    }

    static func unreadable(_ name: Name, _ reason: String) -> SourceFailure {
        SourceFailure("cannot read \(name): \(reason)", .resource(GST_RESOURCE_ERROR_READ))
    }

    static func truncated(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) is truncated, its end is missing: copy it again from its origin", .stream(GST_STREAM_ERROR_DEMUX))
    }

    static func headless(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) has no index (moov), its recording or copy was cut short: copy it again from its origin",
            .stream(GST_STREAM_ERROR_DEMUX))
    }

    // MARK: What it holds

    static func notAVideo(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) is not a video that can be read: give a MOV, MP4 or Matroska file",
            .stream(GST_STREAM_ERROR_WRONG_TYPE))
    }

    static func stillPicture(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) is a still picture: give a MOV, MP4 or Matroska video", .stream(GST_STREAM_ERROR_WRONG_TYPE))
    }

    static func noRawFormat(_ name: Name, _ samples: String) -> SourceFailure {
        SourceFailure(
            "\(name) has pictures of format C\(samples), which GStreamer does not have: write them as 420, "
                + "422 or 444 with 8, 10 or 12 bits (such as C420p10)", .stream(GST_STREAM_ERROR_FORMAT))
    }

    static func largePictures(_ name: Name, _ width: Int, _ height: Int) -> SourceFailure {
        SourceFailure(
            "\(name) has pictures of \(width)x\(height), which are larger than 1 GiB each: write smaller ones",
            .stream(GST_STREAM_ERROR_FORMAT))
    }

    static func noFrameRate(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) does not say its frame rate: write it with one (such as F25:1)",
            .stream(GST_STREAM_ERROR_FORMAT))
    }

    static func noVideo(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) has no video track: give a file with HDR video", .stream(GST_STREAM_ERROR_WRONG_TYPE))
    }

    static func encrypted(_ name: Name) -> SourceFailure {
        SourceFailure(
            "\(name) is encrypted (DRM): convert a copy without protection", .stream(GST_STREAM_ERROR_DECRYPT))
    }

    static func noDecoder(_ name: Name, _ codec: String, package: String?) -> SourceFailure {
        let code = MessageCode.stream(GST_STREAM_ERROR_CODEC_NOT_FOUND)
        guard let package else {
            return SourceFailure(
                "\(name) holds \(codec) video, which no GStreamer package of Debian 12 decodes: convert it to HEVC or "
                    + "ProRes first", code)
        }
        return SourceFailure(
            "\(name) holds \(codec) video and its decoder is missing: apt-get install \(package)", code)
    }

    static func cannotDecode(_ name: Name, _ reason: String) -> SourceFailure {
        SourceFailure(
            "\(name) holds a format that GStreamer cannot decode: \(reason)",
            .stream(GST_STREAM_ERROR_CODEC_NOT_FOUND))
    }

    static func ownColors(_ name: Name, profile: Int) -> SourceFailure {
        SourceFailure(
            "\(name) is Dolby Vision of profile \(profile), whose pictures are green and purple without its metadata, "
                + "and none came with them: ask for a version in profile 8.1 or HDR10, or copy it as it is with the "
                + "preset passthrough", .stream(GST_STREAM_ERROR_FORMAT))
    }

    static func contradicted(_ name: Name, _ assumed: String, says: String) -> SourceFailure {
        SourceFailure(
            "assume=\(assumed): the video of \(name) says \(says), and packets that are copied keep saying so: decode "
                + "it, and choose a preset that encodes", .library())
    }

    // MARK: Damage

    static func damaged(_ name: Name, lost: Int? = nil) -> SourceFailure {
        let share = lost.map { "\($0) % of the video cannot be decoded: " } ?? ""
        return SourceFailure(
            "\(share)\(name) is damaged: copy it again from its origin, or repair it (for example by remuxing it)",
            .stream(GST_STREAM_ERROR_DECODE))
    }

    static func brokenOff(_ name: Name, missing: Int) -> SourceFailure {
        SourceFailure(
            "the data of \(name) break off, \(missing) % are missing: copy it again from its origin",
            .stream(GST_STREAM_ERROR_DEMUX))
    }

    // MARK: GStreamer

    static func missing(_ factory: String, package: String) -> SourceFailure {
        SourceFailure(
            "the element \(factory) is missing. Install the Debian package \(package)",
            .core(GST_CORE_ERROR_MISSING_PLUGIN))
    }

    static func failed(_ name: Name, _ reason: String) -> SourceFailure {
        SourceFailure("\(name) could not be read: \(reason)", .stream(GST_STREAM_ERROR_FAILED))
    }
}
