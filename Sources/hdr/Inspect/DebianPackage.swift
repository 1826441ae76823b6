import CGStreamer

/// The Debian package that has what GStreamer misses.
enum DebianPackage {
    static func advice(forElement name: String) -> String {
        let package = ["parsebin": "gstreamer1.0-plugins-base"][name] ?? "libgstreamer1.0-0"
        return "apt-get install \(package)"
    }

    static func advice(forType type: String, called name: String) -> String {
        "GStreamer misses the plugin '\(name) demuxer': apt-get install \(package(type))"
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
        return Failure("GStreamer misses the plugin '\(name)': apt-get install \(package(detail))")
    }

    /// - Parameter detail: such as "gstreamer|1.0|hdr|Matroska demuxer|decoder-video/x-matroska".
    private static func package(_ detail: String) -> String {
        let packages: [(type: String, package: String)] = [
            ("video/x-h265", "gstreamer1.0-plugins-bad"), ("video/x-h264", "gstreamer1.0-plugins-bad"),
            ("video/x-av1", "gstreamer1.0-plugins-bad"), ("video/x-vp9", "gstreamer1.0-plugins-bad"),
            ("video/mpegts", "gstreamer1.0-plugins-bad"), ("video/mpeg", "gstreamer1.0-plugins-bad"),
            ("application/mxf", "gstreamer1.0-plugins-bad"), ("video/x-ivf", "gstreamer1.0-plugins-bad"),
            ("video/quicktime", "gstreamer1.0-plugins-good"), ("video/x-matroska", "gstreamer1.0-plugins-good"),
            ("video/webm", "gstreamer1.0-plugins-good"), ("video/x-msvideo", "gstreamer1.0-plugins-good"),
            ("video/x-flv", "gstreamer1.0-plugins-good"), ("application/ogg", "gstreamer1.0-plugins-base"),
            ("video/x-ms-asf", "gstreamer1.0-plugins-ugly"), ("audio/", "gstreamer1.0-plugins-good"),
        ]
        return packages.first { detail.contains($0.type) }?.package
            ?? "gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav"
    }
}
