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

    fileprivate static let choiceValues = EnumValues(
        [("auto", automaticSummary)] + choices.map { ($0.name, $0.summary) })
    fileprivate static let inverseValues = EnumValues(inverses.map { ($0.name, $0.inverseSummary ?? $0.summary) })
}

@c @implementation
func hdr_convert_tone_mappings() -> UnsafePointer<GEnumValue>! { ToneCurve.choiceValues.first }

@c @implementation
func hdr_convert_inverse_tone_mappings() -> UnsafePointer<GEnumValue>! { ToneCurve.inverseValues.first }
