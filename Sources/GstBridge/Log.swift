import CGStreamer

/// A debug category of GStreamer's. The text is only made where the category's level asks for it.
public struct Log: @unchecked Sendable {
    private let category: UnsafeMutablePointer<GstDebugCategory>?
    private let object: UnsafeMutablePointer<GObject>?

    /// - Parameter object: the element that messages are about; it outlives this value.
    public init(category: UnsafeMutablePointer<GstDebugCategory>?, object: UnsafeMutableRawPointer) {
        self.category = category
        self.object = object.assumingMemoryBound(to: GObject.self)
    }

    public func warning(_ text: @autoclosure () -> String, line: Int32 = #line) { log(GST_LEVEL_WARNING, text, line) }
    public func info(_ text: @autoclosure () -> String, line: Int32 = #line) { log(GST_LEVEL_INFO, text, line) }
    public func debug(_ text: @autoclosure () -> String, line: Int32 = #line) { log(GST_LEVEL_DEBUG, text, line) }

    private func log(_ level: GstDebugLevel, _ text: () -> String, _ line: Int32) {
        guard let category,
            level.rawValue <= gst_debug_category_get_threshold(category).rawValue
        else { return }
        gst_debug_log_literal(category, level, "GstHDR", "hdr", line, object, text())
    }
}
