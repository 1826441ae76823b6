import CGStreamer
import GstBridge
import HDRExport
import HDRMetadata

/// Export settings as GstStructures.
enum SettingStructure {
    /// The maximum depth of nested settings; deeper nesting is refused.
    private static let deepest = 4

    /// Reads a structure's fields. Values of other types are read as their text.
    static func settings(_ structure: UnsafePointer<GstStructure>, depth: Int = 0) -> [Setting] {
        (0..<guint(max(0, gst_structure_n_fields(structure)))).compactMap { index in
            guard let name = gst_structure_nth_field_name(structure, index),
                let value = gst_structure_get_value(structure, name)
            else { return nil }
            return Setting(String(cString: name), self.value(value, depth))
        }
    }

    private static func value(_ value: UnsafePointer<GValue>, _ depth: Int) -> SettingValue {
        func holds(_ type: GType) -> Bool { value.holds(type) }
        if holds(GTypes.string) { return .string(g_value_get_string(value).map { String(cString: $0) } ?? "") }
        if holds(GTypes.int) { return .int(Int(g_value_get_int(value))) }
        if holds(GTypes.uint) { return .int(Int(g_value_get_uint(value))) }
        if holds(GTypes.int64) { return .int(Int(g_value_get_int64(value))) }
        if holds(GTypes.uint64) { return .int(Int(clamping: g_value_get_uint64(value))) }
        if holds(GTypes.double) { return .double(g_value_get_double(value)) }
        if holds(GTypes.float) { return .double(Double(g_value_get_float(value))) }
        if holds(GTypes.boolean) { return .bool(g_value_get_boolean(value) != 0) }
        if holds(gst_fraction_get_type()) {
            return .fraction(
                Fraction(
                    Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value))))
        }
        if holds(gst_structure_get_type()), depth < deepest, let inner = gst_value_get_structure(value) {
            return .nested(settings(inner, depth: depth + 1))
        }
        guard let text = gst_value_serialize(value) else { return .string("") }
        defer { g_free(text) }
        return .string(String(cString: text))
    }

    /// A new structure, which the caller owns.
    static func make(_ name: String, _ settings: [Setting]) -> Structure.Pointer? {
        Structure.make(name, settings.map { ($0.key, field($0)) })
    }

    private static func field(_ setting: Setting) -> Structure.Value {
        switch setting.value {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .fraction(let fraction): .fraction(fraction.numerator, fraction.denominator)
        case .nested(let settings): .structure(make(setting.key, settings))
        }
    }

    /// The settings that a preset allows, for the signal `supported-settings`: a structure for each key.
    static func make(_ name: String, _ descriptions: [SettingDescription]) -> UnsafeMutablePointer<GstStructure>? {
        guard let structure = gst_structure_new_empty(name) else { return nil }
        for description in descriptions {
            guard let inner = make(description.key, description.children) else { continue }
            Structure.set(inner, "type", .string(description.type.rawValue))
            if let range = description.range {
                Structure.set(inner, "minimum", .double(range.lowerBound))
                Structure.set(inner, "maximum", .double(range.upperBound))
            }
            if !description.values.isEmpty { Structure.set(inner, "values", .strings(description.values)) }
            Structure.set(inner, "meaning", .string(description.meaning))
            Structure.set(structure, description.key, .structure(inner))
        }
        return structure
    }
}
