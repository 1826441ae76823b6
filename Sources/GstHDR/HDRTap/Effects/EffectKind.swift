import CGStreamer
import CGstHDR
import GstBridge

/// The description of an effect: its name, its properties and its action signals.
///
/// The element's property `effect`, the GObject type, the answer to `supported-effects` and error texts are derived
/// from it. A new effect is a file that describes it and a line in ``all``.
struct EffectKind: Sendable {
    /// All effects.
    static let all: [EffectKind] =
        [BandPassEffect.kind, GainEffect.kind, MeterEffect.kind, WaveformEffect.kind] + VideoEffects.kinds

    enum Media: String, Sendable {
        case audio, video
    }

    /// The name that users type.
    let name: String
    var media = Media.audio
    /// Whether it is correct for light above reference white; meaningless for audio.
    var isHDRCapable = true
    /// The name of the GObject type.
    let typeName: String
    let properties: [EffectProperty]
    var actions: [EffectAction] = []
    /// Whether it makes pixels transparent, so that frames need alpha.
    var addsAlpha = false
    /// The name of the element messages that the effect posts.
    var message: String?
    let make: @Sendable (UnsafeMutablePointer<GstHdrEffect>) -> Effect

    /// The description of the element's property `effect`, in memory that is never freed.
    nonisolated(unsafe) static let blurb: UnsafePointer<gchar>? = {
        let text =
            "Built-in effect, or several separated by commas, which act in turn. Their properties and action signals "
            + "are those of the children \"effect_0\", \"effect_1\" and so on, of which the first is also \"effect\" "
            + "(effect::NAME=VALUE on a launch line). For sound: " + list(.audio) + "For video: " + list(.video)
            + "None acts while callbacks are attached or emit-signals is TRUE"
        return UnsafePointer(g_strdup(text))
    }()

    /// All effects with their parameters, for the signal `supported-effects`. The caller owns it.
    static func structure() -> Structure.Pointer? {
        let fields = all.map { kind -> (String, Structure.Value) in
            let parameters = kind.properties.map { ($0.name, Structure.Value.structure($0.structure())) }
            let own: [(String, Structure.Value)] = [
                ("media", .string(kind.media.rawValue)), ("high-dynamic-range", .bool(kind.isHDRCapable)),
                ("parameters", .structure(Structure.make("parameters", parameters))),
            ]
            return (kind.name, .structure(Structure.make(kind.name, own)))
        }
        return Structure.make("supported-effects", fields)
    }

    private static func list(_ media: Media) -> String {
        all.filter { $0.media == media }.map { $0.summary + ". " }.joined()
    }

    private var summary: String {
        var text = properties.isEmpty ? name : "\(name): " + properties.map(\.summary).joined(separator: ", ")
        if !actions.isEmpty {
            text += "; " + (actions.count == 1 ? "signal " : "signals ")
            text += actions.map(\.summary).joined(separator: ", ")
        }
        if let message { text += "; element messages \"\(message)\"" }
        return text
    }
}

/// An action signal of an effect.
struct EffectAction: Sendable {
    /// The C type of an argument.
    enum Argument: Sendable {
        case double, uint
        /// A time in ns.
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
    /// The action of the signal. The arguments have the types above.
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
