import CGStreamer
import GstBridge

/// Effects on audio, one after the other.
final class AudioEffectChain: AudioProcessor, EffectChain, @unchecked Sendable {
    private let parts: [EffectProcessor]

    init(_ effects: [AudioEffect]) { parts = effects.map { $0.makeProcessor() } }

    func isOf(_ effects: [Effect]) -> Bool {
        effects.count == parts.count && zip(effects, parts).allSatisfy { $0 === $1.effect }
    }

    override var latency: Int { parts.reduce(0) { $0 + $1.latency } }

    override var tail: UInt64 {
        parts.reduce(0) { sum, part in
            let (total, overflow) = sum.addingReportingOverflow(part.tail)
            return overflow ? UInt64.max : total
        }
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        for (index, part) in parts.enumerated() {
            guard let refusal = part.prepare(format, caps: caps, maxFrames: maxFrames) else { continue }
            for prepared in parts[..<index] { prepared.unprepare() }
            return refusal
        }
        return nil
    }

    override func unprepare() { for part in parts { part.unprepare() } }
    override func begin(_ run: ContinuousRun) { for part in parts { part.begin(run) } }
    override func end(_ run: ContinuousRun) { for part in parts { part.end(run) } }

    /// Processes the parts in order. While the chain drains, a part is called as long as one before it outputs audio.
    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        var frames = 0
        var hasEnded = true
        for part in parts {
            let result = part.process(call, in: run)
            frames = max(frames, result.frames)
            hasEnded = hasEnded && result.hasEnded
        }
        return (frames, hasEnded)
    }

    override func finalize() { for part in parts { part.finalize() } }
}
