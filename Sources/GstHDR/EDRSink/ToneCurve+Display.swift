import CGStreamer
import CGstHDR
import HDRColor

/// The registry of tone curves as values of the sink's property `tone-mapping`.
extension ToneCurve {
    static func ofDisplay(_ value: UInt32) -> ToneCurve {
        displayChoices.indices.contains(Int(value)) ? displayChoices[Int(value)] : .rolloff
    }
    static func displayValue(of curve: ToneCurve) -> UInt32 {
        displayChoices.firstIndex(of: curve).map { UInt32($0) } ?? 0
    }

    fileprivate static let displayValues = EnumValues(displayChoices.map { ($0.name, $0.summary) })
}

@c @implementation
func edr_sink_tone_mappings() -> UnsafePointer<GEnumValue>! { ToneCurve.displayValues.first }
