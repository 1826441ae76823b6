import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// Changes the channel mask in caps of raw audio, as planned. Caps of other channels, which may come later in a stream,
/// pass as they are and are mixed.
final class ChannelPositionFilter: BinFilter, @unchecked Sendable {
    private let placement: ChannelPlacement

    init(_ placement: ChannelPlacement) { self.placement = placement }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let mask = placement.takenFor, let given, let source = AudioSource(given),
            placement.applies(channels: source.channels, channelMask: source.channelMask),
            let copy = gst_caps_copy(given)
        else { return push(event) }
        defer { gst_caps_unref(copy) }
        for structure in Caps.structures(copy) { Self.set(mask, structure) }
        gst_mini_object_unref(event.asMiniObject)
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    /// - Parameter mask: 0 for one channel, which has no mask in caps.
    private static func set(_ mask: UInt64, _ structure: Caps.Structure) {
        guard mask != 0 else {
            gst_structure_remove_field(structure, "channel-mask")
            return
        }
        var value = GValue()
        g_value_init(&value, gst_bitmask_get_type())
        gst_value_set_bitmask(&value, guint64(mask))
        gst_structure_take_value(structure, "channel-mask", &value)
    }
}
