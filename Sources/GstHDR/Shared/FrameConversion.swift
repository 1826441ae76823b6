import CGStreamer
import GstBridge
import HDRKernels
import HDRMetadata

/// Converts frames of a stream to the form that a video output's settings request.
///
/// Made for one format of the stream, and replaced when that changes. One thread at a time uses it.
final class FrameConversion {
    /// Why frames cannot be converted, as text for a warning.
    struct Impossible: Error, CustomStringConvertible {
        let description: String
    }

    private enum Way {
        /// The stream's own frames are passed on by reference.
        case reference
        case picture(PictureStep)
        /// Linear light, made from the stream's pictures or from those that the first step converts.
        case light(PictureStep?, LightStep)
    }

    /// The stream's caps; owned.
    private let caps: Caps.Pointer
    private let info: GstVideoInfo
    private let way: Way

    init(_ sample: OpaquePointer, _ settings: OutputSettings) throws(Impossible) {
        guard let caps = gst_sample_get_caps(sample) else { throw Impossible(description: "A frame has no caps") }
        let stream = try Stream(caps)
        info = stream.info
        way = try Self.plan(stream, settings)
        self.caps = gst_caps_ref(caps)
    }

    deinit { gst_caps_unref(caps) }

    /// Whether a frame is of the format that this was made for.
    func fits(_ sample: OpaquePointer) -> Bool {
        gst_sample_get_caps(sample).map { gst_caps_is_equal($0, caps) != 0 } ?? false
    }

    /// The frame in the requested form; the caller owns the sample.
    func convert(_ sample: OpaquePointer) throws(Impossible) -> OpaquePointer {
        let target: (buffer: UnsafeMutablePointer<GstBuffer>?, caps: Caps.Pointer)
        guard let source = gst_sample_get_buffer(sample) else { throw Self.broken }
        switch way {
        case .reference: return gst_sample_ref(sample)
        case .picture(let step): target = (step.convert(source, info), step.caps)
        case .light(nil, let light): target = (light.convert(source, info), light.caps)
        case .light(let step?, let light):
            let picture = step.convert(source, info)
            target = (picture.flatMap { light.convert($0, step.info) }, light.caps)
            if let picture { gst_buffer_unref(picture) }
        }
        guard let buffer = target.buffer else { throw Self.broken }
        defer { gst_buffer_unref(buffer) }
        return try Self.sample(of: buffer, target.caps, like: sample)
    }

    /// A sample with another buffer, and with the segment and info of the sample that it was made from; the caller owns
    /// it.
    static func sample(
        of buffer: UnsafeMutablePointer<GstBuffer>, _ caps: Caps.Pointer, like sample: OpaquePointer
    ) throws(Impossible) -> OpaquePointer {
        let facts = gst_sample_get_info(sample).map { gst_structure_copy($0) }
        guard let made = gst_sample_new(buffer, caps, gst_sample_get_segment(sample), facts ?? nil) else {
            throw Self.broken
        }
        return made
    }

    static var broken: Impossible {
        Impossible(
            description:
                "A frame cannot be converted: out of memory, or it differs from its caps; in the second case the "
                + "upstream element produces wrong buffers.")
    }

    // MARK: The plan

    /// The signal and metadata that caps describe.
    struct Stream {
        let caps: Caps.Pointer
        let info: GstVideoInfo
        let signal: VideoSignal
        let metadata: StaticMetadata

        init(_ caps: Caps.Pointer) throws(Impossible) {
            var info = GstVideoInfo()
            if let unknown = UnknownColorName(caps) { throw Impossible(description: unknown.description) }
            guard let features = gst_caps_get_features(caps, 0),
                gst_caps_features_contains(features, "memory:SystemMemory") != 0,
                gst_video_info_from_caps(&info, caps) != 0
            else {
                throw Impossible(
                    description:
                        "Frames of \(Caps.description(caps)) are not converted for a video output: download them to "
                        + "the system's memory before this element, or ask for frames as they are")
            }
            do throws(VideoSignal.Unsupported) {
                signal = try VideoSignal(info)
            } catch {
                throw Impossible(description: "A frame is not converted: \(error.description)")
            }
            (self.caps, self.info) = (caps, info)
            metadata = StaticMetadata(caps: caps)
        }

        /// Whether it is SDR with BT.709 or smaller primaries.
        var isNarrow: Bool {
            !signal.color.transfer.isHDR && signal.color.transfer != .linear
                && [.bt709, .bt601, .bt601x625].contains(signal.color.primaries)
        }
    }

    private static func plan(_ stream: Stream, _ settings: OutputSettings) throws(Impossible) -> Way {
        var settings = settings
        let asksForColor = settings.primaries != nil || settings.transfer != nil || settings.matrix != nil
        let isNarrowed = !settings.allowsWideColor && !asksForColor && !stream.isNarrow
        guard case .light(let element) = settings.format else {
            if isNarrowed {
                settings.primaries = OutputSettings.primaries.first
                settings.transfer = OutputSettings.transfers.first
                settings.matrix = OutputSettings.matrices.first
            }
            guard let step = try PictureStep(stream, settings) else { return .reference }
            return .picture(step)
        }
        if let transfer = settings.transfer, transfer.value != GST_VIDEO_TRANSFER_GAMMA10 {
            throw Impossible(
                description:
                    "A video output's frames of floats are linear light: set transfer to linear, or to nothing, in "
                    + "place of \(transfer.name)")
        }
        // Y'CbCr beyond the range of R'G'B' is clipped like wide colour.
        let isWithin = stream.signal.layout.isRGB && stream.signal.color.quantization.fullRange
        guard isNarrowed || !settings.allowsWideColor && !asksForColor && !isWithin else {
            return .light(nil, try LightStep(stream, element, settings.primaries?.value))
        }
        // Tones are mapped to 16-bit SDR first, which is then converted to light.
        settings.format = .raw("RGBA64_LE")
        settings.primaries = OutputSettings.primaries.first
        settings.transfer = OutputSettings.transfers.first { $0.name == "srgb" }
        guard let step = try PictureStep(stream, settings) else {
            return .light(nil, try LightStep(stream, element, nil))
        }
        return .light(step, try LightStep(Stream(step.caps), element, nil))
    }
}
