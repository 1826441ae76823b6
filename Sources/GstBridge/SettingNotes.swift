import CGStreamer
import CGstHDR

/// What is to be said of settings that could not be taken as they are, until the element is on a bus.
public struct SettingNotes: Sendable {
    private var notes: [(property: String, text: String)] = []

    public init() {}

    /// Takes the place of what was said of this property before; `nil`: nothing is wrong with it any more.
    public mutating func set(_ property: String, _ text: String?) {
        notes.removeAll { $0.property == property }
        if let text { notes.append((property, text)) }
    }

    public mutating func take() -> [String] {
        defer { notes = [] }
        return notes.map(\.text)
    }
}

extension ElementMessage {
    /// Whether what the element posts reaches anyone.
    public static func isHeard(_ element: UnsafeMutableRawPointer) -> Bool {
        guard let bus = gst_element_get_bus(element.assumingMemoryBound(to: GstElement.self)) else { return false }
        gst_object_unref(bus)
        return true
    }

    /// Says that a property's value cannot be used, when it is set: on the bus, or on the terminal where there is none yet.
    public static func refusal(_ element: UnsafeMutableRawPointer, _ text: String) {
        if isHeard(element) {
            return warning(
                element, domain: gst_library_error_quark(), code: Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue), text)
        }
        let name = gst_object_get_name(element.assumingMemoryBound(to: GstObject.self))
        defer { g_free(name) }
        gst_hdr_print("\(name.map { String(cString: $0) } ?? ""): \(text)")
    }
}
