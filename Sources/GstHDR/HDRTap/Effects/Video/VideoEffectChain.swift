import CGStreamer
import GstBridge
import HDREffects
import HDRKernels

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

    /// Effects that measure frames as they come, light between those that change it, and frames as they go.
    var statistics: (before: [StatisticsEffect], between: [StatisticsEffect], after: [StatisticsEffect]) {
        let before = effects.prefix { $0 is StatisticsEffect }
        let rest = effects.dropFirst(before.count)
        let after = rest.reversed().prefix { $0 is StatisticsEffect }
        func measuring(_ effects: some Sequence<VideoEffectObject>) -> [StatisticsEffect] {
            effects.compactMap { $0 as? StatisticsEffect }
        }
        return (measuring(before), measuring(rest.dropLast(after.count)), measuring(after.reversed()))
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

    /// - Parameter meter: what an effect between others measures with, which then is one of them.
    func planned(
        for context: EffectContext, _ meter: (StatisticsEffect) -> (any LightEffect)?
    ) -> [PlannedEffect] {
        effects.compactMap { effect in
            guard let measuring = effect as? StatisticsEffect else { return effect.planned(for: context) }
            return meter(measuring).map { .pixels($0) }
        }
    }
}
