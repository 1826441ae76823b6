import CGStreamer
import CHDRLibrary
import Synchronization

/// The error of a function of the library that fails.
struct Failure: Error, Equatable {
    let code: GstHdrError
    let text: String

    static func == (one: Failure, other: Failure) -> Bool { one.code == other.code }

    /// Takes ownership of the error; one of another domain is not the library's.
    init?(taking error: UnsafeMutablePointer<GError>?) {
        guard let error else { return nil }
        defer { g_error_free(error) }
        guard error.pointee.domain == gst_hdr_error_quark() else { return nil }
        self.init(code: GstHdrError(rawValue: UInt32(error.pointee.code)), text: String(cString: error.pointee.message))
    }

    init(code: GstHdrError, text: String = "") { (self.code, self.text) = (code, text) }
}

/// A pipeline whose sink `sink`, a fakesink, notes which frames it shows.
final class TestPipeline {
    let element: UnsafeMutablePointer<GstElement>
    private typealias Handoff =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<GstBuffer>, OpaquePointer, UnsafeRawPointer) -> Void
    private let frames = Mutex<[Int]>([])

    static let video = "videotestsrc ! video/x-raw,width=16,height=16,framerate=25/1 ! fakesink name=sink sync=true"

    init(_ line: String = TestPipeline.video, paused: Bool = true) {
        gst_init(nil, nil)
        element = gst_parse_launch(line, nil)
        gst_object_ref_sink(element)
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        if let sink = gst_bin_get_by_name(bin, "sink") {
            let shown: Handoff = { _, buffer, _, own in
                let time = Int(buffer.pointee.pts)
                Unmanaged<TestPipeline>.fromOpaque(own).takeUnretainedValue().frames.withLock { $0.append(time) }
            }
            setFlag(sink, "signal-handoffs")
            g_signal_connect_data(
                sink, "handoff", unsafeBitCast(shown, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque(),
                nil,
                GConnectFlags(rawValue: 0))
            gst_object_unref(sink)
        }
        if paused {
            gst_element_set_state(element, GST_STATE_PAUSED)
            gst_element_get_state(element, nil, nil, 10_000_000_000)
        }
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_object_unref(element)
    }

    private func setFlag(_ object: UnsafeMutablePointer<GstElement>, _ name: String) {
        gst_util_set_object_arg(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GObject.self), name, "true")
    }

    var state: GstState {
        var state = GST_STATE_NULL
        gst_element_get_state(element, &state, nil, 5_000_000_000)
        return state
    }

    var position: Int {
        var position = -1
        gst_element_query_position(element, GST_FORMAT_TIME, &position)
        return position
    }

    /// The time of the frame that the sink has; -1 for none.
    var lastFrame: Int {
        withSink { sink in
            let base = UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstBaseSink.self)
            guard let sample = gst_base_sink_get_last_sample(base) else { return nil }
            defer { gst_sample_unref(sample) }
            return gst_sample_get_buffer(sample).map { Int($0.pointee.pts) }
        } ?? -1
    }

    /// The number of the seek that made the segment of the sink.
    var seek: UInt32 { withSegment { gst_event_get_seqnum($0) } ?? 0 }

    /// The rate of the sink's segment.
    var rate: Double {
        withSegment {
            var segment = GstSegment()
            gst_event_copy_segment($0, &segment)
            return segment.rate
        } ?? 0
    }

    private func withSink<Result>(_ body: (UnsafeMutablePointer<GstElement>) -> Result?) -> Result? {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let sink = gst_bin_get_by_name(bin, "sink") else { return nil }
        defer { gst_object_unref(sink) }
        return body(sink)
    }

    private func withSegment<Result>(_ body: (UnsafeMutablePointer<GstEvent>) -> Result) -> Result? {
        withSink { sink in
            guard let pad = gst_element_get_static_pad(sink, "sink") else { return nil }
            defer { gst_object_unref(pad) }
            guard let segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
            defer {
                gst_mini_object_unref(UnsafeMutableRawPointer(segment).assumingMemoryBound(to: GstMiniObject.self))
            }
            return body(segment)
        }
    }

    func runToTheEnd() {
        gst_element_set_state(element, GST_STATE_PLAYING)
        let bus = gst_element_get_bus(element)
        let message = gst_bus_timed_pop_filtered(
            bus, 30_000_000_000, GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue))
        if let message {
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        gst_object_unref(bus)
        gst_element_set_state(element, GST_STATE_NULL)
    }

    func takeFrames() -> [Int] {
        frames.withLock { frames in
            defer { frames = [] }; return frames
        }
    }

    func use(_ clock: ManualClock?) throws(Failure) {
        var error: UnsafeMutablePointer<GError>?
        _ = gst_hdr_use_master_clock(element, clock?.clock, &error)
        if let failure = Failure(taking: error) { throw failure }
    }

    /// Moves the clock to the next time that a sink waits for, and returns it with the times of the frames that are
    /// shown then.
    func nextFrame(_ clock: ManualClock) -> [Int] {
        let due = clock.step()
        var shown: [Int] = []
        while shown.isEmpty { shown = takeFrames() }
        return [due] + shown
    }

    /// Nil is no time.
    func set(rate: Double, time: Int?, at host: Int?) throws(Failure) {
        func clockTime(_ time: Int?) -> GstClockTime { time.map { GstClockTime($0) } ?? .max }
        var error: UnsafeMutablePointer<GError>?
        let isDone = gst_hdr_set_rate_time_at_host_time(element, rate, clockTime(time), clockTime(host), &error)
        if let failure = Failure(taking: error) { throw failure }
        if isDone == 0 { throw Failure(code: GST_HDR_ERROR_FAILED, text: "failed without an error") }
    }
}
