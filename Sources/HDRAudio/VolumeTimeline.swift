/// Volumes over time, as AVAudioMix's input parameters define them: 1.0 before the first ramp, linear within a ramp,
/// and held after it.
///
/// Where ramps overlap, the one that was set later wins: a ramp that it interrupts does not go on, and a ramp that
/// begins within it takes over at its end.
public struct VolumeTimeline: Sendable {
    public struct Ramp: Sendable, Equatable {
        /// The start in stream time and the duration, both in ns; a ramp without duration is a jump to `to`.
        public let start: UInt64
        public let duration: UInt64
        public let from: Double
        public let to: Double

        public init(start: UInt64, duration: UInt64, from: Double, to: Double) {
            self.start = start
            self.duration = duration
            self.from = from
            self.to = to
        }

        var end: UInt64 {
            let (sum, overflow) = start.addingReportingOverflow(duration)
            return overflow ? UInt64.max : sum
        }

        /// - Parameter passed: the time since the start, in ns.
        func volume(after passed: Double) -> Double {
            guard duration > 0 else { return to }
            let part = passed / Double(duration)
            return part >= 1 ? to : part <= 0 ? from : from + (to - from) * part
        }
    }

    public enum Failure: Error, CustomStringConvertible {
        case notANumber(Double)
        case negative(Double)

        public var description: String {
            switch self {
            case .notANumber(let volume): "a volume cannot be \(volume): give a number"
            case .negative(let volume): "a volume cannot be \(volume): give 0 or more"
            }
        }
    }

    /// The part of a ramp from `begin` on.
    private struct Piece {
        let begin: UInt64
        let ramp: Ramp
    }

    /// The pieces in the order of their beginnings.
    private var pieces: [Piece] = []

    public init() {}

    /// The ramps in effect, in chronological order.
    public var ramps: [Ramp] { pieces.map(\.ramp) }

    /// This timeline with one more ramp.
    public func setting(_ ramp: Ramp) throws(Failure) -> VolumeTimeline {
        for volume in [ramp.from, ramp.to] {
            guard volume.isFinite else { throw .notANumber(volume) }
            guard volume >= 0 else { throw .negative(volume) }
        }
        var result = VolumeTimeline()
        result.pieces = pieces.filter { $0.begin < ramp.start }
        result.pieces.append(Piece(begin: ramp.start, ramp: ramp))
        for piece in pieces where piece.begin >= ramp.start {
            if piece.begin >= ramp.end && piece.begin > ramp.start {
                result.pieces.append(piece)
            } else if piece.ramp.end > ramp.end {
                result.pieces.append(Piece(begin: ramp.end, ramp: piece.ramp))
            }
        }
        return result
    }

    /// The volume at a stream time in ns.
    public func volume(at time: UInt64) -> Double {
        guard let index = index(at: time) else { return 1 }
        let ramp = pieces[index].ramp
        return ramp.volume(after: Double(time) - Double(ramp.start))
    }

    /// The last piece that has begun.
    private func index(at time: UInt64) -> Int? {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].begin <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }

    /// Writes the volumes of `frames` frames from `first` on. A jump acts on the first frame that is not before it.
    public func fill(_ volumes: UnsafeMutablePointer<Double>, frames: Int, times: SampleClock, first: Int) {
        guard frames > 0 else { return }
        var next = (index(at: times.nanoseconds(first)) ?? -1) + 1
        for index in 0..<frames {
            let time = times.nanoseconds(first + index)
            while next < pieces.count && pieces[next].begin <= time { next += 1 }
            guard next > 0 else {
                volumes[index] = 1
                continue
            }
            let ramp = pieces[next - 1].ramp
            let sinceOrigin = Double(first + index) * 1e9 * times.appliedRate / Double(times.rate)
            let lead =
                times.origin >= ramp.start
                ? Double(times.origin - ramp.start) : -Double(ramp.start - times.origin)
            volumes[index] = ramp.volume(after: lead + sinceOrigin)
        }
    }
}
