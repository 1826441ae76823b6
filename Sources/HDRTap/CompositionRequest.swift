import CHDRTap

/// A picture that a compositor has to provide. The request may be held, and answered, on any thread.
public final class CompositionRequest: @unchecked Sendable {
    private let request: UnsafeMutablePointer<GstHdrCompositionRequest>
    private let abilities: CompositorAbilities

    init(_ request: UnsafeMutablePointer<GstHdrCompositionRequest>, _ abilities: CompositorAbilities) {
        self.request = gst_hdr_composition_request_ref(request)
        self.abilities = abilities
    }

    deinit { gst_hdr_composition_request_unref(request) }

    public var context: CompositionContext? { CompositionContext(request.pointee.context) }
    /// The stream time of the picture in ns; `nil` where it is not known.
    public var streamTime: UInt64? { Self.known(request.pointee.stream_time) }
    /// The running time of the picture in ns; `nil` where it is not known.
    public var runningTime: UInt64? { Self.known(request.pointee.running_time) }
    /// The duration of the picture in ns; `nil` where it is not known.
    public var duration: UInt64? { Self.known(request.pointee.duration) }
    /// The instruction for this time, valid for the lifetime of the request; `nil` where there are no instructions.
    public var instruction: UnsafePointer<GstStructure>? { request.pointee.instruction }

    /// The pictures of the pads that have one, in ascending order of zorder.
    public var sources: [CompositionSource] {
        (0..<Int(request.pointee.n_sources)).compactMap { index in
            request.pointee.sources[index].map { CompositionSource(self, $0) }
        }
    }

    /// The picture of a pad by its name, such as `sink_0`.
    public func source(_ name: String) -> CompositionSource? {
        gst_hdr_composition_request_get_source(request, name).map { CompositionSource(self, $0) }
    }

    /// Whether the picture is no longer wanted.
    public var isCancelled: Bool { gst_hdr_composition_request_is_cancelled(request) != 0 }

    /// A new frame of the canvas with undefined content; `nil` when out of memory.
    public func newFrame() -> CompositionFrame? {
        guard let context, let buffer = gst_hdr_composition_request_new_frame(request) else { return nil }
        return CompositionFrame(
            buffer, context.info, abilities.frames, stride: Int(request.pointee.context.pointee.light_stride))
    }

    /// Answers with a frame, which must not be used afterwards.
    /// - Returns: `false` where the request was already answered or cancelled.
    @discardableResult public func finish(_ frame: CompositionFrame) -> Bool {
        guard let buffer = frame.take() else { return false }
        return gst_hdr_composition_request_finish(request, buffer) != 0
    }

    /// Answers with an unchanged source picture.
    /// - Returns: `false` where the request was already answered or cancelled.
    @discardableResult public func finish(with source: CompositionSource) -> Bool {
        gst_hdr_composition_request_finish_with_source(request, source.source) != 0
    }

    /// Ends the stream with an error that has this text.
    /// - Returns: `false` where the request was already answered or cancelled.
    @discardableResult public func fail(_ text: String) -> Bool {
        gst_hdr_composition_request_finish_with_error(request, text) != 0
    }

    /// Skips this picture; the stream goes on.
    public func leaveOut() { _ = gst_hdr_composition_request_finish_cancelled(request) }

    private static func known(_ time: GstClockTime) -> UInt64? { time == GstClockTime.max ? nil : UInt64(time) }
}

/// The picture of a pad, for reading only. It keeps its request alive.
public struct CompositionSource: @unchecked Sendable {
    private let request: CompositionRequest
    let source: UnsafePointer<GstHdrCompositionSource>

    init(_ request: CompositionRequest, _ source: UnsafePointer<GstHdrCompositionSource>) {
        self.request = request
        self.source = source
    }

    /// The name of the pad, such as `sink_0`.
    public var name: String { source.pointee.name.map { String(cString: $0) } ?? "" }
    /// The pad, for access to its properties.
    public var pad: UnsafeMutablePointer<GstPad>? { source.pointee.pad }
    /// The size of the picture in pixels.
    public var width: Int { Int(source.pointee.width) }
    public var height: Int { Int(source.pointee.height) }
    /// The caps of the picture in the form that the compositor gets.
    public var caps: UnsafePointer<GstCaps>? { source.pointee.caps }

    /// A plane of the picture's pixel format; `nil` for indices beyond the format's planes, and for a compositor that
    /// gets light.
    public func plane(_ index: Int) -> VideoPlane? {
        source.pointee.planes.flatMap { VideoPlane($0, index, height: height) }
    }

    /// The picture's light; `nil` for a compositor that did not request light.
    public var light: VideoPlane? {
        source.pointee.light.map {
            VideoPlane(
                data: UnsafeMutableRawPointer(mutating: $0), stride: Int(source.pointee.light_stride), rows: height)
        }
    }

    /// A row of light as 32-bit floats: red, green, blue and alpha of each pixel. Empty where the compositor requested
    /// another form, and beyond the last row.
    public func light(row: Int) -> UnsafeBufferPointer<Float> {
        guard let light, row >= 0, row < light.rows, light.stride >= 16 * width else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: light.row(row).assumingMemoryBound(to: Float.self), count: 4 * width)
    }
}

/// A frame that a compositor fills, on one thread at a time.
public final class CompositionFrame {
    /// The size of the frame in pixels.
    public let width: Int
    public let height: Int
    private var buffer: UnsafeMutablePointer<GstBuffer>?
    private let frame: UnsafeMutablePointer<GstVideoFrame>
    private var map = GstMapInfo()
    private let stride: Int
    private let isLight: Bool
    private let isSingle: Bool

    /// - Parameter buffer: ownership is taken.
    /// - Returns: `nil` where the buffer is not writable.
    init?(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo, _ view: CompositorAbilities.View, stride: Int
    ) {
        var info = info
        (width, height) = (Int(info.width), Int(info.height))
        (isLight, isSingle) = (view != .planes, view == .light(.single))
        self.stride = stride
        frame = .allocate(capacity: 1)
        frame.initialize(to: GstVideoFrame())
        let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        let isMapped =
            isLight
            ? gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0
            : gst_video_frame_map(frame, &info, buffer, flags) != 0
        guard isMapped else {
            gst_buffer_unref(buffer)
            return nil
        }
        self.buffer = buffer
    }

    deinit {
        if let buffer = take() { gst_buffer_unref(buffer) }
        frame.deallocate()
    }

    /// The finished frame, which the caller owns; `nil` where it was already taken.
    func take() -> UnsafeMutablePointer<GstBuffer>? {
        guard let taken = buffer else { return nil }
        buffer = nil
        if isLight { gst_buffer_unmap(taken, &map) } else { gst_video_frame_unmap(frame) }
        return taken
    }

    /// A plane of the canvas's pixel format; `nil` for indices beyond the format's planes, and for a compositor that
    /// makes light.
    public func plane(_ index: Int) -> VideoPlane? {
        buffer == nil || isLight ? nil : VideoPlane(frame, index, height: height)
    }

    /// The frame's light; `nil` for a compositor that does not make light.
    public var light: VideoPlane? {
        guard buffer != nil, isLight, let data = map.data else { return nil }
        return VideoPlane(data: UnsafeMutableRawPointer(data), stride: stride, rows: height)
    }

    /// A row of light as 32-bit floats: red, green, blue and alpha of each pixel. Empty where the compositor makes
    /// another form, and beyond the last row.
    public func light(row: Int) -> UnsafeMutableBufferPointer<Float> {
        guard let light, isSingle, row >= 0, row < light.rows else {
            return UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        return UnsafeMutableBufferPointer(
            start: light.row(row).assumingMemoryBound(to: Float.self), count: 4 * width)
    }
}
