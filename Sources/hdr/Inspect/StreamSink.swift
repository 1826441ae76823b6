import HDRConcurrency
import HDRPipeline

/// Takes a stream's access units, and refuses further ones when there are enough.
///
/// They arrive on a streaming thread, and the facts are read on another.
final class StreamSink: Sendable {
    private let pad: Pad
    private let wanted: Int?
    private let changed: @Sendable () -> Void
    private let state = Locked(StreamFacts())

    /// - Parameters:
    ///   - wanted: access units; `nil` for those of one second.
    ///   - changed: called on a streaming thread when the first data has come and when the stream is complete.
    init(_ pad: Pad, wanted: Int?, changed: @escaping @Sendable () -> Void) {
        self.pad = pad
        self.wanted = wanted
        self.changed = changed
        state.withLock { $0.identifier = pad.streamIdentifier ?? "" }
        // The reader keeps this object alive until the pipeline has stopped.
        pad.take { [weak self] in self?.take($0) ?? false }
    }

    var facts: StreamFacts { state.current }

    /// Nanoseconds, as the demuxer reports it; `nil` where it does not.
    var duration: UInt64? { pad.duration }

    /// - Returns: whether more access units are wanted.
    private func take(_ arrival: Arrival) -> Bool {
        switch arrival {
        case .format(let format): state.withLock { $0.adopt(format) }
        case .tags(let tags): state.withLock { $0.adopt(tags) }
        case .buffer(let buffer): return take(buffer)
        case .end:
            state.withLock { $0.hasEnded = !$0.isComplete }
            complete()
        }
        return true
    }

    private func take(_ buffer: Buffer) -> Bool {
        let (goesOn, isFirst) = state.withLock { facts -> (Bool, Bool) in
            let isFirst = !facts.hasData
            facts.hasData = true
            guard facts.isVideo else { return (true, isFirst) }
            guard !facts.isComplete else { return (false, false) }
            facts.read(buffer)
            return (facts.frames.read < wanted ?? facts.framesOfASecond, isFirst)
        }
        if !goesOn { complete() } else if isFirst { changed() }
        return goesOn
    }

    private func complete() {
        let isNew = state.withLock { facts -> Bool in
            defer { (facts.hasData, facts.isComplete) = (true, true) }
            return !facts.isComplete
        }
        if isNew { changed() }
    }
}
