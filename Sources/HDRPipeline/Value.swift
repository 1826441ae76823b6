import CGStreamer

/// A type of properties, structure fields and signal arguments: `Bool`, `Int`, `UInt64`, `Double`, `String`,
/// ``Fraction``, ``Structure``, ``Element``, ``Pad``, ``Buffer``, ``Sample``, ``Tags``, ``FileName``, and arrays of
/// these.
public protocol Value {
    /// Reads a GValue; `nil` where it does not hold this type.
    static func read(_ value: UnsafePointer<GValue>) -> Self?
    /// Stores the value in a GValue that already has a type.
    /// - Returns: whether it can be converted to that type.
    func write(to value: UnsafeMutablePointer<GValue>) -> Bool
}

/// A ratio, such as a frame rate.
public struct Fraction: Equatable, Sendable {
    /// The number above the line, in no particular terms.
    public var numerator: Int
    /// The number below the line.
    public var denominator: Int

    /// Makes a ratio of its two numbers, which are not reduced.
    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }
}

/// GLib's fundamental types, whose macros Swift does not see.
enum FundamentalType {
    static let boolean: GType = 5 << 2
    static let int: GType = 6 << 2
    static let int64: GType = 10 << 2
    static let uint64: GType = 11 << 2
    static let double: GType = 15 << 2
    static let string: GType = 16 << 2
}

extension UnsafePointer where Pointee == GValue {
    func holds(_ type: GType) -> Bool { g_type_check_value_holds(self, type) != 0 }

    /// Calls `body` with this value converted to another type; `nil` where GLib cannot convert it.
    func transformed<Result>(to type: GType, _ body: (UnsafePointer<GValue>) -> Result) -> Result? {
        var other = GValue()
        g_value_init(&other, type)
        defer { g_value_unset(&other) }
        return g_value_transform(self, &other) != 0 ? body(&other) : nil
    }
}

/// Calls `body` with a value of a type, and stores the result in `target`.
private func store(
    _ type: GType, in target: UnsafeMutablePointer<GValue>, _ body: (UnsafeMutablePointer<GValue>) -> Void
) -> Bool {
    var value = GValue()
    g_value_init(&value, type)
    defer { g_value_unset(&value) }
    body(&value)
    return g_value_transform(&value, target) != 0
}

extension Bool: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> Bool? {
        value.holds(FundamentalType.boolean) ? g_value_get_boolean(value) != 0 : nil
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        store(FundamentalType.boolean, in: value) { g_value_set_boolean($0, self ? 1 : 0) }
    }
}

extension Int: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> Int? {
        guard !value.holds(FundamentalType.string), !value.holds(FundamentalType.boolean) else { return nil }
        return value.transformed(to: FundamentalType.int64) { Int(g_value_get_int64($0)) }
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        // GLib wraps numbers that are out of range, so the result is compared.
        store(FundamentalType.int64, in: value) { g_value_set_int64($0, gint64(self)) } && Int.read(value) == self
    }
}

extension UInt64: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> UInt64? {
        guard !value.holds(FundamentalType.string), !value.holds(FundamentalType.boolean) else { return nil }
        return value.transformed(to: FundamentalType.uint64) { UInt64(g_value_get_uint64($0)) }
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        store(FundamentalType.uint64, in: value) { g_value_set_uint64($0, guint64(self)) } && UInt64.read(value) == self
    }
}

extension Double: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> Double? {
        guard !value.holds(FundamentalType.string), !value.holds(FundamentalType.boolean) else { return nil }
        return value.transformed(to: FundamentalType.double) { g_value_get_double($0) }
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        // GLib truncates fractions for integer types; single precision counts as exact enough.
        store(FundamentalType.double, in: value) { g_value_set_double($0, self) }
            && Double.read(value).map { $0 == self || abs($0 - self) <= abs(self) / 1_000_000 } ?? false
    }
}

/// Text is read and written in the syntax of launch lines: `playing`, `25/1`, `video/x-raw,width=64`.
extension String: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> String? {
        if value.holds(FundamentalType.string) { return g_value_get_string(value).map { String(cString: $0) } }
        guard let text = gst_value_serialize(value) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        if UnsafePointer(value).holds(FundamentalType.string) {
            g_value_set_string(value, self)
            return true
        }
        // GStreamer's parser of buffers does not handle invalid text.
        guard !UnsafePointer(value).holds(gst_buffer_get_type()) else { return false }
        return gst_value_deserialize(value, self) != 0
    }
}

extension Fraction: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> Fraction? {
        guard value.holds(gst_fraction_get_type()) else { return nil }
        return Fraction(
            Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value)))
    }
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard let numerator = gint(exactly: numerator), let denominator = gint(exactly: denominator), denominator != 0
        else { return false }
        return store(gst_fraction_get_type(), in: value) { gst_value_set_fraction($0, numerator, denominator) }
    }
}

/// GStreamer's arrays and lists.
extension Array: Value where Element: Value {
    public static func read(_ value: UnsafePointer<GValue>) -> [Element]? {
        if let texts = strings(value) as? [Element] { return texts }
        let isArray = value.holds(gst_value_array_get_type())
        guard isArray || value.holds(gst_value_list_get_type()) else { return nil }
        let count = isArray ? gst_value_array_get_size(value) : gst_value_list_get_size(value)
        var items: [Element] = []
        for index in 0..<count {
            let item = isArray ? gst_value_array_get_value(value, index) : gst_value_list_get_value(value, index)
            guard let item, let element = Element.read(item) else { return nil }
            items.append(element)
        }
        return items
    }

    /// The strings of GLib's own string arrays.
    private static func strings(_ value: UnsafePointer<GValue>) -> [String]? {
        guard value.holds(g_strv_get_type()), let list = g_value_get_boxed(value) else { return nil }
        var next = list.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
        var texts: [String] = []
        while let text = next.pointee {
            texts.append(String(cString: text))
            next += 1
        }
        return texts
    }

    /// Appends the items to an empty GStreamer array, whose item type follows from the items.
    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_value_array_get_type()), let type = Self.itemType else { return false }
        for element in self {
            var item = GValue()
            g_value_init(&item, type)
            guard element.write(to: &item) else {
                g_value_unset(&item)
                return false
            }
            gst_value_array_append_and_take_value(value, &item)
        }
        return true
    }

    private static var itemType: GType? {
        switch Element.self {
        case is Bool.Type: FundamentalType.boolean
        case is Int.Type: FundamentalType.int
        case is UInt64.Type: FundamentalType.uint64
        case is Double.Type: FundamentalType.double
        case is String.Type: FundamentalType.string
        case is Fraction.Type: gst_fraction_get_type()
        case is Structure.Type: gst_structure_get_type()
        default: nil
        }
    }
}
