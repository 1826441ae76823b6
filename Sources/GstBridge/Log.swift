import CGStreamer

/// A GStreamer debug category. The text of a line is only made where the category's threshold lets it through.
package struct Log: @unchecked Sendable {
    private let category: UnsafeMutablePointer<GstDebugCategory>?
    private let object: UnsafeMutablePointer<GObject>?

    /// - Parameter object: the element that lines are about. It outlives this value.
    package init(category: UnsafeMutablePointer<GstDebugCategory>?, object: UnsafeMutableRawPointer) {
        self.category = category
        self.object = object.assumingMemoryBound(to: GObject.self)
    }

    package func warning(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: Int32 = #line
    ) {
        log(GST_LEVEL_WARNING, text, file, function, line)
    }

    package func info(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: Int32 = #line
    ) {
        log(GST_LEVEL_INFO, text, file, function, line)
    }

    package func debug(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: Int32 = #line
    ) {
        log(GST_LEVEL_DEBUG, text, file, function, line)
    }

    private func log(
        _ level: GstDebugLevel, _ text: () -> String, _ file: StaticString, _ function: StaticString, _ line: Int32
    ) {
        guard let category, level.rawValue <= gst_debug_category_get_threshold(category).rawValue else { return }
        gst_debug_log_literal(category, level, file.cString, function.cString, line, object, text())
    }
}
