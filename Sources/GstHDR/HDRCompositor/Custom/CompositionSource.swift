import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels

/// The picture of a pad in a request. It keeps everything that it points to alive, also after the pad was removed.
final class CompositionSource: @unchecked Sendable {
    /// The structure that callbacks get for this source.
    let interface: UnsafeMutablePointer<GstHdrCompositionSource>
    /// The name of the pad.
    let name: String
    /// The picture in the form that the compositor requested; owned.
    let sample: OpaquePointer
    private let cName: UnsafeMutablePointer<gchar>
    private let pad: UnsafeMutablePointer<GstPad>
    /// The picture mapped for reading, as planes or as light; the other of the two is `nil`.
    private let frame: UnsafeMutablePointer<GstVideoFrame>?
    private let map: UnsafeMutablePointer<GstMapInfo>?

    /// - Parameters:
    ///   - sample: ownership is taken.
    ///   - request: the form in which the sample was made.
    /// - Returns: `nil` where the picture cannot be read.
    init?(_ pad: UnsafeMutablePointer<GstPad>, _ name: String, _ sample: OpaquePointer, _ request: SourceRequest) {
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
            let cName = g_strdup(name)
        else {
            gst_sample_unref(sample)
            return nil
        }
        var source = GstHdrCompositionSource()
        source.size = gsize(MemoryLayout<GstHdrCompositionSource>.size)
        source.pad = pad
        source.name = UnsafePointer(cName)
        (source.buffer, source.caps) = (buffer, UnsafePointer(caps))
        source.color_space = request.element == nil ? GST_HDR_TAP_COLOR_SPACE_DEFAULT : request.space.tapValue
        let mapped =
            request.element.map { Self.mapLight(buffer, caps, $0, &source) } ?? Self.mapPlanes(buffer, caps, &source)
        guard let mapped else {
            g_free(cName)
            gst_sample_unref(sample)
            return nil
        }
        (frame, map) = mapped
        self.name = name
        self.cName = cName
        self.sample = sample
        self.pad = pad
        gst_object_ref(pad)
        interface = .allocate(capacity: 1)
        interface.initialize(to: source)
    }

    deinit {
        if let frame {
            gst_video_frame_unmap(frame)
            frame.deallocate()
        }
        if let map {
            gst_buffer_unmap(interface.pointee.buffer, map)
            map.deallocate()
        }
        interface.deallocate()
        g_free(cName)
        gst_object_unref(pad)
        gst_sample_unref(sample)
    }

    private typealias Mapped = (UnsafeMutablePointer<GstVideoFrame>?, UnsafeMutablePointer<GstMapInfo>?)

    private static func mapPlanes(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: Caps.Pointer, _ source: inout GstHdrCompositionSource
    ) -> Mapped? {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return nil }
        let frame = UnsafeMutablePointer<GstVideoFrame>.allocate(capacity: 1)
        frame.initialize(to: GstVideoFrame())
        // The sample keeps the buffer alive, so the mapping needs no reference of its own.
        let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(frame, &info, buffer, flags) != 0 else {
            frame.deallocate()
            return nil
        }
        // A padded buffer may hold more than its caps show.
        guard frame.pointee.info.width >= info.width, frame.pointee.info.height >= info.height,
            frame.pointee.info.finfo == info.finfo
        else {
            gst_video_frame_unmap(frame)
            frame.deallocate()
            return nil
        }
        (frame.pointee.info.width, frame.pointee.info.height) = (info.width, info.height)
        (source.width, source.height) = (guint(info.width), guint(info.height))
        source.planes = UnsafePointer(frame)
        return (frame, nil)
    }

    private static func mapLight(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: Caps.Pointer, _ element: LightElement,
        _ source: inout GstHdrCompositionSource
    ) -> Mapped? {
        var (width, height): (gint, gint) = (0, 0)
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_get_int(structure, "width", &width) != 0,
            gst_structure_get_int(structure, "height", &height) != 0, width > 0, height > 0
        else { return nil }
        let map = UnsafeMutablePointer<GstMapInfo>.allocate(capacity: 1)
        map.initialize(to: GstMapInfo())
        guard gst_buffer_map(buffer, map, GST_MAP_READ) != 0 else {
            map.deallocate()
            return nil
        }
        (source.width, source.height) = (guint(width), guint(height))
        source.light = map.pointee.data.map { UnsafeRawPointer($0) }
        source.light_stride = gsize(Int(width) * element.bytesPerPixel)
        return (nil, map)
    }
}

/// Converts the pictures of a pad to the form that a compositor requests.
final class SourceConversion {
    private let request: SourceRequest
    /// Converts profile 5 base layers to PQ.
    private let pictures = BaseLayerConversion()
    /// Converts to a colour space that the compositor supports.
    private var color: FrameConversion?
    /// Converts to linear light.
    private var light: FrameConversion?

    init(_ request: SourceRequest) { self.request = request }

    /// Whether this converts to the requested form.
    func makes(_ request: SourceRequest) -> Bool { self.request == request }

    /// A picture in the requested form; the caller owns it.
    func convert(_ sample: OpaquePointer) throws(FrameConversion.Impossible) -> OpaquePointer {
        let sample = try pictures.picture(sample)
        defer { gst_sample_unref(sample) }
        if color?.fits(sample) != true {
            color = nil
            color = try FrameConversion(sample, try colorSettings(sample))
        }
        guard let made = try color?.convert(sample) else {
            throw FrameConversion.Impossible(description: "A frame has no caps")
        }
        guard let element = request.element else { return made }
        defer { gst_sample_unref(made) }
        if light?.fits(made) != true {
            light = nil
            var settings = OutputSettings()
            settings.format = .light(element)
            settings.primaries = OutputSettings.primaries.first { Primaries($0.value) == request.space.primaries }
            light = try FrameConversion(made, settings)
        }
        guard let lit = try light?.convert(made) else {
            throw FrameConversion.Impossible(description: "A frame has no caps")
        }
        return lit
    }

    /// The format and colour to which a picture is converted before it becomes light; no change where the compositor
    /// supports its colour.
    private func colorSettings(_ sample: OpaquePointer) throws(FrameConversion.Impossible) -> OutputSettings {
        var settings = OutputSettings()
        guard !request.takesHDR, let caps = gst_sample_get_caps(sample) else { return settings }
        let stream = try FrameConversion.Stream(caps)
        if request.takesWideColor ? !stream.signal.color.transfer.isHDR : stream.isNarrow { return settings }
        if !request.takesWideColor { settings.primaries = OutputSettings.primaries.first { $0.name == "bt709" } }
        let isLight = request.element != nil
        settings.transfer = OutputSettings.transfers.first { $0.name == (isLight ? "srgb" : "bt709") }
        if !request.takesWideColor {
            settings.matrix = OutputSettings.matrices.first { $0.name == "bt709" }
        }
        // Light is computed from SDR with 16 bits.
        if isLight { settings.format = .raw("RGBA64_LE") }
        return settings
    }
}
