import CGStreamer
import CGstHDR
import GstBridge

/// Notices a stream of which no packet has come to the muxer when it ends, such as a sound of gaps alone. qtmux writes
/// a track for it, with or without a sample description, and mpegtsmux ends with an error.
///
/// The muxer learns of a stream with its first packet only: what comes before that is held here. The caps of raw sound
/// are known at once, and it would be a matter of luck whether the queue in front of the muxer hands them on before the
/// stream ends without data.
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

    /// Called at the end of a stream without packets.
    private let abandon: () -> Void
    private var isEmpty = true
    /// What has come before the first packet, in its order.
    private var held: [Held] = []

    init(abandon: @escaping () -> Void) { self.abandon = abandon }

    deinit { drop { _ in true } }

    override func stop() {
        drop { _ in true }
        isEmpty = true
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
        guard isEmpty else { return push(event) }
        switch event.pointee.type {
        case GST_EVENT_EOS:
            // The muxer has no pad for the stream any more, and nothing has come that an end could follow.
            abandon()
        case GST_EVENT_GAP:
            // What begins late begins with its first packet, and muxers write nothing for a gap before that.
            break
        case GST_EVENT_FLUSH_STOP:
            // Pads keep their sticky events when they are flushed, except for the segment, and do not send them again.
            drop { item in
                guard case .event(let event) = item else { return true }
                return event.pointee.type == GST_EVENT_SEGMENT || !Self.has(event, GST_EVENT_TYPE_STICKY)
            }
            return push(event)
        default:
            guard Self.has(event, GST_EVENT_TYPE_SERIALIZED) else { return push(event) }
            held.append(.event(event))
            return true
        }
        gst_mini_object_unref(event.asMiniObject)
        return true
    }

    private static func has(_ event: UnsafeMutablePointer<GstEvent>, _ flag: GstEventTypeFlags) -> Bool {
        event.pointee.type.rawValue & flag.rawValue != 0
    }
}
