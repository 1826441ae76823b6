import GstBridge
import HDRConcurrency

/// Counts a video's packets and decoded frames, and judges at the end whether all came through.
final class Tally: Sendable {
    private struct Count {
        var packets = 0
        var frames = 0
        /// Frames that the decoder says are damaged.
        var damaged = 0
        /// Time without frames in ns.
        var gaps: UInt64 = 0
        /// Where the last frame ends, in ns of running time.
        var position: UInt64 = 0
        /// Whether each packet was to be decoded and each frame to be shown: not after a seek, nor where late frames
        /// are dropped.
        var isWhole = true
    }

    private let count = Locked(Count())
    /// Whether a pause between frames may stand for damage.
    private let seesGaps: Bool
    /// Whether each packet becomes a frame. In other codecs there are packets that are not shown.
    private let isFramePerPacket: Bool

    /// The share of a video that may be missing or damaged. A frame or two are no reason to refuse a whole film.
    private static let toleratedLoss = 0.1
    private static let longestPause = ClockTime.second

    init(seesGaps: Bool, isFramePerPacket: Bool) {
        self.seesGaps = seesGaps
        self.isFramePerPacket = isFramePerPacket
    }

    /// A packet whose frame is to be shown.
    func addPacket() { count.withLock { $0.packets += 1 } }

    /// - Parameter time: the running time in ns; `nil`: not known.
    func addFrame(isDamaged: Bool, at time: UInt64?, lasting duration: UInt64?) {
        count.withLock { count in
            count.frames += 1
            if isDamaged { count.damaged += 1 }
            guard let time else { return }
            if seesGaps, time > count.position, time - count.position > Self.longestPause {
                count.gaps &+= time - count.position
            }
            count.position = max(count.position, time &+ (duration ?? 0))
        }
    }

    /// From now on, some packets are not decoded, or frames not shown.
    func becomePartial() { count.withLock { $0.isWhole = false } }

    /// After a flush, for a seek.
    func restart() {
        count.withLock { count in
            count = Count()
            count.isWhole = false
        }
    }

    enum Verdict: Equatable {
        case whole
        /// What there is to say about a loss that is tolerated.
        case note(String)
        case nothing
        /// Per cent.
        case lost(Int)
    }

    /// - Parameter gapsAreMeant: whether the file is such that nothing is missing where no picture is; asked only where
    ///   there are gaps.
    func verdict(_ name: ShownName, gapsAreMeant: () -> Bool = { false }) -> Verdict {
        var count = count.current
        guard count.isWhole else { return .whole }
        guard count.frames > 0 else { return .nothing }
        if count.gaps > 0, gapsAreMeant() { count.gaps = 0 }
        let lost = count.damaged + (isFramePerPacket ? max(count.packets - count.frames, 0) : 0)
        let share = max(
            Double(lost) / Double(max(count.packets, 1)), Double(count.gaps) / Double(max(count.position, 1)))
        if share > Self.toleratedLoss { return .lost(Int(min(100 * share, 100).rounded())) }
        if lost > 0 {
            return .note("\(lost) of \(count.packets) frames of \(name) are damaged or could not be decoded")
        }
        guard count.gaps > 0 else { return .whole }
        let tenths = (count.gaps &+ 50_000_000) / 100_000_000
        return .note("\(name) has gaps of \(tenths / 10).\(tenths % 10) seconds, it may be damaged")
    }
}
