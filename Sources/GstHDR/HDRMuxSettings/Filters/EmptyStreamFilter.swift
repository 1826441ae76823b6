import CGStreamer
import CGstHDR
import GstBridge

/// Detects a stream that ends before the muxer has received a packet of it, such as audio that consists of GAP events.
/// For such a stream qtmux would write a track, with or without a sample description, and mpegtsmux would fail.
///
/// Everything before the first packet is held here, so that the muxer learns of a stream with that packet. Otherwise
/// caps that are known early, as those of raw audio are, would reach the muxer or not before a stream ends without
/// data, depending on the scheduling of the queue in front of it.
///
/// Where the first packet is late, the muxer learns of the stream from its GAP events instead: it waits for every
/// stream that it has received nothing of, while the packets of the others pile up in memory.
final class EmptyStreamFilter: BinFilter, @unchecked Sendable {
    private enum Held {
        case event(UnsafeMutablePointer<GstEvent>)
        /// A header, which is no packet.
        case buffer(UnsafeMutablePointer<GstBuffer>)

        func drop() {
            switch self {
            case .event(let event): gst_mini_object_unref(event.asMiniObject)
            case .buffer(let buffer): gst_buffer_unref(buffer)
            }
        }
    }

    /// Called at the end of a stream without packets, with whether the muxer knows the stream.
    /// - Returns: whether the muxer is to get the end.
    private let abandon: (Bool) -> Bool
    private var isEmpty = true
    /// Whether the muxer knows the stream.
    private var isKnown = false
    /// What has come before the first packet, in its order.
    private var held: [Held] = []
    private var segment = GstSegment()
    private var hasCaps = false
    /// The running time in ns up to which GAP events are held: the most by which demuxers let their streams diverge.
    private static let patience: UInt64 = 3_000_000_000
    /// The running time in ns up to which the muxer has been told of gaps; `nil` before the first one.
    private var told: UInt64?
    /// The least time in ns from one GAP event for the muxer to the next: some demuxers send one with each picture.
    private static let step: UInt64 = 500_000_000
    private let marksGaps: Bool

    /// - Parameter marksGaps: whether the muxer is `matroskamux` and the stream is sound.
    init(marksGaps: Bool, abandon: @escaping (Bool) -> Bool) {
        self.marksGaps = marksGaps
        self.abandon = abandon
    }

    deinit { drop { _ in true } }

    override func stop() {
        drop { _ in true }
        isEmpty = true
        isKnown = false
        hasCaps = false
        segment = GstSegment()
        told = nil
    }

    private func drop(_ isDropped: (Held) -> Bool) {
        held.removeAll { item in
            guard isDropped(item) else { return false }
            item.drop()
            return true
        }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard isEmpty else { return push(buffer) }
        guard CountingFilter.isSample(buffer) else {
            if isKnown { return push(buffer) }
            held.append(.buffer(buffer))
            return GST_FLOW_OK
        }
        isEmpty = false
        let flow = release()
        guard flow == GST_FLOW_OK else {
            gst_buffer_unref(buffer)
            return flow
        }
        return push(buffer)
    }

    /// Passes on what is held. An event that is refused comes again with the next buffer, whose result counts.
    private func release() -> GstFlowReturn {
        isKnown = true
        let items = held
        held = []
        for (index, item) in items.enumerated() {
            switch item {
            case .event(let event): push(event)
            case .buffer(let buffer):
                let flow = push(buffer)
                guard flow != GST_FLOW_OK else { continue }
                for rest in items[(index + 1)...] { rest.drop() }
                return flow
            }
        }
        return GST_FLOW_OK
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment)
            told = nil
        case GST_EVENT_CAPS: hasCaps = Self.areWhole(event)
        case GST_EVENT_GAP: return gap(event)
        case GST_EVENT_EOS where isEmpty:
            // EOS passes only where the muxer still has a pad for the stream.
            if abandon(isKnown) { return push(event) }
            gst_mini_object_unref(event.asMiniObject)
            return true
        case GST_EVENT_FLUSH_STOP where !isKnown:
            // Pads keep their sticky events when they are flushed, except for the segment, and do not send them again.
            drop { item in
                guard case .event(let event) = item else { return true }
                return event.pointee.type == GST_EVENT_SEGMENT || !Self.has(event, GST_EVENT_TYPE_STICKY)
            }
            return push(event)
        default: break
        }
        guard !isKnown, Self.has(event, GST_EVENT_TYPE_SERIALIZED) else { return push(event) }
        held.append(.event(event))
        return true
    }

    /// Tells the muxer that nothing comes before the end of a gap.
    private func gap(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        defer { gst_mini_object_unref(event.asMiniObject) }
        var (start, duration): (GstClockTime, GstClockTime) = (0, 0)
        gst_event_parse_gap(event, &start, &duration)
        var end = ClockTime.known(duration) == nil ? start : start &+ duration
        if end < start { end = start }
        if segment.format == GST_FORMAT_TIME { end = min(end, segment.stop) }
        guard let time = ClockTime.runningTime(segment, UInt64(end)) else { return true }
        if !isKnown {
            // A short gap at the start need not be sent: the track begins with its first packet in any case.
            guard hasCaps, time >= Self.patience else { return true }
            guard release() == GST_FLOW_OK else { return false }
        } else if let told, time < told &+ Self.step, time >= told {
            return true
        }
        told = time
        if marksGaps { mark(end) }
        // GstAggregator treats a GAP event as a buffer at its start time, and then waits for the next buffer. So the
        // event that is sent covers only the last ns of the gap, which is still inside the segment.
        let last = end > start ? end - 1 : start
        return gst_event_new_gap(last, end - last).map { push($0) } ?? false
    }

    /// Sends an empty buffer with a DTS and no PTS, which the muxer takes in the order of DTS and drops: matroskamux of
    /// GStreamer 1.22 waits for the next buffer of audio in spite of GAP events.
    private func mark(_ time: GstClockTime) {
        guard let buffer = gst_buffer_new() else { return }
        buffer.pointee.dts = time
        buffer.update(set: GST_BUFFER_FLAG_GAP.rawValue | GST_BUFFER_FLAG_DROPPABLE.rawValue)
        _ = push(buffer)
    }

    /// Whether caps of audio are complete enough for a muxer's header: parsers and encoders that have seen no data yet
    /// may send incomplete ones.
    private static func areWhole(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        guard let caps, let structure = gst_caps_get_structure(caps, 0) else { return false }
        let isRaw = Caps.string(structure, "stream-format") == "raw"
        return gst_structure_has_field(structure, "rate") != 0 && gst_structure_has_field(structure, "channels") != 0
            && (!isRaw || gst_structure_has_field(structure, "codec_data") != 0)
    }

    private static func has(_ event: UnsafeMutablePointer<GstEvent>, _ flag: GstEventTypeFlags) -> Bool {
        event.pointee.type.rawValue & flag.rawValue != 0
    }
}
