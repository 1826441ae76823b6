import CGStreamer
import GstBridge

/// A processor of built-in effects: samples of any format are converted to planar double precision, and back.
class EffectProcessor: AudioProcessor, EffectChain, @unchecked Sendable {
    let effect: AudioEffect
    /// Set while the processor is prepared.
    private(set) var samples: UnsafeMutablePointer<EffectSamples>?

    init(_ effect: AudioEffect) {
        self.effect = effect
        gst_object_ref(effect.object)
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        let samples = UnsafeMutablePointer<EffectSamples>.allocate(capacity: 1)
        samples.initialize(to: EffectSamples(format, maxFrames: maxFrames))
        self.samples = samples
        return nil
    }

    override func unprepare() {
        guard let samples else { return }
        samples.deinitialize(count: 1)
        samples.deallocate()
        self.samples = nil
    }

    func isOf(_ effects: [Effect]) -> Bool { effects.count == 1 && effects[0] === effect }

    override func finalize() { gst_object_unref(effect.object) }
}
