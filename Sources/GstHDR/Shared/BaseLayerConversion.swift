import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Converts profile 5 base layers (IPTPQc2), which cannot be shown without their RPU, to PQ pictures of the stream's
/// own format. One thread at a time uses it.
final class BaseLayerConversion {
    private var reader = PictureDynamicsReader()
    private var rpu = PictureRPU()
    private var caps: OwnedCaps?
    private var step: (info: GstVideoInfo, step: PictureStep)?
    /// The reshaping of the previous base layer, used where an RPU was lost.
    private var reshaping: Reshaping?

    /// The frame that applications get: a profile 5 base layer converted to PQ, any other frame unchanged. The caller
    /// owns it.
    func picture(_ sample: OpaquePointer) throws(FrameConversion.Impossible) -> OpaquePointer {
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample) else {
            return gst_sample_ref(sample)
        }
        if self.caps.map({ gst_caps_is_equal($0.pointer, caps) != 0 }) != true {
            (self.caps, step, reshaping) = (OwnedCaps(caps), nil, nil)
        }
        if let dynamics = reader.read(buffer) { reshaping = dynamics.needsReshaping ? dynamics.reshaping : nil }
        guard let reshaping else { return gst_sample_ref(sample) }
        if step == nil { step = try Self.step(caps) }
        guard let (info, step) = step else { return gst_sample_ref(sample) }
        step.set(reshaping)
        guard let made = step.convert(buffer, info) else { throw FrameConversion.broken }
        defer { gst_buffer_unref(made) }
        if let metadata = rpu.read(buffer) { made.setMetadata(metadata) }
        return try FrameConversion.sample(of: made, step.caps, like: sample)
    }

    private static func step(
        _ caps: Caps.Pointer
    ) throws(FrameConversion.Impossible) -> (GstVideoInfo, PictureStep)? {
        let stream = try FrameConversion.Stream(caps)
        guard Reshaper.takes(stream.signal.layout) else { return nil }
        var settings = OutputSettings()
        settings.primaries = OutputSettings.primaries.first { $0.name == "bt2020" }
        settings.transfer = OutputSettings.transfers.first { $0.name == "pq" }
        settings.matrix = OutputSettings.matrices.first { $0.name == "bt2020" }
        return try PictureStep(stream, settings, reshapes: true).map { (stream.info, $0) }
    }
}
