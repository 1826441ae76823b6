import CGStreamer

/// Operations on caps that GStreamer offers as macros and variadic functions only, for Swift.
package enum Caps {
    package typealias Pointer = UnsafeMutablePointer<GstCaps>
    package typealias Structure = UnsafeMutablePointer<GstStructure>

    package static func structures(_ caps: Pointer) -> [Structure] {
        (0..<gst_caps_get_size(caps)).compactMap { gst_caps_get_structure(caps, $0) }
    }

    /// The media type of the first structure, such as `video/x-raw`; `nil` for caps without one.
    package static func mediaType(_ caps: Pointer) -> String? {
        gst_caps_get_structure(caps, 0).flatMap { gst_structure_get_name($0) }.map { String(cString: $0) }
    }

    package static func removeField(_ caps: Pointer, _ name: String) {
        for structure in structures(caps) { gst_structure_remove_field(structure, name) }
    }

    package static func string(_ structure: Structure, _ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }

    /// The buffer in a field, such as `codec_data`, which the structure owns; `nil` where the field is absent or of
    /// another type.
    package static func buffer(_ structure: Structure, _ field: String) -> UnsafeMutablePointer<GstBuffer>? {
        guard let value = gst_structure_get_value(structure, field), value.holds(gst_buffer_get_type()) else {
            return nil
        }
        return g_value_get_boxed(value)?.assumingMemoryBound(to: GstBuffer.self)
    }

    package static func set(_ structure: Structure, _ field: String, to text: String) {
        GstBridge.Structure.set(structure, field, .string(text))
    }

    /// Sets a field to a list of strings.
    package static func set(_ structure: Structure, _ field: String, to texts: [String]) {
        GstBridge.Structure.set(structure, field, .strings(texts))
    }

    /// The strings that a field allows: one, or those of a list; `nil` where the field is absent or of another type.
    package static func strings(_ structure: Structure, _ field: String) -> [String]? {
        if let one = string(structure, field) { return [one] }
        guard let value = gst_structure_get_value(structure, field), value.holds(gst_value_list_get_type()) else {
            return nil
        }
        return (0..<gst_value_list_get_size(value)).compactMap { index in
            guard let item = gst_value_list_get_value(value, index), item.holds(GTypes.string) else { return nil }
            return g_value_get_string(item).map { String(cString: $0) }
        }
    }

    /// The caps as GStreamer prints them.
    package static func description(_ caps: Pointer) -> String {
        guard let text = gst_caps_to_string(caps) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
