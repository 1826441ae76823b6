import CGStreamer

/// Named fields of a message, a property or caps.
public final class Structure: Value, CustomStringConvertible, @unchecked Sendable {
    /// GStreamer's structure, which this object owns and never changes.
    private let pointer: UnsafeMutablePointer<GstStructure>

    /// Takes ownership of a structure.
    init(taking pointer: UnsafeMutablePointer<GstStructure>) { self.pointer = pointer }

    init?(copying pointer: UnsafePointer<GstStructure>?) {
        guard let pointer, let copy = gst_structure_copy(pointer) else { return nil }
        self.pointer = copy
    }

    /// Parses a structure from text: `view,x=0.5,mask=ellipse`.
    public init(_ text: String) throws(PipelineError) {
        Library.start
        guard let pointer = gst_structure_new_from_string(text) else {
            throw PipelineError("\"\(text)\" is no structure: it has a name, and fields as name=value after commas")
        }
        self.pointer = pointer
    }

    deinit { gst_structure_free(pointer) }

    /// The name of the structure, which for caps is the media type, such as `video/x-raw`.
    public var name: String { gst_structure_get_name(pointer).map { String(cString: $0) } ?? "" }

    /// The names of the fields, in their order.
    public var fields: [String] {
        (0..<gst_structure_n_fields(pointer)).compactMap { index in
            gst_structure_nth_field_name(pointer, guint(index)).map { String(cString: $0) }
        }
    }

    /// The value of a field; `nil` where there is none of that name and type.
    public subscript<T: Value>(field: String, as type: T.Type = T.self) -> T? {
        gst_structure_get_value(pointer, field).flatMap { T.read($0) }
    }

    /// A copy that the caller owns; `nil` when out of memory.
    func copy() -> UnsafeMutablePointer<GstStructure>? { gst_structure_copy(pointer) }

    /// A field in the syntax of launch lines, with its type: `(int)1920`; `nil` where there is none of that name.
    public func typed(_ field: String) -> String? {
        guard let value = gst_structure_get_value(pointer, field), let text = gst_value_serialize(value) else {
            return nil
        }
        defer { g_free(text) }
        let type = g_type_name(value.pointee.g_type).map { String(cString: $0) } ?? ""
        let names = [
            "gint": "int", "gchararray": "string", "GstFraction": "fraction", "gboolean": "boolean",
            "GstBitmask": "bitmask", "guint": "uint", "gdouble": "double",
        ]
        return "(\(names[type] ?? type))\(String(cString: text))"
    }

    public var description: String {
        guard let text = gst_structure_to_string(pointer) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    public static func read(_ value: UnsafePointer<GValue>) -> Structure? {
        if value.holds(gst_caps_get_type()) {
            return gst_value_get_caps(value).flatMap { Structure(copying: gst_caps_get_structure($0, 0)) }
        }
        return value.holds(gst_structure_get_type()) ? Structure(copying: gst_value_get_structure(value)) : nil
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_structure_get_type()) else { return String(description).write(to: value) }
        gst_value_set_structure(value, pointer)
        return true
    }
}
