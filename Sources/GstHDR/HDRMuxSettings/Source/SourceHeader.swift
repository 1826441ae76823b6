import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRContainer
import HDRExport
import HDRMetadata

/// What is known of a video stream beside its caps and tags: from the header of the local file that it comes from, of
/// which GStreamer's demuxers hand on a part only, and from the stream's first picture.
struct SourceHeader {
    /// The stream's track in the file; `nil` where the header cannot be read, or no track of it can be the stream's.
    private(set) var track: VideoTrack?
    /// What the coded stream says of itself; `nil` where it cannot be seen.
    private(set) var stream: BitstreamInspection?
    /// What its first packet says, apart from what stands before it in `hvcC`, which parsers leave out when they write
    /// that anew.
    private(set) var firstPicture = StaticMetadata.none
    /// How the source is reached where its header cannot be read, such as "http".
    private(set) var unreadableScheme: String?
    /// Whether something between the file and here turns pictures.
    private var isTurned = false
    private let isCompressed: Bool
    private(set) var isMatroska = false

    /// Headers larger than this are not read on a stream's way.
    private static let limit: UInt64 = 64 << 20

    /// - Parameters:
    ///   - pad: the bin's pad, which knows the stream's name.
    ///   - first: the stream's first buffer.
    init(_ pad: UnsafeMutablePointer<GstPad>, _ caps: UnsafeMutablePointer<GstCaps>, _ first: Buffer?) {
        let structure = gst_caps_get_structure(caps, 0)
        let codec = structure.flatMap { VideoCodec($0) }
        isCompressed = codec != nil
        if let codec, let structure, var found = Self.inspection(codec, structure) {
            var own = BitstreamInspection(codec: found.codec, framing: found.framing)
            _ = first?.withBytes { bytes in
                try? own.read(accessUnit: bytes)
                try? found.read(accessUnit: bytes)
            }
            firstPicture = own.staticMetadata
            firstPicture.ambientViewing = own.ambientViewing
            stream = found
        }
        guard let uri = Upstream.uri(pad) else { return }
        guard let path = Upstream.localPath(uri) else {
            unreadableScheme = String(uri.prefix { $0 != ":" }.prefix(32).filter { $0.isASCII && $0.isLetter })
            return
        }
        guard let file = LocalFile(path: path) else { return }
        guard let inspection = try? ContainerInspection(file, limit: Self.limit) else {
            // What is no file with a header has lost nothing; a raw stream may be of colours that only its metadata explain.
            if !isCompressed { stream = Self.rawStream(file) }
            return
        }
        isMatroska = inspection.format == .matroska || inspection.format == .webm
        var width: gint = 0
        var height: gint = 0
        if let structure {
            gst_structure_get_int(structure, "width", &width)
            gst_structure_get_int(structure, "height", &height)
        }
        track = inspection.track(
            identifier: Upstream.trackNumber(pad), codec: codec, size: FrameSize(Int(width), Int(height)))
        isTurned = Upstream.turnsPictures(pad)
        if stream == nil, let track { stream = Self.inspection(track, inspection, file) }
    }

    typealias Buffer = UnsafeMutablePointer<GstBuffer>

    private static func inspection(_ codec: VideoCodec, _ structure: Caps.Structure) -> BitstreamInspection? {
        guard let coded = codec.inspected else { return nil }
        var inspection = BitstreamInspection(codec: coded)
        if let value = gst_structure_get_value(structure, "codec_data"),
            g_type_check_value_holds(value, gst_buffer_get_type()) != 0,
            let data = g_value_get_boxed(value)?.assumingMemoryBound(to: GstBuffer.self)
        {
            try? inspection.read(configuration: data.withBytes { Array($0) } ?? [])
        }
        return inspection
    }

    /// What a file's track says whose pictures come decoded.
    private static func inspection(
        _ track: VideoTrack, _ container: ContainerInspection, _ file: LocalFile
    ) -> BitstreamInspection? {
        guard let coded = track.videoCodec?.inspected else { return nil }
        var inspection = BitstreamInspection(codec: coded)
        if let configuration = track.configuration { try? inspection.read(configuration: configuration.bytes) }
        if let sample = try? container.firstSample(of: track, in: file) { try? inspection.read(accessUnit: sample) }
        return inspection
    }

    /// What a raw HEVC stream says in its first bytes.
    private static func rawStream(_ file: LocalFile) -> BitstreamInspection? {
        guard let bytes = try? file.read(at: 0, count: Int(min(file.size, 1 << 20))),
            bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1])
        else { return nil }
        var inspection = BitstreamInspection(codec: .hevc)
        try? inspection.read(accessUnit: bytes)
        return inspection.color.isComplete || inspection.hasDolbyVisionRPU ? inspection : nil
    }

    /// Whether what comes to a pad is from a local Matroska or WebM file.
    static func isMatroska(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let path = Upstream.uri(pad).flatMap({ Upstream.localPath($0) }), let file = LocalFile(path: path) else {
            return false
        }
        return ContainerInspection.beginsMatroska(file)
    }

    // MARK: What it adds

    /// The Dolby Vision record of a copy, which GStreamer's demuxers do not hand on: the file's own, else one that the
    /// stream lets make; `nil` where there is none, or it is not kept.
    func dolbyVision(keptBy plan: VideoPlan) -> DolbyVisionRecord? {
        guard plan.metadata.dynamic == .preserve else { return nil }
        if let record = track?.dolbyVision { return record }
        guard let stream, stream.hasDolbyVisionRPU, !stream.hasEnhancementLayer, let profile = stream.dolbyVisionProfile
        else { return nil }
        return DolbyVisionRecord(
            profile: UInt8(clamping: profile), transfer: stream.color.transfer, width: plan.geometry.frame.width,
            height: plan.geometry.frame.height, framesPerSecond: plan.frameRate?.value)
    }

    /// Completes what caps and tags say.
    func complete(_ source: inout SourceFormat) {
        if let orientation = track?.orientation, source.rotation == 0, !source.isMirrored, !isTurned {
            source.rotation = orientation.rotation
            source.isMirrored = orientation.isMirrored
        }
        guard hasLight(of: source) else { return }
        var metadata = source.metadata
        if let display = track?.masteringDisplay, metadata.masteringDisplay.map({ $0.isNear(display) }) ?? true {
            metadata.masteringDisplay = display
        }
        if metadata.contentLightLevel == nil, let level = track?.contentLightLevel, level.maximum > 0 {
            metadata.contentLightLevel = level
        }
        metadata.ambientViewing = metadata.ambientViewing ?? track?.ambientViewing
        // What the stream says of itself, its decoder goes by too.
        if let stream {
            metadata = metadata.replaced(by: stream.staticMetadata)
            metadata.ambientViewing = stream.ambientViewing ?? metadata.ambientViewing
        }
        source.metadata = metadata
    }

    /// Whether the pictures' light is still the file's, and not converted on the way.
    private func hasLight(of source: SourceFormat) -> Bool {
        guard !isCompressed, let given = source.color, given.transfer != 2 else { return true }
        let boxed = track?.color.flatMap { $0.transfer == 2 ? nil : $0 }
        let colors = [boxed, stream?.color, stream?.displayColor].compactMap { $0 }.filter { $0.transfer != 2 }
        return colors.isEmpty
            || colors.contains { $0.transfer == given.transfer && $0.primaries == given.primaries }
    }

    /// Throws where decoded pictures are of no color that can be encoded.
    func check() throws(ExportError) {
        guard !isCompressed else { return }
        if let record = track?.dolbyVision {
            if record.needsDolbyVision { throw .dolbyVisionOnly(Int(record.profile)) }
        } else if stream?.dolbyVisionProfile == 5 {
            throw .dolbyVisionOnly(5)
        }
    }

    /// What the plan's file will lack, a sentence each.
    func warnings(_ plan: VideoPlan, _ source: SourceFormat, keepsDynamic: Bool) -> [String] {
        var warnings: [String] = []
        let known = source.metadata
        if let unreadableScheme, source.dynamicRange == .pq, known.masteringDisplay == nil,
            known.contentLightLevel == nil
        {
            warnings.append(
                "neither the stream nor its caps tell a mastering display or light levels, and a file's header cannot be "
                    + "read by \(unreadableScheme); if it has them, set mastering-display-color-volume and "
                    + "content-light-level-info")
        }
        guard !plan.isPassthrough, keepsDynamic else { return warnings }
        let remedy = "is not kept, because the pictures are encoded again; the preset passthrough keeps it"
        if let profile = track?.dolbyVision.map({ Int($0.profile) }) {
            warnings.append("the source's Dolby Vision (profile \(profile)) \(remedy)")
        } else if let stream, stream.hasDolbyVisionRPU {
            let profile = stream.dolbyVisionProfile.map { " (profile \($0))" } ?? ""
            warnings.append("the source's Dolby Vision\(profile) \(remedy)")
        }
        if stream?.hasHDR10Plus == true { warnings.append("the source's HDR10+ \(remedy)") }
        return warnings
    }
}

extension HDRMuxSettings {
    /// Completes what is known of a source by the file that it comes from.
    func complete(
        _ source: inout SourceFormat, _ start: InputFilter.Start, _ branch: Branch
    ) throws(ExportError) -> SourceHeader {
        let header = SourceHeader(branch.pad, start.caps, branch.input.first)
        try header.check()
        // Clips that come one after another are of several files, and their metadata have been decided on.
        if settings.current.mixedSources == nil { header.complete(&source) }
        return header
    }
}

extension VideoCodec {
    /// `nil`: its streams are not read here.
    var inspected: BitstreamInspection.Codec? {
        switch self {
        case .hevc: .hevc
        case .h264: .avc
        case .av1: .av1
        default: isProRes ? .proRes : nil
        }
    }
}
