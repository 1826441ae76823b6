import CGStreamer
import GstBridge

/// A GstController that sweeps a band-pass up and down, for hours.
final class Sweep {
    init?(_ feeder: AudioFeeder, _ name: String) {
        guard let effect = feeder.effect(of: name) else { return nil }
        defer { g_object_unref(effect) }
        guard let source = gst_interpolation_control_source_new() else { return nil }
        defer { gst_object_unref(source) }
        gst_util_set_object_arg(source.asGObject, "mode", "linear")
        let points = source.cast(to: GstTimedValueControlSource.self)
        for second in 0..<3600 {
            gst_timed_value_control_source_set(
                points, GstClockTime(second * 1_000_000_000), second % 2 == 0 ? 200 : 8000)
        }
        let object = effect.asGstObject
        gst_object_add_control_binding(
            object, gst_direct_control_binding_new_absolute(object, "center-frequency", source))
    }
}
