import CGStreamer
import HDRExport

extension DebianPackage {
    static func advice(forElement name: String) -> String {
        "apt-get install \(of(element: name))"
    }

    static func advice(forType type: String, called name: String) -> String {
        "GStreamer misses the plugin '\(name) demuxer': apt-get install \(of(mediaType: type))"
    }

    /// The error of a missing-plugin message; `nil` for types that no package supports, such as a phone's own metadata.
    static func failure(_ message: UnsafeMutablePointer<GstMessage>) -> Failure? {
        let text = gst_missing_plugin_message_get_description(message)
        defer { g_free(text) }
        let raw = gst_missing_plugin_message_get_installer_detail(message)
        defer { g_free(raw) }
        let detail = raw.map { String(cString: $0) } ?? ""
        guard !detail.contains("-meta/") else { return nil }
        let name = text.map { String(cString: $0) } ?? "a plugin"
        return Failure("GStreamer misses the plugin '\(name)': apt-get install \(of(mediaType: detail))")
    }
}
