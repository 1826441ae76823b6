import HDRMetadata

extension SignalReport {
    /// Values that are not credible or contradict each other.
    var defects: [SignalFinding] {
        let origins: [(String, MasteringDisplay?, ContentLightLevel?, AmbientViewing?)] = [
            ("container", container?.masteringDisplay, container?.contentLightLevel, container?.ambientViewing),
            ("bitstream", bitstream?.masteringDisplay, bitstream?.contentLightLevel, bitstream?.ambientViewing),
        ]
        var findings: [SignalFinding] = []
        for (origin, display, level, viewing) in origins {
            if let display { findings += Self.defects(of: display, in: origin) }
            if let level { findings += Self.defects(of: level, in: origin) }
            if let text = viewing?.defect { findings.append(.init(.defect, "ambient-viewing", "\(origin): \(text)")) }
        }
        if container?.hasMasteringMetadata == true, container?.masteringDisplay == nil {
            findings.append(
                .init(
                    .defect, "mastering-incomplete",
                    "container: the mastering metadata is incomplete or out of range, so players leave it out"))
        }
        return findings + matroskaSuspicion + colorDefects
    }

    private static func defects(of display: MasteringDisplay, in origin: String) -> [SignalFinding] {
        var findings: [SignalFinding] = []
        if let text = display.defect {
            findings.append(.init(.defect, "mastering-luminance", "\(origin): \(text)"))
        } else if display.peak < 50 {
            // Units of 1 cd/m² in place of 0.0001, or the other way round, are a common mistake.
            findings.append(
                .init(
                    .defect, "mastering-luminance",
                    "\(origin): mastering display peak is \(display.peakText): in a wrong unit"))
        }
        for text in display.chromaticityDefects {
            findings.append(.init(.defect, "mastering-primaries", "\(origin): \(text)"))
        }
        return findings
    }

    private static func defects(of level: ContentLightLevel, in origin: String) -> [SignalFinding] {
        if level == ContentLightLevel(maximum: 0, frameAverage: 0) {
            return [.init(.note, "light-level-unknown", "\(origin): MaxCLL and MaxFALL are 0, which means unknown")]
        }
        return level.defect.map { [.init(.defect, "light-level", "\(origin): \($0)")] } ?? []
    }

    /// A suspicion of the bug of ``hasMatroskaLuminanceBug``, where no bitstream has the right value.
    var matroskaSuspicion: [SignalFinding] {
        guard let container, container.kind == .matroska, let boxed = container.masteringDisplay,
            bitstream?.masteringDisplay == nil, [2_000_000, 8_000_000].contains(boxed.maximum),
            let level = contentLightLevel, UInt64(level.maximum) * 10000 > UInt64(boxed.maximum)
        else { return [] }
        return [
            .init(
                .defect, "matroska-luminance-5x",
                """
                container: a mastering peak of \(DecimalText(boxed.maximum, decimals: 4)) cd/m² below MaxCLL looks \
                like \
                a known bug of GStreamer's matroskamux, which writes a fifth of the luminances
                """)
        ]
    }

    private var colorDefects: [SignalFinding] {
        let color = color
        var findings: [SignalFinding] = []
        func add(_ code: String, _ text: String) { findings.append(.init(.defect, code, text)) }
        // IPT-PQ-C2 of Dolby Vision profile 5 has rules of its own.
        let isBase = dynamicRange.base != .none
        if color.isHDR, isBase {
            if let depth = bitstream?.lumaDepth, depth < 10 {
                add("hdr-in-8-bit", "\(color.transferName) in \(depth) bits shows bands: HDR wants 10 or more")
            }
            if ![9, 2].contains(color.primaries) {
                let isP3 = color.primaries == 12 || color.primaries == 11
                findings.append(
                    .init(
                        isP3 ? .note : .defect, "hdr-primaries",
                        "\(color.transferName) with primaries \(color.primariesName): BT.2100 has those of BT.2020"))
            }
            if ![9, 10, 14, 0, 2].contains(color.matrix) {
                add("hdr-matrix", "\(color.transferName) with matrix \(color.matrixName): BT.2100 has that of BT.2020")
            }
        }
        if !color.isHDR, isBase {
            if !isPQByMetadata, masteringDisplay != nil || contentLightLevel != nil {
                add(
                    "hdr-metadata-on-sdr",
                    "HDR metadata on \(color.transferName) video: left over from a source, or the transfer is wrong")
            }
            if isPQByMetadata {
                add(
                    "hdr10-plus-without-transfer",
                    "HDR10+ metadata, and nothing says that the video is PQ: players show it as SDR")
            } else if hasHDR10Plus {
                add("hdr10-plus-on-sdr", "HDR10+ metadata on video that is not PQ")
            }
        } else if color.isHLG, hasHDR10Plus {
            add("hdr10-plus-on-hlg", "HDR10+ metadata on HLG video: HDR10+ is defined for PQ")
        }
        if frames.hasChanges {
            findings.append(
                .init(
                    .note, "metadata-changes",
                    "the bitstream's static metadata changes within the first \(frames.read) frames; the last is shown")
            )
        }
        return findings
    }
}
