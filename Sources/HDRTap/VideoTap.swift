import CHDRTap

/// The attachment of a video processor to an element `hdrtap`, with the rules of ``AudioTap``: the element owns the
/// processor, and releases it after its last call; releasing this object does not detach.
public final class VideoTap<Processor: VideoProcessor & ~Copyable>: Sendable {
    private let attachment: Attachment

    /// Attaches a processor, replacing the element's effect or what was attached before. May be called on any thread,
    /// in any state; while playing, the processor takes over at the next frame.
    /// - Parameter element: An element `hdrtap`.
    public init(
        _ processor: consuming sending Processor, on element: UnsafeMutablePointer<GstElement>
    ) throws(TapError) {
        attachment = try Attachment(VideoProcessorBox(processor) as VideoBox, element, .video)
    }

    /// Detaches the processor, unless another tap has replaced it. From the next frame on, frames pass unchanged or are
    /// processed by the element's effect. May be called on any thread; the processor may still be in its last call when
    /// this returns.
    public func detach() { attachment.detach() }
}

/// Keeps a processor at one address for the element's callbacks. The tap's storage owns it, from attaching to finalize.
class VideoBox {
    func prepare(_ format: VideoFormat) throws -> VideoRequest { VideoRequest() }
    func process(_ frame: borrowing VideoFrame) throws -> VideoResult { .notThisOne }
    func unprepare() {}
}

final class VideoProcessorBox<Processor: VideoProcessor & ~Copyable>: VideoBox {
    private let processor: UnsafeMutablePointer<Processor>

    init(_ processor: consuming Processor) {
        self.processor = .allocate(capacity: 1)
        self.processor.initialize(to: processor)
    }

    deinit {
        processor.deinitialize(count: 1)
        processor.deallocate()
    }

    override func prepare(_ format: VideoFormat) throws -> VideoRequest { try processor.pointee.prepare(format) }
    override func process(_ frame: borrowing VideoFrame) throws -> VideoResult {
        try processor.pointee.process(frame)
    }
    override func unprepare() { processor.pointee.unprepare() }
}

/// The element's callbacks, which find the box in the tap's storage.
enum VideoTapCallbacks {
    static var all: GstHdrTapVideoCallbacks {
        GstHdrTapVideoCallbacks(
            size: gsize(MemoryLayout<GstHdrTapVideoCallbacks>.size),
            init: { tap, box in tap?.pointee.storage = box },
            finalize: { tap in
                guard let storage = tap?.pointee.storage else { return }
                Unmanaged<VideoBox>.fromOpaque(storage).release()
            },
            prepare: { tap, format, error in
                guard let tap, let box = VideoTapCallbacks.box(tap), let info = format?.pointee.info?.pointee else {
                    return 0
                }
                do {
                    let request = try box.prepare(
                        VideoFormat(
                            info: info, masteringDisplay: format?.pointee.mastering_display?.pointee,
                            contentLightLevel: format?.pointee.content_light_level?.pointee))
                    VideoTapCallbacks.ask(tap, request)
                    return 1
                } catch let problem {
                    VideoTapCallbacks.set(error, "\(problem)")
                    return 0
                }
            },
            unprepare: { tap in
                guard let tap else { return }
                VideoTapCallbacks.box(tap)?.unprepare()
            },
            process: { tap, frame, times, error in
                guard let tap, let box = VideoTapCallbacks.box(tap), let frame, let times else {
                    return GST_HDR_TAP_FRAME_NOT_THIS_ONE
                }
                do {
                    switch try box.process(
                        VideoFrame(frame, times.pointee, isSingle: tap.pointee.view == GST_HDR_TAP_LIGHT_FLOAT))
                    {
                    case .processed: return GST_HDR_TAP_FRAME_OK
                    case .notThisOne: return GST_HDR_TAP_FRAME_NOT_THIS_ONE
                    }
                } catch let problem {
                    VideoTapCallbacks.set(error, "\(problem)")
                    return GST_HDR_TAP_FRAME_FAILED
                }
            })
    }

    private static func box(_ tap: UnsafeMutablePointer<GstHdrVideoTap>) -> VideoBox? {
        tap.pointee.storage.map { Unmanaged<VideoBox>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func ask(_ tap: UnsafeMutablePointer<GstHdrVideoTap>, _ request: VideoRequest) {
        tap.pointee.access = request.access == .change ? GST_HDR_TAP_CHANGE : GST_HDR_TAP_READ
        guard case .light(let element, let space) = request.view else { return }
        tap.pointee.view = element == .single ? GST_HDR_TAP_LIGHT_FLOAT : GST_HDR_TAP_LIGHT_HALF
        tap.pointee.color_space =
            switch space {
            case .ofElement: GST_HDR_TAP_COLOR_SPACE_DEFAULT
            case .displayP3: GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3
            case .bt2020: GST_HDR_TAP_COLOR_SPACE_BT2020
            case .bt709: GST_HDR_TAP_COLOR_SPACE_BT709
            }
    }

    private static func set(_ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?, _ text: String) {
        error?.pointee = g_error_new_literal(gst_stream_error_quark(), gint(GST_STREAM_ERROR_FAILED.rawValue), text)
    }
}
