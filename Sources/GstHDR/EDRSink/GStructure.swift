import CGStreamer
import GstBridge

/// Builds GstStructures.
enum GStructure {
    enum Value {
        case double(Double)
        case uint64(UInt64)
        case int(Int)
        case bool(Bool)
        case string(String)
        case strings([String])
    }

    /// A new structure, which the caller owns.
    static func make(_ name: String, _ fields: [(String, Value)]) -> UnsafeMutablePointer<GstStructure>? {
        guard let structure = gst_structure_new_empty(name) else { return nil }
        for (key, field) in fields {
            switch field {
            case .double(let number):
                SettingStructure.take(structure, key, GTypes.double) { g_value_set_double($0, number) }
            case .uint64(let number):
                SettingStructure.take(structure, key, GTypes.uint64) { g_value_set_uint64($0, guint64(number)) }
            case .int(let number):
                SettingStructure.take(structure, key, GTypes.int) { g_value_set_int($0, gint(clamping: number)) }
            case .bool(let flag):
                SettingStructure.take(structure, key, GTypes.boolean) { g_value_set_boolean($0, flag ? 1 : 0) }
            case .string(let text): Caps.set(structure, key, to: text)
            case .strings(let texts):
                SettingStructure.take(structure, key, gst_value_list_get_type()) { list in
                    for text in texts {
                        var item = GValue()
                        g_value_init(&item, GTypes.string)
                        g_value_set_string(&item, text)
                        gst_value_list_append_and_take_value(list, &item)
                    }
                }
            }
        }
        return structure
    }

    /// All of a structure, to be compared.
    static func text(_ structure: UnsafePointer<GstStructure>) -> String {
        guard let text = gst_structure_to_string(structure) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Appends a structure to a GstValueArray.
    static func append(_ name: String, _ fields: [(String, Value)], to array: UnsafeMutablePointer<GValue>) {
        guard let structure = make(name, fields) else { return }
        var item = GValue()
        g_value_init(&item, gst_structure_get_type())
        g_value_take_boxed(&item, structure)
        gst_value_array_append_and_take_value(array, &item)
    }
}
