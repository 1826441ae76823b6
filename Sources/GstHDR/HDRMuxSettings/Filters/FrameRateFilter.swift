import CGStreamer
import CGstHDR
import GstBridge
import HDRMetadata

/// Drops and repeats frames to reach a frame rate. Output frame n is at exactly n divided by the rate from the first,
/// and is the input frame that was shown at that time. `videorate` takes the nearest one instead, which may be up to a
/// frame early or late.
final class FrameRateFilter: BinFilter, @unchecked Sendable {
    /// Gaps longer than this are left out rather than filled with one frame: 10 minutes, in ns.
    private static let longestGap: GstClockTime = 600_000_000_000

    private let rate: Fraction
    /// The frame that is shown until the next one arrives.
    private var shown: UnsafeMutablePointer<GstBuffer>?
    /// The time at which the frame began, and the one at which it ends if none follows, in ns.
    private var began: GstClockTime = 0
    private var ends: GstClockTime = 0
    /// The time of the first frame in ns, and the number of the next output frame.
    private var start: GstClockTime = 0
    private var number: guint64 = 0
    private var isStarted = false

    init(_ rate: Fraction) { self.rate = rate }

    deinit { forget() }

    override func stop() {
        forget()
        isStarted = false
    }

    private func forget() {
        if let shown { gst_buffer_unref(shown) }
        shown = nil
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var given: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &given)
            guard let given, let copy = gst_caps_copy(given) else { return push(event) }
            defer { gst_caps_unref(copy) }
            _ = show(until: ends)
            // The held frame has the previous caps.
            forget()
            for structure in Caps.structures(copy) {
                Structure.set(structure, "framerate", .fraction(rate.numerator, rate.denominator))
                gst_structure_remove_field(structure, "max-framerate")
            }
            drop(event)
            return gst_event_new_caps(copy).map { push($0) } ?? false
        case GST_EVENT_GAP:
            // A gap keeps the held frame on display.
            drop(event)
            return true
        case GST_EVENT_FLUSH_STOP:
            forget()
            isStarted = false
        case GST_EVENT_SEGMENT, GST_EVENT_EOS:
            _ = show(until: ends)
            forget()
            isStarted = false
        default: break
        }
        return push(event)
    }

    private func drop(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let none = GstClockTime.max
        let time = buffer.pointee.pts == none ? (isStarted ? ends : 0) : buffer.pointee.pts
        var result = GST_FLOW_OK
        if !isStarted {
            (start, number, isStarted) = (time, 0, true)
        } else if time < began {
            // Frames that go back in time are dropped.
            gst_buffer_unref(buffer)
            return GST_FLOW_OK
        } else {
            result = show(until: time)
        }
        forget()
        let length = buffer.pointee.duration == none ? frameTime : buffer.pointee.duration
        let (end, overflows) = time.addingReportingOverflow(length)
        (shown, began, ends) = (buffer, time, overflows ? time : end)
        return result
    }

    private var frameTime: GstClockTime { gst_util_uint64_scale(1_000_000_000, denominator, numerator) }
    private var numerator: guint64 { guint64(clamping: max(1, rate.numerator)) }
    private var denominator: guint64 { guint64(clamping: max(1, rate.denominator)) }

    /// The time of an output frame, in ns.
    private func time(_ number: guint64) -> GstClockTime {
        let passed = gst_util_uint64_scale(number, denominator &* 1_000_000_000, numerator)
        let (time, overflows) = start.addingReportingOverflow(passed)
        return overflows ? GstClockTime.max : time
    }

    /// Pushes the held frame for each output time before an end.
    private func show(until end: GstClockTime) -> GstFlowReturn {
        guard let shown else { return GST_FLOW_OK }
        if end > began, began >= start, end - began > Self.longestGap {
            number = max(number, gst_util_uint64_scale(end - start, numerator, denominator &* 1_000_000_000))
        }
        // Times are rounded to 1 ns on their way, and to 1 µs by some containers.
        let tolerance: GstClockTime = 2000
        while true {
            let time = time(number)
            let next = self.time(number &+ 1)
            guard next > time, time <= GstClockTime.max - tolerance, time + tolerance < end else { return GST_FLOW_OK }
            guard let copy = gst_buffer_copy(shown) else { return GST_FLOW_ERROR }
            copy.pointee.pts = time
            copy.pointee.dts = GstClockTime.max
            copy.pointee.duration = next - time
            number += 1
            let result = push(copy)
            if result != GST_FLOW_OK { return result }
        }
    }
}
