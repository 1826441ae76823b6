import CGStreamer
import GstBridge

extension Player {
    /// Keeps this process's playbin from a decoder that it would take.
    static func leaveOutBrokenDecoder() {
        guard let factory = gst_element_factory_find(BrokenDecoder.name) else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        gst_plugin_feature_set_rank(factory, 0)
    }
}
