import CGStreamer
import CGstHDR
import GstBridge

/// The Swift half of an effect: the child object's properties.
typealias Effect = EffectObject & EffectBehavior
/// An effect on audio, and the processors made from it.
typealias AudioEffect = EffectObject & AudioEffectBehavior

/// The requirements of every effect.
protocol EffectBehavior: AnyObject {
    /// Sets a property. Called from any thread.
    func set(_ property: String, _ value: UnsafePointer<GValue>)
    /// Reads a property. Called from any thread.
    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>)
}

/// The requirements of every effect on audio.
protocol AudioEffectBehavior: EffectBehavior {
    /// A new processor with the present settings of the effect.
    func makeProcessor() -> EffectProcessor
}

/// A processor that consists of effects.
protocol EffectChain: TapProcessor {
    /// Whether it consists of these effects, in this order.
    func isOf(_ effects: [Effect]) -> Bool
}

/// The common part of all effects: the GObject, and access to the element that the effect is in.
class EffectObject: ShimObject, @unchecked Sendable {
    /// The GObject that owns this object; never retained.
    let object: UnsafeMutablePointer<GstHdrEffect>

    init(_ object: UnsafeMutablePointer<GstHdrEffect>) { self.object = object }

    /// A new effect by name, floating; `nil` for an unknown name.
    /// - Parameter child: the name of the object.
    static func make(_ name: String, child: String) -> UnsafeMutablePointer<GstHdrEffect>? {
        guard let number = EffectKind.all.firstIndex(where: { $0.name == name }) else { return nil }
        return gst_hdr_effect_new(EffectKind.all[number].typeName, child, guint(number))
    }

    /// The effect of an object; `nil` before it has one.
    static func of(_ object: UnsafeMutablePointer<GstHdrEffect>) -> Effect? {
        guard let impl = object.pointee.impl else { return nil }
        return Unmanaged<EffectObject>.fromOpaque(impl).takeUnretainedValue() as? Effect
    }

    /// The name of the object among the element's children.
    var childName: String {
        let name = gst_object_get_name(object.asGstObject)
        defer { g_free(name) }
        return name.map { String(cString: $0) } ?? "effect"
    }

    // MARK: The element that the effect is in

    /// The element that the effect is in; the caller owns the reference.
    private var parent: UnsafeMutablePointer<GstObject>? { gst_object_get_parent(object.asGstObject) }

    private func withElement(_ body: (HDRTap) -> Void) {
        guard let parent else { return }
        defer { gst_object_unref(parent) }
        if let impl = parent.cast(to: GstHdrTap.self).pointee.impl { HDRTap.with(impl, body) }
    }

    /// Sets controlled properties of the effect to their values at a time.
    /// - Parameter time: stream time in ns.
    func sync(at time: UInt64) { Self.sync(object.asGstObject, at: time) }

    /// Sets controlled properties of the element to their values at a time, which are those of all its effects.
    /// - Parameter time: stream time in ns.
    func syncElement(at time: UInt64) {
        guard let parent else { return }
        defer { gst_object_unref(parent) }
        Self.sync(parent, at: time)
    }

    /// Whether a controller sets properties of this effect, or of the element.
    var isControlled: Bool {
        if gst_object_has_active_control_bindings(object.asGstObject) != 0 { return true }
        guard let parent else { return false }
        defer { gst_object_unref(parent) }
        return gst_object_has_active_control_bindings(parent) != 0
    }

    private static func sync(_ object: UnsafeMutablePointer<GstObject>, at time: UInt64) {
        guard gst_object_has_active_control_bindings(object) != 0 else { return }
        gst_object_sync_values(object, GstClockTime(time))
    }

    /// What controls a property, or the element's property of the same parameter; the caller owns the reference.
    /// - Parameter name: the property's name in the effect, and in the element.
    func binding(_ name: (effect: String, element: String)) -> UnsafeMutablePointer<GstControlBinding>? {
        if let own = gst_object_get_control_binding(object.asGstObject, name.effect) { return own }
        guard let parent else { return nil }
        defer { gst_object_unref(parent) }
        guard let binding = gst_object_get_control_binding(parent, name.element) else { return nil }
        var isFirst = false
        withElement { isFirst = $0.isFirst(object) }
        if isFirst { return binding }
        gst_object_unref(binding)
        return nil
    }

    /// Makes the element report that a property's value cannot be used.
    func complain(_ text: String) { withElement { $0.complain(text) } }

    /// Posts a message of the element. Takes the structure over.
    func post(_ structure: Structure.Pointer?) {
        guard let structure else { return }
        guard let parent else { return gst_structure_free(structure) }
        defer { gst_object_unref(parent) }
        gst_element_post_message(parent.asGstElement, gst_message_new_element(parent, structure))
    }

    /// A number that a property was set to, clamped to its range; `nil` for NaN. The element reports both cases.
    func number(_ value: UnsafePointer<GValue>, of property: String, _ effect: String, in range: ClosedRange<Double>)
        -> Double?
    {
        let number = g_value_get_double(value)
        guard !number.isNaN else {
            complain("The property \(property) of the effect \(effect) was set to \(number): set it to a number")
            return nil
        }
        let taken = min(max(number, range.lowerBound), range.upperBound)
        let note =
            taken == number
            ? nil
            : "The property \(property) of the effect \(effect) was set to \(number): it goes from "
                + "\(range.lowerBound) to \(range.upperBound), and \(taken) is taken"
        withElement { $0.advise("\(childName)::\(property)", note) }
        return taken
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_effect_new(_ object: UnsafeMutablePointer<GstHdrEffect>!, _ number: guint) -> gpointer! {
    // Only `EffectObject.make` makes effects, with valid indices into the list.
    EffectKind.all[Int(number)].make(object).impl
}

@c @implementation
func hdr_effect_free(_ impl: gpointer!) {
    EffectObject.free(impl)
}

@c @implementation
func hdr_effect_set_property(_ impl: gpointer!, _ name: UnsafePointer<gchar>!, _ value: UnsafePointer<GValue>!) {
    EffectObject.with(impl) { ($0 as? Effect)?.set(String(cString: name), value) }
}

@c @implementation
func hdr_effect_get_property(
    _ impl: gpointer!, _ name: UnsafePointer<gchar>!, _ value: UnsafeMutablePointer<GValue>!
) {
    EffectObject.with(impl) { ($0 as? Effect)?.get(String(cString: name), value) }
}
