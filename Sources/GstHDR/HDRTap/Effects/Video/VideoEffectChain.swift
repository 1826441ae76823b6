import CGStreamer
import GstBridge
import HDREffects
import HDRKernels

/// Effects on video, one after the other.
final class VideoEffectChain: VideoProcessor, EffectChain, @unchecked Sendable {
    private let effects: [VideoEffectObject]

    /// Whether output frames need alpha.
    let addsAlpha: Bool

    /// Whether the chain was set while frames pass, before its effects could get what they need.
    let isLate: Bool

    /// - Parameter addsAlpha: whether an effect makes pixels transparent.
    init(_ effects: [VideoEffectObject], addsAlpha: Bool, isLate: Bool) {
        self.effects = effects
        self.addsAlpha = addsAlpha
        self.isLate = isLate
        for effect in effects { gst_object_ref(effect.object) }
    }

    /// Whether there are effects that do more than measure.
    var changesFrames: Bool { effects.contains { !($0 is StatisticsEffect) } }

    func isOf(_ effects: [Effect]) -> Bool {
        effects.count == self.effects.count && zip(effects, self.effects).allSatisfy { $0 === $1 }
    }

    override var request: VideoRequest { VideoRequest(changes: effects.contains { !($0 is StatisticsEffect) }) }

    /// Effects that measure input frames, light between effects that change it, and output frames.
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

    /// The version numbers of the effects' parameters; controlled properties are first set to their values at a time.
    /// - Parameter time: stream time in ns; `nil` where it is not known.
    func versions(at time: UInt64?) -> [Int] {
        if let time { effects.first?.syncElement(at: time) }
        return effects.map { effect in
            if let time { effect.sync(at: time) }
            return effect.version
        }
    }

    /// Whether a controller sets parameters of effects that change frames.
    var isControlled: Bool { effects.contains { !($0 is StatisticsEffect) && $0.isControlled } }

    /// Whether an effect processes whole pictures.
    var takesPictures: Bool {
        effects.contains { $0 is ParametricEffect<GaussianBlur> || $0 is ParametricEffect<ZoomBlur> }
    }

    /// Why the chain cannot run; `nil` where it can.
    var defect: String? { effects.lazy.compactMap(\.defect).first }

    /// - Parameter meter: makes the effect with which an effect in the middle of the chain measures.
    func planned(
        for context: EffectContext, _ meter: (StatisticsEffect) -> (any LightEffect)?
    ) -> [PlannedEffect] {
        effects.compactMap { effect in
            guard let measuring = effect as? StatisticsEffect else { return effect.planned(for: context) }
            return meter(measuring).map { .pixels($0) }
        }
    }
}
