import GstBridge
import HDRConcurrency

/// Counts a video's packets and decoded frames, and decides at the end whether all of them arrived.
final class Tally: Sendable {
    private struct Count {
        var packets = 0
        /// The end of the last packet, that of sound too, in ns of stream time.
        var end: UInt64 = 0
        var frames = 0
        /// The number of frames that the decoder marks as damaged.
        var damaged = 0
        /// The total time without frames, in ns.
        var gaps: UInt64 = 0
        /// The end of the last frame, in ns of running time.
        var position: UInt64 = 0
        /// Whether each packet was to be decoded and each frame shown: false after a seek, and where late frames are
        /// dropped.
        var isWhole = true
        /// Whether each packet of the part of the file comes that the properties `start` and `stop` ask for.
        var isPart = false
    }

    private let count = Locked(Count())
    /// Whether a gap between frames may result from damage.
    private let seesGaps: Bool
    /// Whether each packet becomes a frame. In other codecs there are packets that are not shown.
    private let isFramePerPacket: Bool

    /// The share of a video that may be missing or damaged: a frame or two are no reason to refuse a whole film.
    private static let toleratedLoss = 0.1
    private static let longestPause = ClockTime.second
    /// How much longer than its packets a file is usually, by rounding, and because a packet may have no duration.
    private static let shortestEnd = ClockTime.second / 10
    /// How much earlier the packets of a part may end that stops inside of the file: demuxers end with the first packet
    /// behind the stop, which may come before others that are shown before it.
    private static let shortestStop = ClockTime.second / 2

    init(seesGaps: Bool, isFramePerPacket: Bool) {
        self.seesGaps = seesGaps
        self.isFramePerPacket = isFramePerPacket
    }

    /// Counts a packet whose frame is to be shown.
    /// - Parameter end: its end in ns of stream time; `nil` where it is not known.
    func addPacket(until end: UInt64? = nil) {
        count.withLock { count in
            count.packets += 1
            count.end = max(count.end, end ?? 0)
        }
    }

    /// Notes the end of a packet of sound beside the video, in ns of stream time.
    func addSound(until end: UInt64) { count.withLock { $0.end = max($0.end, end) } }

    /// Counts a decoded frame.
    /// - Parameter time: the running time in ns; `nil` where it is not known.
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

    /// Notes that from now on some packets are not decoded, or frames not shown.
    func becomePartial() { count.withLock { ($0.isWhole, $0.isPart) = (false, false) } }

    /// Starts counting anew after the flush of a seek.
    /// - Parameter isPart: whether it leads to the part of the file that the properties ask for.
    func restart(isPart: Bool = false) {
        count.withLock { count in
            count = Count()
            (count.isWhole, count.isPart) = (false, isPart)
        }
    }

    enum Verdict: Equatable {
        case whole
        /// A note about a loss that is tolerated.
        case note(String)
        case nothing
        /// The loss in per cent, which is too high.
        case lost(Int)
        /// The share in per cent of a file whose data break off, which is too high.
        case brokenOff(Int)
    }

    /// Whether all packets have come that a file announces.
    /// - Parameters:
    ///   - duration: the duration of the file in ns, which a track that is not played may need; `nil` where it is not
    ///     known.
    ///   - part: the start and the stop of the part that is asked for, in ns; a stop of 0 is that of the file.
    ///   - isBroken: whether something is missing between the file's elements; called only where packets may be
    ///     missing.
    func ending(
        _ name: ShownName, of duration: UInt64?, part: (start: UInt64, stop: UInt64) = (0, 0), isBroken: () -> Bool
    ) -> Verdict {
        let count = count.current
        guard count.isWhole || count.isPart, count.packets > 0, let duration else { return .whole }
        let (start, stop) = count.isPart ? part : (0, 0)
        let isInside = stop > 0 && stop < duration
        let end = isInside ? stop : duration
        guard end > count.end, end > start else { return .whole }
        let missing = end - max(count.end, start)
        let share = Double(missing) / Double(end - start)
        guard missing > (isInside ? Self.shortestStop : Self.shortestEnd), isBroken() else { return .whole }
        if share > Self.toleratedLoss { return .brokenOff(Int((100 * share).rounded())) }
        return .note("the data of \(name) break off \(Self.seconds(missing)) seconds before its end")
    }

    private static func seconds(_ time: UInt64) -> String {
        let tenths = (time &+ 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// - Parameter gapsAreMeant: whether gaps in the file are intended; called only where there are gaps.
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
        return .note("\(name) has gaps of \(Self.seconds(count.gaps)) seconds, it may be damaged")
    }
}
