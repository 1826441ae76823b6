import CGStreamer
import CGstHDR
import GstBridge

extension HDRVideoSink {
    /// The values of the properties, and the window that the application has set.
    struct Settings: @unchecked Sendable {
        /// The factory name of the sink; empty for the best one.
        var sink = ""
        /// The properties of the inner sink that were set, which are applied to each new inner sink.
        var forwarded: [String: StoredValue] = [:]
        /// The application's window; `nil` for one of the sink's own.
        var window: guintptr?
        var handlesEvents: Bool?
        var rectangle: (x: gint, y: gint, width: gint, height: gint)?
        /// How often what sinks get has changed.
        var changes: UInt64 = 0

        mutating func change(_ body: (inout Settings) -> Void) {
            body(&self)
            changes &+= 1
        }
    }

    /// A GValue that is freed with this object.
    final class StoredValue: @unchecked Sendable {
        var value = GValue()

        init(_ other: UnsafePointer<GValue>) {
            g_value_init(&value, other.pointee.g_type)
            g_value_copy(other, &value)
        }

        deinit { g_value_unset(&value) }
    }

    // MARK: Properties

    func setProperty(_ property: UnsafeMutablePointer<GParamSpec>, _ value: UnsafePointer<GValue>) {
        guard property.pointee.param_id != GST_HDR_VIDEO_SINK_PROP_SINK.rawValue else {
            let text = g_value_get_string(value).map { String(cString: $0) } ?? ""
            return settings.withLock { $0.sink = text }
        }
        let name = String(cString: property.pointee.name)
        let stored = StoredValue(value)
        settings.withLock { $0.change { $0.forwarded[name] = stored } }
        if let sink = trial.current?.sink ?? sink { Self.set(name, stored, of: sink) }
    }

    func getProperty(_ property: UnsafeMutablePointer<GParamSpec>, _ value: UnsafeMutablePointer<GValue>) {
        switch GstHdrVideoSinkProp(property.pointee.param_id) {
        case GST_HDR_VIDEO_SINK_PROP_SINK: g_value_set_string(value, settings.current.sink)
        case GST_HDR_VIDEO_SINK_PROP_ACTUAL_SINK: sink?.use { g_value_set_object(value, $0) }
        case GST_HDR_VIDEO_SINK_PROP_DISPLAY_STATE:
            if let state = inside.current.flatMap({ displayState($0) }) { g_value_take_boxed(value, state) }
        default: getForwarded(property, value)
        }
    }

    /// Reads a property of the inner sink. Below READY, or where the sink has no such property, reads the value that
    /// was set, or the default.
    private func getForwarded(_ property: UnsafeMutablePointer<GParamSpec>, _ value: UnsafeMutablePointer<GValue>) {
        let name = String(cString: property.pointee.name)
        if let sink, Self.has(name, property.pointee.value_type, sink) {
            sink.use { g_object_get_property($0.asGObject, name, value) }
        } else if let stored = settings.current.forwarded[name] {
            g_value_copy(&stored.value, value)
        } else {
            g_param_value_set_default(property, value)
        }
    }

    private static func set(_ name: String, _ stored: StoredValue, of sink: OwnedElement) {
        guard has(name, stored.value.g_type, sink) else { return }
        sink.use { g_object_set_property($0.asGObject, name, &stored.value) }
    }

    /// Whether an element has a property with a name and a type.
    static func has(_ name: String, _ type: GType, _ sink: OwnedElement) -> Bool {
        sink.use { pointer in
            let instance = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
            guard let klass = instance.pointee.g_class else { return false }
            let objectClass = UnsafeMutableRawPointer(klass).assumingMemoryBound(to: GObjectClass.self)
            return g_object_class_find_property(objectClass, name)?.pointee.value_type == type
        }
    }

    /// Applies the properties that were set to a new inner sink, before it opens its window. Where the application sets
    /// others meanwhile, the newest ones are applied last.
    func apply(to sink: OwnedElement) {
        var applied: UInt64?
        while case let settings = settings.current, settings.changes != applied {
            apply(settings, to: sink)
            applied = settings.changes
        }
    }

    private func apply(_ settings: Settings, to sink: OwnedElement) {
        for (name, stored) in settings.forwarded { Self.set(name, stored, of: sink) }
        sink.overlay { overlay in
            if let window = settings.window { gst_video_overlay_set_window_handle(overlay, window) }
            if let handles = settings.handlesEvents { gst_video_overlay_handle_events(overlay, handles ? 1 : 0) }
            if let r = settings.rectangle {
                gst_video_overlay_set_render_rectangle(overlay, r.x, r.y, r.width, r.height)
            }
        }
    }

    // MARK: Interfaces

    /// Calls `body` with the sink that is in use or being tried, which may request a window before it is in use.
    private func overlay(_ body: (OpaquePointer) -> Void) { (trial.current?.sink ?? sink)?.overlay(body) }

    func setWindowHandle(_ handle: guintptr) {
        settings.withLock { $0.change { $0.window = handle } }
        overlay { gst_video_overlay_set_window_handle($0, handle) }
    }

    func setHandlesEvents(_ handles: Bool) {
        settings.withLock { $0.change { $0.handlesEvents = handles } }
        overlay { gst_video_overlay_handle_events($0, handles ? 1 : 0) }
    }

    func setRenderRectangle(_ x: gint, _ y: gint, _ width: gint, _ height: gint) {
        settings.withLock { $0.change { $0.rectangle = (x, y, width, height) } }
        overlay { gst_video_overlay_set_render_rectangle($0, x, y, width, height) }
    }

    /// Sends a navigation event to the inner sink, which knows where the picture is in the window, or upstream.
    func sendNavigation(_ event: UnsafeMutablePointer<GstEvent>) {
        if sink?.navigation({ gst_navigation_send_event_simple($0, event) }) != nil { return }
        if let peer = gst_pad_get_peer(element.pointee.sinkpad) {
            gst_pad_send_event(peer, event)
            gst_object_unref(peer)
        } else {
            gst_mini_object_unref(event.asMiniObject)
        }
    }

    // MARK: Messages

    /// Makes messages about windows come from this bin, whichever sink is inside, since applications know only the bin.
    /// Errors of a sink that is being tried are collected for the error that names them all.
    /// - Parameter message: ownership is taken.
    /// - Returns: the message to post; `nil` for none.
    func explain(_ message: UnsafeMutablePointer<GstMessage>) -> UnsafeMutablePointer<GstMessage>? {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR, GST_MESSAGE_WARNING:
            guard let text = Self.text(message), note(text) else { return message }
        case GST_MESSAGE_ELEMENT:
            if gst_is_video_overlay_prepare_window_handle_message(message) != 0 {
                gst_video_overlay_prepare_window_handle(OpaquePointer(element))
            } else if let structure = gst_message_get_structure(message),
                gst_structure_has_name(structure, "have-window-handle") != 0
            {
                var handle: guint64 = 0
                gst_structure_get_uint64(structure, "window-handle", &handle)
                gst_video_overlay_got_window_handle(OpaquePointer(element), guintptr(truncatingIfNeeded: handle))
            } else {
                return message
            }
        default: return message
        }
        gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        return nil
    }

    /// Collects an error text of the sink that is being tried; `false` where none is.
    private func note(_ text: String) -> Bool {
        trial.withLock { trial in
            guard trial != nil else { return false }
            trial?.troubles.append(text)
            return true
        }
    }

    /// The text of an error or a warning.
    static func text(_ message: UnsafeMutablePointer<GstMessage>) -> String? {
        var error: UnsafeMutablePointer<GError>?
        if message.pointee.type == GST_MESSAGE_ERROR {
            gst_message_parse_error(message, &error, nil)
        } else {
            gst_message_parse_warning(message, &error, nil)
        }
        defer { g_clear_error(&error) }
        return error.map { String(cString: $0.pointee.message) }
    }
}
