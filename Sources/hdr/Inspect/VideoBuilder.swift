import HDRBitstream
import HDRContainer
import HDRInspection
import HDRMetadata
import HDRPipeline

/// Combines the data of header, caps and bitstream about a video stream.
struct VideoBuilder {
    private(set) var video: VideoReport

    /// - Parameters:
    ///   - format: the stream's caps; `nil` where GStreamer shows no stream, and only the header is known.
    init(
        index: Int, track: VideoTrack?, header: ContainerInspection?, stream: StreamFacts, _ format: Structure?,
        file: InputFile
    ) {
        let bitstream = stream.bitstream ?? Self.bitstream(track)
        var container: ContainerSignal?
        var frames = stream.frames
        if let track, let header, header.format == .matroska || header.format == .webm, frames.read > 0 {
            frames.hdr10Plus = max(
                frames.hdr10Plus, MatroskaBlocks(file, track: track, limit: frames.read).hdr10Plus)
        }
        if let track, let header {
            container = ContainerSignal(track, in: header.format)
        } else if bitstream == nil, let color = format?.color {
            var signal = ContainerSignal(kind: .other)
            signal.color = color
            container = signal
        }
        let signal = SignalReport(container: container, bitstream: bitstream, frames: frames)
        let rate = track?.frameRate
        let aspect = format?.fraction("pixel-aspect-ratio")
        let boxed = track?.pixelAspect
        video = VideoReport(
            index: index, codec: Self.codec(format, track),
            // MXF names no codec in letters, and Y4M has none.
            tag: track.map { $0.originalFormat ?? $0.codec }.flatMap {
                $0.isEmpty || header?.format == .y4m ? nil : $0
            },
            profile: Self.profile(format, track, bitstream),
            level: bitstream?.levelName ?? format?["level"],
            width: bitstream?.width ?? Self.extent("width", format) ?? track.flatMap { Int(exactly: $0.width) },
            height: bitstream?.height ?? Self.extent("height", format) ?? track.flatMap { Int(exactly: $0.height) },
            orientation: track.map(\.orientation) ?? .upright,
            pixelAspect: (
                boxed.map { Int($0.horizontal) } ?? aspect?.numerator ?? 1,
                boxed.map { Int($0.vertical) } ?? aspect?.denominator ?? 1
            ),
            frameRate: rate.flatMap(HDRMetadata.Fraction.init) ?? Self.frameRate(format),
            hasConstantRate: rate?.isConstant,
            duration: track?.duration,
            bitDepth: (bitstream?.lumaDepth ?? track?.bitDepth).map(Int.init) ?? format?["bit-depth-luma"],
            chromaFormat: (bitstream?.chromaFormat ?? track?.chromaFormat).flatMap(Self.chroma)
                ?? format?["chroma-format"],
            signal: signal)
        guard let track, let header else {
            video.isMain = header == nil && index == 0
            return
        }
        // MXF's tracks and the streams of MPEG-2 have no such flag.
        video.isEnabled = [.mxf, .transportStream].contains(header.format) ? nil : track.isEnabled
        video.isMain = header.mainTrack?.index == track.index
        video.isEnhancementLayer = track.isEnhancementLayer
    }

    /// A width or a height of caps, which demuxers make negative where the file's number is too large.
    private static func extent(_ name: String, _ format: Structure?) -> Int? {
        (format?[name] as Int?).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Ignores rates above 1000, where a demuxer has taken the clock's rate for that of the frames.
    private static func frameRate(_ format: Structure?) -> HDRMetadata.Fraction? {
        format?.fraction("framerate").flatMap { $0.numerator / 1000 > $0.denominator ? nil : $0 }
    }

    private static func profile(
        _ format: Structure?, _ track: VideoTrack?, _ bitstream: BitstreamInspection?
    ) -> String? {
        switch format?.name {
        case "video/x-prores"?:
            // Frames only state how chroma is sampled.
            switch format?["variant"] ?? "" {
            case "proxy": "422 Proxy"
            case "lt": "422 LT"
            case "standard": "422"
            case "hq": "422 HQ"
            case "4444": "4444"
            case "4444xq": "4444 XQ"
            default: bitstream?.profileName
            }
        case "video/x-vp9"?: bitstream?.profileName ?? format?["profile", as: String.self].map { "profile \($0)" }
        default: bitstream?.profileName ?? format?["profile"]
        }
    }

    private static func chroma(_ code: UInt8) -> String? {
        switch code {
        case 0: "4:0:0"
        case 1: "4:2:0"
        case 2: "4:2:2"
        case 3: "4:4:4"
        default: nil
        }
    }

    /// The metadata in the header's configuration record alone.
    private static func bitstream(_ track: VideoTrack?) -> BitstreamInspection? {
        guard let track, let configuration = track.configuration else { return nil }
        let codec: BitstreamInspection.Codec? =
            switch (configuration.type, track.codec) {
            case ("hvcC", _), (_, "V_MPEGH/ISO/HEVC"): .hevc
            case ("avcC", _), (_, "V_MPEG4/ISO/AVC"): .avc
            case ("av1C", _), (_, "V_AV1"): .av1
            default: nil
            }
        guard let codec else { return nil }
        var inspection = BitstreamInspection(codec: codec)
        try? inspection.read(configuration: configuration.bytes)
        return inspection.lumaDepth == nil ? nil : inspection
    }

    private static func codec(_ format: Structure?, _ track: VideoTrack?) -> String {
        switch format?.name {
        case "video/x-h265"?: "HEVC"
        case "video/x-h264"?: "H.264"
        case "video/x-av1"?: "AV1"
        case "video/x-vp9"?: "VP9"
        case "video/x-vp8"?: "VP8"
        case "video/x-prores"?: "ProRes"
        case nil: track.map { $0.originalFormat ?? $0.codec } ?? "unknown"
        default: format?.title ?? "unknown"
        }
    }
}
