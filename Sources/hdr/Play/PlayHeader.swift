import GstBridge
import HDRBitstream
import HDRContainer
import HDRMetadata
import HDRPipeline

/// The data about a local file's main video in its header and first picture, of which GStreamer's demuxers forward only
/// a part.
struct PlayHeader {
    /// The main video's track; `nil` where the container is not read here, so that GStreamer decides.
    private(set) var track: VideoTrack?
    private var stream: BitstreamInspection?
    private var format: ContainerInspection.Format?

    /// - Throws: where the file cannot be played.
    init(_ file: FileName) throws(Failure) {
        let name = file.shown
        try InputCheck.check(file)
        let source: InputFile
        do throws(Failure) {
            source = try InputFile(file.withPointer { InputPath($0) })
        } catch { throw Failure("\(name) \(error.description)") }
        switch try? FileDefect.find(in: source) {
        case .truncated?:
            throw Failure("\(name) is truncated, its end is missing: copy it again from its origin")
        case .headless?:
            throw Failure(
                "\(name) has no index (moov), its recording or copy was cut short: copy it again from its origin")
        case nil: break
        }
        if let found = try? ContainerInspection(source) {
            format = found.format
            track = found.mainTrack
            stream = found.mainTrack.flatMap { Self.stream(of: $0, found, source) }
        } else {
            stream = Self.rawStream(source)
            if stream == nil { try Self.check(MediaType.of(file), name) }
        }
        if let profile = ownColorsProfile {
            throw Failure(
                "\(name) is Dolby Vision of profile \(profile), whose pictures are green and purple without its "
                    + "metadata, and its video has none: ask for a version with them, or in profile 8.1 or HDR10")
        }
    }

    /// Refuses what is no video before a window opens for it.
    private static func check(_ type: String?, _ name: String) throws(Failure) {
        guard let type, !type.hasPrefix("text/"), !type.hasPrefix("application/x-subtitle") else {
            throw PlayProblem.notAVideo(name)
        }
        if type.hasPrefix("image/") {
            throw Failure("\(name) is a still picture: give a MOV, MP4 or Matroska video")
        }
    }

    /// The metadata at the start of a track's bitstream.
    private static func stream(
        of track: VideoTrack, _ found: ContainerInspection, _ source: InputFile
    ) -> BitstreamInspection? {
        guard let codec = track.videoCodec.flatMap(coded) else { return nil }
        var inspection = BitstreamInspection(codec: codec)
        if let configuration = track.configuration { try? inspection.read(configuration: configuration.bytes) }
        if let sample = try? found.firstSample(of: track, in: source) { try? inspection.read(accessUnit: sample) }
        return inspection
    }

    /// The metadata in the first bytes of an HEVC elementary stream; `nil` where the file is not one.
    private static func rawStream(_ source: InputFile) -> BitstreamInspection? {
        guard let bytes = try? source.read(at: 0, count: Int(min(source.size, 1 << 20))),
            bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1])
        else { return nil }
        var inspection = BitstreamInspection(codec: .hevc)
        try? inspection.read(accessUnit: bytes)
        return inspection.color.isComplete || inspection.hasDolbyVisionRPU ? inspection : nil
    }

    private static func coded(_ codec: VideoCodec) -> BitstreamInspection.Codec? {
        switch codec {
        case .hevc: .hevc
        case .h264: .avc
        case .av1: .av1
        default: codec.isProRes ? .proRes : nil
        }
    }

    /// The Dolby Vision profile where the colours can only be shown with metadata that are missing.
    private var ownColorsProfile: UInt8? {
        if stream?.hasReadableRPU == true { return nil }
        if let record = track?.dolbyVision { return record.needsDolbyVision ? record.profile : nil }
        return stream?.needsDolbyVision == true ? stream?.dolbyVisionProfile : nil
    }

    // MARK: What GStreamer does not hand on

    /// Whether GStreamer's demuxer leaves the metadata of HDR boxes and the orientation to others.
    private var isMatroska: Bool { format == .matroska || format == .webm }

    /// The rotation of the picture, as a value of GStreamer's orientation tag, where only the header has it.
    var orientation: String? {
        guard isMatroska, let orientation = track?.orientation, orientation != .upright else { return nil }
        return orientation.tag
    }

    /// Fields of the decoded video's caps.
    /// - Parameter assumed: pq or hlg, in place of the video's tags.
    func fields(assumed: String?) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let color = color(assumed)?.colorimetry { fields.append(("colorimetry", color)) }
        guard let track else { return fields }
        // The bitstream takes precedence, as in its decoder.
        if let display = track.masteringDisplay {
            fields.append(("mastering-display-info", (stream?.masteringDisplay ?? display).text))
        }
        if let level = track.contentLightLevel, level.maximum > 0 {
            fields.append(("content-light-level", (stream?.contentLightLevel ?? level).text))
        }
        return fields
    }

    /// The colour where the decoder's is wrong.
    private func color(_ assumed: String?) -> ColorDescription? {
        let said = stream.map { $0.color.completed(by: track?.color ?? .unspecified) } ?? track?.color
        guard let assumed else {
            // VP9 streams do not state their transfer function, so the container's counts.
            guard let color = track?.color, color.isHDR, track?.videoCodec == .vp9 else { return nil }
            return color.completed(by: .bt2100PQ)
        }
        var color: ColorDescription = assumed == "pq" ? .bt2100PQ : .bt2100HLG
        color.isFullRange = said?.isFullRange ?? false
        // RGB stays RGB, the matrix 0.
        if said?.matrix == 0 { color.matrix = 0 }
        return color
    }
}
