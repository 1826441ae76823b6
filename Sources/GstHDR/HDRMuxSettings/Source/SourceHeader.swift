import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRContainer
import HDRExport
import HDRKernels
import HDRMetadata

/// The data about a video stream besides its caps and tags: from the header of the local file that it comes from,
/// of which GStreamer's demuxers forward only a part, and from the bitstream of its first picture.
struct SourceHeader {
    /// The stream's track in the file; `nil` where the header cannot be read, or the track cannot be identified.
    private(set) var track: VideoTrack?
    /// The metadata of the bitstream; `nil` where only decoded pictures are seen.
    private(set) var stream: BitstreamInspection?
    /// The static metadata of the first packet, without the SEI messages of `hvcC`, which parsers drop when they
    /// rewrite it.
    private(set) var firstPicture = StaticMetadata.none
    /// The URI scheme of a source whose header cannot be read, such as "http".
    private(set) var unreadableScheme: String?
    /// Whether an element between the file and the bin rotates or mirrors pictures.
    private var isTurned = false
    /// Whether an element between the file and the bin converts light, which includes reshaping a base layer.
    private var isConverted = false
    /// Whether an `hdrmetaparse` is between the file and the bin.
    private let readsDynamic: Bool
    /// Whether an element has changed the light, and for which display.
    private let lightChange: GstHdrLightChange
    private let isCompressed: Bool
    /// The layout of decoded pictures.
    private let layout: PixelLayout?
    /// Whether elements between the file and the bin have removed RPUs, or replaced them by those of another profile.
    private var hasOtherRPUs = false
    private(set) var isMatroska = false

    /// The size in bytes up to which headers are read.
    private static let limit: UInt64 = 64 << 20

    /// - Parameters:
    ///   - pad: the bin's pad, which knows the stream's name.
    ///   - first: the stream's first buffer.
    init(_ pad: UnsafeMutablePointer<GstPad>, _ caps: UnsafeMutablePointer<GstCaps>, _ first: Buffer?) {
        let structure = gst_caps_get_structure(caps, 0)
        let codec = structure.flatMap { VideoCodec($0) }
        isCompressed = codec != nil
        layout = structure.flatMap { Caps.strings($0, "format")?.first }.flatMap { PixelLayout.byName[$0] }
        isConverted = Upstream.convertsLight(pad)
        readsDynamic = Upstream.readsDynamicMetadata(pad)
        lightChange = gst_hdr_light_change_ask(pad)
        var arrived: BitstreamInspection?
        if let codec, let structure, var found = Self.inspection(codec, structure) {
            var own = BitstreamInspection(codec: found.codec, framing: found.framing)
            if let first, let completed = CodedPicture.completed(first, structure) {
                completed.withUnsafeBytes { bytes in
                    try? own.read(accessUnit: bytes)
                    try? found.read(accessUnit: bytes)
                }
            } else {
                _ = first?.withBytes { bytes in
                    try? own.read(accessUnit: bytes)
                    try? found.read(accessUnit: bytes)
                }
            }
            if first != nil { arrived = own }
            firstPicture = own.staticMetadata
            firstPicture.ambientViewing = own.ambientViewing
            stream = found
        }
        guard let uri = Upstream.uri(pad) else { return }
        guard let path = Upstream.localPath(uri) else {
            unreadableScheme = String(uri.prefix { $0 != ":" }.prefix(32).filter { $0.isASCII && $0.isLetter })
            return
        }
        guard let file = try? LocalFile(path: path) else { return }
        guard
            let inspection = (try? ContainerInspection(file, limit: Self.limit))
                ?? (try? TransportStreamInspection.read(file))
        else {
            // A file without a container: no demuxer has dropped anything. The colours of an elementary stream may
            // still need its own metadata.
            if !isCompressed { stream = BitstreamInspection(rawStream: file) }
            return
        }
        isMatroska = inspection.format == .matroska || inspection.format == .webm
        var width: gint = 0
        var height: gint = 0
        if let structure {
            gst_structure_get_int(structure, "width", &width)
            gst_structure_get_int(structure, "height", &height)
        }
        let isTransported = inspection.format == .transportStream
        track = inspection.track(
            identifier: isTransported ? Upstream.packetIdentifier(pad) : Upstream.trackNumber(pad), codec: codec,
            size: FrameSize(Int(width), Int(height)))
        isTurned = Upstream.turn(pad, tagged: Orientation()) != nil
        if stream == nil, let track { stream = BitstreamInspection(track, inspection, file) }
        if let arrived, let track, track.dolbyVision != nil, let source = BitstreamInspection(track, inspection, file) {
            hasOtherRPUs =
                source.hasDolbyVisionRPU
                && (!arrived.hasDolbyVisionRPU || arrived.dolbyVisionProfile != source.dolbyVisionProfile)
        }
    }

    typealias Buffer = UnsafeMutablePointer<GstBuffer>

    private static func inspection(_ codec: VideoCodec, _ structure: Caps.Structure) -> BitstreamInspection? {
        guard let coded = codec.inspected else { return nil }
        var inspection = BitstreamInspection(codec: coded)
        if let data = Caps.buffer(structure, "codec_data") {
            try? inspection.read(configuration: data.withBytes { Array($0) } ?? [])
        }
        return inspection
    }

    /// Whether the data of a pad come from a local Matroska or WebM file.
    static func isMatroska(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let path = Upstream.uri(pad).flatMap({ Upstream.localPath($0) }), let file = try? LocalFile(path: path)
        else {
            return false
        }
        return ContainerInspection.beginsMatroska(file)
    }

    // MARK: Use

    /// The Dolby Vision record of a copy, which GStreamer's demuxers do not forward: the file's own, or else one
    /// derived from the RPU; `nil` where there is none, or where the plan strips dynamic metadata. Where elements
    /// before the bin have removed or replaced RPUs, those that arrive count.
    func dolbyVision(keptBy plan: VideoPlan) -> DolbyVisionRecord? {
        guard plan.metadata.dynamic.action == .preserve else { return nil }
        let record = hasOtherRPUs ? nil : track?.dolbyVision
        return (record ?? derivedDolbyVision(plan)).flatMap { isContradicted($0, by: plan) ? nil : $0 }
    }

    /// Whether a copy's new tags contradict the transfer function of a record.
    private func isContradicted(_ record: DolbyVisionRecord, by plan: VideoPlan) -> Bool {
        guard plan.isPassthrough, plan.color.action == .tag, let target = plan.color.target else { return false }
        return !record.fits(transfer: target.transfer)
    }

    private func derivedDolbyVision(_ plan: VideoPlan) -> DolbyVisionRecord? {
        guard let stream, stream.hasDolbyVisionRPU, !stream.hasEnhancementLayer, let profile = stream.dolbyVisionProfile
        else { return nil }
        return DolbyVisionRecord(
            profile: UInt8(clamping: profile), transfer: stream.color.transfer,
            needsDolbyVision: stream.needsDolbyVision, width: plan.geometry.frame.width,
            height: plan.geometry.frame.height, framesPerSecond: plan.frameRate?.value)
    }

    /// Adds orientation and static metadata that caps and tags lack.
    func complete(_ source: inout SourceFormat) {
        if let orientation = track?.orientation, source.rotation == 0, !source.isMirrored, !isTurned {
            source.rotation = orientation.rotation
            source.isMirrored = orientation.isMirrored
        }
        guard hasLight(of: source) else { return }
        var metadata = source.metadata
        if let display = track?.masteringDisplay,
            metadata.masteringDisplay.map({ $0.isNear(display) || $0.isMisreading(of: display) }) ?? true
        {
            metadata.masteringDisplay = display
        }
        if metadata.contentLightLevel == nil, lightChange == GST_HDR_LIGHT_UNCHANGED,
            let level = track?.contentLightLevel, level.maximum > 0
        {
            metadata.contentLightLevel = level
        }
        metadata.ambientViewing = metadata.ambientViewing ?? track?.ambientViewing
        // The bitstream takes precedence, as in its decoder.
        if let stream {
            let level = metadata.contentLightLevel
            metadata = metadata.replaced(by: stream.staticMetadata)
            if lightChange != GST_HDR_LIGHT_UNCHANGED { metadata.contentLightLevel = level }
            metadata.ambientViewing = stream.ambientViewing ?? metadata.ambientViewing
        }
        source.metadata = metadata
    }

    /// Whether the pictures still have the file's colours, and were not converted before the pad.
    private func hasLight(of source: SourceFormat) -> Bool {
        if lightChange == GST_HDR_LIGHT_CONVERTED { return false }
        guard !isCompressed, let given = source.color, given.transfer != 2 else { return true }
        let boxed = track?.color.flatMap { $0.transfer == 2 ? nil : $0 }
        let colors = [boxed, stream?.color, stream?.displayColor].compactMap { $0 }.filter { $0.transfer != 2 }
        return colors.isEmpty
            || colors.contains { $0.transfer == given.transfer && $0.primaries == given.primaries }
    }

    /// The Dolby Vision profile without whose metadata decoded pictures cannot be shown (profile 5); `nil` where the
    /// caps describe their colours.
    private var ownColorsProfile: Int? {
        if let record = track?.dolbyVision { return record.needsDolbyVision ? Int(record.profile) : nil }
        return stream?.needsDolbyVision == true ? stream?.dolbyVisionProfile.map { Int($0) } : nil
    }

    /// Declares that decoded pictures of Dolby Vision profile 5 are converted to PQ by their RPUs.
    /// - Throws: where they have none, so that they would be green and purple, or were converted before.
    func explainColors(_ source: inout SourceFormat, _ first: Buffer?) throws(ExportError) {
        // Packets are copied unchanged.
        if isCompressed {
            source.hadOwnColors = ownColorsProfile != nil
            return
        }
        if first.map({ PictureDynamics.isBaseLayerAlone($0) }) == true {
            if let layout, !Reshaper.takes(layout) { throw .dolbyVisionConverted }
            source.becomesPQ()
        } else if let profile = ownColorsProfile {
            guard isConverted else { throw .dolbyVisionOnly(profile) }
            source.hadOwnColors = true
        }
    }

    /// Warnings about properties of the source that the file will lack.
    func warnings(_ plan: VideoPlan, _ source: SourceFormat, keepsDynamic: Bool) -> [String] {
        var warnings: [String] = []
        let known = source.metadata
        if let unreadableScheme, source.dynamicRange == .pq, known.masteringDisplay == nil,
            known.contentLightLevel == nil
        {
            warnings.append(
                "neither the stream nor its caps have a mastering display or light levels, and a file's header "
                    + "cannot be read by \(unreadableScheme); if it has them, set mastering-display-color-volume and "
                    + "content-light-level-info")
        }
        if keepsDynamic, let record = track?.dolbyVision, isContradicted(record, by: plan) {
            warnings.append(
                "the header's record of Dolby Vision (profile \(record.profile).\(record.compatibility)) is left out: "
                    + "pictures with the new colour are none; hdr-metadata-insertion-mode=none removes the RPUs too")
        }
        guard !plan.isPassthrough, keepsDynamic else { return warnings }
        let reason =
            plan.codec != .hevc
            ? "it is written into HEVC only"
            : !plan.color.dynamicRange.isHDR
                ? "the pictures become SDR"
                : lightChange == GST_HDR_LIGHT_CONVERTED
                    ? "an element in front of this one converts their light"
                    : readsDynamic
                        ? "its first \(HDRMuxSettings.searchedPictures) pictures have none that can be read"
                        : "its pictures came without it: put hdrmetaparse in front of the decoder, as decodebin does"
        func warn(_ format: DynamicMetadataFormat, _ name: String) {
            let isKnown = source.dynamicMetadata.contains(format) && plan.codec == .hevc
            if plan.metadata.dynamic.formats.contains(format) || isKnown { return }
            warnings.append("the source's \(name) is not kept, because \(reason); the preset passthrough keeps it")
        }
        if let profile = track?.dolbyVision.map({ Int($0.profile) }) {
            warn(.dolbyVision, "Dolby Vision (profile \(profile))")
        } else if let stream, stream.hasDolbyVisionRPU {
            let profile = stream.dolbyVisionProfile.map { " (profile \($0))" } ?? ""
            warn(.dolbyVision, "Dolby Vision\(profile)")
        }
        if stream?.hasHDR10Plus == true { warn(.hdr10Plus, "HDR10+") }
        return warnings
    }
}

extension HDRMuxSettings {
    /// Completes a source's caps with the data of its file.
    func complete(
        _ source: inout SourceFormat, _ start: InputFilter.Start, _ branch: Branch
    ) throws(ExportError) -> SourceHeader {
        let header = SourceHeader(branch.pad, start.caps, branch.input.first)
        try header.explainColors(&source, branch.input.first)
        // For clips in sequence, `mixed-sources` has chosen the metadata already.
        if settingsInUse.mixedSources == nil { header.complete(&source) }
        return header
    }
}
