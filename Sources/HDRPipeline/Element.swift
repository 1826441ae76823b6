import CGStreamer
import HDRMetadata

/// An element of a pipeline, or an object that an element has made. May be used on any thread.
public final class Element: Value, Hashable, @unchecked Sendable {
    /// The GObject; a reference is owned by this object.
    let object: UnsafeMutablePointer<GObject>

    init(retaining object: UnsafeMutablePointer<GObject>) {
        g_object_ref(object)
        self.object = object
    }

    deinit { g_object_unref(object) }

    /// The element for GStreamer's own functions; valid for the lifetime of this object.
    public var pointer: UnsafeMutablePointer<GstElement> {
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self)
    }

    var isElement: Bool { g_type_check_instance_is_a(instance, gst_element_get_type()) != 0 }

    private var instance: UnsafeMutablePointer<GTypeInstance> {
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self)
    }

    private var type: GType { object.pointee.g_type_instance.g_class.pointee.g_type }

    /// Its name in the pipeline, or the name of its type.
    public var name: String {
        guard g_type_check_instance_is_a(instance, gst_object_get_type()) != 0,
            let text = gst_object_get_name(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstObject.self))
        else { return g_type_name(type).map { String(cString: $0) } ?? "object" }
        defer { g_free(text) }
        return String(cString: text)
    }

    // MARK: Properties

    /// The names of its properties.
    public var properties: [String] {
        var count: guint = 0
        guard let list = g_object_class_list_properties(classPointer, &count) else { return [] }
        defer { g_free(list) }
        return (0..<Int(count)).compactMap { list[$0].map { String(cString: g_param_spec_get_name($0)) } }
    }

    var classPointer: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(object.pointee.g_type_instance.g_class).assumingMemoryBound(to: GObjectClass.self)
    }

    func specification(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
        g_object_class_find_property(classPointer, name)
    }

    func property(_ name: String) throws(PipelineError) -> UnsafeMutablePointer<GParamSpec> {
        if let found = specification(name) { return found }
        let near = NearMatches.of(name, in: properties)
        let guess = near.isEmpty ? "gst-inspect-1.0 lists those that it has" : "did you mean \(near[0])?"
        throw PipelineError("there is no property \(name): \(guess)", element: self.name)
    }

    /// The value of a property.
    public func get<T: Value>(_ name: String, as type: T.Type = T.self) throws(PipelineError) -> T? {
        let property = try property(name)
        guard property.pointee.flags.rawValue & G_PARAM_READABLE.rawValue != 0 else {
            throw PipelineError("the property \(name) cannot be read", element: self.name)
        }
        var value = GValue()
        g_value_init(&value, property.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_get_property(object, name, &value)
        return T.read(&value)
    }

    /// Sets a property. Text is accepted for a property of any type, as in a launch line.
    public func set(_ name: String, to new: some Value) throws(PipelineError) {
        let property = try property(name)
        guard property.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0 else {
            throw PipelineError("the property \(name) cannot be set", element: self.name)
        }
        var value = GValue()
        g_value_init(&value, property.pointee.value_type)
        defer { g_value_unset(&value) }
        guard new.write(to: &value) else {
            let type = g_type_name(property.pointee.value_type).map { String(cString: $0) } ?? "another type"
            throw PipelineError("the property \(name) takes no \(new): it is a \(type)", element: self.name)
        }
        // A value that GLib would modify is out of range.
        if g_param_value_validate(property, &value) != 0 {
            let nearest = String.read(&value) ?? "another one"
            throw PipelineError("the property \(name) takes no \(new): \(nearest) would do", element: self.name)
        }
        g_object_set_property(object, name, &value)
    }

    // MARK: Signals

    /// Emits an action signal.
    /// - Returns: the answer; `nil` where there is none of that type.
    @discardableResult public func emit<T: Value>(
        _ signal: String, _ arguments: any Value..., as type: T.Type = Bool.self
    ) throws(PipelineError) -> T? {
        let number = try find(signal)
        var query = GSignalQuery()
        g_signal_query(number, &query)
        guard query.signal_flags.rawValue & G_SIGNAL_ACTION.rawValue != 0 else {
            throw PipelineError("the signal \(signal) is not for applications to emit", element: name)
        }
        guard Int(query.n_params) == arguments.count else {
            throw PipelineError("the signal \(signal) takes \(query.n_params) arguments", element: name)
        }
        var values = [GValue(), GValue()] + arguments.map { _ in GValue() }
        values.removeLast()
        defer { for index in values.indices where values[index].g_type != 0 { g_value_unset(&values[index]) } }
        g_value_init(&values[0], self.type)
        g_value_set_object(&values[0], object)
        for (index, argument) in arguments.enumerated() {
            g_value_init(&values[index + 1], query.param_types[index] & ~GType(1))
            guard argument.write(to: &values[index + 1]) else {
                throw PipelineError("the signal \(signal) takes no \(argument)", element: name)
            }
        }
        var answer = GValue()
        let answerType = query.return_type & ~GType(1)
        let hasAnswer = answerType != 1 << 2
        if hasAnswer { g_value_init(&answer, answerType) }
        defer { if hasAnswer { g_value_unset(&answer) } }
        g_signal_emitv(values, number, 0, &answer)
        return hasAnswer ? T.read(&answer) : nil
    }

    private func find(_ signal: String) throws(PipelineError) -> guint {
        var (number, detail): (guint, GQuark) = (0, 0)
        guard g_signal_parse_name(signal, type, &number, &detail, 0) != 0 else {
            throw PipelineError("there is no signal \(signal): gst-inspect-1.0 lists those that it has", element: name)
        }
        return number
    }

    /// Calls `body` each time a signal is emitted, on the emitting thread, until the connection is released.
    public func on(
        _ signal: String, _ body: @escaping @Sendable (SignalArguments) -> Void
    ) throws(PipelineError) -> SignalConnection {
        _ = try find(signal)
        return SignalConnection(self, signal) { arguments, _ in body(arguments) }
    }

    /// Answers a signal each time it is emitted, such as `autoplug-continue` of `parsebin`, on the emitting thread,
    /// until the connection is released. An answer of another type than the signal's is ignored.
    public func answer(
        _ signal: String, _ body: @escaping @Sendable (SignalArguments) -> any Value
    ) throws(PipelineError) -> SignalConnection {
        _ = try find(signal)
        return SignalConnection(self, signal) { arguments, answer in
            let value = body(arguments)
            if let answer, answer.pointee.g_type != 0 { _ = value.write(to: answer) }
        }
    }

    // MARK: Pads

    /// The present caps of an always pad; `nil` before there are any.
    public func format(ofPad name: String) -> Structure? {
        guard isElement, let pad = gst_element_get_static_pad(pointer, name) else { return nil }
        defer { gst_object_unref(pad) }
        guard let caps = gst_pad_get_current_caps(pad) else { return nil }
        defer { gst_caps_unref(caps) }
        return Structure(copying: gst_caps_get_structure(caps, 0))
    }

    // MARK: As a value

    public static func read(_ value: UnsafePointer<GValue>) -> Element? {
        guard g_type_check_value_holds(value, 20 << 2) != 0, let object = g_value_get_object(value) else { return nil }
        return Element(retaining: object.assumingMemoryBound(to: GObject.self))
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard g_type_is_a(type, value.pointee.g_type) != 0 else { return false }
        g_value_set_object(value, object)
        return true
    }

    public static func == (first: Element, second: Element) -> Bool { first.object == second.object }
    public func hash(into hasher: inout Hasher) { hasher.combine(object) }
}

extension Element {
    /// The names of a property's values where it is an enumeration; empty for other properties.
    public func choices(of property: String) -> [String] {
        // Types without a class, such as numbers, must not be queried for one.
        guard let found = specification(property), g_type_is_a(found.pointee.value_type, 12 << 2) != 0,
            let type = g_type_class_ref(found.pointee.value_type)
        else { return [] }
        defer { g_type_class_unref(type) }
        let values = type.assumingMemoryBound(to: GEnumClass.self)
        return (0..<Int(values.pointee.n_values)).compactMap { index in
            values.pointee.values[index].value_nick.map { String(cString: $0) }
        }
    }

    /// The range of a numeric property as text: `0 to 10000`.
    public func range(of property: String) -> String? {
        guard let found = specification(property) else { return nil }
        let instance = UnsafeMutableRawPointer(found)
        switch found.pointee.value_type {
        case FundamentalType.double:
            let number = instance.assumingMemoryBound(to: GParamSpecDouble.self).pointee
            return "\(Self.plain(number.minimum)) to \(Self.plain(number.maximum))"
        case FundamentalType.int:
            let number = instance.assumingMemoryBound(to: GParamSpecInt.self).pointee
            return "\(number.minimum) to \(number.maximum)"
        default: return nil
        }
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
