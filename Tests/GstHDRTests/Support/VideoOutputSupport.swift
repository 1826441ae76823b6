import CGStreamer
import CGstCheck
import GstBridge
import HDRTap
import Synchronization
import TestSupport

let millisecond: UInt64 = 1_000_000

extension VideoTapHarness {
    /// Sets the time of the harness's own clock, in ns of running time.
    func setTime(_ time: UInt64) {
        gst_harness_set_time(harness, GstClockTime(time))
    }

    /// A harness whose clock stands still until it is set.
    static func onTestClock(_ caps: String) throws -> VideoTapHarness {
        let harness = try VideoTapHarness()
        gst_harness_use_testclock(harness.harness)
        gst_harness_set_drop_buffers(harness.harness, 1)
        try harness.start(caps)
        return harness
    }

    /// A flush, as a seek makes it; then a new segment.
    func flush() {
        send(gst_event_new_flush_start())
        send(gst_event_new_flush_stop(1))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        send(gst_event_new_segment(&segment))
    }

    /// A frame with its own time stamp in ns.
    @discardableResult func push(_ value: UInt8, at time: UInt64, duration: UInt64? = 40 * millisecond)
        -> GstFlowReturn
    {
        let buffer = frame(value)
        buffer?.pointee.pts = GstClockTime(time)
        buffer?.pointee.duration = duration.map { GstClockTime($0) } ?? GstClockTime.max
        return gst_harness_push(harness, buffer)
    }
}

/// Counts events on any thread.
final class Count: Sendable {
    private let count = Atomic<Int>(0)
    func add() { count.add(1, ordering: .sequentiallyConsistent) }
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
}

/// Waits until something holds.
/// - Returns: whether it does, within a number of seconds.
func holds(within seconds: Double = 5, _ condition: () -> Bool) -> Bool {
    for _ in 0..<Int(seconds * 500) {
        if condition() { return true }
        g_usleep(2000)
    }
    return condition()
}
