import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Converts pictures to linear light.
final class LightStep {
    /// The caps of the converted pictures.
    var caps: Caps.Pointer { ownCaps.pointer }
    private let ownCaps: OwnedCaps
    private let source: VideoSignal
    private let layout: DefaultLayout
    private let stride: Int
    private let converter: LinearLightConverter
    private let pool: RowPool
    private let memory: FrameMemory

    init(
        _ stream: FrameConversion.Stream, _ element: LightElement, _ asked: GstVideoColorPrimaries?
    ) throws(FrameConversion.Impossible) {
        source = stream.signal
        layout = DefaultLayout(stream.info)
        stride = source.width * element.bytesPerPixel
        pool = RowPool(threads: RowPool.threads(height: source.height))
        let unknown = stream.info.colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN
        let primaries = asked ?? (unknown ? GST_VIDEO_COLOR_PRIMARIES_BT709 : stream.info.colorimetry.primaries)
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = Primaries(primaries) ?? source.color.primaries
        let converter = LinearLightConverter(
            source: StreamSignal(layout: source.layout, color: source.color, siting: source.siting),
            width: source.width, options: options, threads: pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        guard let converter else {
            throw FrameConversion.Impossible(
                description: "There is no linear light of frames of \(source.formatName)")
        }
        self.converter = converter
        guard let caps = gst_caps_copy(stream.caps) else {
            throw FrameConversion.Impossible(description: "Out of memory for caps")
        }
        ownCaps = OwnedCaps(owning: caps)
        guard let structure = gst_caps_get_structure(caps, 0) else {
            throw FrameConversion.Impossible(description: "A frame has no caps")
        }
        Caps.set(structure, "format", to: OutputSettings.Format.light(element).name)
        let color = GstVideoColorimetry(
            range: GST_VIDEO_COLOR_RANGE_0_255, matrix: GST_VIDEO_COLOR_MATRIX_RGB,
            transfer: GST_VIDEO_TRANSFER_GAMMA10, primaries: primaries)
        if let text = color.text { Caps.set(structure, "colorimetry", to: text) }
        gst_structure_remove_field(structure, "chroma-site")
        Structure.set(structure, "stride", .int(stride))
        Structure.set(structure, "white-value", .double(1))
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: source.height)
        guard !overflow, let memory = FrameMemory(caps, bytes: bytes) else {
            throw FrameConversion.Impossible(description: "Out of memory for frames of \(Caps.description(caps))")
        }
        self.memory = memory
    }

    /// Converts a picture. The caller owns the buffer, which is `nil` where the frame differs from its caps, or when
    /// out of memory.
    func convert(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ from: GstVideoInfo
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made = memory.make(like: buffer) else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(made, &map, GST_MAP_WRITE) != 0 else {
            gst_buffer_unref(made)
            return nil
        }
        let isMade = from.withMappedFrame(buffer) { frame -> Bool in
            guard let data = map.data, Int(map.size) >= stride * source.height,
                let view = FrameView(frame, (source.width, source.height), source.layout, layout)
            else { return false }
            decode(view, into: data, isInterlaced: source.layout.verticalShift > 0 && frame.isInterlaced)
            return true
        }
        gst_buffer_unmap(made, &map)
        if isMade == true { return made }
        gst_buffer_unref(made)
        return nil
    }

    /// Decodes a picture to light. Chroma of interlaced pictures is halved within each field.
    private func decode(_ picture: FrameView, into data: UnsafeMutableRawPointer, isInterlaced: Bool) {
        for field in 0...(isInterlaced ? 1 : 0) {
            guard let view = isInterlaced ? picture.field(field) : picture else { continue }
            let light = LightRows(
                data: data + field * stride, stride: isInterlaced ? 2 * stride : stride, rows: 0..<view.height)
            let slices = pool.threads == 1 ? 1 : 4 * pool.threads
            pool.forEachSlice(of: slices) { slice, thread in
                let rows = converter.rows(ofSlice: slice, of: slices, height: view.height)
                converter.decode(view, rows: rows, into: light, thread: thread)
            }
        }
    }
}
