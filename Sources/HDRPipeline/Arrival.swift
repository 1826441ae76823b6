import CGStreamer

/// What leaves by a pad; see ``Pad/take(_:)``.
public enum Arrival: Sendable {
    /// The caps of the buffers that follow.
    case format(Structure)
    /// What the stream says of itself.
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

        /// - Returns: whether more is wanted.
        func take(_ list: OpaquePointer) -> Bool {
            for index in 0..<gst_buffer_list_length(list) {
                guard let buffer = gst_buffer_list_get(list, index) else { continue }
                guard body(.buffer(Buffer(retaining: buffer))) else { return false }
            }
            return true
        }
    }

    /// Takes all that leaves by this pad, in place of an element behind it, and never waits for a time: for what is
    /// read and not played. Formats and tags that came before this call are told of at once, and again with the next
    /// data.
    /// - Parameter body: called on the streaming thread, for as long as the pad lives; whether further buffers are
    ///   wanted. Where none are, the element before is told that the stream has ended here.
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
                // What is handled is the probe's to give back.
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

    /// How long the stream is, in ns; `nil` where the elements before do not know.
    public var duration: UInt64? {
        var time: gint64 = -1
        guard gst_pad_query_duration(pointer, GST_FORMAT_TIME, &time) != 0, time > 0 else { return nil }
        return UInt64(time)
    }
}
