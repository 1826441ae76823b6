import CGStreamer

/// Messages on the bus that tell an application what is wrong and what to do.
public enum ElementMessage {
    /// Posts an error that ends the stream, as GST_ELEMENT_ERROR does.
    public static func error(
        _ element: UnsafeMutableRawPointer, domain: GQuark, code: Int32, _ text: String, line: Int32 = #line
    ) {
        post(GST_MESSAGE_ERROR, element, domain, code, text, line)
    }

    /// Posts a warning; the stream goes on.
    public static func warning(
        _ element: UnsafeMutableRawPointer, domain: GQuark, code: Int32, _ text: String, line: Int32 = #line
    ) {
        post(GST_MESSAGE_WARNING, element, domain, code, text, line)
    }

    private static func post(
        _ type: GstMessageType, _ element: UnsafeMutableRawPointer, _ domain: GQuark, _ code: Int32, _ text: String,
        _ line: Int32
    ) {
        // The message takes the string over.
        gst_element_message_full(
            element.assumingMemoryBound(to: GstElement.self), type, domain, code, g_strdup(text), nil, "GstHDR", "hdr",
            line)
    }
}
