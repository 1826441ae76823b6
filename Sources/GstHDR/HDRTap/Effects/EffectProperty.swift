import CGStreamer
import CGstHDR
import GstBridge

/// A property of an effect.
struct EffectProperty: Sendable {
    enum Kind: Sendable {
        /// A controllable number. Values outside the range reach the effect, which reports them.
        case double(ClosedRange<Double>, default: Double, unit: String)
        case integer(ClosedRange<Int>, default: Int, unit: String)
        /// A time in ns.
        case time(ClosedRange<UInt64>, default: UInt64)
        case bool(default: Bool)
        /// One of several names, each with a description; the type name is the one of the GObject enum.
        case choice([(name: String, summary: String)], default: Int, typeName: String)
        case text(default: String)
        /// An array of doubles; `items` describes them and their number.
        case numbers(items: String)
        /// An array of arrays of doubles of 0 or more; `items` describes their contents.
        case arrays(items: String)
    }

    let name: String
    let nick: String
    let blurb: String
    let kind: Kind

    init(_ name: String, _ nick: String, _ blurb: String, _ kind: Kind) {
        self.name = name
        self.nick = nick
        self.blurb = blurb
        self.kind = kind
    }

    var summary: String {
        func range<Number: CustomStringConvertible>(_ low: Number, _ high: Number, _ unit: String) -> String {
            "\(name) (\(low) to \(high)" + (unit.isEmpty ? ")" : " \(unit))")
        }
        return switch kind {
        case .double(let limits, _, let unit):
            range(Self.text(limits.lowerBound), Self.text(limits.upperBound), unit)
        case .integer(let limits, _, let unit): range(limits.lowerBound, limits.upperBound, unit)
        case .time(let limits, _): range(limits.lowerBound, limits.upperBound, "ns")
        case .bool: "\(name) (boolean)"
        case .choice(let values, _, _): "\(name) (\(values.map(\.name).joined(separator: ", ")))"
        case .text: "\(name) (text)"
        case .numbers(let items), .arrays(let items): "\(name) (array of \(items))"
        }
    }

    /// The text of a number, without a fraction for whole numbers.
    private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    private static var flags: GParamFlags { GParamFlags(Int32(bitPattern: GST_HDR_EFFECT_FLAGS.rawValue)) }

    /// The GParamSpec, floating. Called once for each property.
    func specification() -> UnsafeMutablePointer<GParamSpec>? {
        let flags = Self.flags
        switch kind {
        case .double(let range, let value, _):
            return gst_hdr_param_spec_double(
                name, nick, blurb, range.lowerBound, range.upperBound, value,
                GParamFlags(Int32(bitPattern: GST_HDR_EFFECT_FLAGS_CONTROLLABLE.rawValue)))
        case .integer(let range, let value, _):
            return g_param_spec_int(
                name, nick, blurb, gint(clamping: range.lowerBound), gint(clamping: range.upperBound),
                gint(clamping: value), flags)
        case .time(let range, let value):
            return g_param_spec_uint64(
                name, nick, blurb, guint64(range.lowerBound), guint64(range.upperBound), guint64(value), flags)
        case .bool(let value): return g_param_spec_boolean(name, nick, blurb, value ? 1 : 0, flags)
        case .choice(let values, let value, let typeName):
            let known = g_type_from_name(typeName)
            let type = known != 0 ? known : g_enum_register_static(typeName, EnumValues(values).first)
            gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0))
            return g_param_spec_enum(name, nick, blurb, type, gint(clamping: value), flags)
        case .text(let value): return g_param_spec_string(name, nick, blurb, value, flags)
        case .numbers: return gst_param_spec_array(name, nick, blurb, nil, flags)
        case .arrays(let items):
            let number = g_param_spec_double(
                "number", "Number", "A number", 0, .greatestFiniteMagnitude, 0, flags)
            let item = gst_param_spec_array("item", "Item", items, number, flags)
            return gst_param_spec_array(name, nick, blurb, item, flags)
        }
    }

    /// The description in `supported-effects`.
    func structure() -> Structure.Pointer? {
        var fields: [(String, Structure.Value)]
        switch kind {
        case .double(let range, let value, let unit):
            fields = [
                ("type", .string("double")), ("minimum", .double(range.lowerBound)),
                ("maximum", .double(range.upperBound)), ("default", .double(value)), ("unit", .string(unit)),
                ("controllable", .bool(true)),
            ]
        case .integer(let range, let value, let unit):
            fields = [
                ("type", .string("int")), ("minimum", .int(range.lowerBound)), ("maximum", .int(range.upperBound)),
                ("default", .int(value)), ("unit", .string(unit)),
            ]
        case .time(let range, let value):
            fields = [
                ("type", .string("uint64")), ("minimum", .uint64(range.lowerBound)),
                ("maximum", .uint64(range.upperBound)), ("default", .uint64(value)), ("unit", .string("ns")),
            ]
        case .bool(let value): fields = [("type", .string("boolean")), ("default", .bool(value))]
        case .choice(let values, let value, _):
            fields = [
                ("type", .string("enum")), ("values", .strings(values.map(\.name))),
                ("default", .string(values.indices.contains(value) ? values[value].name : "")),
            ]
        case .text(let value): fields = [("type", .string("string")), ("default", .string(value))]
        case .numbers(let items), .arrays(let items):
            fields = [("type", .string("array")), ("items", .string(items))]
        }
        return Structure.make(name, fields + [("description", .string(blurb))])
    }
}
