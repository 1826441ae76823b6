import HDRMetadata

extension SignalReport {
    /// The data that are missing.
    var omissions: [SignalFinding] {
        let color = color
        return colorOmissions(color) + staticOmissions(color) + dynamicOmissions(color) + codecNotes(color)
    }

    private func colorOmissions(_ color: ColorDescription) -> [SignalFinding] {
        var findings: [SignalFinding] = []
        func add(_ code: String, _ text: String) { findings.append(.init(.missing, code, text)) }
        if color.isUnspecified, dynamicRange.base != .none {
            if container?.hasProfile != true {
                add("color-unknown", "nothing says what the colours mean: players guess BT.709 or BT.601 by the size")
            }
            return findings
        }
        if color.isHDR, !color.isComplete, dynamicRange.base != .none {
            add("color-incomplete", "primaries, transfer and matrix are not all given: \(color)")
        }
        guard color.isHDR else { return findings }
        if let container, container.hasPlaceForColor, container.color?.isComplete != true {
            let what =
                container.color == nil
                ? "there is no \(container.colorName)" : "the \(container.colorName) is incomplete"
            add("container-color", "\(what): players that do not read the bitstream take the video for SDR")
        }
        // VP9 cannot carry it.
        if let bitstream, bitstream.codec != .vp9, bitstream.color.isUnspecified, container?.color?.isHDR == true,
            bitstream.width != nil
        {
            add(
                "bitstream-color",
                "the bitstream does not say what its colours mean: decoders and remuxers that read only it make SDR")
        }
        return findings
    }

    private func staticOmissions(_ color: ColorDescription) -> [SignalFinding] {
        guard color.isHDR, dynamicRange.base != .none else { return [] }
        var findings: [SignalFinding] = []
        func add(_ code: String, _ text: String) { findings.append(.init(.missing, code, text)) }
        if color.isPQ {
            if dynamicRange.base == .pq {
                add(
                    "static-metadata",
                    "PQ without mastering display or light level: displays assume a peak, mostly of 1000 cd/m²")
            } else {
                if masteringDisplay == nil { add("mastering-display", "there is no mastering display metadata") }
                if contentLightLevel == nil { add("light-level", "there is no content light level") }
            }
        }
        if let container, container.hasPlaceForColor, let bitstream {
            if bitstream.masteringDisplay != nil, !container.hasMasteringMetadata {
                add(
                    "container-mastering",
                    "there is no \(container.masteringName): the values are in the bitstream only")
            }
            if let level = bitstream.contentLightLevel, level.maximum > 0, container.contentLightLevel == nil {
                add("container-light-level", "there is no \(container.lightName): the values are in the bitstream only")
            }
        }
        if let finding = containerOnly { findings.append(finding) }
        if let container, container.isMovie, container.ambientViewing == nil {
            if bitstream?.ambientViewing != nil {
                add(
                    "container-ambient-viewing",
                    "there is no amve box: Apple's displays show the picture too bright or too dark")
            } else if let dolbyVision, dolbyVision.profile == 8, color.isHLG {
                add("container-ambient-viewing", "there is no amve box, which Apple wants for Dolby Vision 8.4")
            }
        }
        return findings
    }

    /// Effective metadata that the coded stream lacks, and the consequence.
    private var containerOnly: SignalFinding? {
        guard let container, container.hasPlaceForColor, bitstream == nil || bitstream?.width != nil else { return nil }
        var names: [String] = []
        if bitstream?.masteringDisplay == nil, let display = container.masteringDisplay, display == masteringDisplay,
            display.defect == nil, display.chromaticityDefects.isEmpty, display.peak >= 50, matroskaSuspicion.isEmpty
        {
            names.append("the mastering display")
        }
        if bitstream?.contentLightLevel == nil, let level = container.contentLightLevel, level.maximum > 0,
            level.defect == nil
        {
            names.append("the light level")
        }
        if let bitstream, bitstream.ambientViewing == nil, bitstream.codec == .hevc,
            let viewing = container.ambientViewing, viewing.defect == nil
        {
            names.append("ambient viewing")
        }
        guard let last = names.last else { return nil }
        let list = names.count > 1 ? names.dropLast().joined(separator: ", ") + " and " + last : last
        let verb = names.count > 1 ? "stand" : "stands"
        // ProRes and VP9 cannot carry them, and H.264 seldom does.
        let canCarry = bitstream?.codec == .hevc || bitstream?.codec == .av1
        let consequence: String
        switch container.kind {
        case .quickTime, .iso:
            consequence = "GStreamer's qtdemux 1.22 does not hand that on, and what reads the stream alone misses it"
        case .mxf:
            consequence = "GStreamer's mxfdemux 1.22 does not hand that on, and what reads the stream alone misses it"
        default:
            // matroskademux hands it on, and a stream that cannot carry it always travels with its container.
            guard canCarry else { return nil }
            consequence = "what reads the stream alone, such as a copy into a transport stream, misses it"
        }
        return .init(
            canCarry ? .missing : .note, "container-only", "\(list) \(verb) in the container only: \(consequence)")
    }

    private func dynamicOmissions(_ color: ColorDescription) -> [SignalFinding] {
        var findings: [SignalFinding] = []
        let read = frames.read
        if let vision = dolbyVision, vision.needsDolbyVision {
            findings.append(
                .init(
                    .note, "dolby-vision-only",
                    """
                    Dolby Vision \(vision.name) is not SDR: only what applies its metadata shows its colours, as the \
                    commands and elements here do with profile 5; others show green and purple
                    """))
        }
        if let container, container.kind != .other, container.dolbyVision == nil, bitstream?.hasDolbyVisionRPU == true {
            findings.append(
                .init(
                    .missing, "dolby-vision-record",
                    """
                    the frames have Dolby Vision metadata, and the container does not announce it (\
                    no \(container.dolbyVisionName)): players show \
                    \(dynamicRange.base == .none ? "wrong colours" : "plain \(dynamicRange.base.rawValue)")
                    """))
        }
        for (name, code, count) in [
            ("Dolby Vision", "dolby-vision-rpu-partial", frames.dolbyVision),
            ("HDR10+", "hdr10-plus-partial", frames.hdr10Plus),
            (DynamicRangeReport.st209450, "st2094-50-partial", frames.st209450),
        ] where count > 0 && count < read {
            findings.append(
                .init(.missing, code, "only \(count) of the first \(read) frames have \(name) metadata"))
        }
        return findings
    }

    private func codecNotes(_ color: ColorDescription) -> [SignalFinding] {
        guard color.isHDR else { return [] }
        var findings: [SignalFinding] = []
        if bitstream?.codec == .avc {
            findings.append(.init(.note, "hdr-in-h264", "HDR in H.264: most players show it as SDR"))
        }
        if let container, container.isMovie, ["hev1", "dvhe"].contains(container.codec) {
            let other = container.codec == "hev1" ? "hvc1" : "dvh1"
            findings.append(
                .init(.note, "sample-entry", "sample entry \(container.codec): Apple's players open \(other) only"))
        }
        if let alternative = bitstream?.alternativeTransfer, let coded = bitstream?.color, alternative != coded.transfer
        {
            var preferred = coded
            preferred.transfer = alternative
            findings.append(
                .init(
                    .note, "alternative-transfer",
                    "coded as \(coded.transferName), with \(preferred.transferName) preferred (SEI 147)"))
        }
        return findings
    }
}
