import CGStreamer
import CHDRTap
import HDRBitstream
import HDRColor
import HDRKernels

/// The light and reshaping in a picture's dynamic metadata, for a conversion.
struct PictureDynamics: Equatable {
    /// The reshaping of the Dolby Vision base layer; `nil` where it is the identity.
    var reshaping: Reshaping?
    /// Whether the base layer is one of profile 5 (IPTPQc2), which cannot be shown without its RPU.
    var needsReshaping = false
    /// The picture's light; `nil` where the metadata do not state it.
    var light: Light?

    struct Light: Equatable {
        /// The picture's peak and average light in cd/m², measured as for a scene.
        var peak, average: Double
        /// The tone curve in the picture's metadata, with 1 at the peak; `nil` where they have none.
        var curve: SceneToneCurve?
    }

    init(_ rpu: DolbyVisionRPU) {
        let mapping = Reshaping(rpu)
        reshaping = mapping?.isIdentity == false ? mapping : nil
        needsReshaping = rpu.signaledProfile == 5
        if let level1 = rpu.displayManagement?.level1, level1.maximumPQ > level1.averagePQ {
            light = Light(
                peak: DolbyVisionLight.candelas(level1.maximumPQ), average: DolbyVisionLight.candelas(level1.averagePQ))
        }
    }

    /// Whether a buffer has a profile 5 base layer, which cannot be shown without its RPU, together with that RPU.
    static func isBaseLayerAlone(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var reader = PictureDynamicsReader()
        guard let dynamics = reader.read(buffer) else { return false }
        return dynamics.needsReshaping && dynamics.reshaping != nil
    }

    /// - Returns: `nil` where the metadata do not state the picture's light.
    init?(_ metadata: HDR10PlusMetadata) {
        guard let window = metadata.windows.first, let peak = metadata.scenePeak else { return nil }
        // averageMaxRGB is in steps of 0.1 cd/m².
        let average = Double(window.averageMaxRGB) / 10
        guard peak >= 1, average > 0, average <= peak else { return nil }
        light = Light(peak: peak, average: average, curve: metadata.sceneCurve)
    }
}

extension PictureDynamics.Light {
    /// The light for a plan, instead of the stream's own.
    /// - Parameters:
    ///   - fixed: the conversion with the stream's static peak.
    ///   - takesCurve: whether the picture's own curve may replace the conversion's.
    /// - Returns: `nil` where the conversion's curve does not depend on a peak.
    func planned(_ fixed: ConversionPlan, takesCurve: Bool) -> Self? {
        guard fixed.source.transfer.isHDR, fixed.compressingCurve.followsPeak, fixed.targetPeak < PQ.peak else {
            return nil
        }
        // A scene that the target can represent needs no curve. The curves of ST 2094-40 are defined for PQ.
        if takesCurve, curve != nil, fixed.source.transfer == .pq, peak > fixed.targetPeak { return self }
        var isIgnored = false
        let scene = SceneDetection.bounded(
            peak: PQ.inverseEOTF(peak), average: PQ.inverseEOTF(average), above: fixed.targetPeak, declared: nil,
            &isIgnored)
        return Self(peak: scene.peak, average: scene.average)
    }

    /// The light in the form of a measurement.
    var scene: (peak: Double, average: Double) { (peak, average) }
}

/// The error for a profile 5 base layer (IPTPQc2) that cannot be shown.
enum BaseLayerAlone: Error, CustomStringConvertible {
    /// Its metadata are ignored.
    case ignored
    /// It was converted to RGB or grey as if it were Y'CbCr, and its RPU does not apply to the result.
    case converted

    /// - Returns: `nil` for pictures that need no RPU, and for those to which theirs can be applied.
    init?(_ dynamics: PictureDynamics?, of layout: PixelLayout, usesMetadata: Bool) {
        guard dynamics?.needsReshaping == true else { return nil }
        if !usesMetadata {
            self = .ignored
        } else if Reshaper.takes(layout) {
            return nil
        } else {
            self = .converted
        }
    }

    var description: String {
        let what = "This is Dolby Vision profile 5, whose base layer (IPTPQc2) cannot be shown without its RPU. "
        return switch self {
        case .ignored: what + "Set dynamic-metadata=auto."
        case .converted:
            what + "An element before this one has converted it to RGB or grey, to which no RPU applies: put "
                + "hdrconvert in its place."
        }
    }
}

/// Reads the dynamic metadata of successive pictures. Pictures of a scene often have the same metadata, which are
/// parsed once.
struct PictureDynamicsReader {
    /// The data that were read last, a reference of which is held, and the parsed metadata.
    private var last: (bytes: HeldBytes, dynamics: PictureDynamics?)?

    /// The parsed metadata of a buffer; `nil` where it has none that are fresh and can be read.
    mutating func read(_ buffer: UnsafeMutablePointer<GstBuffer>) -> PictureDynamics? {
        for format in [DynamicMetadataPayload.Format.dolbyVision, .hdr10Plus] {
            guard let data = HeldBytes(buffer, format.value), !data.isStale else { continue }
            if let last, last.bytes.isEqual(data) {
                if let dynamics = last.dynamics { return dynamics }
                continue
            }
            let bytes = data.array
            let dynamics =
                format == .dolbyVision
                ? (try? DolbyVisionRPU(payload: bytes)).map { PictureDynamics($0) }
                : (try? HDR10PlusMetadata(payload: bytes)).flatMap { PictureDynamics($0) }
            last = (data, dynamics)
            if let dynamics { return dynamics }
        }
        return nil
    }
}

/// Converts the RPU of a reshaped base layer to profile 8.1, for the PQ picture made from it. Pictures of a scene often
/// have the same RPU, which is converted once.
struct PictureRPU {
    private var last: (bytes: HeldBytes, made: BufferMetadata)?

    /// - Returns: the metadata for the picture; `nil` where no picture so far had an RPU that can be read.
    mutating func read(_ buffer: UnsafeMutablePointer<GstBuffer>) -> BufferMetadata? {
        guard let data = HeldBytes(buffer, GST_HDR_DOLBY_VISION), last?.bytes.isEqual(data) != true,
            let metadata = buffer.metadata(.dolbyVision), !metadata.isStale,
            var rpu = try? DolbyVisionRPU(payload: metadata.payload.bytes)
        else { return last?.made }
        rpu.convertToProfile81(keepsMapping: false)
        guard let bytes = try? rpu.payload() else { return last?.made }
        let made = BufferMetadata(
            payload: DynamicMetadataPayload(.dolbyVision, bytes), width: metadata.width, height: metadata.height)
        last = (data, made)
        return made
    }
}
