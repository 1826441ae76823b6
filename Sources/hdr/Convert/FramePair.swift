import HDRConcurrency
import HDRPipeline

/// One frame of a conversion, before and after it, for the picture that shows what the conversion does.
final class FramePair: Sendable {
    private struct State {
        var before: Sample?
        var after: Sample?
        var time: UInt64?
        /// The running time in ns.
        var position: UInt64?
        /// The position that is wanted; `nil` while the length is unknown.
        var target: UInt64?
        var isSettled = false
    }

    private let state = Locked(State())

    /// The pictures before and after, and their position in ns.
    var frames: (before: Sample, after: Sample, position: UInt64)? {
        let state = state.current
        guard let before = state.before, let after = state.after else { return nil }
        return (before, after, state.position ?? 0)
    }

    /// - Parameter duration: of the whole, in ns. A third into a film there is something to see; a short clip may be
    ///   over by then.
    init(_ converter: Element, duration: UInt64?) throws {
        state.withLock { $0.target = duration.map { $0 / ($0 > 6_000_000_000 ? 3 : 2) } }
        try converter.pad("sink").watch { [state] pad, buffer in
            let position = pad.runningTime(of: buffer) ?? 0
            guard Self.takes(position, state), let format = pad.format,
                let sample = try? Sample(buffer, format: "\(format)")
            else { return .pass }
            state.withLock { state in
                (state.before, state.after, state.position, state.time) = (sample, nil, position, buffer.time)
            }
            return .pass
        }
        try converter.pad("src").watch { [state] pad, buffer in
            guard state.withLock({ $0.before != nil && $0.after == nil && $0.time == buffer.time }),
                let format = pad.format, let sample = try? Sample(buffer, format: "\(format)")
            else { return .pass }
            state.withLock { $0.after = sample }
            return .pass
        }
    }

    /// Whether a frame takes the place of the one that is kept. While the length is unknown, ever later frames are
    /// kept, each twice as far in as the last.
    private static func takes(_ position: UInt64, _ state: Locked<State>) -> Bool {
        state.withLock { state in
            guard !state.isSettled else { return false }
            if let target = state.target, position >= target {
                state.isSettled = true
                return true
            }
            return state.position.map { position >= max($0.plus($0), 1) } ?? true
        }
    }
}
