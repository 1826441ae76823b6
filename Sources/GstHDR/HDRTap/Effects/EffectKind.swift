import CGStreamer
import CGstHDR
import GstBridge

/// What is known of an effect before there is one: its name, its properties and its action signals.
///
/// The element's property `effect`, the type that GObject knows, and error texts follow from it. A new effect is a file
/// that describes it and a line in ``all``.
struct EffectKind: Sendable {
    /// All effects.
    static let all: [EffectKind] = [
        BandPassEffect.kind, GainEffect.kind, MeterEffect.kind, WaveformEffect.kind,
    ]

    /// The name that users type.
    let name: String
    /// The name of the GObject type.
    let typeName: String
    let properties: [EffectProperty]
    var actions: [EffectAction] = []
    /// The name of the element messages that the effect posts.
    var message: String?
    let make: @Sendable (UnsafeMutablePointer<GstHdrEffect>) -> Effect

    /// The description of the element's property `effect`, in memory that is never freed.
    nonisolated(unsafe) static let blurb: UnsafePointer<gchar>? = {
        let text =
            "The built-in effect, whose own properties and action signals are those of the child \"effect\" "
            + "(effect::NAME=VALUE on a launch line). " + all.map { $0.summary + ". " }.joined()
            + "Attached callbacks and emit-signals take its place"
        return UnsafePointer(g_strdup(text))
    }()

    private var summary: String {
        var text = "\(name): " + properties.map(\.summary).joined(separator: ", ")
        if !actions.isEmpty {
            text += "; " + (actions.count == 1 ? "signal " : "signals ")
            text += actions.map(\.summary).joined(separator: ", ")
        }
        if let message { text += "; element messages \"\(message)\"" }
        return text
    }
}

/// A property of an effect.
struct EffectProperty: Sendable {
    enum Kind: Sendable {
        /// Controllable. Values outside the range reach the effect, which reports them.
        case double(ClosedRange<Double>, default: Double, unit: String)
        /// In ns.
        case time(ClosedRange<UInt64>, default: UInt64)
        case bool(default: Bool)
        /// An array of arrays of doubles of 0 or more; the text says what these hold.
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
        switch kind {
        case .double(let range, _, let unit):
            "\(name) (\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
                + (unit.isEmpty ? ")" : " \(unit))")
        case .time(let range, _): "\(name) (\(range.lowerBound) to \(range.upperBound) ns)"
        case .bool: "\(name) (boolean)"
        case .arrays(let items): "\(name) (array of \(items))"
        }
    }

    /// Whole numbers without a fraction.
    private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    /// The GParamSpec, floating.
    func specification() -> UnsafeMutablePointer<GParamSpec>? {
        let flags = GParamFlags(Int32(bitPattern: GST_HDR_EFFECT_FLAGS.rawValue))
        switch kind {
        case .double(let range, let value, _):
            return gst_hdr_param_spec_double(
                name, nick, blurb, range.lowerBound, range.upperBound, value,
                GParamFlags(Int32(bitPattern: GST_HDR_EFFECT_FLAGS_CONTROLLABLE.rawValue)))
        case .time(let range, let value):
            return g_param_spec_uint64(
                name, nick, blurb, guint64(range.lowerBound), guint64(range.upperBound), guint64(value), flags)
        case .bool(let value): return g_param_spec_boolean(name, nick, blurb, value ? 1 : 0, flags)
        case .arrays(let items):
            let number = g_param_spec_double(
                "number", "Number", "A number", 0, .greatestFiniteMagnitude, 0, flags)
            let item = gst_param_spec_array("item", "Item", items, number, flags)
            return gst_param_spec_array(name, nick, blurb, item, flags)
        }
    }
}

/// An action signal of an effect.
struct EffectAction: Sendable {
    /// The C type of an argument.
    enum Argument: Sendable {
        case double, uint
        /// In ns.
        case time

        var type: GType {
            switch self {
            case .double: GTypes.double
            case .time: GTypes.uint64
            case .uint: GTypes.uint
            }
        }

        var name: String {
            switch self {
            case .double: "double"
            case .time: "guint64"
            case .uint: "guint"
            }
        }
    }

    let name: String
    let arguments: [(name: String, type: Argument)]
    /// Whether it returns a GstSample, which the caller owns, or NULL.
    var givesSample = false
    /// What the signal does. The arguments have the types above.
    let body: @Sendable (Effect, UnsafePointer<GValue>) -> OpaquePointer?

    var summary: String {
        let list = arguments.map { "\($0.type.name) \($0.name)" + ($0.type == .time ? " in ns" : "") }.joined(
            separator: ", ")
        return "\(name) (\(list))" + (givesSample ? ", which gives a GstSample" : "")
    }

    /// Adds the signal to an effect's type.
    /// - Parameter action: this action, in memory that is never freed.
    static func install(_ action: UnsafeMutablePointer<EffectAction>, _ type: GType) {
        guard let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), action) else { return }
        g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
            guard let action = closure?.pointee.data?.assumingMemoryBound(to: EffectAction.self).pointee, let values,
                Int(count) == action.arguments.count + 1,
                let object = g_value_get_object(values)?.assumingMemoryBound(to: GstHdrEffect.self),
                let effect = EffectObject.of(object)
            else { return }
            let sample = action.body(effect, values + 1)
            if action.givesSample, let result { g_value_take_boxed(result, sample.map { UnsafeRawPointer($0) }) }
        }
        var types = action.pointee.arguments.map(\.type.type)
        let flags = GSignalFlags(G_SIGNAL_RUN_LAST.rawValue | G_SIGNAL_ACTION.rawValue)
        g_signal_newv(
            action.pointee.name, type, flags, closure, nil, nil, nil,
            action.pointee.givesSample ? gst_sample_get_type() : GTypes.none, guint(types.count), &types)
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_effect_class_init(_ klass: UnsafeMutablePointer<GObjectClass>!, _ number: guint) {
    guard EffectKind.all.indices.contains(Int(number)) else { return }
    let kind = EffectKind.all[Int(number)]
    for (index, property) in kind.properties.enumerated() {
        g_object_class_install_property(klass, guint(index + 1), property.specification())
    }
    for action in kind.actions {
        let kept = UnsafeMutablePointer<EffectAction>.allocate(capacity: 1)
        kept.initialize(to: action)
        EffectAction.install(kept, klass.pointee.g_type_class.g_type)
    }
}
