import HDRPipeline

/// Plays pipelines of commands, which show how far they are and end where the user interrupts.
enum Run {
    private enum Event: Sendable {
        case message(Message)
        case tick
    }

    /// Plays to the end of the stream, or until `hear` or `tick` say that it is enough, and stops whatever happens.
    /// - Parameters:
    ///   - interval: between two calls of `tick`.
    ///   - tick: returns whether to go on.
    ///   - hear: gets each message but the end and errors, and returns whether to go on.
    ///   - end: is called when it is enough, before the pipeline stops and forgets what it knows.
    ///   - stop: is called whatever happens, before the pipeline stops, for what would keep its threads.
    /// - Throws: the pipeline's error, ``Interruption``, and what the closures throw.
    static func play(
        _ pipeline: Pipeline, every interval: Duration = .milliseconds(100), tick: () throws -> Bool = { true },
        hear: (Message) throws -> Bool = { _ in true }, end: () throws -> Void = {}, stop: () -> Void = {}
    ) async throws {
        let events = events(of: pipeline, every: interval)
        defer {
            stop()
            _ = try? pipeline.begin(.null)
        }
        try pipeline.begin(.playing)
        loop: for await event in events {
            try Interruption.check()
            switch event {
            case .tick:
                guard try tick() else { break loop }
            case .message(let message):
                switch message.kind {
                case .error(let error): throw error
                case .endOfStream: break loop
                default: guard try hear(message) else { break loop }
                }
            }
        }
        try end()
    }

    /// Does something that takes its time, and ends where the user interrupts.
    /// - Parameters:
    ///   - seconds: that it may take.
    ///   - late: the error where it takes longer.
    static func interruptibly<Result: Sendable>(
        within seconds: Int, late: Failure, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for _ in 0..<(seconds * 20) {
                    try Interruption.check()
                    try await Task.sleep(for: .milliseconds(50))
                }
                throw late
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw late }
            return result
        }
    }

    private static func events(of pipeline: Pipeline, every interval: Duration) -> AsyncStream<Event> {
        let messages = pipeline.messages
        return AsyncStream { continuation in
            let forward = Task { for await message in messages { continuation.yield(.message(message)) } }
            let clock = Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: interval)
                    continuation.yield(.tick)
                }
            }
            continuation.onTermination = { _ in
                forward.cancel()
                clock.cancel()
            }
        }
    }
}
