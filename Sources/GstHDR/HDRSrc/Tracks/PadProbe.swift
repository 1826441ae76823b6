import CGStreamer

/// A callback for data that pass a pad.
final class PadProbe {
    typealias Pad = UnsafeMutablePointer<GstPad>
    typealias Info = UnsafeMutablePointer<GstPadProbeInfo>

    private let body: (Pad, Info) -> GstPadProbeReturn

    private init(_ body: @escaping (Pad, Info) -> GstPadProbeReturn) { self.body = body }

    /// - Returns: the pad's identifier of the probe; 0 where it was removed at once.
    @discardableResult
    static func add(
        _ pad: Pad, _ types: [GstPadProbeType], _ body: @escaping (Pad, Info) -> GstPadProbeReturn
    ) -> gulong {
        gst_pad_add_probe(
            pad, GstPadProbeType(types.reduce(0) { $0 | $1.rawValue }),
            { pad, info, data in
                guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
                return Unmanaged<PadProbe>.fromOpaque(data).takeUnretainedValue().body(pad, info)
            }, Unmanaged.passRetained(PadProbe(body)).toOpaque(),
            { data in if let data { Unmanaged<PadProbe>.fromOpaque(data).release() } })
    }

    static let data = [
        GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
    ]

    /// Whether a probe sees data or their replacement: a buffer, a gap or the end of the stream.
    static func isData(_ info: Info) -> Bool {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0 else { return true }
        return isEnd(info) || gst_pad_probe_info_get_event(info)?.pointee.type == GST_EVENT_GAP
    }

    /// Whether a probe sees the end of the stream.
    static func isEnd(_ info: Info) -> Bool {
        info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0
            && gst_pad_probe_info_get_event(info)?.pointee.type == GST_EVENT_EOS
    }
}
