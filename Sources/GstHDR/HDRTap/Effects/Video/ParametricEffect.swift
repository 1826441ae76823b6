import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDREffects
import Synchronization

/// The requirements of an effect on video.
protocol VideoEffectBehavior: EffectBehavior {
    /// A number that changes whenever the parameters change.
    var version: Int { get }
    /// Why the effect cannot be used with its present parameters; `nil` where it can.
    var defect: String? { get }
    /// The effect with its present parameters; `nil` for one that only measures.
    func planned(for context: EffectContext) -> PlannedEffect?
}

typealias VideoEffectObject = EffectObject & VideoEffectBehavior

/// The value of a property.
enum EffectValue {
    case double(Double)
    case integer(Int)
    case bool(Bool)
    /// The index of a name among the choices.
    case choice(Int)
    case text(String)
    case numbers([Double])
}

/// A property that is a parameter of an effect.
struct EffectParameter<Parameters: VideoEffect>: Sendable {
    let property: EffectProperty
    let read: @Sendable (Parameters) -> EffectValue
    /// Writes a value.
    /// - Returns: `nil`, or why the value is invalid.
    let write: @Sendable (inout Parameters, EffectValue) -> String?

    /// A parameter that is a number, whose range the element enforces.
    static func double(
        _ name: String, _ nick: String, _ blurb: String, _ range: ClosedRange<Double>, unit: String = "",
        _ path: WritableKeyPath<Parameters, Double> & Sendable, of parameters: Parameters
    ) -> EffectParameter {
        EffectParameter(
            property: EffectProperty(
                name, nick, blurb, .double(range, default: parameters[keyPath: path], unit: unit)),
            read: { .double($0[keyPath: path]) },
            write: { parameters, value in
                if case .double(let number) = value { parameters[keyPath: path] = number }
                return nil
            })
    }

    /// A parameter that is one of a list of values, by name.
    static func choice<Value: Equatable & Sendable>(
        _ name: String, _ nick: String, _ blurb: String, typeName: String,
        _ values: [(name: String, summary: String, value: Value)],
        _ path: WritableKeyPath<Parameters, Value> & Sendable, of parameters: Parameters
    ) -> EffectParameter {
        let own = values.firstIndex { $0.value == parameters[keyPath: path] } ?? 0
        return EffectParameter(
            property: EffectProperty(
                name, nick, blurb,
                .choice(values.map { ($0.name, $0.summary) }, default: own, typeName: typeName)),
            read: { parameters in
                .choice(values.firstIndex { $0.value == parameters[keyPath: path] } ?? 0)
            },
            write: { parameters, value in
                if case .choice(let index) = value, values.indices.contains(index) {
                    parameters[keyPath: path] = values[index].value
                }
                return nil
            })
    }
}

/// An effect whose properties are the parameters of a ``VideoEffect``.
final class ParametricEffect<Parameters: VideoEffect>: EffectObject, VideoEffectBehavior, @unchecked Sendable {
    private let name: String
    private let parameters: Locked<Parameters>
    private let list: [EffectParameter<Parameters>]
    private let missing: @Sendable (Parameters) -> String?
    private let changed = Atomic<Int>(0)

    init(
        _ object: UnsafeMutablePointer<GstHdrEffect>, _ name: String, _ initial: Parameters,
        _ list: [EffectParameter<Parameters>], _ missing: @escaping @Sendable (Parameters) -> String?
    ) {
        self.missing = missing
        self.name = name
        parameters = Locked(initial)
        self.list = list
        super.init(object)
    }

    var defect: String? { missing(parameters.current).map { "The effect \(name) lacks \($0)" } }
    var version: Int { changed.load(ordering: .acquiring) }
    func planned(for context: EffectContext) -> PlannedEffect? { parameters.current.planned(for: context) }

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        guard let parameter = list.first(where: { $0.property.name == property }),
            let taken = take(value, parameter.property)
        else { return }
        let problem = parameters.withLock { parameters -> String? in
            let before = parameters
            let problem = parameter.write(&parameters, taken)
            if parameters != before { changed.wrappingAdd(1, ordering: .releasing) }
            return problem
        }
        if let problem { complain("The property \(property) of the effect \(name) cannot be used: \(problem)") }
    }

    private func take(_ value: UnsafePointer<GValue>, _ property: EffectProperty) -> EffectValue? {
        switch property.kind {
        case .double(let range, _, _): number(value, of: property.name, name, in: range).map { .double($0) }
        case .integer: .integer(Int(g_value_get_int(value)))
        case .bool: .bool(g_value_get_boolean(value) != 0)
        case .choice: .choice(Int(g_value_get_enum(value)))
        case .text: .text(g_value_get_string(value).map { String(cString: $0) } ?? "")
        case .numbers: .numbers(ValueArray.numbers(value))
        case .time, .arrays: nil
        }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        guard let parameter = list.first(where: { $0.property.name == property }) else { return }
        switch parameter.read(parameters.current) {
        case .double(let number): g_value_set_double(value, number)
        case .integer(let number): g_value_set_int(value, gint(clamping: number))
        case .bool(let flag): g_value_set_boolean(value, flag ? 1 : 0)
        case .choice(let index): g_value_set_enum(value, gint(clamping: index))
        case .text(let text): g_value_set_string(value, text)
        case .numbers(let numbers):
            for number in numbers {
                var item = GValue()
                g_value_init(&item, GTypes.double)
                g_value_set_double(&item, number)
                gst_value_array_append_and_take_value(value, &item)
            }
        }
    }
}
