import CGStreamer
import CGstHDR
import HDRColor

/// The registry of tone curves as values of the properties `tone-mapping` and `inverse-tone-mapping`.
extension ToneCurve {
    /// The curve of a value of `tone-mapping`; `nil` for `auto`.
    static func choice(_ value: UInt32) -> ToneCurve? { element(choices, Int(value) - 1) }
    static func value(of curve: ToneCurve?) -> UInt32 {
        curve.flatMap { choices.firstIndex(of: $0) }.map { UInt32($0) + 1 } ?? 0
    }

    /// The curve of a value of `inverse-tone-mapping`.
    static func inverse(_ value: UInt32) -> ToneCurve { element(inverses, Int(value)) ?? .none }
    static func inverseValue(of curve: ToneCurve) -> UInt32 { inverses.firstIndex(of: curve).map { UInt32($0) } ?? 0 }

    private static func element(_ curves: [ToneCurve], _ index: Int) -> ToneCurve? {
        curves.indices.contains(index) ? curves[index] : nil
    }

    fileprivate static let choiceValues = enumValues(
        [("auto", automaticSummary)] + choices.map { ($0.name, $0.summary) })
    fileprivate static let inverseValues = enumValues(inverses.map { ($0.name, $0.inverseSummary ?? $0.summary) })

    /// Values in the order of their names, ended by one of zeros. They are never freed, because GObject keeps the
    /// address.
    private static func enumValues(_ entries: [(name: String, summary: String)]) -> EnumValues {
        let values = UnsafeMutablePointer<GEnumValue>.allocate(capacity: entries.count + 1)
        for (index, entry) in entries.enumerated() {
            let value = GEnumValue(
                value: Int32(index), value_name: g_intern_string(entry.summary), value_nick: g_intern_string(entry.name)
            )
            (values + index).initialize(to: value)
        }
        (values + entries.count).initialize(to: GEnumValue(value: 0, value_name: nil, value_nick: nil))
        return EnumValues(first: values)
    }
}

/// Constant after it has been made.
private struct EnumValues: @unchecked Sendable {
    let first: UnsafePointer<GEnumValue>
    init(first: UnsafeMutablePointer<GEnumValue>) { self.first = UnsafePointer(first) }
}

@c @implementation
func hdr_convert_tone_mappings() -> UnsafePointer<GEnumValue>! { ToneCurve.choiceValues.first }

@c @implementation
func hdr_convert_inverse_tone_mappings() -> UnsafePointer<GEnumValue>! { ToneCurve.inverseValues.first }
