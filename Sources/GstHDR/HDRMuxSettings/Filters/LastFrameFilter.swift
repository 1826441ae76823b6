import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Gives each packet of video the duration that it needs if it turns out to be the last one.
///
/// QuickTime and MP4 muxers take a sample's duration from the decoding time of the next one, and only the last sample's
/// from the packet. With B-frames and a varying frame rate, the last decoding time is further before the end of the
/// last frame than the first decoding time is before the first frame, so that the track's edit list would cut off the
/// last frames. Where decoding takes longer than showing, as after frames that last long, no duration of the last
/// sample makes up for it: the edit list is then shortened in the file's header, which needs the time in
/// `shownDuration`.
final class LastFrameFilter: BinFilter, @unchecked Sendable {
    private var segment = GstSegment()
    /// The running times at which the first packet is shown and decoded, in ns; decoding may begin before 0, and the
    /// time of it may be missing.
    private var first: (shown: Int64, decoded: Int64?)?
    /// The running times at which the frame that is shown last so far begins and ends, in ns. The durations of other
    /// packets do not count: from MP4, they are the steps between decoding times, and may be longer than the frames.
    private var last = (shown: Int64.min, end: Int64.min)
    /// Whether all packets so far have a time at which they are shown and a duration, so that none is shown behind
    /// `last`.
    private var isComplete = true
    /// The decoding time of the packet before, or its presentation time where it has none; in ns.
    private var former: GstClockTime?
    /// The time in ns from the first packet's picture to the end of the last picture, once the stream has ended.
    private let shownDuration: Locked<UInt64?>

    init(_ shownDuration: Locked<UInt64?>) { self.shownDuration = shownDuration }

    override func stop() { reset() }

    private func reset() {
        first = nil
        last = (.min, .min)
        isComplete = true
        former = nil
        shownDuration.withLock { $0 = nil }
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_STOP: reset()
        case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &segment)
        case GST_EVENT_EOS:
            if let first, isComplete { shownDuration.withLock { $0 = UInt64(exactly: last.end &- first.shown) } }
        default: break
        }
        return push(event)
    }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let given = withDuration(given) else { return GST_FLOW_ERROR }
        guard let duration = needed(given), duration != given.pointee.duration, let buffer = given.writable() else {
            return push(given)
        }
        buffer.pointee.duration = duration
        return push(buffer)
    }

    /// Gives a packet without a duration, as those of ProRes in a Matroska file of varying frame rate are, that of the
    /// packet before it: a muxer takes none for 0, and its edit list ends in front of the last frame then.
    /// - Returns: `nil` when out of memory.
    private func withDuration(_ packet: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        let none = GstClockTime.max
        let time = packet.pointee.dts == none ? packet.pointee.pts : packet.pointee.dts
        defer { if time != none { former = time } }
        guard packet.pointee.duration == none, time != none, let former, former < time else { return packet }
        let writable = packet.writable()
        writable?.pointee.duration = time - former
        return writable
    }

    /// The duration that a packet needs as the last one, in ns; `nil` where a time is missing, as in ProRes, whose
    /// frames are decoded in display order.
    private func needed(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstClockTime? {
        let duration = Int64(clamping: buffer.pointee.duration)
        guard buffer.pointee.duration != GstClockTime.max, let shown = runningTime(buffer.pointee.pts) else {
            isComplete = false
            return nil
        }
        let decoded = runningTime(buffer.pointee.dts)
        let start = first ?? (shown, decoded)
        first = start
        if shown >= last.shown { last = (shown, shown &+ duration) }
        guard let decoded, let begin = start.decoded else { return nil }
        let left = (last.end &- start.shown) &- (decoded &- begin)
        return left > 0 ? GstClockTime(left) : buffer.pointee.duration
    }

    private func runningTime(_ time: GstClockTime) -> Int64? {
        guard time != GstClockTime.max, segment.format == GST_FORMAT_TIME else { return nil }
        var running: guint64 = 0
        switch gst_segment_to_running_time_full(&segment, GST_FORMAT_TIME, time, &running) {
        case 1: return Int64(clamping: running)
        case -1: return -Int64(clamping: running)
        default: return nil
        }
    }
}
