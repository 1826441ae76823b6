import HDRBitstream
import HDRMetadata

/// A video stream's signal according to its container and its bitstream, and the disagreements of both.
package struct SignalReport: Equatable, Sendable {
    /// The numbers of access units, among those that were read, that carry dynamic metadata.
    package struct FrameCounts: Equatable, Sendable {
        package var read: Int
        /// The time from the start of the first of them to the end of the last one, in ns; 0 where it is not known.
        package var span: UInt64 = 0
        package var hdr10Plus: Int
        package var dolbyVision: Int
        package var st209450: Int
        /// Whether static metadata changed between them.
        package var hasChanges: Bool

        package init(
            read: Int = 0, hdr10Plus: Int = 0, dolbyVision: Int = 0, st209450: Int = 0, hasChanges: Bool = false
        ) {
            self.read = read
            self.hdr10Plus = hdr10Plus
            self.dolbyVision = dolbyVision
            self.st209450 = st209450
            self.hasChanges = hasChanges
        }
    }

    package let container: ContainerSignal?
    /// The bitstream's data; `nil` for codecs whose bitstream is not read.
    package let bitstream: BitstreamInspection?
    package let frames: FrameCounts

    package init(container: ContainerSignal?, bitstream: BitstreamInspection?, frames: FrameCounts = FrameCounts()) {
        self.container = container
        self.bitstream = bitstream
        self.frames = frames
    }

    /// The effective colour description: the container's values where they are specified (ISO/IEC 14496-12 section
    /// 12.1.5: the box takes precedence), otherwise the bitstream's. The preferred transfer of SEI 147 replaces the
    /// transfer that it is an alternative to.
    package var color: ColorDescription {
        let coded = bitstream?.color ?? .unspecified
        var result = container?.color?.completed(by: coded) ?? coded
        if let alternative = bitstream?.alternativeTransfer,
            result.transfer == coded.transfer || result.transfer == ColorDescription.unspecifiedCode
        {
            result.transfer = alternative
        }
        return result
    }

    /// The container's values where they are credible, otherwise the bitstream's.
    package var masteringDisplay: MasteringDisplay? {
        let boxed = container?.masteringDisplay
        let coded = bitstream?.masteringDisplay
        if let boxed, boxed.defect == nil, boxed.chromaticityDefects.isEmpty, !hasMatroskaLuminanceBug { return boxed }
        return coded ?? boxed
    }

    package var contentLightLevel: ContentLightLevel? {
        let boxed = container?.contentLightLevel
        if let boxed, boxed.defect == nil { return boxed }
        return bitstream?.contentLightLevel ?? boxed
    }

    package var ambientViewing: AmbientViewing? {
        let boxed = container?.ambientViewing
        if let boxed, boxed.defect == nil { return boxed }
        return bitstream?.ambientViewing ?? boxed
    }

    package var dolbyVision: DynamicRangeReport.DolbyVision? {
        if let record = container?.dolbyVision {
            return .init(profile: record.profile, compatibility: record.compatibility, level: record.level)
        }
        guard let bitstream, bitstream.hasDolbyVisionRPU, let profile = bitstream.dolbyVisionProfile else { return nil }
        if bitstream.needsDolbyVision { return .init(profile: profile, compatibility: 0) }
        switch profile {
        case 8, 10: return .init(profile: profile, compatibility: color.isPQ ? 1 : color.isHLG ? 4 : 2)
        default: return .init(profile: profile)
        }
    }

    package var dynamicRange: DynamicRangeReport {
        let dolbyVision = dolbyVision
        let base: DynamicRangeReport.Base
        if dolbyVision?.needsDolbyVision == true {
            base = .none
        } else if color.isHLG {
            base = .hlg
        } else if color.isPQ || isPQByMetadata {
            base = masteringDisplay == nil && contentLightLevel == nil ? .pq : .hdr10
        } else {
            base = .sdr
        }
        return DynamicRangeReport(
            base: base, hasHDR10Plus: hasHDR10Plus, hasST209450: bitstream?.hasST209450 == true,
            dolbyVision: dolbyVision)
    }

    /// Whether there is HDR10+ in the coded stream, or in Matroska in block additions of its frames.
    var hasHDR10Plus: Bool { bitstream?.hasHDR10Plus == true || frames.hdr10Plus > 0 }

    /// Whether there is an enhancement layer in the same stream, or in another track according to the container's
    /// record.
    package var hasEnhancementLayer: Bool {
        container?.dolbyVision?.hasEnhancementLayer == true || bitstream?.hasEnhancementLayer == true
    }

    /// Whether the transfer is unspecified while there is HDR10+, which is defined for PQ alone.
    var isPQByMetadata: Bool { hasHDR10Plus && ColorDescription.isUnspecified(color.transfer) }

    /// The counterpart of AVFoundation's media characteristic.
    package var containsHDRVideo: Bool { dynamicRange.isHDR }

    /// All findings, the most serious first.
    package var findings: [SignalFinding] { disagreements + defects + omissions }

    /// Whether luminances show a bug of GStreamer's matroskamux, which divides them by 50000, while Matroska counts
    /// them in cd/m².
    var hasMatroskaLuminanceBug: Bool {
        guard container?.kind == .matroska, let boxed = container?.masteringDisplay,
            let coded = bitstream?.masteringDisplay
        else { return false }
        return Self.isNear(UInt64(boxed.maximum) * 5, UInt64(coded.maximum), scale: 5)
            && Self.isNear(UInt64(boxed.minimum) * 5, UInt64(coded.minimum), scale: 5) && coded.maximum > 0
            && boxed.maximum < coded.maximum
    }

    /// Whether the values are equal, apart from the error of storing them as floating point numbers.
    static func isNear(_ a: UInt64, _ b: UInt64, scale: UInt64 = 1) -> Bool {
        let difference = a > b ? a - b : b - a
        return difference <= max(scale, b / 10000)
    }
}
