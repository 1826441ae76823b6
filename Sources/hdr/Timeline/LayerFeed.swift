import HDRConcurrency
import HDRPipeline

/// Feeds one pad of the compositor with a layer: a picture for each of the timeline's, at its very time.
final class LayerFeed: Sendable {
    let number: Int
    let layer: TimelineLayer
    private let grid: FrameGrid
    private let canvas: CompositorCanvas
    private let gate: LayerGate
    private let sound: MixedSound?
    private let state = Locked(State())

    private struct State {
        var entry: CompositorCanvas.Entry?
        /// The picture that is shown until the next one's time.
        var held: (buffer: Buffer, format: String)?
        var format: String?
        /// The number of the layer's pictures that have passed.
        var passed = 0
        var hasEnded = false
    }

    init(
        _ number: Int, _ layer: TimelineLayer, _ grid: FrameGrid, _ canvas: CompositorCanvas, _ gate: LayerGate,
        _ sound: MixedSound?
    ) {
        (self.number, self.layer, self.grid) = (number, layer, grid)
        (self.canvas, self.gate, self.sound) = (canvas, gate, sound)
    }

    /// Whether all of the pictures have passed.
    var isComplete: Bool { state.current.passed >= layer.count }
    /// Whether the pad knows that nothing follows.
    var hasEnded: Bool { state.current.hasEnded }

    // MARK: Movies

    /// Plays the layer's movie, and passes its pictures and its sound on.
    /// - Parameter halt: stops all of the timeline, so that no thread of the movie's waits for it.
    func play(
        _ movie: TimelineMovie, from: UInt64, hear: @escaping @Sendable (Message) -> Void,
        halt: @escaping @Sendable () -> Void
    ) async throws {
        var reader = movie.reader
        reader.range = TimeRange(
            start: from > 0 ? from : nil, end: from.addingReportingOverflow(grid.time(layer.count)).partialValue)
        let (number, gate, sound) = (number, gate, movie.hasSound ? sound : nil)
        @Sendable func keep(_ body: () throws -> Void) {
            do { try body() } catch { if !gate.isStopped { gate.fail(error) } }
        }
        /// Whether the timeline was over before its pictures were: whoever has ended it knows why.
        var isOver = false
        try await reader.play(
            // Running times begin with the part.
            pictures: { [self] buffer, time, pad in keep { try take(buffer, at: time, pad.format) } },
            picturesEnd: { [self] in keep { try end() } },
            sound: sound.map { sound in
                (
                    sound.format.caps,
                    { buffer, time in keep { try sound.append(buffer, at: time, of: number) } },
                    { keep { try sound.finish(number) } }
                )
            },
            tick: { [self] in
                try gate.check()
                return !gate.isStopped && (!hasEnded || !(sound?.isComplete(number) ?? true))
            },
            hear: { message in
                hear(message)
                return true
            }, end: {},
            stop: { [self] in
                isOver = gate.isStopped
                // A clip that ends early must be able to stop its threads.
                guard !hasEnded || !(sound?.isComplete(number) ?? true) else { return }
                halt()
            })
        try sound?.finish(number)
        try gate.check()
        guard hasEnded || isOver else {
            throw Failure("\(reader.file.shown) has no picture where the timeline shows it")
        }
    }

    /// Takes a picture that is shown from a time of the part on, in ns, and passes on the one before for as long as
    /// that was shown.
    private func take(_ buffer: Buffer, at time: UInt64, _ format: Structure?) throws {
        guard let format = format.map({ canvas.caps($0) }) else { return }
        let before = state.withLock { state in
            defer { state.held = (buffer, format) }
            return state.held
        }
        guard let before else {
            try open(format)
            return
        }
        var next = state.current.passed
        while next < layer.count, grid.middle(next) < time {
            guard try pass(before.buffer, before.format, next) else { return }
            next += 1
        }
    }

    /// The movie has ended: its last picture is shown to the layer's end.
    private func end() throws {
        guard let last = state.current.held else { return }
        for frame in state.current.passed..<max(layer.count, state.current.passed) {
            guard try pass(last.buffer, last.format, frame) else { return }
        }
        guard gate.pass(layer.end) else { return }
        try finish()
    }

    // MARK: Still pictures

    /// Shows a still picture as far as all other layers are there.
    func show(_ picture: StillPicture) throws {
        guard let buffer = picture.sample.buffer, let format = picture.sample.format.map({ canvas.caps($0) }) else {
            throw Failure("a picture is empty")
        }
        try open(format)
        let first = gate.first
        let passed = state.current.passed
        let count = min(layer.end, first) - layer.start
        if count > passed {
            // One buffer is shown for all of the time, and one for its last picture: an aggregator goes on only where
            // each pad has a buffer that it has not taken yet.
            for part in [passed..<max(count - 1, passed), max(count - 1, passed)..<count] where !part.isEmpty {
                let (start, end) = (grid.time(layer.start + part.lowerBound), grid.time(layer.start + part.upperBound))
                try push(try buffer.retimed(time: start, duration: end - start), format)
            }
            state.withLock { $0.passed = count }
        }
        if isComplete, !hasEnded, first > layer.end { try finish() }
    }

    // MARK: The pad

    private func open(_ format: String) throws {
        guard state.current.entry == nil else { return }
        let entry = try canvas.open(layer, format)
        state.withLock { state in
            state.entry = entry
            state.format = format
        }
        gate.open(number)
    }

    /// - Returns: whether further pictures are wanted.
    private func pass(_ buffer: Buffer, _ format: String, _ index: Int) throws -> Bool {
        let frame = layer.start + index
        guard gate.pass(frame) else { return false }
        let (start, end) = (grid.time(frame), grid.time(frame + 1))
        try push(try buffer.retimed(time: start, duration: end - start), format)
        state.withLock { $0.passed = index + 1 }
        sound?.notePictures(of: number, upTo: frame + 1)
        return true
    }

    private func push(_ buffer: Buffer, _ format: String) throws {
        let (entry, isNew) = state.withLock { state in
            defer { state.format = format }
            return (state.entry, state.format != format)
        }
        if isNew {
            try entry?.source.emit("push-sample", try Sample(buffer, format: format), as: String.self)
        } else {
            try entry?.source.emit("push-buffer", buffer, as: String.self)
        }
    }

    private func finish() throws {
        try state.current.entry?.source.emit("end-of-stream", as: String.self)
        state.withLock { $0.hasEnded = true }
    }

    /// Takes the pad away, which nothing is seen of any more.
    func close() {
        let entry = state.withLock { state in
            defer { state.entry = nil }
            return state.entry
        }
        if let entry { canvas.close(entry) }
    }
}
