import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer

/// Completes what the muxer writes: colour and HDR metadata in the file's header.
final class ContainerFilter: BinFilter, @unchecked Sendable {
    private let owner: ContainerOwner
    private var rewriter: ContainerRewriter?
    /// The position in the muxer's file of the next byte that comes in.
    private var input: UInt64 = 0
    /// The position in the written file of the next byte that goes out.
    private var output: UInt64 = 0

    init(_ owner: ContainerOwner) { self.owner = owner }

    override func stop() {
        rewriter = nil
        input = 0
        output = 0
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            // The muxer's stream header would be the header before it was completed.
            return pushCaps(event, without: "streamheader")
        case GST_EVENT_SEGMENT:
            var start: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &start)
            guard let segment = start?.pointee, segment.format == GST_FORMAT_BYTES else { return push(event) }
            input = UInt64(segment.start)
            // The first segment opens the stream. Later seeks of the muxer are sent by `seek`, with moved positions.
            if rewriter == nil {
                output = UInt64(segment.start)
                return push(event)
            }
            gst_mini_object_unref(event.asMiniObject)
            return true
        case GST_EVENT_EOS:
            owner.begun()
            if var current = rewriter {
                let writes = current.finish(owner.metadata())
                rewriter = current
                _ = write(writes)
                for notice in current.notices { warning("\(notice)") }
                if let samples = current.samples { owner.written(samples) }
            }
            return push(event)
        default: return push(event)
        }
    }

    private func open() -> ContainerRewriter {
        var isSeekable = false
        if let query = gst_query_new_seeking(GST_FORMAT_BYTES) {
            var flag: gboolean = 0
            if gst_pad_peer_query(element.pointee.srcpad, query) != 0 {
                gst_query_parse_seeking(query, nil, &flag, nil, nil)
            }
            isSeekable = flag != 0
            gst_mini_object_unref(UnsafeMutableRawPointer(query).assumingMemoryBound(to: GstMiniObject.self))
        }
        return ContainerRewriter(metadata: owner.metadata(), isSeekable: isSeekable)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if rewriter == nil { owner.begun() }
        var current = rewriter ?? open()
        // Without a second reference, the rewriter's arrays are changed in place and not copied.
        rewriter = nil
        let position = input
        let size = gst_buffer_get_size(buffer)
        input = position &+ UInt64(size)
        // Media data are neither read nor copied.
        if let target = current.pass(count: Int(size), prefix: Self.prefix(buffer), at: position) {
            rewriter = current
            guard seek(target) else {
                gst_buffer_unref(buffer)
                return GST_FLOW_ERROR
            }
            output = target &+ UInt64(size)
            return push(buffer)
        }
        defer { gst_buffer_unref(buffer) }
        let result = buffer.withBytes { bytes in Swift.Result { try current.write(Array(bytes), at: position) } }
        rewriter = current
        switch result {
        case .success(let writes)?:
            // A header that passes unchanged keeps its buffer flags.
            if writes.count == 1, let only = writes.first, only.offset == output, only.bytes.count == Int(size),
                buffer.withBytes({ $0.elementsEqual(only.bytes) }) == true
            {
                output += UInt64(size)
                return push(gst_buffer_ref(buffer))
            }
            return write(writes)
        case .failure(let problem)?:
            error("\(problem)", .stream(GST_STREAM_ERROR_MUX))
            return GST_FLOW_ERROR
        case nil:
            error("a buffer of the muxer cannot be read", .stream(GST_STREAM_ERROR_MUX))
            return GST_FLOW_ERROR
        }
    }

    /// The first 16 bytes, or all where there are less.
    private static func prefix(_ buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { bytes, count in
            count = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, 16))
        }
    }

    /// Makes the next byte go to a position of the file, by a segment event where it is not the current one.
    private func seek(_ position: UInt64) -> Bool {
        guard position != output else { return true }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_BYTES)
        segment.start = guint64(position)
        segment.time = guint64(position)
        guard let event = gst_event_new_segment(&segment) else { return false }
        push(event)
        output = position
        return true
    }

    private func write(_ writes: [PositionedBytes]) -> GstFlowReturn {
        for write in writes {
            guard seek(write.offset), let buffer = UnsafeMutablePointer<GstBuffer>(write.bytes) else {
                return GST_FLOW_ERROR
            }
            output += UInt64(write.bytes.count)
            let flow = push(buffer)
            guard flow == GST_FLOW_OK else { return flow }
        }
        return GST_FLOW_OK
    }
}
