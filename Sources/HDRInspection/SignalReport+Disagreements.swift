import HDRBitstream
import HDRMetadata

extension SignalReport {
    /// Values in which container and bitstream disagree.
    var disagreements: [SignalFinding] {
        guard let container, let bitstream else { return [] }
        return colorDisagreements(container, bitstream) + masteringDisagreements(container, bitstream)
            + lightDisagreements(container, bitstream) + dolbyVisionDisagreements(container, bitstream)
            + sizeDisagreements(container, bitstream)
    }

    private func colorDisagreements(
        _ container: ContainerSignal, _ bitstream: BitstreamInspection
    ) -> [SignalFinding] {
        let coded = bitstream.color
        if let declares = container.declaresHDR, declares != coded.isHDR, !coded.isUnspecified {
            return [
                .init(
                    .disagreement, "declared-range-differs",
                    "dynamic range: the program map says \(declares ? "HDR" : "SDR"), the bitstream "
                        + coded.transferName)
            ]
        }
        guard let boxed = container.color else { return [] }
        var findings: [SignalFinding] = []
        func compare(_ what: String, _ a: UInt8, _ b: UInt8, _ nameA: String, _ nameB: String) {
            guard a != b, !ColorDescription.isUnspecified(a), !ColorDescription.isUnspecified(b) else { return }
            findings.append(
                .init(
                    .disagreement, "\(what)-differs",
                    "\(what): the container says \(nameA) (\(a)), the bitstream \(nameB) (\(b)); the container decides")
            )
        }
        compare("primaries", boxed.primaries, coded.primaries, boxed.primariesName, coded.primariesName)
        // The container may have the alternative transfer.
        if boxed.transfer != bitstream.alternativeTransfer {
            compare("transfer", boxed.transfer, coded.transfer, boxed.transferName, coded.transferName)
        }
        compare("matrix", boxed.matrix, coded.matrix, boxed.matrixName, coded.matrixName)
        if let a = boxed.isFullRange, let b = coded.isFullRange, a != b {
            findings.append(
                .init(
                    .disagreement, "range-differs",
                    "range: the container says \(a ? "full" : "limited"), the bitstream \(b ? "full" : "limited"); "
                        + "blacks and whites depend on whom a player believes"))
        }
        if let a = boxed.chromaLocationName, let b = coded.chromaLocationName, a != b {
            findings.append(
                .init(
                    .disagreement, "chroma-location-differs",
                    "chroma location: the container says \(a), the bitstream \(b)"))
        }
        return findings
    }

    private func masteringDisagreements(
        _ container: ContainerSignal, _ bitstream: BitstreamInspection
    ) -> [SignalFinding] {
        guard let boxed = container.masteringDisplay, let coded = bitstream.masteringDisplay else { return [] }
        if hasMatroskaLuminanceBug {
            return [
                .init(
                    .disagreement, "matroska-luminance-5x",
                    """
                    mastering display: the container's luminances are a fifth of the bitstream's, which is a known bug \
                    of GStreamer's matroskamux; the bitstream is right
                    """)
            ]
        }
        var findings: [SignalFinding] = []
        let pairs = [
            (boxed.red, coded.red), (boxed.green, coded.green), (boxed.blue, coded.blue), (boxed.white, coded.white),
        ]
        if !pairs.allSatisfy({ MasteringDisplay.isNear($0, $1, steps: 2) }) {
            let hint =
                if let reordered = boxed.reordered, MasteringDisplay.isNear(reordered.red, coded.red, steps: 2) {
                    ": the container has them in another order"
                } else if let reordered = coded.reordered, MasteringDisplay.isNear(boxed.red, reordered.red, steps: 2) {
                    ": the bitstream has them in another order"
                } else {
                    ""
                }
            findings.append(
                .init(
                    .disagreement, "mastering-primaries-differ",
                    "mastering display: the primaries of container and bitstream differ\(hint)"))
        }
        if !Self.isNear(UInt64(boxed.maximum), UInt64(coded.maximum))
            || !Self.isNear(UInt64(boxed.minimum), UInt64(coded.minimum))
        {
            findings.append(
                .init(
                    .disagreement, "mastering-luminance-differs",
                    """
                    mastering display: the container says \(boxed.luminanceText), the bitstream \(coded.luminanceText)
                    """))
        }
        return findings
    }

    private func lightDisagreements(
        _ container: ContainerSignal, _ bitstream: BitstreamInspection
    ) -> [SignalFinding] {
        var findings: [SignalFinding] = []
        if let boxed = container.contentLightLevel, let coded = bitstream.contentLightLevel, boxed != coded {
            findings.append(
                .init(
                    .disagreement, "light-level-differs",
                    """
                    light level: the container says MaxCLL \(boxed.maximum), MaxFALL \(boxed.frameAverage), the \
                    bitstream \(coded.maximum), \(coded.frameAverage)
                    """))
        }
        if let boxed = container.ambientViewing, let coded = bitstream.ambientViewing, boxed != coded {
            findings.append(
                .init(
                    .disagreement, "ambient-viewing-differs",
                    "ambient viewing environment: container and bitstream differ"))
        }
        return findings
    }

    private func dolbyVisionDisagreements(
        _ container: ContainerSignal, _ bitstream: BitstreamInspection
    ) -> [SignalFinding] {
        guard let record = container.dolbyVision else { return [] }
        var findings: [SignalFinding] = []
        if record.hasRPU, frames.read > 0, frames.dolbyVision == 0, Self.carriesRPU(bitstream.codec) {
            findings.append(
                .init(
                    .disagreement, "dolby-vision-rpu-absent",
                    """
                    the container announces Dolby Vision \(record.profile), and none of the first \(frames.read) \
                    frames \
                    has its metadata
                    """))
        }
        if let coded = bitstream.dolbyVisionProfile, coded != record.profile, frames.dolbyVision > 0 {
            findings.append(
                .init(
                    .disagreement, "dolby-vision-profile-differs",
                    "the container announces Dolby Vision profile \(record.profile), the frames are of profile \(coded)"
                ))
        }
        let color = color
        let wanted: (name: String, holds: Bool)? =
            switch record.compatibility {
            case 1, 6: ("PQ", color.isPQ)
            case 2: ("SDR", !color.isHDR)
            case 4: ("HLG", color.isHLG)
            default: nil
            }
        if let wanted, !wanted.holds {
            findings.append(
                .init(
                    .disagreement, "dolby-vision-base-differs",
                    "Dolby Vision compatibility \(record.compatibility) wants \(wanted.name), and the transfer is "
                        + color.transferName))
        }
        return findings
    }

    private func sizeDisagreements(
        _ container: ContainerSignal, _ bitstream: BitstreamInspection
    ) -> [SignalFinding] {
        guard let a = container.width, let b = container.height, let c = bitstream.width, let d = bitstream.height,
            a != c || b != d, a > 0, b > 0
        else { return [] }
        return [
            .init(.disagreement, "size-differs", "size: the container says \(a)x\(b), the bitstream \(c)x\(d)")
        ]
    }

    static func carriesRPU(_ codec: BitstreamInspection.Codec) -> Bool { codec == .hevc || codec == .av1 }
}
