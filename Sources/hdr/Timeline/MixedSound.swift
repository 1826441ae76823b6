import HDRConcurrency
import HDRPipeline

/// The sound of a timeline: that of its clips, each where its pictures are and as loud as its transitions have it, and
/// silence where there is none.
final class MixedSound: Sendable {
    /// One clip's place in it.
    private struct Track {
        /// Samples of the timeline.
        let start: Int
        let end: Int
        let volume: FrameCourse
        /// The position up to which it is complete, in samples of the timeline.
        var position: Int
        /// The position up to which the clip's pictures have arrived.
        var pictures: Int
    }

    private struct State {
        var tracks: [Int: Track]
        /// Interleaved samples that are not complete yet; the first is ``written``.
        var mix: [Float] = []
        /// Samples of sound so far.
        var written = 0
        /// The position up to which the timeline's pictures have arrived.
        var limit = 0
        var isStopped = false
    }

    /// Audio that is off its intended position by no more than this, in seconds, is joined without a gap or an overlap.
    private static let tolerance = 0.002
    /// The time in s by which audio may be ahead of the pictures.
    private static let lead = 1

    let format: JoinedSound.Format
    private let feed: Element
    private let grid: FrameGrid
    private let total: Int
    private let state: Monitor<State>
    /// Keeps the parts of the mix in their order on their way to the feed.
    private let order = Locked(())

    /// - Parameters:
    ///   - layers: by their numbers; those without sound are left out.
    ///   - count: of the timeline's pictures.
    ///   - feed: an `appsrc`.
    init(
        _ format: JoinedSound.Format, _ layers: [Int: TimelineLayer], count: Int, _ grid: FrameGrid, into feed: Element
    ) {
        (self.format, self.feed, self.grid) = (format, feed, grid)
        total = format.sample(grid.time(count))
        let tracks = layers.mapValues { layer in
            let start = format.sample(grid.time(layer.start))
            return Track(
                start: start, end: format.sample(grid.time(layer.end)), volume: layer.volume, position: start,
                pictures: start)
        }
        state = Monitor(State(tracks: tracks))
    }

    /// Notes how far a clip's pictures have come, in pictures of the timeline.
    func notePictures(of number: Int, upTo frame: Int) {
        let sample = format.sample(grid.time(frame))
        state.change { $0.tracks[number]?.pictures = sample }
    }

    /// Notes how far the timeline's pictures have come, and passes on what is complete.
    func advance(to frame: Int) throws {
        let sample = format.sample(grid.time(frame)) + Self.lead * format.rate
        state.withLock { $0.limit = max($0.limit, min(sample, self.total)) }
        try flush()
    }

    /// A clip has no more sound: silence follows.
    func finish(_ number: Int) throws {
        state.change { state in
            if let end = state.tracks[number]?.end { state.tracks[number]?.position = end }
        }
        try flush()
    }

    /// Wakes all that wait; nothing more is passed on.
    func stop() { state.change { $0.isStopped = true } }

    /// Whether all of the timeline's sound has been passed on.
    var isWhole: Bool { state.withLock { $0.written >= total } }

    /// Whether all of a clip's sound is there.
    func isComplete(_ number: Int) -> Bool {
        state.withLock { state in state.tracks[number].map { $0.position >= $0.end } ?? true }
    }

    /// Adds a buffer of a clip's sound, as far as it lies in the clip's part, and waits for the clip's pictures.
    /// - Parameter time: where it begins, in ns of the part.
    func append(_ buffer: Buffer, at time: UInt64, of number: Int) throws {
        let count = buffer.count / format.frame
        let place = format.sample(time)
        guard place < 1 << 48 else { return }
        let ready = state.wait { state -> Bool? in
            guard !state.isStopped, let track = state.tracks[number] else { return false }
            let start = track.start + place
            if start >= track.end || track.position >= track.end { return false }
            return start <= track.pictures + Self.lead * self.format.rate / 2 ? true : nil
        }
        guard ready == true else { return }
        _ = buffer.withBytes { bytes in
            state.change { state in
                guard var track = state.tracks[number] else { return }
                var start = track.start + place
                if abs(start - track.position) <= Int(Self.tolerance * Double(format.rate)) { start = track.position }
                let range = max(start, track.position)..<max(min(start + count, track.end), start, track.position)
                add(bytes, range, from: range.lowerBound - start, track.volume, to: &state)
                track.position = range.upperBound
                state.tracks[number] = track
            }
        }
        try flush()
    }

    /// Adds samples to the mix.
    private func add(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, from first: Int, _ volume: FrameCourse,
        to state: inout State
    ) {
        guard !range.isEmpty, range.lowerBound >= state.written else { return }
        let channels = format.channels
        let missing = (range.upperBound - state.written) * channels - state.mix.count
        if missing > 0 { state.mix += [Float](repeating: 0, count: missing) }
        let frames = Double(grid.rate.numerator) / Double(grid.rate.denominator) / Double(format.rate)
        for (offset, sample) in range.enumerated() {
            let factor = Float(volume.value(at: Double(sample) * frames) ?? 1)
            let (source, target) = ((first + offset) * channels, (sample - state.written) * channels)
            for channel in 0..<channels {
                let value = bytes.loadUnaligned(fromByteOffset: 4 * (source + channel), as: Float.self)
                state.mix[target + channel] += factor * value
            }
        }
    }

    /// Passes on what no clip adds to any more.
    private func flush() throws {
        try order.withLock { _ in
            while let part = take() {
                let bytes = part.samples
                let buffer = try Buffer(count: bytes.count * 4) { target in
                    bytes.withUnsafeBytes { target.copyMemory(from: $0) }
                }
                let (time, end) = (format.time(part.start), format.time(part.start + bytes.count / format.channels))
                try feed.emit("push-buffer", try buffer.retimed(time: time, duration: end - time), as: String.self)
            }
        }
    }

    /// The next second of what is complete, or less.
    private func take() -> (start: Int, samples: [Float])? {
        state.withLock { state in
            let waiting = state.tracks.values.filter { $0.position < $0.end }.map(\.position).min() ?? total
            let end = min(waiting, state.limit, state.written + format.rate)
            guard !state.isStopped, end > state.written else { return nil }
            let count = (end - state.written) * format.channels
            var samples = Array(state.mix.prefix(count))
            state.mix.removeFirst(samples.count)
            samples += [Float](repeating: 0, count: count - samples.count)
            defer { state.written = end }
            return (state.written, samples)
        }
    }
}
