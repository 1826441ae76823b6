import CGStreamer
import CGstHDR
import GstBridge

extension HDRMuxSettings {
    /// Replaces the "Internal data stream error" of an element inside the bin by its cause: which element refused which
    /// caps.
    /// - Parameter message: an error message, which is taken over.
    /// - Returns: the message, or the bin's own in its place; the caller owns it.
    func explain(_ message: UnsafeMutablePointer<GstMessage>) -> UnsafeMutablePointer<GstMessage> {
        guard let flow = Self.flowReturn(message), let source = message.pointee.src else {
            hasExplained.withLock { $0 = true }
            return message
        }
        let failing = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstElement.self)
        guard let branch = branches.current.first(where: { $0.holds(failing) }) else { return message }
        let reason = branch.refusal() ?? "an element inside stopped with \(String(cString: gst_flow_get_name(flow)))"
        let text = "\(branch.name) cannot be encoded: \(reason)"
        let problem = g_error_new_literal(
            gst_stream_error_quark(), gint(GST_STREAM_ERROR_FORMAT.rawValue), text)
        defer { g_error_free(problem) }
        var debug: UnsafeMutablePointer<gchar>?
        gst_message_parse_error(message, nil, &debug)
        defer { g_free(debug) }
        guard
            let own = gst_message_new_error(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self), problem, debug)
        else { return message }
        gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        return own
    }

    /// Posts an error with the caps that an element of a stream's chain refuses, unless an error with the cause has
    /// been posted.
    func reportRefusal(_ name: String) {
        guard !hasExplained.current, let branch = branches.current.first(where: { $0.name == name }) else { return }
        let reason = branch.refusal() ?? "an element inside could not take its data, and gave no reason"
        error("\(name) cannot be encoded: \(reason)", .stream())
    }

    /// The flow return that GST_ELEMENT_FLOW_ERROR puts into its message; `nil` for other errors.
    private static func flowReturn(_ message: UnsafeMutablePointer<GstMessage>) -> GstFlowReturn? {
        var details: UnsafePointer<GstStructure>?
        gst_message_parse_error_details(message, &details)
        var flow: gint = 0
        guard let details, gst_structure_get_int(details, "flow-return", &flow) != 0 else { return nil }
        return GstFlowReturn(flow)
    }
}

extension HDRMuxSettings.Branch {
    func holds(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        links.withLock { $0.elements.contains(element) }
    }

    /// A text with the element of the chain that refused the caps it was offered; `nil` where none did.
    func refusal() -> String? {
        links.withLock { links in
            var previous = head
            for element in links.elements {
                if let offered = Self.caps(previous, "src"), Self.caps(element, "sink") != offered {
                    // The last one is a queue, whose caps are those of the muxer behind it.
                    let who = element == links.elements.last ? "the muxer" : HDRMuxSettings.name(element)
                    return "\(who) does not take \(offered); convert the source before the pad, for instance with "
                        + "\(isVideo ? "videoconvert" : "audioconvert"), or choose other settings"
                }
                previous = element
            }
            return nil
        }
    }

    private static func caps(_ element: UnsafeMutablePointer<GstElement>, _ pad: String) -> String? {
        guard let pad = gst_element_get_static_pad(element, pad) else { return nil }
        defer { gst_object_unref(pad) }
        guard let caps = gst_pad_get_current_caps(pad) else { return nil }
        defer { gst_caps_unref(caps) }
        return Caps.description(caps)
    }
}
