import CGStreamer

/// GstValueArray of doubles.
public enum ValueArray {
    /// G_TYPE_DOUBLE, a macro in C.
    private static let doubleType = GType(15 << 2)

    /// A value that the caller owns.
    public static func of(_ numbers: [Double]) -> GValue {
        var array = GValue()
        g_value_init(&array, gst_value_array_get_type())
        for number in numbers {
            var value = GValue()
            g_value_init(&value, doubleType)
            g_value_set_double(&value, number)
            gst_value_array_append_and_take_value(&array, &value)
        }
        return array
    }

    /// The numbers of an array; what is no double counts as NaN.
    public static func doubles(_ array: UnsafePointer<GValue>) -> [Double] {
        guard g_type_check_value_holds(array, gst_value_array_get_type()) != 0 else { return [] }
        return (0..<gst_value_array_get_size(array)).map { index in
            guard let value = gst_value_array_get_value(array, index), g_type_check_value_holds(value, doubleType) != 0
            else { return .nan }
            return g_value_get_double(value)
        }
    }
}
