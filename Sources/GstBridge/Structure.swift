import CGStreamer

/// Builds GstStructures for properties and messages.
package enum Structure {
    package typealias Pointer = UnsafeMutablePointer<GstStructure>

    /// The value of a field.
    package enum Value {
        case bool(Bool)
        /// A 32-bit integer; larger numbers are clamped.
        case int(Int)
        case uint64(UInt64)
        case double(Double)
        case fraction(Int, Int)
        case string(String)
        /// A list of strings.
        case strings([String])
        /// An array of strings.
        case texts([String])
        /// An array of doubles.
        case doubles([Double])
        /// An array of unsigned integers.
        case counts([UInt32])
        /// A structure inside this one; ownership is taken. The field is left out where it is `nil`.
        case structure(Pointer?)
    }

    /// A new structure, which the caller owns.
    package static func make(_ name: String, _ fields: [(String, Value)] = []) -> Pointer? {
        guard let structure = gst_structure_new_empty(name) else { return nil }
        for (key, value) in fields { set(structure, key, value) }
        return structure
    }

    package static func set(_ structure: Pointer, _ key: String, _ value: Value) {
        switch value {
        case .bool(let flag): take(structure, key, GTypes.boolean) { g_value_set_boolean($0, flag ? 1 : 0) }
        case .int(let number): take(structure, key, GTypes.int) { g_value_set_int($0, gint(clamping: number)) }
        case .uint64(let number): take(structure, key, GTypes.uint64) { g_value_set_uint64($0, guint64(number)) }
        case .double(let number): take(structure, key, GTypes.double) { g_value_set_double($0, number) }
        case .fraction(let numerator, let denominator):
            take(structure, key, gst_fraction_get_type()) {
                gst_value_set_fraction($0, gint(clamping: numerator), gint(clamping: denominator))
            }
        case .string(let text): take(structure, key, GTypes.string) { g_value_set_string($0, text) }
        case .strings(let texts):
            take(structure, key, gst_value_list_get_type()) { list in
                for text in texts {
                    var item = GValue()
                    g_value_init(&item, GTypes.string)
                    g_value_set_string(&item, text)
                    gst_value_list_append_and_take_value(list, &item)
                }
            }
        case .texts(let texts):
            take(structure, key, gst_value_array_get_type()) { array in
                for text in texts {
                    var item = GValue()
                    g_value_init(&item, GTypes.string)
                    g_value_set_string(&item, text)
                    gst_value_array_append_and_take_value(array, &item)
                }
            }
        case .doubles(let numbers):
            var array = ValueArray.of(numbers)
            gst_structure_take_value(structure, key, &array)
        case .counts(let numbers):
            take(structure, key, gst_value_array_get_type()) { array in
                for number in numbers {
                    var item = GValue()
                    g_value_init(&item, GTypes.uint)
                    g_value_set_uint(&item, number)
                    gst_value_array_append_and_take_value(array, &item)
                }
            }
        case .structure(let inner):
            guard let inner else { return }
            take(structure, key, gst_structure_get_type()) { g_value_take_boxed($0, inner) }
        }
    }

    /// Sets a field to a value of a type; `fill` sets the value.
    package static func take(
        _ structure: Pointer, _ key: String, _ type: GType, _ fill: (UnsafeMutablePointer<GValue>) -> Void
    ) {
        var value = GValue()
        g_value_init(&value, type)
        fill(&value)
        gst_structure_take_value(structure, key, &value)
    }

    /// The whole structure as text, as GStreamer serializes it.
    package static func text(_ structure: UnsafePointer<GstStructure>) -> String {
        guard let text = gst_structure_to_string(structure) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
