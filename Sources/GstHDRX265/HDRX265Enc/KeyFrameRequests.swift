import CGStreamer
import CGstHDRX265
import GstBridge
import HDRConcurrency

/// Requests for key frames that come before the first coded picture is out.
///
/// Until then the base class of GStreamer 1.22 compares the times of requests with timestamps that
/// `gst_video_encoder_set_min_pts` has shifted: it takes the first picture for all of them, and refuses later requests,
/// whose times then seem to be past.
struct KeyFrameRequests {
    private struct Request {
        /// The running time in ns from which on a picture is a key frame; `nil` for the next picture.
        let time: UInt64?
        let hasHeaders: Bool
        let count: UInt32
    }

    /// More requests than this go to the base class.
    private static let limit = 1024

    private var requests: [Request] = []
    /// Whether a picture is out, so that the base class compares the right times.
    var hasOutput = false

    /// - Returns: whether the request waits here.
    mutating func keep(_ time: GstClockTime, hasHeaders: Bool, count: UInt32) -> Bool {
        guard !hasOutput, requests.count < Self.limit else { return false }
        requests.append(Request(time: ClockTime.known(time), hasHeaders: hasHeaders, count: count))
        return true
    }

    /// Removes the requests that a picture meets.
    /// - Returns: what they ask for; `nil` where there are none.
    mutating func take(at time: UInt64?) -> (hasHeaders: Bool, count: UInt32)? {
        guard !requests.isEmpty else { return nil }
        func isMet(_ request: Request) -> Bool { request.time.map { $0 <= time ?? 0 } ?? true }
        let met = requests.filter(isMet)
        requests.removeAll(where: isMet)
        guard let last = met.last else { return nil }
        return (met.contains(where: \.hasHeaders), last.count)
    }
}

extension HDRX265Enc {
    /// Makes a picture a key frame where one was requested for it, and tells downstream as the base class does.
    func meetRequests(_ frame: Frame) {
        guard let buffer = frame.pointee.input_buffer else { return }
        let segment = base.pointee.input_segment
        let time = ClockTime.known(buffer.pointee.pts)
        let running = time.flatMap { ClockTime.runningTime(segment, $0) }
        guard let request = requests.withLock({ $0.take(at: running) }) else { return }
        gst_hdr_frame_force(frame, request.hasHeaders ? 1 : 0)
        func known(_ time: UInt64?) -> GstClockTime { time.map { GstClockTime($0) } ?? .max }
        let event = gst_video_event_new_downstream_force_key_unit(
            frame.pointee.pts, known(time.flatMap { ClockTime.streamTime(segment, $0) }), known(running),
            request.hasHeaders ? 1 : 0, request.count)
        frame.pointee.events = g_list_prepend(frame.pointee.events, event)
    }
}

@c @implementation
func hdr_x265_enc_keep_request(
    _ impl: gpointer!, _ time: GstClockTime, _ all_headers: gboolean, _ count: guint
) -> gboolean {
    HDRX265Enc.with(impl) {
        $0.requests.withLock { $0.keep(time, hasHeaders: all_headers != 0, count: count) }
    } ? 1 : 0
}
