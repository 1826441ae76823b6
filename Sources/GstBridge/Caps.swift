import CGStreamer

/// What GStreamer's macros and variadic functions do with caps, callable from Swift.
public enum Caps {
    public typealias Pointer = UnsafeMutablePointer<GstCaps>
    public typealias Structure = UnsafeMutablePointer<GstStructure>

    /// G_TYPE_STRING, a macro in C.
    private static let stringType = GType(16 << 2)

    public static func structures(_ caps: Pointer) -> [Structure] {
        (0..<gst_caps_get_size(caps)).compactMap { gst_caps_get_structure(caps, $0) }
    }

    public static func removeField(_ caps: Pointer, _ name: String) {
        for structure in structures(caps) { gst_structure_remove_field(structure, name) }
    }

    public static func string(_ structure: Structure, _ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }

    public static func set(_ structure: Structure, _ field: String, to text: String) {
        var value = GValue()
        g_value_init(&value, stringType)
        g_value_set_string(&value, text)
        gst_structure_take_value(structure, field, &value)
    }

    /// Sets a field to a list of strings.
    public static func set(_ structure: Structure, _ field: String, to texts: [String]) {
        var list = GValue()
        g_value_init(&list, gst_value_list_get_type())
        for text in texts {
            var value = GValue()
            g_value_init(&value, stringType)
            g_value_set_string(&value, text)
            gst_value_list_append_and_take_value(&list, &value)
        }
        gst_structure_take_value(structure, field, &list)
    }

    /// The strings that a field allows: one, or a list's; `nil` where the field is absent or of another type.
    public static func strings(_ structure: Structure, _ field: String) -> [String]? {
        if let one = string(structure, field) { return [one] }
        guard let value = gst_structure_get_value(structure, field),
            g_type_check_value_holds(value, gst_value_list_get_type()) != 0
        else { return nil }
        return (0..<gst_value_list_get_size(value)).compactMap { index in
            guard let item = gst_value_list_get_value(value, index), g_type_check_value_holds(item, stringType) != 0,
                let text = g_value_get_string(item)
            else { return nil }
            return String(cString: text)
        }
    }

    public static func description(_ caps: Pointer) -> String {
        guard let text = gst_caps_to_string(caps) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
