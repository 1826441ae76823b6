import CGStreamer
import CGstHDR
import GstBridge

/// Changes the caps that a muxer gets, and leaves buffers as they are.
class CapsFilter: BinFilter, @unchecked Sendable {
    /// Changes a structure of the caps.
    func change(_ structure: Caps.Structure) {}

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        for structure in Caps.structures(copy) { change(structure) }
        gst_mini_object_unref(event.asMiniObject)
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    /// Accepts the caps as they come, which the muxer's template would refuse before they are changed here.
    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard query.pointee.type == GST_QUERY_ACCEPT_CAPS else { return false }
        gst_query_set_accept_caps_result(query, 1)
        return true
    }
}
