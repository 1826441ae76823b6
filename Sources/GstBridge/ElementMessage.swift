import CGStreamer

/// The domain and the number of an error or a warning.
package struct MessageCode: Sendable {
    let domain: GQuark
    let code: Int32

    /// A stream error of GStreamer's, about the kind of data.
    package static func stream(_ code: GstStreamError = GST_STREAM_ERROR_FORMAT) -> MessageCode {
        MessageCode(domain: gst_stream_error_quark(), code: Int32(code.rawValue))
    }

    /// A resource error of GStreamer's, about devices, files or displays.
    package static func resource(_ code: GstResourceError) -> MessageCode {
        MessageCode(domain: gst_resource_error_quark(), code: Int32(code.rawValue))
    }

    /// A core error of GStreamer's.
    package static func core(_ code: GstCoreError) -> MessageCode {
        MessageCode(domain: gst_core_error_quark(), code: Int32(code.rawValue))
    }

    /// A library error of GStreamer's; about unusable settings by default.
    package static func library(_ code: GstLibraryError = GST_LIBRARY_ERROR_SETTINGS) -> MessageCode {
        MessageCode(domain: gst_library_error_quark(), code: Int32(code.rawValue))
    }
}

/// Errors and warnings on the bus: what is wrong, and what the application can do about it.
package enum ElementMessage {
    /// Posts an error, which ends the stream, as GST_ELEMENT_ERROR does.
    package static func error(
        _ element: UnsafeMutablePointer<GstElement>, _ code: MessageCode, _ text: String,
        file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(GST_MESSAGE_ERROR, element, code, text, file, function, line)
    }

    /// Posts a warning; the stream goes on.
    package static func warning(
        _ element: UnsafeMutablePointer<GstElement>, _ code: MessageCode, _ text: String,
        file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(GST_MESSAGE_WARNING, element, code, text, file, function, line)
    }

    /// Whether anyone can receive what the element posts: an element outside a pipeline has no bus.
    package static func hasBus(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let bus = gst_element_get_bus(element) else { return false }
        gst_object_unref(bus)
        return true
    }

    /// An element's name.
    package static func name(_ element: UnsafeMutablePointer<GstElement>) -> String {
        guard let name = gst_object_get_name(element.asGstObject) else { return "an element" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Reports a property value that is refused when it is set: on the bus, or on the terminal where there is none yet.
    package static func refusal(
        _ element: UnsafeMutablePointer<GstElement>, _ text: String, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        if hasBus(element) {
            return warning(element, .library(), text, file: file, function: function, line: line)
        }
        let name = gst_object_get_name(element.asGstObject)
        defer { g_free(name) }
        // Unlike a GLib warning, a message does not end the program, whatever G_DEBUG is set to.
        let line = "\(name.map { String(cString: $0) } ?? ""): \(text)"
        line.withCString { line in withVaList([line]) { g_logv("GstHDR", G_LOG_LEVEL_MESSAGE, "%s", $0) } }
    }

    private static func post(
        _ type: GstMessageType, _ element: UnsafeMutablePointer<GstElement>, _ code: MessageCode, _ text: String,
        _ file: StaticString, _ function: StaticString, _ line: Int32
    ) {
        // The message takes ownership of the string.
        gst_element_message_full(
            element, type, code.domain, code.code, g_strdup(text), nil, file.cString, function.cString, line)
    }
}

extension StaticString {
    /// Literals such as `#fileID` end with a NUL.
    var cString: UnsafePointer<CChar>? {
        hasPointerRepresentation ? UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) : nil
    }
}
