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
    /// The picture's light in cd/m²: its highest, and an average as a scene's has it; `nil` where nothing is said.
    var light: (peak: Double, average: Double)?

    static func == (left: Self, right: Self) -> Bool {
        left.reshaping == right.reshaping && left.needsReshaping == right.needsReshaping
            && left.light?.peak == right.light?.peak && left.light?.average == right.light?.average
    }

    init(_ rpu: DolbyVisionRPU) {
        let mapping = Reshaping(rpu)
        reshaping = mapping?.isIdentity == false ? mapping : nil
        needsReshaping = rpu.signaledProfile == 5
        if let level1 = rpu.displayManagement?.level1, level1.maximumPQ > level1.averagePQ {
            light = (Self.light(level1.maximumPQ), Self.light(level1.averagePQ))
        }
    }

    /// `nil` where the metadata have no light in them.
    init?(_ metadata: HDR10PlusMetadata) {
        guard let window = metadata.windows.first else { return nil }
        // In steps of 0.1 cd/m².
        let peak = Double(window.maxSCL.max()) / 10
        let average = Double(window.averageMaxRGB) / 10
        guard peak >= 1, peak <= PQ.peak, average > 0, average < peak else { return nil }
        light = (peak, average)
    }

    private static func light(_ code: UInt16) -> Double { PQ.eotf(Double(min(code, 4095)) / 4095) }
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
            guard let meta = gst_hdr_buffer_get_dynamic_meta(buffer, format.value), let data = meta.pointee.data,
                meta.pointee.flags & GST_HDR_DYNAMIC_METADATA_STALE.rawValue == 0
            else { continue }
            if let last, last.bytes.isEqual(data) {
                if let dynamics = last.dynamics { return dynamics }
                continue
            }
            guard let bytes = buffer.metadata(format)?.payload.bytes else { continue }
            let dynamics =
                format == .dolbyVision
                ? (try? DolbyVisionRPU(payload: bytes)).map { PictureDynamics($0) }
                : (try? HDR10PlusMetadata(payload: bytes)).flatMap { PictureDynamics($0) }
            last = (HeldBytes(data), dynamics)
            if let dynamics { return dynamics }
        }
        return nil
    }
}

/// A reference to bytes of GLib's.
private final class HeldBytes {
    private let bytes: OpaquePointer
    init(_ bytes: OpaquePointer) { self.bytes = g_bytes_ref(bytes) }
    deinit { g_bytes_unref(bytes) }
    func isEqual(_ other: OpaquePointer) -> Bool {
        bytes == other || g_bytes_equal(UnsafeRawPointer(bytes), UnsafeRawPointer(other)) != 0
    }
}
