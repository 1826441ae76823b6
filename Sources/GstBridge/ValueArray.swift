import CGStreamer

/// Conversions of GstValueArrays.
package enum ValueArray {
    /// An array of doubles, which the caller owns.
    package static func of(_ numbers: [Double]) -> GValue {
        var array = GValue()
        g_value_init(&array, gst_value_array_get_type())
        for number in numbers {
            var value = GValue()
            g_value_init(&value, GTypes.double)
            g_value_set_double(&value, number)
            gst_value_array_append_and_take_value(&array, &value)
        }
        return array
    }

    /// The numbers of an array of doubles. An item of another type counts as NaN, and a value that is not an array as
    /// empty.
    package static func doubles(_ array: UnsafePointer<GValue>) -> [Double] {
        guard array.holds(gst_value_array_get_type()) else { return [] }
        return (0..<gst_value_array_get_size(array)).map { index in
            guard let value = gst_value_array_get_value(array, index), value.holds(GTypes.double) else { return .nan }
            return g_value_get_double(value)
        }
    }

    /// The numbers of an array whose items may have any numeric type, such as the whole numbers of a launch line. Other
    /// items count as NaN, and a value that is not an array as empty.
    package static func numbers(_ array: UnsafePointer<GValue>) -> [Double] {
        guard array.holds(gst_value_array_get_type()) else { return [] }
        return (0..<gst_value_array_get_size(array)).map { index in
            var number = GValue()
            g_value_init(&number, GTypes.double)
            defer { g_value_unset(&number) }
            guard let value = gst_value_array_get_value(array, index), g_value_transform(value, &number) != 0 else {
                return .nan
            }
            return g_value_get_double(&number)
        }
    }

    /// Appends a structure, and takes ownership of it.
    package static func append(_ structure: Structure.Pointer?, to array: UnsafeMutablePointer<GValue>) {
        guard let structure else { return }
        var item = GValue()
        g_value_init(&item, gst_structure_get_type())
        g_value_take_boxed(&item, structure)
        gst_value_array_append_and_take_value(array, &item)
    }
}
