import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// The primaries of the light that processors of video and compositors see, in the order of the property `color-space`.
enum LightSpace: CaseIterable, Sendable {
    case displayP3, bt2020, bt709

    var primaries: Primaries {
        switch self {
        case .displayP3: .displayP3
        case .bt2020: .bt2020
        case .bt709: .bt709
        }
    }
}

/// Linear light that a video processor or a compositor requests.
struct LightRequest {
    let element: LightElement
    /// The primaries; `nil` for those of the element's property `color-space`.
    let space: LightSpace?
}

/// Maps the frames of a stream for conversion to linear light and back, divides them among threads, and allocates
/// buffers for output frames.
final class LightFrames {
    let source: VideoSignal
    /// The signal of output frames, which differs from the source in alpha only.
    let target: VideoSignal
    let converter: LinearLightConverter
    private let sourceLayout: DefaultLayout
    private let targetLayout: DefaultLayout
    private let pool: RowPool
    private let buffers: UnsafeMutablePointer<GstBufferPool>

    /// Why a stream cannot be converted to light, as text for an error message.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - output: the format of frames that are made from light.
    ///   - element: the component type of light in interleaved pixels.
    ///   - guidesChroma: whether subsampled chroma follows luma in the light.
    ///   - threads: the number of threads; 0 for one per processor.
    init(
        _ format: VideoFormat, output: VideoFormat, _ element: LightElement, _ space: LightSpace,
        guidesChroma: Bool = false, threads: Int
    ) throws(Unavailable) {
        if let unknown = UnknownColorName(format.caps) { throw Unavailable(description: unknown.description) }
        do throws(VideoSignal.Unsupported) {
            source = try VideoSignal(format.info)
            target = try VideoSignal(output.info)
        } catch {
            throw Unavailable(description: "There is no linear light of this stream: \(error.description)")
        }
        sourceLayout = DefaultLayout(format.info)
        targetLayout = DefaultLayout(output.info)
        pool = RowPool(threads: RowPool.threads(height: source.height, requested: threads))
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = space.primaries
        options.guidesChroma = guidesChroma
        let converter = LinearLightConverter(
            source: Self.stream(source), target: Self.stream(target), width: source.width, options: options,
            threads: pool.threads, instructionSet: CPUChoice.current.instructionSet)
        guard let converter else {
            throw Unavailable(description: "There is no linear light of frames of \(source.formatName)")
        }
        self.converter = converter
        guard let buffers = gst_buffer_pool_new() else {
            throw Unavailable(description: "Out of memory for frames of \(source.width)x\(source.height) pixels")
        }
        self.buffers = buffers
        let configuration = gst_buffer_pool_get_config(buffers)
        gst_buffer_pool_config_set_params(configuration, output.caps, guint(output.info.size), 0, 0)
        gst_buffer_pool_set_config(buffers, configuration)
        gst_buffer_pool_set_active(buffers, 1)
    }

    deinit {
        gst_buffer_pool_set_active(buffers, 0)
        gst_object_unref(buffers)
    }

    private static func stream(_ signal: VideoSignal) -> StreamSignal {
        StreamSignal(layout: signal.layout, color: signal.color, siting: signal.siting)
    }

    var threads: Int { pool.threads }

    /// A buffer for a frame that is made from light; the caller owns it.
    func makeBuffer() -> UnsafeMutablePointer<GstBuffer>? {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        return gst_buffer_pool_acquire_buffer(buffers, &buffer, nil) == GST_FLOW_OK ? buffer : nil
    }

    /// Calls `body` with a frame, or with each field of one whose chroma is halved within fields.
    /// - Returns: `false` where the frame differs from its caps.
    func eachField(
        of frame: UnsafeMutablePointer<GstVideoFrame>, _ body: (FrameView, PictureField) -> Void
    ) -> Bool {
        guard let view = FrameView(frame, (source.width, source.height), source.layout, sourceLayout) else {
            return false
        }
        guard isByFields(frame) else {
            body(view, .whole)
            return true
        }
        for parity in 0...1 { if let field = view.field(parity) { body(field, PictureField(parity)) } }
        return true
    }

    /// Calls `body` with an output frame, or with each of its fields where chroma is halved within fields.
    /// - Returns: `false` where the frame differs from its caps.
    func eachField(
        of frame: UnsafeMutablePointer<GstVideoFrame>, into made: UnsafeMutablePointer<GstVideoFrame>,
        _ body: (FrameView, FrameView, PictureField) -> Void
    ) -> Bool {
        let size = (target.width, target.height)
        guard let into = FrameView(made, size, target.layout, targetLayout, isWritten: true) else { return false }
        targetLayout.clearPadding(made, target.layout)
        return eachField(of: frame) { view, field in
            switch field {
            case .whole: body(view, into, field)
            case .first: if let into = into.field(0) { body(view, into, field) }
            case .second: if let into = into.field(1) { body(view, into, field) }
            }
        }
    }

    private func isByFields(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> Bool {
        source.layout.verticalShift > 0 && frame.isInterlaced
    }

    /// Measures a frame.
    /// - Returns: `false` where it differs from its caps.
    func measure(_ frame: UnsafeMutablePointer<GstVideoFrame>, _ meter: LightMeter) -> Bool {
        guard let view = FrameView(frame, (source.width, source.height), source.layout, sourceLayout) else {
            return false
        }
        meter.begin()
        pool.measureFrame(view, meter, isInterlaced: isByFields(frame))
        return true
    }

    /// Calls `body` with ranges of rows of a picture with some height, on several threads at a time.
    func forEachSlice(_ height: Int, _ body: (_ rows: Range<Int>, _ thread: Int) -> Void) {
        let slices = pool.threads == 1 ? 1 : 4 * pool.threads
        pool.forEachSlice(of: slices) { slice, thread in
            body(converter.rows(ofSlice: slice, of: slices, height: height), thread)
        }
    }
}
