import CGStreamer
import CGstHDR
import GstBridge

/// The signals prepare, process and unprepare on video. Each call copies the frame, into the memory layout that its
/// caps imply; the bytes that a handler returns are copied back.
final class VideoSignalProcessor: VideoProcessor, @unchecked Sendable {
    private let element: UnsafeMutablePointer<GstHdrTap>
    private let warn: (String) -> Void
    private var format: VideoFormat?
    private var hasWarned = false

    /// - Parameter element: outlives this object.
    init(_ element: UnsafeMutablePointer<GstHdrTap>, warn: @escaping (String) -> Void) {
        self.element = element
        self.warn = warn
    }

    override func prepare(_ format: VideoFormat) -> String? {
        self.format = format
        hasWarned = false
        gst_hdr_tap_emit_prepare(element, 1, format.caps)
        return nil
    }

    override func unprepare() {
        guard format != nil else { return }
        format = nil
        gst_hdr_tap_emit_unprepare(element)
    }

    override func process(_ call: FrameCall) -> FrameOutcome {
        guard let format, let data = Self.bytes(call.frame, format.info) else { return .unchanged }
        let flags = call.times.isStart ? GST_HDR_TAP_START_OF_STREAM.rawValue : 0
        let answer = gst_hdr_tap_emit_process(element, data, 1, flags, guint64(call.times.streamTime ?? UInt64.max))
        g_bytes_unref(data)
        guard let answer else { return .unchanged }
        let answered = g_bytes_get_size(answer)
        guard answered == format.info.size else {
            if !hasWarned {
                hasWarned = true
                warn(
                    "A handler of the signal process returned \(answered) bytes, where it has to return the frame's "
                        + "\(format.info.size), or None; the frame passes unchanged")
            }
            g_bytes_unref(answer)
            return .unchanged
        }
        return .replaced(answer)
    }

    /// The frame's bytes in the memory layout of `info`; the caller owns them.
    private static func bytes(_ frame: UnsafeMutablePointer<GstVideoFrame>, _ info: GstVideoInfo) -> OpaquePointer? {
        guard let memory = g_malloc0(info.size),
            let buffer = gst_buffer_new_wrapped_full(
                GST_MEMORY_FLAG_NO_SHARE, memory, info.size, 0, info.size, nil, nil)
        else { return nil }
        defer { gst_buffer_unref(buffer) }
        var info = info
        var copy = GstVideoFrame()
        let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&copy, &info, buffer, flags) != 0 else {
            g_free(memory)
            return nil
        }
        let isCopied = gst_video_frame_copy(&copy, frame) != 0
        gst_video_frame_unmap(&copy)
        guard isCopied else {
            g_free(memory)
            return nil
        }
        return g_bytes_new_take(memory, info.size)
    }
}
