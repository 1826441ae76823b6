import CGStreamer
import GstBridge
import HDRBitstream
import HDRExport
import HDRKernels
import HDRMetadata

/// The chain of elements from a video pad to the muxer.
struct VideoChain {
    private let plan: VideoPlan
    /// The encoder and its options; `nil` where the stream is copied.
    private let encoder: EncoderOptions?
    private let owner: HDRMuxSettings
    /// GStreamer's name of the source's raw format.
    private let format: String?
    private let hasDecodingTimes: Bool
    /// The source's frame rate; `nil`: unknown or variable.
    private let sourceRate: Double?
    /// The size of the source's pictures in pixels.
    private let size: FrameSize
    /// The rotation in the source's tags.
    private let tagged: Orientation
    private let header: SourceHeader
    private let branch: HDRMuxSettings.Branch
    /// Whether the first picture has a PTS.
    private var hasTimes: Bool { branch.input.hasTimes }

    init(
        _ plan: VideoPlan, _ encoder: EncoderOptions?, _ start: InputFilter.Start, _ owner: HDRMuxSettings,
        _ header: SourceHeader, _ branch: HDRMuxSettings.Branch
    ) {
        self.header = header
        self.branch = branch
        self.plan = plan
        self.encoder = encoder
        self.owner = owner
        hasDecodingTimes = start.hasDecodingTimes
        tagged = start.orientation
        let structure = gst_caps_get_structure(start.caps, 0)
        format = structure.flatMap { Caps.string($0, "format") }
        size = FrameSize(start.caps) ?? plan.geometry.frame
        sourceRate = structure.flatMap { Fraction($0, "framerate") }?.value
    }

    func links() throws(ExportError) -> [Link] {
        guard let encoder else { return try copy() }
        var links = [try Link.queueOfPictures()]
        let rate = plan.resamplesFrames ? try frameRate() : []
        // Dropping frames before the conversion and repeating them after it saves work.
        let dropsFrames = (sourceRate ?? 0) > plan.frameRate?.value ?? 0
        if dropsFrames { links += rate }
        links += try pictures(for: encoder.rawFormat)
        if !dropsFrames { links += rate }
        links.append(try Link("encoder-input", EncoderInputFilter(plan, branch.levels, owner)))
        branch.input.tellsSize = true
        // The filter is always in the chain, since it also removes dynamic metadata that are not planned.
        let tagged = tagged
        let first = branch.input.waiting.compactMap { $0.metadata(.dolbyVision) }
        let metadata = PictureMetadataFilter(plan, source: size, turn: branch.input.turn, first: first) {
            [weak branch] in
            branch.map { Upstream.history($0.pad, tagged: tagged) } ?? PictureHistory()
        }
        links.append(try Link("picture-metadata", metadata))
        links.append(try Link(encoder, owner.log))
        links.append(try .caps(encoder.sourceCaps))
        // A parser counts every frame as long as the frame rate in the bitstream says, which is not so where the rate
        // varies.
        let durations = PacketDurations()
        links.append(try Link("packet-durations", PacketDurationFilter(durations)))
        links += try bitstream(encoder)
        links.append(try Link("restored-durations", RestoredDurationFilter(durations)))
        links += try ending()
        links.append(try .counting(branch.packets))
        links.append(try .queue())
        return links
    }

    // MARK: Pictures

    /// Converts from the source's format to the encoder's: deinterlaces, rotates, crops, scales and converts.
    ///
    /// These elements accept fewer formats than `hdrconvert` does. Subsampled chroma changes its siting when a picture
    /// is rotated or mirrored, and lacks samples in the last column or row of an odd size. So formats that they do not
    /// accept, and all pictures that are rotated, are first converted to 4:4:4. GStreamer 1.26's `deinterlace` accepts
    /// formats of more than 8 bits, but drops the pictures' dynamic metadata.
    private func pictures(for wanted: String) throws(ExportError) -> [Link] {
        let geometry = plan.geometry
        let hasEightBits = format.flatMap { PixelLayout.byName[$0] }.map { $0.bits == 8 } ?? true
        let takesFormat =
            takes("deinterlace", if: plan.deinterlaces) && (hasEightBits || !plan.deinterlaces)
            && takes("videocrop", if: geometry.crop != .zero)
        if takesFormat, !geometry.changesOrientation {
            var links: [Link] = []
            if plan.deinterlaces {
                // One frame for each input frame, as planned.
                links.append(try Link("deinterlace", [("fields", "top")]))
            }
            return links + (try cropping()) + (try conversion(to: wanted))
        }
        let isCroppedOnly = !plan.deinterlaces && !geometry.changesOrientation && !geometry.isScaled
        if isCroppedOnly, Link.takes("videocrop", wanted), PixelLayout.byName[wanted] != nil {
            return try conversion(to: wanted) + cropping()
        }
        let keepsAlpha = PixelLayout.byName[wanted]?.hasAlpha ?? true
        var links = try conversion(to: keepsAlpha ? "AYUV64" : "Y444_12LE")
        if plan.deinterlaces { links.append(try Link("deinterlace", DeinterlacingFilter())) }
        if geometry.changesOrientation {
            links += keepsAlpha ? [try Link("turn", TurningFilter(geometry))] : try turning()
        }
        guard keepsAlpha else { return links + (try cropping()) + (try conversion(to: wanted)) }
        return links + [try Link("videoconvert"), try .caps("video/x-raw, format=\(wanted)")] + (try cropping())
    }

    /// Whether an element accepts the source's format; true where the element is not needed.
    private func takes(_ factory: String, if isNeeded: Bool) -> Bool {
        guard isNeeded else { return true }
        // Later sources may have other formats.
        if owner.settingsInUse.mixedSources != nil { return false }
        return format.map { Link.takes(factory, $0) } ?? true
    }

    private func frameRate() throws(ExportError) -> [Link] {
        guard let rate = plan.frameRate else { return [] }
        return [try Link("frame-rate", FrameRateFilter(rate))]
    }

    private func conversion(to wanted: String) throws(ExportError) -> [Link] {
        // hdrconvert does not write the encoder's formats with alpha, so it converts to AYUV64 instead.
        let made = PixelLayout.byName[wanted] == nil ? "AYUV64" : wanted
        var caps = "video/x-raw, format=\(made)"
        if let target = plan.color.target, let colorimetry = target.colorimetry {
            caps += ", colorimetry=(string)\(colorimetry)"
        }
        if let site = chromaSite, PixelLayout.byName[made]?.verticalShift == 1 {
            caps += ", chroma-site=(string)\(site)"
        }
        // Tone mapping follows the scenes: those of a first pass, or else those measured now.
        var light = [("peak-detection", "auto")]
        if let scenes = owner.settingsInUse.sceneLight { light.append(("scene-light", scenes)) }
        var links = [try Link("hdrconvert", light), try .caps(caps)]
        if made != wanted { links += [try Link("videoconvert"), try .caps("video/x-raw, format=\(wanted)")] }
        // videoconvert unpacks rare formats, keeping depth and colour where it has such a format.
        if let format, PixelLayout.byName[format] == nil { links.insert(try Link("videoconvert"), at: 0) }
        return links
    }

    private var chromaSite: String? {
        switch plan.chromaLocation {
        case 0: "mpeg2"
        case 1: "jpeg"
        case 2: "cosited"
        default: nil
        }
    }

    private func turning() throws(ExportError) -> [Link] {
        let geometry = plan.geometry
        var links: [Link] = []
        func flip(_ direction: String) throws(ExportError) -> Link {
            try Link("videoflip", [("video-direction", direction)])
        }
        if geometry.isMirrored { links.append(try flip("horiz")) }
        let turn = ["90": "90r", "180": "180", "270": "90l"]["\(geometry.turn)"]
        if let turn { links.append(try flip(turn)) }
        return links
    }

    private func cropping() throws(ExportError) -> [Link] {
        let geometry = plan.geometry
        var links: [Link] = []
        if geometry.crop != .zero {
            let crop = geometry.crop
            links.append(
                try Link(
                    "videocrop",
                    [
                        ("left", "\(crop.left)"), ("right", "\(crop.right)"), ("top", "\(crop.top)"),
                        ("bottom", "\(crop.bottom)"),
                    ]))
        }
        // videoscale also keeps the size constant where the stream's size changes.
        links.append(try Link("videoscale", [("add-borders", "true"), ("n-threads", "0")]))
        links.append(
            try .caps(
                "video/x-raw, width=\(geometry.frame.width), height=\(geometry.frame.height), "
                    + "pixel-aspect-ratio=\(geometry.pixelAspectRatio)"))
        if geometry.borders != .zero, BorderFilter.isNeeded {
            links.append(try Link("borders", BorderFilter(geometry.borders)))
        }
        return links
    }

    // MARK: Compressed video

    private func bitstream(_ options: EncoderOptions) throws(ExportError) -> [Link] {
        switch plan.codec {
        case .hevc:
            return [
                try Link("bitstream", BitstreamFilter(.hevc(settings(colorOf: options)))),
                try Link("dynamic-metadata", DynamicMetadataFilter()),
                try Link("h265parse"),
                try .caps("video/x-h265, stream-format=hvc1, alignment=au"),
            ]
        case .h264:
            let parser = [
                try Link("h264parse"),
                try .caps("video/x-h264, stream-format=avc, alignment=au"),
            ]
            guard options.isHardware else { return parser }
            return [try Link("bitstream", BitstreamFilter(.h264(color, plan.chromaLocation)))] + parser
        default:
            var links: [Link] = []
            if let color = plan.color.target { links.append(try Link("bitstream", BitstreamFilter(.proRes(color)))) }
            if !options.muxerCaps.isEmpty {
                links.append(
                    try Link(
                        "capssetter", [("caps", options.muxerCaps), ("join", "true")]))
            }
            return links
        }
    }

    /// The colour written into the VUI of hardware encoders: those of VA-API write none, and NVENC guesses it where it
    /// is unspecified.
    private var color: ColorDescription {
        plan.color.target ?? ColorDescription(primaries: 2, transfer: 2, matrix: 2, isFullRange: false)
    }

    /// The metadata of the HEVC stream.
    private func settings(colorOf encoder: EncoderOptions?) -> HEVCMetadataRewriter.Settings {
        var settings = HEVCMetadataRewriter.Settings()
        if encoder?.isHardware == true || isRetagged {
            settings.color = color
            settings.colorPolicy = .replace
        }
        settings.insertion = owner.settingsInUse.insertsMetadata ? .auto : .none
        settings.masteringDisplay = plan.metadata.known.masteringDisplay
        settings.contentLightLevel = plan.metadata.known.contentLightLevel
        settings.ambientViewing = plan.metadata.ambientViewing
        if encoder == nil, !isRetagged { settings.preferredTransfer = header.stream?.alternativeTransfer }
        settings.chromaLocation = plan.chromaLocation
        if plan.metadata.dynamic.action == .strip {
            settings.hdr10Plus = .strip
            settings.dolbyVision = .strip
        }
        return settings
    }

    /// Copies compressed video, with the requested metadata.
    private func copy() throws(ExportError) -> [Link] {
        let durations = PacketDurations()
        let rate = try rateOfUntimed()
        let lead = rate == nil ? branch.input.lead : 0
        if plan.fileType.isMovie { branch.lead.withLock { $0 = lead } }
        let timing = try Link(
            "timing",
            TimingFilter(
                plan.codec, makes: rate, durations, branch.packets, lead: lead, isHidden: plan.fileType.isMovie))
        let before = try Link("packet-durations", PacketDurationFilter(durations))
        func parser(_ name: String, _ caps: String? = nil) throws(ExportError) -> [Link] {
            var links = [before, try Link(name)]
            if let caps { links.append(try .caps(caps)) }
            return links
        }
        let links: [Link]
        switch plan.codec {
        case .hevc:
            links =
                try parser("h265parse", "video/x-h265, stream-format=hvc1, alignment=au")
                + [try Link("steady-caps", SteadyCapsFilter())]
                + (writesMetadata ? [try Link("dynamic-metadata", DynamicMetadataFilter())] : [])
                + (changesBitstream ? [try Link("bitstream", BitstreamFilter(.hevc(settings(colorOf: nil))))] : [])
                + [timing] + (rate == nil ? try decodingTimes("h265timestamper") : [])
        case .h264:
            links =
                try (isRetagged ? retagging() : [])
                + parser("h264parse", "video/x-h264, stream-format=avc, alignment=au")
                + [try Link("steady-caps", SteadyCapsFilter()), timing]
                + (rate == nil ? try decodingTimes("h264timestamper") : [])
        case .av1: links = try parser("av1parse") + [try Link("steady-caps", SteadyCapsFilter()), timing]
        case .vp9:
            // A container stores a superframe as one sample.
            links =
                try parser("vp9parse", "video/x-vp9, alignment=super-frame")
                + [try Link("muxer-caps", MuxerCapsFilter(plan)), timing]
        default:
            let retagged = isRetagged && plan.codec.isProRes
            links =
                [before] + (retagged ? [try Link("bitstream", BitstreamFilter(.proRes(color)))] : [])
                + [try Link("muxer-caps", MuxerCapsFilter(plan)), timing]
        }
        return links + (try ending()) + [try .counting(branch.packets), try .queue()]
    }

    /// Whether the first picture's buffer carries dynamic metadata that the stream lacks.
    private var writesMetadata: Bool {
        guard plan.metadata.dynamic.action == .preserve, let first = branch.input.first,
            let structure = branch.input.caps.flatMap({ gst_caps_get_structure($0, 0) })
        else { return false }
        return CodedPicture.completed(first, structure) != nil
    }

    /// The elements that the container needs behind the encoder.
    private func ending() throws(ExportError) -> [Link] {
        switch plan.fileType {
        case .mov, .mp4: return [try Link("last-frame", LastFrameFilter(branch.shownDuration))]
        // Matroska has no edit list.
        case .matroska: return []
        case .mpegts:
            // Decoders join at any random access point, so that parameter sets stand in front of each.
            let (parser, media) = plan.codec == .hevc ? ("h265parse", "video/x-h265") : ("h264parse", "video/x-h264")
            return [
                try Link("configuration", ConfigurationFilter(branch.configuration)),
                try Link(parser, [("config-interval", "-1")]),
                try .caps("\(media), stream-format=byte-stream, alignment=au"),
                try Link("delimiter", DelimiterFilter(plan.codec)),
            ]
        }
    }

    /// Whether a copy gets other tags than the source's.
    private var isRetagged: Bool { plan.isPassthrough && plan.color.action == .tag }

    /// Writes the colour into the VUI of H.264.
    private func retagging() throws(ExportError) -> [Link] {
        [
            try Link("h264parse"), try .caps("video/x-h264, stream-format=byte-stream, alignment=au"),
            try Link("bitstream", BitstreamFilter(.h264(color, plan.chromaLocation))),
        ]
    }

    /// The frame rate for the timestamps of a stream that has none; `nil` where it has.
    private func rateOfUntimed() throws(ExportError) -> Fraction? {
        guard !hasTimes else { return nil }
        guard plan.codec != .mpeg4 else {
            throw .sourceNotUsable(
                "its packets have no timestamps, and MPEG-4 needs them for the output order; "
                    + "put it into a container first")
        }
        guard let rate = plan.frameRate else {
            throw .sourceNotUsable(
                "its packets have no timestamps and it has no frame rate; set one, such as "
                    + "source-format-hint=\"video/x-raw,framerate=24/1\"")
        }
        return rate
    }

    /// Computes DTS for a source without them, such as Matroska: MP4 muxers would take PTS for DTS.
    private func decodingTimes(_ factory: String) throws(ExportError) -> [Link] {
        if hasDecodingTimes || plan.fileType == .matroska { return [] }
        return [try Link(factory)]
    }

    /// Whether the metadata of the file differ from those in the bitstream, which may have left some to its container.
    private var changesBitstream: Bool {
        let settings = owner.settingsInUse
        if !settings.insertsMetadata || plan.metadata.dynamic.action == .strip || isRetagged { return true }
        return plan.metadata.known != header.firstPicture
    }
}

extension Link {
    /// A queue of four pictures, so that decoder and encoder have a thread each.
    static func queueOfPictures() throws(ExportError) -> Link {
        try Link("queue", [("max-size-buffers", "4"), ("max-size-bytes", "0"), ("max-size-time", "0")])
    }
}
