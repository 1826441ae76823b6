import CGStreamer
import GstBridge
import HDRContainer

extension MovieEdits.Sound {
    /// A copy of caps of raw sound with what the header says and the demuxer does not.
    /// - Returns: `nil` where the caps stay as they are.
    func completed(_ caps: UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstCaps>? {
        var count: gint = 0
        guard gst_caps_get_size(caps) == 1, let given = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(given, "audio/x-raw") != 0,
            gst_structure_get_int(given, "channels", &count) != 0, Int(count) == channels,
            let copy = gst_caps_copy(caps), let structure = gst_caps_get_structure(copy, 0)
        else { return nil }
        if let sampleRate {
            var value = GValue()
            g_value_init(&value, GTypes.int)
            g_value_set_int(&value, sampleRate)
            gst_structure_take_value(structure, "rate", &value)
        }
        if let format { Caps.set(structure, "format", to: format) }
        // One and two channels need no mask.
        let mask = Self.mask(given)
        if channels > 2, channelMask != 0, mask == 0 || PCMDescription.withSides(mask) == channelMask {
            var value = GValue()
            g_value_init(&value, gst_bitmask_get_type())
            gst_value_set_bitmask(&value, guint64(channelMask))
            gst_structure_take_value(structure, "channel-mask", &value)
        }
        return copy
    }

    /// The positions that the demuxer knows.
    private static func mask(_ structure: Caps.Structure) -> UInt64 {
        guard let mask = gst_structure_get_value(structure, "channel-mask"), mask.holds(gst_bitmask_get_type()) else {
            return 0
        }
        return UInt64(gst_value_get_bitmask(mask))
    }
}
