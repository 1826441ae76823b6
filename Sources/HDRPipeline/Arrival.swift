import CGStreamer

/// An item that leaves an element through a pad; see ``Pad/take(_:)``.
public enum Arrival: Sendable {
    /// The caps of the buffers that follow.
    case format(Structure)
    /// The tags of the stream.
    case tags(Tags)
    case buffer(Buffer)
    case end
}

extension Pad {
    private final class Taker: Sendable {
        let body: @Sendable (Arrival) -> Bool
        init(_ body: @escaping @Sendable (Arrival) -> Bool) { self.body = body }

        func take(_ event: UnsafeMutablePointer<GstEvent>) {
            switch event.pointee.type {
            case GST_EVENT_CAPS:
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                if let format = caps.flatMap({ Structure(copying: gst_caps_get_structure($0, 0)) }) {
                    _ = body(.format(format))
                }
            case GST_EVENT_TAG:
                var tags: UnsafeMutablePointer<GstTagList>?
                gst_event_parse_tag(event, &tags)
                if let tags { _ = body(.tags(Tags(retaining: tags))) }
            case GST_EVENT_EOS: _ = body(.end)
            default: break
            }
        }

        /// - Returns: whether further buffers are wanted.
        func take(_ list: OpaquePointer) -> Bool {
            for index in 0..<gst_buffer_list_length(list) {
                guard let buffer = gst_buffer_list_get(list, index) else { continue }
                guard body(.buffer(Buffer(retaining: buffer))) else { return false }
            }
            return true
        }
    }

    /// Receives everything that leaves through this pad, in place of a downstream element and without waiting for clock
    /// times: for data that are read but not played. Formats and tags that were sent before this call are delivered at
    /// once, and again with the next data.
    /// - Parameter body: called on the streaming thread, for as long as the pad exists; returns whether further buffers
    ///   are wanted. Where it returns `false`, the upstream element is told that the stream has ended.
    public func take(_ body: @escaping @Sendable (Arrival) -> Bool) {
        let taker = Taker(body)
        for type in [GST_EVENT_CAPS, GST_EVENT_TAG] {
            var index: guint = 0
            while let event = gst_pad_get_sticky_event(pointer, type, index) {
                taker.take(event)
                gst_event_unref(event)
                index += 1
            }
        }
        gst_pad_add_probe(
            pointer, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM,
            { _, information, data in
                guard let information, let data else { return GST_PAD_PROBE_OK }
                let taker = Unmanaged<Taker>.fromOpaque(data).takeUnretainedValue()
                // A probe that has handled an item must release it.
                let type = information.pointee.type.rawValue
                var goesOn = true
                if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                    guard let buffer = gst_pad_probe_info_get_buffer(information) else { return GST_PAD_PROBE_OK }
                    goesOn = taker.body(.buffer(Buffer(retaining: buffer)))
                    gst_buffer_unref(buffer)
                } else if type & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
                    guard let list = gst_pad_probe_info_get_buffer_list(information) else { return GST_PAD_PROBE_OK }
                    goesOn = taker.take(list)
                    gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(list))
                } else {
                    guard let event = gst_pad_probe_info_get_event(information) else { return GST_PAD_PROBE_OK }
                    taker.take(event)
                    gst_event_unref(event)
                }
                information.pointee.ABI.abi.flow_ret = goesOn ? GST_FLOW_OK : GST_FLOW_EOS
                return GST_PAD_PROBE_HANDLED
            }, Unmanaged.passRetained(taker).toOpaque(),
            { data in data.map { Unmanaged<Taker>.fromOpaque($0).release() } })
    }

    /// The duration of the stream in ns; `nil` where upstream elements do not know it.
    public var duration: UInt64? {
        var time: gint64 = -1
        guard gst_pad_query_duration(pointer, GST_FORMAT_TIME, &time) != 0, time > 0 else { return nil }
        return UInt64(time)
    }
}
