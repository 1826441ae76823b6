import CGStreamer
import GstBridge
import HDRExport
import HDRMetadata

/// Export settings as GstStructures.
enum SettingStructure {
    /// No settings nest deeper; what does is refused where it is read.
    private static let deepest = 4

    /// Reads a structure's fields; values of types that no setting has become their text.
    static func settings(_ structure: UnsafePointer<GstStructure>, depth: Int = 0) -> [Setting] {
        (0..<guint(max(0, gst_structure_n_fields(structure)))).compactMap { index in
            guard let name = gst_structure_nth_field_name(structure, index),
                let value = gst_structure_get_value(structure, name)
            else { return nil }
            return Setting(String(cString: name), self.value(value, depth))
        }
    }

    private static func value(_ value: UnsafePointer<GValue>, _ depth: Int) -> SettingValue {
        func holds(_ type: GType) -> Bool { g_type_check_value_holds(value, type) != 0 }
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
    static func make(_ name: String, _ settings: [Setting]) -> UnsafeMutablePointer<GstStructure>? {
        guard let structure = gst_structure_new_empty(name) else { return nil }
        for setting in settings { set(structure, setting.key, setting.value) }
        return structure
    }

    private static func set(
        _ structure: UnsafeMutablePointer<GstStructure>, _ key: String, _ value: SettingValue
    ) {
        switch value {
        case .string(let text): Caps.set(structure, key, to: text)
        case .int(let number):
            take(structure, key, GTypes.int) { g_value_set_int($0, gint(clamping: number)) }
        case .double(let number): take(structure, key, GTypes.double) { g_value_set_double($0, number) }
        case .bool(let flag): take(structure, key, GTypes.boolean) { g_value_set_boolean($0, flag ? 1 : 0) }
        case .fraction(let fraction):
            take(structure, key, gst_fraction_get_type()) {
                gst_value_set_fraction($0, gint(clamping: fraction.numerator), gint(clamping: fraction.denominator))
            }
        case .nested(let settings):
            guard let inner = make(key, settings) else { return }
            take(structure, key, gst_structure_get_type()) { g_value_take_boxed($0, inner) }
        }
    }

    static func take(
        _ structure: UnsafeMutablePointer<GstStructure>, _ key: String, _ type: GType,
        _ fill: (UnsafeMutablePointer<GValue>) -> Void
    ) {
        var value = GValue()
        g_value_init(&value, type)
        fill(&value)
        gst_structure_take_value(structure, key, &value)
    }

    /// What a preset or settings may say, for the signal `supported-settings`: a structure for each key.
    static func make(_ name: String, _ descriptions: [SettingDescription]) -> UnsafeMutablePointer<GstStructure>? {
        guard let structure = gst_structure_new_empty(name) else { return nil }
        for description in descriptions {
            guard let inner = make(description.key, description.children) else { continue }
            Caps.set(inner, "type", to: description.type.rawValue)
            if let range = description.range {
                take(inner, "minimum", GTypes.double) { g_value_set_double($0, range.lowerBound) }
                take(inner, "maximum", GTypes.double) { g_value_set_double($0, range.upperBound) }
            }
            if !description.values.isEmpty { Caps.set(inner, "values", to: description.values) }
            Caps.set(inner, "meaning", to: description.meaning)
            take(structure, description.key, gst_structure_get_type()) { g_value_take_boxed($0, inner) }
        }
        return structure
    }
}

/// G_TYPE_..., macros in C.
enum GTypes {
    static let boolean = GType(5 << 2)
    static let int = GType(6 << 2)
    static let uint = GType(7 << 2)
    static let int64 = GType(10 << 2)
    static let uint64 = GType(11 << 2)
    static let float = GType(14 << 2)
    static let double = GType(15 << 2)
    static let string = GType(16 << 2)
}
