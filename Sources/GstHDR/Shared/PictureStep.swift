import CGStreamer
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Converts pictures from one raw format to another, and base layers of Dolby Vision to PQ.
final class PictureStep {
    /// The caps of the converted pictures.
    var caps: Caps.Pointer { ownCaps.pointer }
    let info: GstVideoInfo
    private let ownCaps: OwnedCaps
    private let source: VideoSignal
    private let target: VideoSignal
    private let layouts: (source: DefaultLayout, target: DefaultLayout)
    private let converter: PictureConverter
    private let pool: RowPool
    private let memory: FrameMemory
    /// Whether base layers are reshaped to PQ pictures.
    private let reshapes: Bool
    private var reshaper: Reshaper?

    /// - Parameter reshapes: whether the stream's frames are base layers, which are reshaped.
    /// - Returns: `nil` where there is nothing to convert.
    init?(
        _ stream: FrameConversion.Stream, _ settings: OutputSettings, reshapes: Bool = false
    ) throws(FrameConversion.Impossible) {
        self.reshapes = reshapes
        source = reshapes ? stream.signal.with(Reshaping.signal()) : stream.signal
        guard let caps = gst_caps_copy(stream.caps) else { return nil }
        ownCaps = OwnedCaps(owning: caps)
        Self.set(caps, stream, settings)
        let made = try FrameConversion.Stream(caps)
        (target, info) = (made.signal, made.info)
        if source == target { return nil }
        layouts = (DefaultLayout(stream.info), DefaultLayout(made.info))
        var choices = ConversionSettings()
        if source.color.transfer == .pq, let peak = stream.metadata.peak, peak >= 1 { choices.sourcePeak = peak }
        let plan = ConversionPlan(source: source.color, target: target.color, settings: choices)
        let metadata =
            !source.color.transfer.isHDR || !target.color.transfer.isHDR
            ? StaticMetadata.none
            : plan.keepsLight ? stream.metadata : stream.metadata.limited(to: plan.targetPeak)
        metadata.write(to: caps)
        let losesBits =
            target.layout.bits < source.layout.bits
            || ((reshapes || !plan.keepsLight) && target.layout.bits == source.layout.bits)
        var format = FormatPlan(
            source: source.layout, target: target.layout, sourceSiting: source.siting, targetSiting: target.siting,
            chromaMode: .linear, dither: losesBits ? .ordered : .none)
        format.reshapes = reshapes
        pool = RowPool(threads: RowPool.threads(height: source.height))
        converter = PictureConverter(
            plan: plan, format: format, quality: .balanced, width: source.width, threads: pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        guard let memory = FrameMemory(caps, bytes: Int(info.size)) else {
            throw FrameConversion.Impossible(description: "Out of memory for frames of \(Caps.description(caps))")
        }
        self.memory = memory
    }

    /// Applies the settings to the caps of the stream.
    private static func set(_ caps: Caps.Pointer, _ stream: FrameConversion.Stream, _ settings: OutputSettings) {
        guard let structure = gst_caps_get_structure(caps, 0) else { return }
        let name = settings.format?.name ?? stream.signal.formatName
        let layout = PixelLayout.byName[name] ?? stream.signal.layout
        Caps.set(structure, "format", to: name)
        let isSameKind = layout.isRGB == stream.signal.layout.isRGB && layout.isGray == stream.signal.layout.isGray
        var color = stream.info.colorimetry
        if let primaries = settings.primaries { color.primaries = primaries.value }
        if let transfer = settings.transfer { color.transfer = transfer.value }
        if color.transfer == GST_VIDEO_TRANSFER_UNKNOWN { color.transfer = GST_VIDEO_TRANSFER_BT709 }
        if color.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN { color.primaries = GST_VIDEO_COLOR_PRIMARIES_BT709 }
        if !isSameKind || color.range == GST_VIDEO_COLOR_RANGE_UNKNOWN {
            color.range = layout.isUsuallyFull ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
        }
        if layout.isRGB {
            color.matrix = GST_VIDEO_COLOR_MATRIX_RGB
        } else if let matrix = settings.matrix {
            color.matrix = matrix.value
        } else if !isSameKind || settings.primaries != nil || YCbCrMatrix(color.matrix) == nil {
            color.matrix =
                color.primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020
                ? GST_VIDEO_COLOR_MATRIX_BT2020 : GST_VIDEO_COLOR_MATRIX_BT709
        }
        if let text = color.text { Caps.set(structure, "colorimetry", to: text) }
        // Chroma that was not subsampled before gets the usual siting.
        let wasHalved = stream.signal.layout.horizontalShift > 0 || stream.signal.layout.verticalShift > 0
        if !wasHalved || (layout.horizontalShift == 0 && layout.verticalShift == 0) {
            gst_structure_remove_field(structure, "chroma-site")
        }
    }

    /// Sets the reshaping of the next base layers.
    func set(_ reshaping: Reshaping) {
        if let reshaper {
            reshaper.set(reshaping)
        } else {
            reshaper = Reshaper(reshaping, layout: source.layout, instructionSet: CPUChoice.current.instructionSet)
        }
    }

    /// Converts a picture. The caller owns the buffer, which is `nil` where the frame differs from its caps, or when
    /// out of memory.
    func convert(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ from: GstVideoInfo
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made = memory.make(like: buffer) else { return nil }
        let size = (width: source.width, height: source.height)
        let isMade = from.withMappedFrame(buffer) { frame -> Bool in
            var written = GstVideoFrame()
            var info = info
            let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
            guard let input = FrameView(frame, size, source.layout, layouts.source),
                gst_video_frame_map(&written, &info, made, flags) != 0
            else { return false }
            defer { gst_video_frame_unmap(&written) }
            guard let output = FrameView(&written, size, target.layout, layouts.target, isWritten: true) else {
                return false
            }
            layouts.target.clearPadding(&written, target.layout)
            let isHalved = source.layout.verticalShift > 0 || target.layout.verticalShift > 0
            let read = reshapes ? input.reshaped(by: reshaper) : input
            pool.convertFrame(read, output, converter, isInterlaced: isHalved && frame.isInterlaced)
            return true
        }
        if isMade == true { return made }
        gst_buffer_unref(made)
        return nil
    }
}
