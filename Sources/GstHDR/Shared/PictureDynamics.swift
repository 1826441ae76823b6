import CGStreamer
import CHDRTap
import HDRBitstream
import HDRColor

/// What a picture's dynamic metadata say to a conversion of its light.
struct PictureDynamics: Equatable {
    /// How the base layer of Dolby Vision becomes a picture; `nil` where it is one.
    var reshaping: Reshaping?
    /// Whether the base layer is no picture without that: profile 5.
    var needsReshaping = false
    /// The picture's light; `nil` where nothing is said.
    var light: Light?

    struct Light: Equatable {
        /// The picture's highest light in cd/m², and an average as a scene's has it.
        var peak, average: Double
        /// The tone curve that comes with the picture, whose 1 is the peak; `nil` where none does.
        var curve: SceneToneCurve?
    }

    init(_ rpu: DolbyVisionRPU) {
        let mapping = Reshaping(rpu)
        reshaping = mapping?.isIdentity == false ? mapping : nil
        needsReshaping = rpu.signaledProfile == 5
        if let level1 = rpu.displayManagement?.level1, level1.maximumPQ > level1.averagePQ {
            light = Light(peak: Self.light(level1.maximumPQ), average: Self.light(level1.averagePQ))
        }
    }

    /// Whether a buffer has a base layer that is no picture, and the RPU that makes one of it.
    static func isBaseLayerAlone(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var reader = PictureDynamicsReader()
        guard let dynamics = reader.read(buffer) else { return false }
        return dynamics.needsReshaping && dynamics.reshaping != nil
    }

    /// `nil` where the metadata have no light in them.
    init?(_ metadata: HDR10PlusMetadata) {
        guard let window = metadata.windows.first, let peak = metadata.scenePeak else { return nil }
        // In steps of 0.1 cd/m².
        let average = Double(window.averageMaxRGB) / 10
        guard peak >= 1, average > 0, average <= peak else { return nil }
        light = Light(peak: peak, average: average, curve: metadata.sceneCurve)
    }

    private static func light(_ code: UInt16) -> Double { PQ.eotf(Double(min(code, 4095)) / 4095) }
}

extension PictureDynamics.Light {
    /// The light as a plan takes it, instead of the stream's own.
    /// - Parameters:
    ///   - fixed: the conversion with the stream's static peak.
    ///   - takesCurve: whether the picture's own curve may take the place of the conversion's.
    /// - Returns: `nil` where the conversion has no curve that asks for a peak.
    func planned(_ fixed: ConversionPlan, takesCurve: Bool) -> Self? {
        guard fixed.source.transfer.isHDR, fixed.toneCurve.followsPeak else { return nil }
        // A scene that the target shows as it is needs no curve. ST 2094-40 is about PQ.
        if takesCurve, curve != nil, fixed.source.transfer == .pq, peak > fixed.targetPeak { return self }
        var isIgnored = false
        let scene = SceneDetection.bounded(
            peak: PQ.inverseEOTF(peak), average: PQ.inverseEOTF(average), above: fixed.targetPeak, declared: nil,
            &isIgnored)
        return Self(peak: scene.peak, average: scene.average)
    }

    /// What measuring would have found.
    var scene: (peak: Double, average: Double) { (peak, average) }
}

/// Profile 5 without its metadata, which shows green and purple.
struct BaseLayerAlone: Error, CustomStringConvertible {
    let description =
        "This is Dolby Vision profile 5, which is no picture without its dynamic metadata. Set dynamic-metadata=auto."
}

/// Reads the dynamic metadata of one picture after another. Pictures of a scene often have the same ones, which are
/// read once.
struct PictureDynamicsReader {
    /// The data that were read last, a reference of which is held, and what they say.
    private var last: (bytes: HeldBytes, dynamics: PictureDynamics?)?

    /// What a buffer's metadata say; `nil` where it has none that are fresh and can be read.
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

/// What the RPU of a base layer is for the picture that was made of it. Pictures of a scene often have the same one,
/// which is converted once.
struct PictureRPU {
    private var last: (bytes: HeldBytes, made: BufferMetadata)?

    /// - Returns: `nil` where no picture yet had an RPU that can be read.
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
