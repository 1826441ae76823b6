import CGStreamer
import GstBridge
import HDREffects

/// Effects on video, one after the other.
final class VideoEffectChain: VideoProcessor, EffectChain, @unchecked Sendable {
    private let effects: [VideoEffectObject]

    /// Whether frames that come out need alpha.
    let addsAlpha: Bool

    /// - Parameter addsAlpha: whether an effect makes pixels transparent.
    init(_ effects: [VideoEffectObject], addsAlpha: Bool) {
        self.effects = effects
        self.addsAlpha = addsAlpha
        for effect in effects { gst_object_ref(effect.object) }
    }

    func isOf(_ effects: [Effect]) -> Bool {
        effects.count == self.effects.count && zip(effects, self.effects).allSatisfy { $0 === $1 }
    }

    override var request: VideoRequest { VideoRequest(changes: effects.contains { !($0 is StatisticsEffect) }) }

    /// Effects that measure frames as they come, and as they go; `nil` where one stands among those that change them.
    var statistics: (before: [StatisticsEffect], after: [StatisticsEffect])? {
        let before = effects.prefix { $0 is StatisticsEffect }
        let rest = effects.dropFirst(before.count)
        let after = rest.reversed().prefix { $0 is StatisticsEffect }
        guard rest.dropLast(after.count).allSatisfy({ !($0 is StatisticsEffect) }) else { return nil }
        return (before.compactMap { $0 as? StatisticsEffect }, after.reversed().compactMap { $0 as? StatisticsEffect })
    }

    override func finalize() { for effect in effects { gst_object_unref(effect.object) } }

    /// Numbers that change with the effects' parameters, of which those with a controller take their values for a time.
    /// - Parameter time: stream time in ns; `nil` where it is not known.
    func versions(at time: UInt64?) -> [Int] {
        effects.map { effect in
            if let time, gst_object_has_active_control_bindings(effect.object.asGstObject) != 0 {
                gst_object_sync_values(effect.object.asGstObject, GstClockTime(time))
            }
            return effect.version
        }
    }

    /// Whether an effect takes whole pictures.
    var takesPictures: Bool {
        effects.contains { $0 is ParametricEffect<GaussianBlur> || $0 is ParametricEffect<ZoomBlur> }
    }

    /// Why it cannot run; `nil` where it can.
    var defect: String? { effects.lazy.compactMap(\.defect).first }

    func planned(for context: EffectContext) -> [PlannedEffect] { effects.compactMap { $0.planned(for: context) } }
}
