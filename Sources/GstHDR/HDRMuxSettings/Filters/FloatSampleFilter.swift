import CGStreamer
import CGstHDR
import GstBridge

/// Passes floating-point PCM to a muxer that accepts only integers, by relabelling the caps: 32-bit floats as 32-bit
/// integers, and each channel of 64-bit floats as two channels of 32-bit integers. The bytes stay unchanged, and the
/// file's header is corrected later.
final class FloatSampleFilter: CapsFilter, @unchecked Sendable {
    override func change(_ structure: Caps.Structure) {
        guard let format = Caps.string(structure, "format"), format.hasPrefix("F") else { return }
        Caps.set(structure, "format", to: format.hasSuffix("BE") ? "S32BE" : "S32LE")
        var channels: gint = 0
        guard format.hasPrefix("F64"), gst_structure_get_int(structure, "channels", &channels) != 0,
            (1...64).contains(channels)
        else { return }
        var value = GValue()
        g_value_init(&value, GTypes.int)
        g_value_set_int(&value, 2 * channels)
        gst_structure_take_value(structure, "channels", &value)
        // Positions of channels would not fit; more than two channels need a mask.
        gst_structure_remove_field(structure, "channel-mask")
        guard channels > 1 else { return }
        var mask = GValue()
        g_value_init(&mask, gst_bitmask_get_type())
        gst_value_set_bitmask(&mask, 0)
        gst_structure_take_value(structure, "channel-mask", &mask)
    }
}
