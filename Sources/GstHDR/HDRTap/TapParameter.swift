import CGStreamer
import CGstHDR
import GstBridge

/// A controllable number of an effect as a property of the element: `exposure-stops` is `stops` of the first effect
/// `exposure` of the chain. GES and programs like it list, control and save the properties of elements, not those of
/// their children.
struct TapParameter: Sendable {
    static let all: [TapParameter] = EffectKind.all.enumerated().flatMap { number, kind in
        kind.properties.compactMap { property in
            guard case .double(_, let standard, _) = property.kind else { return nil }
            return TapParameter(effect: number, property: property, standard: standard)
        }
    }

    /// The effect's index in ``EffectKind/all``.
    let effect: Int
    let property: EffectProperty
    /// The default.
    let standard: Double

    var kind: EffectKind { EffectKind.all[effect] }
    var name: String { Self.name(kind.name, property.name) }

    static func name(_ effect: String, _ property: String) -> String { "\(effect)-\(property)" }

    /// The parameter of an element's property.
    init?(_ id: GstHdrTapProp) {
        let index = Int(id.rawValue) - Int(GST_HDR_TAP_PROP_FIRST_PARAMETER.rawValue)
        guard Self.all.indices.contains(index) else { return nil }
        self = Self.all[index]
    }

    private init(effect: Int, property: EffectProperty, standard: Double) {
        (self.effect, self.property, self.standard) = (effect, property, standard)
    }

    /// The GParamSpec of the element's property, floating.
    func specification() -> UnsafeMutablePointer<GParamSpec>? {
        EffectProperty(
            name, "\(kind.name): \(property.nick)", "Of the first effect \(kind.name) of the chain: \(property.blurb)",
            property.kind
        ).specification()
    }

    func isOf(_ object: UnsafeMutablePointer<GstHdrEffect>) -> Bool { gst_hdr_effect_number(object) == effect }

    func set(_ object: UnsafeMutablePointer<GstHdrEffect>, to number: Double) {
        gst_hdr_effect_set_double(object, property.name, number)
    }
}

extension HDRTap {
    func setParameter(_ parameter: TapParameter, to number: Double) {
        let effect = settings.withLock { settings in
            settings.parameters[parameter.name] = number
            return Self.effect(of: parameter, settings)
        }
        guard let effect else { return }
        parameter.set(effect, to: number)
        gst_object_unref(effect)
    }

    /// The value in the effect, or what it will be where such an effect comes into the chain.
    func number(of parameter: TapParameter) -> Double {
        let (effect, own) = settings.withLock { settings in
            (Self.effect(of: parameter, settings), settings.parameters[parameter.name] ?? parameter.standard)
        }
        guard let effect else { return own }
        defer { gst_object_unref(effect) }
        return gst_hdr_effect_get_double(effect, parameter.property.name)
    }

    /// Gives new effects the values that the element's properties have been set to.
    func setParameters(of effects: [UnsafeMutablePointer<GstHdrEffect>]) {
        let numbers = settings.current.parameters
        for parameter in TapParameter.all {
            guard let number = numbers[parameter.name] else { continue }
            if let effect = effects.first(where: parameter.isOf) { parameter.set(effect, to: number) }
        }
    }

    /// Why a property of the element that has been set acts on nothing; `nil` where all act.
    var idleParameter: String? {
        let settings = settings.current
        guard let name = settings.effectName else { return nil }
        let idle = TapParameter.all.first { parameter in
            // Project files of GES set every property, so only a value other than the default counts as set.
            let number = settings.parameters[parameter.name] ?? parameter.standard
            return number != parameter.standard && !settings.effects.contains(where: parameter.isOf)
        }
        return idle.map { "\($0.name) is set, and effect=\(name) has no \($0.kind.name): add it to the chain" }
    }

    /// Whether an effect is the first of its name in the chain.
    func isFirst(_ object: UnsafeMutablePointer<GstHdrEffect>) -> Bool {
        let number = gst_hdr_effect_number(object)
        return settings.withLock { $0.effects.first { gst_hdr_effect_number($0) == number } == object }
    }

    /// The effect that has a parameter; the caller owns the reference.
    private static func effect(of parameter: TapParameter, _ settings: Settings) -> UnsafeMutablePointer<GstHdrEffect>?
    {
        guard let effect = settings.effects.first(where: parameter.isOf) else { return nil }
        gst_object_ref(effect)
        return effect
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_tap_install_parameters(_ klass: UnsafeMutablePointer<GObjectClass>!) {
    for (index, parameter) in TapParameter.all.enumerated() {
        g_object_class_install_property(
            klass, GST_HDR_TAP_PROP_FIRST_PARAMETER.rawValue + guint(index), parameter.specification())
    }
}
