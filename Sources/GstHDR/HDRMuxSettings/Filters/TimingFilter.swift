import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRConcurrency
import HDRMetadata

/// Gives copied pictures the timestamps that muxers need. An elementary stream gets them from its frame rate and its
/// output order. Packets that the muxer would refuse are dropped.
final class TimingFilter: BinFilter, @unchecked Sendable {
    /// The frame rate of a stream without timestamps; `nil` where buffers have them.
    private let rate: Fraction?
    private let codec: VideoCodec
    /// The durations that packets had before the parser.
    private let durations: PacketDurations
    private var order: PictureOrder?
    /// Buffers whose place in output order is not known yet, and the events between them, in decoding order.
    private var held: [Held] = []
    private var firstHeld = 0
    private var count = 0
    private var ranks: [Int: Int] = [:]
    private var segment: GstSegment?
    /// The counts of packets, with those dropped here.
    private let packets: Locked<PacketCount>
    private var hasFailed = false
    private var last: GstClockTime?
    private var spacing = EvenSpacing()
    private var opening: HiddenStart
    /// The duration in ns before the first segment whose packets get the time of its start, because the file's header
    /// cannot hide them; 0 where it can.
    private let crowded: UInt64

    /// The maximum number of held buffers: more than any mini-GOP has, and a limit on memory where the output order is
    /// broken.
    private static let mostHeld = 256

    private enum Held {
        case buffer(UnsafeMutablePointer<GstBuffer>)
        case event(UnsafeMutablePointer<GstEvent>)
    }

    /// - Parameters:
    ///   - lead: the time in ns before the first segment that is decoded and not shown.
    ///   - isHidden: whether the file's header hides it.
    init(
        _ codec: VideoCodec, makes rate: Fraction?, _ durations: PacketDurations, _ packets: Locked<PacketCount>,
        lead: UInt64, isHidden: Bool
    ) {
        opening = HiddenStart(isHidden ? lead : 0)
        crowded = isHidden ? 0 : lead
        self.codec = codec
        self.rate = rate
        self.durations = durations
        self.packets = packets
    }

    deinit { drop() }

    override func stop() {
        drop()
        order = nil
        segment = nil
        count = 0
        ranks = [:]
        hasFailed = false
        last = nil
        spacing = EvenSpacing()
        opening.restart()
    }

    /// Drops the held buffers, but keeps the parameter sets.
    private func flush() {
        drop()
        _ = order?.finish()
        ranks = [:]
        firstHeld = count
        last = nil
        spacing = EvenSpacing()
    }

    private func drop() {
        for item in held {
            switch item {
            case .buffer(let buffer): gst_buffer_unref(buffer)
            case .event(let event): unref(event)
            }
        }
        held = []
        firstHeld = 0
    }

    private func unref(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
    }

    // MARK: Events

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_STOP: flush()
        case GST_EVENT_CAPS: readCaps(event)
        case GST_EVENT_SEGMENT: return pass(opened(event))
        case GST_EVENT_EOS:
            if rate != nil { finish() }
        default: break
        }
        return pass(event)
    }

    /// Keeps serialized events in their order among held pictures.
    private func pass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard !held.isEmpty, event.pointee.type.rawValue & GST_EVENT_TYPE_SERIALIZED.rawValue != 0 else {
            return push(event)
        }
        held.append(.event(event))
        return true
    }

    private func readCaps(_ event: UnsafeMutablePointer<GstEvent>) {
        guard rate != nil, let kind = codec == .hevc ? PictureOrder.Codec.hevc : codec == .h264 ? .avc : nil else {
            return
        }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        var current = order ?? PictureOrder(codec: kind)
        if let caps, let structure = gst_caps_get_structure(caps, 0),
            let record = Caps.buffer(structure, "codec_data")?.withBytes({ Array($0) })
        {
            try? current.read(configuration: record)
        }
        order = current
    }

    /// The segment event, opened so that no packet of a copy is outside.
    private func opened(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        var given: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &given)
        guard var changed = given?.pointee, changed.format == GST_FORMAT_TIME, changed.rate > 0 else { return event }
        if rate != nil {
            gst_segment_init(&changed, GST_FORMAT_TIME)
            changed.start = time(delay)
            changed.position = changed.start
        } else {
            // A picture that is output after the end may be a reference of those before it.
            changed.stop = GstClockTime.max
            _ = opening.open(&changed)
        }
        segment = changed
        guard let new = gst_event_new_segment(&changed) else { return event }
        gst_event_set_seqnum(new, gst_event_get_seqnum(event))
        unref(event)
        return new
    }

    // MARK: Pictures

    private var delay: Int { order?.delay ?? 0 }

    /// The start of a frame, in ns.
    private func time(_ frame: Int) -> GstClockTime {
        guard let rate, rate.numerator > 0, rate.denominator > 0, frame >= 0 else { return 0 }
        return gst_util_uint64_scale(
            guint64(frame), guint64(rate.denominator) * 1_000_000_000, guint64(rate.numerator))
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let picture = count
        count += 1
        guard rate != nil else { return check(buffer) }
        guard order != nil else { return stamp(buffer, picture: picture, rank: picture) }
        let places = buffer.withBytes { bytes in
            Swift.Result { () throws(BitstreamError) in try order?.read(accessUnit: bytes) ?? [] }
        }
        guard case .success(let known)? = places else {
            gst_buffer_unref(buffer)
            if case .failure(let problem)? = places, !hasFailed {
                hasFailed = true
                error("the stream has no timestamps, and none can be made: \(problem). Put it into a container first")
            }
            return GST_FLOW_ERROR
        }
        held.append(.buffer(buffer))
        for place in known { ranks[place.picture] = place.rank }
        if held.count > Self.mostHeld { for place in order?.flush() ?? [] { ranks[place.picture] = place.rank } }
        return release()
    }

    /// Pushes the held buffers whose output order is known.
    private func release() -> GstFlowReturn {
        while let next = held.first {
            switch next {
            case .event(let event):
                held.removeFirst()
                push(event)
            case .buffer(let buffer):
                guard let rank = ranks.removeValue(forKey: firstHeld) else { return GST_FLOW_OK }
                held.removeFirst()
                let flow = stamp(buffer, picture: firstHeld, rank: rank)
                firstHeld += 1
                guard flow == GST_FLOW_OK else { return flow }
            }
        }
        firstHeld = count
        return GST_FLOW_OK
    }

    private func finish() {
        for place in order?.finish() ?? [] { ranks[place.picture] = place.rank }
        _ = release()
    }

    /// Sets PTS and DTS. Decoding precedes output by the reordering delay.
    private func stamp(_ given: UnsafeMutablePointer<GstBuffer>, picture: Int, rank: Int) -> GstFlowReturn {
        guard let buffer = given.writable() else { return GST_FLOW_ERROR }
        buffer.pointee.pts = time(rank + delay)
        buffer.pointee.dts = time(picture)
        buffer.pointee.duration = time(rank + delay + 1) - time(rank + delay)
        return push(buffer)
    }

    /// Keeps existing timestamps. A missing one becomes the end of the packet before, in codecs without reordering.
    private func check(_ packet: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var buffer = packet
        if buffer.pointee.pts == GstClockTime.max, codec != .hevc, codec != .h264, codec != .mpeg4, let last,
            let changed = buffer.writable()
        {
            buffer = changed
            buffer.pointee.pts = last
        }
        let given = buffer.pointee.pts
        if crowded > 0, let segment, given < segment.start, segment.start - given <= crowded,
            let changed = buffer.writable()
        {
            buffer = changed
            (buffer.pointee.pts, buffer.pointee.dts) = (segment.start, GstClockTime.max)
        }
        let time = buffer.pointee.pts
        // Pictures shown before the key frame with which the copy begins are dropped here: qtmux 1.22 takes one that it
        // drops itself for the end of the stream, and the packet before it for the last one.
        let isBefore = segment.map { $0.format == GST_FORMAT_TIME && $0.rate > 0 && time < $0.start } ?? false
        // matroskamux 1.22 strips the eight bytes of size and 'icpf' from a ProRes frame without checking that they
        // exist.
        if time == GstClockTime.max || isBefore || (codec.isProRes && gst_buffer_get_size(buffer) < 8) {
            packets.withLock { $0.dropped += 1 }
            gst_buffer_unref(buffer)
            return GST_FLOW_OK
        }
        spacing.add(buffer.pointee.dts)
        if let duration = spacing.correction(of: durations.take(given) ?? buffer.pointee.duration),
            duration != buffer.pointee.duration, let changed = buffer.writable()
        {
            buffer = changed
            buffer.pointee.duration = duration
        }
        last = buffer.pointee.duration == GstClockTime.max ? nil : time &+ buffer.pointee.duration
        return push(buffer)
    }
}
