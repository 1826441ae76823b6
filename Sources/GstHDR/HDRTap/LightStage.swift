import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// The primaries of the light that processors of video see, in the order of the property `color-space`.
enum LightSpace: Int, CaseIterable, Sendable {
    case displayP3, bt2020, bt709

    var primaries: Primaries {
        switch self {
        case .displayP3: .displayP3
        case .bt2020: .bt2020
        case .bt709: .bt709
        }
    }
}

/// Linear light that a processor of video asks for.
struct LightRequest {
    let element: LightElement
    /// `nil` for the element's property `color-space`.
    let space: LightSpace?
}

/// Frames of a stream as linear light, and light as frames of the stream.
final class LightStage {
    /// The light of the frame that was decoded last, rows of red, green, blue and alpha.
    let data: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    let stride: Int
    let space: LightSpace

    private let memory: gpointer
    private let converter: LinearLightConverter
    private let signal: VideoSignal
    private let layout: DefaultLayout
    private let threads: RowPool
    private let buffers: UnsafeMutablePointer<GstBufferPool>

    /// Why there is no light of a stream, as text for an error message.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    init(_ format: VideoFormat, _ element: LightElement, _ space: LightSpace) throws(Unavailable) {
        if let unknown = UnknownColorName(format.caps) { throw Unavailable(description: unknown.description) }
        do throws(VideoSignal.Unsupported) {
            signal = try VideoSignal(format.info)
        } catch {
            throw Unavailable(description: "There is no linear light of this stream: \(error.description)")
        }
        self.space = space
        layout = DefaultLayout(format.info)
        threads = RowPool(threads: max(1, min(Int(g_get_num_processors()), signal.height / 16)))
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = space.primaries
        let converter = LinearLightConverter(
            source: StreamSignal(layout: signal.layout, color: signal.color, siting: signal.siting),
            width: signal.width, options: options, threads: threads.threads,
            instructionSet: CPUChoice.current.instructionSet)
        guard let converter else {
            throw Unavailable(description: "There is no linear light of frames of \(signal.formatName)")
        }
        self.converter = converter
        // Rows begin at whole lines of the processor's cache.
        stride = (signal.width * element.bytesPerPixel + 63) / 64 * 64
        guard let memory = g_try_malloc(gsize(stride * signal.height + 64)), let buffers = gst_buffer_pool_new() else {
            throw Unavailable(
                description: "There is no memory for the light of \(signal.width)x\(signal.height) pixels")
        }
        self.memory = memory
        self.buffers = buffers
        data = memory + (64 - Int(bitPattern: memory) % 64)
        let configuration = gst_buffer_pool_get_config(buffers)
        gst_buffer_pool_config_set_params(configuration, format.caps, guint(format.info.size), 0, 0)
        gst_buffer_pool_set_config(buffers, configuration)
        gst_buffer_pool_set_active(buffers, 1)
    }

    deinit {
        gst_buffer_pool_set_active(buffers, 0)
        gst_object_unref(buffers)
        g_free(memory)
    }

    /// A buffer for a frame of the stream; the caller owns it.
    func makeBuffer() -> UnsafeMutablePointer<GstBuffer>? {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        return gst_buffer_pool_acquire_buffer(buffers, &buffer, nil) == GST_FLOW_OK ? buffer : nil
    }

    /// Makes light of a frame.
    /// - Returns: `false` where the frame differs from its caps.
    func decode(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> Bool {
        guard let view = view(frame) else { return false }
        let isInterlaced = isByFields(frame)
        for field in 0...(isInterlaced ? 1 : 0) {
            guard let view = isInterlaced ? view.field(field) : view else { continue }
            let light = rows(field: isInterlaced ? field : nil, height: view.height)
            forEachSlice(view.height) { rows, thread in
                converter.decode(view, rows: rows, into: light, thread: thread)
            }
        }
        return true
    }

    /// Makes a frame of the light.
    /// - Parameter source: the frame that the light was decoded from; where light is as it was, its codes are too.
    /// - Returns: `false` where a frame differs from its caps.
    func encode(
        from source: UnsafeMutablePointer<GstVideoFrame>, into target: UnsafeMutablePointer<GstVideoFrame>
    ) -> Bool {
        guard let from = view(source), let into = view(target, isWritten: true) else { return false }
        layout.clearPadding(target, signal.layout)
        let isInterlaced = isByFields(source)
        for field in 0...(isInterlaced ? 1 : 0) {
            guard let from = isInterlaced ? from.field(field) : from, let into = isInterlaced ? into.field(field) : into
            else { continue }
            let light = rows(field: isInterlaced ? field : nil, height: into.height)
            forEachSlice(into.height) { rows, thread in
                converter.encode(light, from: from, into: into, rows: rows, thread: thread)
            }
        }
        return true
    }

    private func view(_ frame: UnsafeMutablePointer<GstVideoFrame>, isWritten: Bool = false) -> FrameView? {
        FrameView(frame, (signal.width, signal.height), signal.layout, layout, isWritten: isWritten)
    }

    /// Chroma of interlaced pictures is halved within each field.
    private func isByFields(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> Bool {
        signal.layout.verticalShift > 0 && frame.isInterlaced
    }

    private func rows(field: Int?, height: Int) -> LightRows {
        LightRows(
            data: data + (field ?? 0) * stride, stride: field == nil ? stride : 2 * stride, rows: 0..<height)
    }

    private func forEachSlice(_ height: Int, _ body: (_ rows: Range<Int>, _ thread: Int) -> Void) {
        let slices = threads.threads == 1 ? 1 : 4 * threads.threads
        threads.forEachSlice(of: slices) { slice, thread in
            body(converter.rows(ofSlice: slice, of: slices, height: height), thread)
        }
    }
}
