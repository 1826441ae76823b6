import CGStreamer

/// User input in the window of a sink.
public enum Navigation: Equatable, Sendable {
    /// A key was pressed; its name as in X: `space`, `Left`, `q`.
    case keyPressed(String)
    /// The pointer moved to a position, in pixels of the picture.
    case pointerMoved(x: Double, y: Double)
    /// A button was pressed, 1 being the left one, at a position in pixels of the picture.
    case buttonPressed(Int, x: Double, y: Double)

    /// - Returns: `nil` for other messages and other events.
    init?(_ message: UnsafeMutablePointer<GstMessage>) {
        guard gst_navigation_message_get_type(message) == GST_NAVIGATION_MESSAGE_EVENT else { return nil }
        var event: UnsafeMutablePointer<GstEvent>?
        guard gst_navigation_message_parse_event(message, &event) != 0, let event else { return nil }
        defer { gst_event_unref(event) }
        var (x, y): (gdouble, gdouble) = (0, 0)
        switch gst_navigation_event_get_type(event) {
        case GST_NAVIGATION_EVENT_KEY_PRESS:
            var key: UnsafePointer<gchar>?
            guard gst_navigation_event_parse_key_event(event, &key) != 0, let key else { return nil }
            self = .keyPressed(String(cString: key))
        case GST_NAVIGATION_EVENT_MOUSE_MOVE:
            guard gst_navigation_event_parse_mouse_move_event(event, &x, &y) != 0 else { return nil }
            self = .pointerMoved(x: x, y: y)
        case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
            var button: gint = 0
            guard gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y) != 0 else { return nil }
            self = .buttonPressed(Int(button), x: x, y: y)
        default: return nil
        }
    }
}
