import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels

/// Describes the canvas to an application's compositor, and allocates its frames. Any thread may allocate frames.
final class RenderContext: @unchecked Sendable {
    /// The structure that callbacks get for this context.
    let interface: UnsafeMutablePointer<GstHdrRenderContext>
    var caps: Caps.Pointer { ownCaps.pointer }
    let info: GstVideoInfo
    /// The form of light in which frames are made; `nil` for planes.
    let light: LightRequest?
    private let ownCaps: OwnedCaps
    /// Encodes frames of light; aggregator's thread only.
    private let canvas: HDRCompositor.Canvas
    private let size: (width: Int, height: Int)
    private let details: Details
    private let frames: FrameMemory
    /// Memory for frames of light and their encoder; `nil` for planes.
    private let lightFrames: LightFrames?

    /// The storage that the interface points to.
    private struct Details {
        let info: UnsafeMutablePointer<GstVideoInfo>
        let mastering: UnsafeMutablePointer<GstVideoMasteringDisplayInfo>
        let light: UnsafeMutablePointer<GstVideoContentLightLevel>
    }

    private struct LightFrames {
        let memory: FrameMemory
        let stride: Int
        let converter: LinearLightConverter
    }

    /// - Throws: where memory cannot be allocated.
    init(_ canvas: HDRCompositor.Canvas, _ caps: OwnedCaps, _ light: LightRequest?) throws(HDRCompositor.Unavailable) {
        self.canvas = canvas
        let signal = canvas.signal
        size = (signal.width, signal.height)
        info = canvas.info
        ownCaps = caps
        self.light = light
        var made: LightFrames?
        if let light {
            let stride = signal.width * light.element.bytesPerPixel
            let converter = HDRCompositor.light(
                signal, element: light.element, in: light.space?.primaries ?? .bt2020,
                dither: canvas.dithers ? .ordered : .none, threads: canvas.pool.threads, isExact: canvas.isDeep)
            guard let converter, let memory = FrameMemory(caps.pointer, bytes: stride * signal.height) else {
                throw HDRCompositor.Unavailable(
                    description: "Out of memory for light of \(signal.width)x\(signal.height) pixels")
            }
            made = LightFrames(memory: memory, stride: stride, converter: converter)
        }
        lightFrames = made
        guard let frames = FrameMemory(caps.pointer, bytes: Int(canvas.info.size)) else {
            throw HDRCompositor.Unavailable(
                description: "Out of memory for a canvas of \(signal.width)x\(signal.height) pixels")
        }
        self.frames = frames
        details = Details(
            info: .allocate(capacity: 1), mastering: .allocate(capacity: 1), light: .allocate(capacity: 1))
        details.info.initialize(to: canvas.info)
        details.mastering.initialize(to: GstVideoMasteringDisplayInfo())
        details.light.initialize(to: GstVideoContentLightLevel())
        let hasMastering = gst_video_mastering_display_info_from_caps(details.mastering, caps.pointer) != 0
        let hasLight = gst_video_content_light_level_from_caps(details.light, caps.pointer) != 0
        interface = .allocate(capacity: 1)
        interface.initialize(
            to: GstHdrRenderContext(
                size: gsize(MemoryLayout<GstHdrRenderContext>.size), caps: caps.pointer, info: details.info,
                mastering_display: hasMastering ? UnsafePointer(details.mastering) : nil,
                content_light_level: hasLight ? UnsafePointer(details.light) : nil,
                light_stride: gsize(made?.stride ?? 0), color_space: (light?.space ?? .bt2020).tapValue))
    }

    deinit {
        interface.deallocate()
        details.info.deallocate()
        details.mastering.deallocate()
        details.light.deallocate()
    }

    /// Whether it describes a canvas with these caps.
    func isOf(_ caps: Caps.Pointer) -> Bool { gst_caps_is_equal(caps, self.caps) != 0 }

    /// A new frame in the form that the compositor requested; the caller owns it.
    func makeFrame() -> UnsafeMutablePointer<GstBuffer>? { lightFrames?.memory.make() ?? makePlanes() }

    /// A frame of the canvas's planes; the caller owns it.
    func makePlanes() -> UnsafeMutablePointer<GstBuffer>? { frames.make() }

    /// Why a frame does not match this context; `nil` where it does.
    func defect(_ frame: UnsafeMutablePointer<GstBuffer>) -> String? {
        let bytes = gst_buffer_get_size(frame)
        if let lightFrames {
            let needed = lightFrames.stride * size.height
            if bytes == gsize(needed) { return nil }
            return "A custom compositor has finished a request with a frame of \(bytes) bytes, where light of "
                + "\(size.width)x\(size.height) pixels has \(needed): make frames by "
                + "gst_hdr_composition_request_new_frame"
        }
        let fits = info.withMappedFrame(frame) { mapped in
            mapped.pointee.info.width == info.width && mapped.pointee.info.height == info.height
                && mapped.pointee.info.finfo == info.finfo
        }
        if fits == true { return nil }
        return "A custom compositor has finished a request with a frame of \(bytes) bytes that does not match the "
            + "render context's caps, of \(size.width)x\(size.height) pixels and \(info.size) bytes: make frames by "
            + "gst_hdr_composition_request_new_frame"
    }

    /// Encodes a frame that ``defect(_:)`` accepts, and which is taken over, into the canvas's planes. The caller owns
    /// the result, which is `nil` when out of memory. One thread at a time may call it.
    func coded(_ frame: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        guard let lightFrames else { return frame }
        defer { gst_buffer_unref(frame) }
        guard let made = makePlanes() else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(frame, &map, GST_MAP_READ) != 0 else {
            gst_buffer_unref(made)
            return nil
        }
        defer { gst_buffer_unmap(frame, &map) }
        guard let data = map.data, encode(data, lightFrames, made) else {
            gst_buffer_unref(made)
            return nil
        }
        return made
    }

    private func encode(
        _ data: UnsafeMutablePointer<guint8>, _ light: LightFrames, _ made: UnsafeMutablePointer<GstBuffer>
    ) -> Bool {
        var written = GstVideoFrame()
        var info = info
        let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&written, &info, made, flags) != 0 else { return false }
        defer { gst_video_frame_unmap(&written) }
        let layout = canvas.signal.layout
        guard let view = FrameView(&written, size, layout, canvas.layout, isWritten: true) else { return false }
        canvas.layout.clearPadding(&written, layout)
        let rows = LightRows(data: UnsafeMutableRawPointer(data), stride: light.stride, rows: 0..<size.height)
        let slices = canvas.pool.threads == 1 ? 1 : 4 * canvas.pool.threads
        canvas.pool.forEachSlice(of: slices) { slice, thread in
            let part = light.converter.rows(ofSlice: slice, of: slices, height: size.height)
            light.converter.encode(rows, into: view, rows: part, thread: thread)
        }
        return true
    }
}
