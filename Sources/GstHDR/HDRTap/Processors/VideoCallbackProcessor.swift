import CGStreamer
import CHDRTap
import GstBridge
import HDRKernels

/// An application's callbacks for video.
final class VideoCallbackProcessor: VideoProcessor, AttachedProcessor, @unchecked Sendable {
    private let callbacks: GstHdrTapVideoCallbacks
    private let userData: gpointer?
    private let notify: GDestroyNotify?
    /// The tap structure that the callbacks get.
    private let tap: UnsafeMutablePointer<GstHdrVideoTap>
    private var isPrepared = false

    /// Calls the callback init.
    init(_ callbacks: GstHdrTapVideoCallbacks, userData: gpointer?, notify: GDestroyNotify?) {
        self.callbacks = callbacks
        self.userData = userData
        self.notify = notify
        tap = .allocate(capacity: 1)
        var empty = GstHdrVideoTap()
        empty.size = gsize(MemoryLayout<GstHdrVideoTap>.size)
        empty.user_data = userData
        tap.initialize(to: empty)
        super.init()
        callbacks.`init`?(tap, userData)
    }

    deinit { tap.deallocate() }

    func belongs(to userData: gpointer) -> Bool { self.userData == userData }

    override var request: VideoRequest {
        let element: LightElement? =
            switch tap.pointee.view {
            case GST_HDR_TAP_LIGHT_HALF: .half
            case GST_HDR_TAP_LIGHT_FLOAT: .single
            default: nil
            }
        let space = LightSpace(tap.pointee.color_space)
        return VideoRequest(
            changes: tap.pointee.access == GST_HDR_TAP_CHANGE,
            light: element.map { LightRequest(element: $0, space: space) })
    }

    /// Why the values that the callback prepare has set are invalid; `nil` where they are valid.
    private var defect: String? {
        let (view, access, space) = (tap.pointee.view, tap.pointee.access, tap.pointee.color_space)
        if ![GST_HDR_TAP_PLANES, GST_HDR_TAP_LIGHT_HALF, GST_HDR_TAP_LIGHT_FLOAT].contains(view) {
            return "The callback prepare sets view to \(view.rawValue); GstHdrTapView has 0 to 2"
        }
        if access != GST_HDR_TAP_READ && access != GST_HDR_TAP_CHANGE {
            return "The callback prepare sets access to \(access.rawValue); GstHdrTapAccess has 0 and 1"
        }
        if space != GST_HDR_TAP_COLOR_SPACE_DEFAULT && LightSpace(space) == nil {
            return "The callback prepare sets color_space to \(space.rawValue); GstHdrTapColorSpace has 0 to 3"
        }
        return nil
    }

    override func prepare(_ format: VideoFormat) -> String? {
        tap.pointee.view = GST_HDR_TAP_PLANES
        tap.pointee.access = GST_HDR_TAP_READ
        tap.pointee.color_space = GST_HDR_TAP_COLOR_SPACE_DEFAULT
        isPrepared = true
        guard let refusal = callPrepare(format) else { return nil }
        isPrepared = false
        return refusal
    }

    /// - Returns: `nil`, or why the callback refuses the format.
    private func callPrepare(_ format: VideoFormat) -> String? {
        guard let prepare = callbacks.prepare else { return nil }
        var info = format.info
        var mastering = GstVideoMasteringDisplayInfo()
        var light = GstVideoContentLightLevel()
        let hasMastering = gst_video_mastering_display_info_from_caps(&mastering, format.caps) != 0
        let hasLight = gst_video_content_light_level_from_caps(&light, format.caps) != 0
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        let isTaken = withUnsafePointer(to: &info) { info in
            withUnsafePointer(to: &mastering) { mastering in
                withUnsafePointer(to: &light) { light in
                    var description = GstHdrTapVideoFormat(
                        size: gsize(MemoryLayout<GstHdrTapVideoFormat>.size), caps: UnsafePointer(format.caps),
                        info: info, mastering_display: hasMastering ? mastering : nil,
                        content_light_level: hasLight ? light : nil)
                    return prepare(tap, &description, &problem) != 0
                }
            }
        }
        if isTaken {
            guard let defect else { return nil }
            callbacks.unprepare?(tap)
            return defect
        }
        if let text = Self.text(problem) { return text }
        return "The callback prepare refused the format \(Caps.description(format.caps)). Convert the stream before "
            + "this element, or attach other callbacks"
    }

    override func unprepare() {
        guard isPrepared else { return }
        isPrepared = false
        callbacks.unprepare?(tap)
    }

    override func process(_ call: FrameCall) -> FrameOutcome {
        guard let process = callbacks.process else { return .unchanged }
        var frame = GstHdrTapVideoFrame(
            size: gsize(MemoryLayout<GstHdrTapVideoFrame>.size), width: guint(call.frame.pointee.info.width),
            height: guint(call.frame.pointee.info.height), buffer: call.buffer,
            planes: call.light == nil ? call.frame : nil, light: call.light?.data,
            light_stride: gsize(call.light?.stride ?? 0),
            color_space: call.light?.space.tapValue ?? GST_HDR_TAP_COLOR_SPACE_DEFAULT)
        var times = GstHdrTapVideoTimes(call.times)
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        switch process(tap, &frame, &times, &problem) {
        case GST_HDR_TAP_FRAME_OK: return .done
        case GST_HDR_TAP_FRAME_NOT_THIS_ONE: return .unchanged
        case GST_HDR_TAP_FRAME_FAILED:
            return .failed(Self.text(problem) ?? "The callback process has failed, and does not say why")
        case let other:
            return .failed("The callback process returned \(other.rawValue), which is no GstHdrTapFrameResult")
        }
    }

    private static func text(_ error: UnsafeMutablePointer<GError>?) -> String? {
        guard let message = error?.pointee.message, message.pointee != 0 else { return nil }
        return String(cString: message)
    }

    override func finalize() {
        callbacks.finalize?(tap)
        notify?(userData)
    }
}

extension LightSpace {
    /// The primaries for a value of the C interface; `nil` for the element's choice, and for unknown values.
    init?(_ value: GstHdrTapColorSpace) {
        guard let space = LightSpace.allCases.first(where: { $0.tapValue == value }) else { return nil }
        self = space
    }

    /// The value in the C interface.
    var tapValue: GstHdrTapColorSpace {
        switch self {
        case .displayP3: GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3
        case .bt2020: GST_HDR_TAP_COLOR_SPACE_BT2020
        case .bt709: GST_HDR_TAP_COLOR_SPACE_BT709
        }
    }
}

extension GstHdrTapVideoTimes {
    init(_ times: FrameTimes) {
        func time(_ value: UInt64?) -> GstClockTime { value.map { GstClockTime($0) } ?? GstClockTime.max }
        self.init(
            size: gsize(MemoryLayout<GstHdrTapVideoTimes>.size),
            flags: times.isStart ? GST_HDR_TAP_START_OF_STREAM.rawValue : 0, stream_time: time(times.streamTime),
            running_time: time(times.runningTime), pts: time(times.pts), duration: time(times.duration))
    }
}
