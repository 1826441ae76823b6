import HDRPipeline

/// Plays pipelines of commands, which show how far they are and end where the user interrupts.
enum Run {
    private enum Event: Sendable {
        case message(Message)
        case tick
    }

    /// Plays to the end of the stream, or until `hear` or `tick` say that it is enough, and stops whatever happens.
    /// - Parameters:
    ///   - tick: is called ten times a second, and returns whether to go on.
    ///   - hear: gets each message but the end and errors, and returns whether to go on.
    /// - Throws: the pipeline's error, ``Interruption``, and what `tick` and `hear` throw.
    static func play(
        _ pipeline: Pipeline, tick: () throws -> Bool = { true }, hear: (Message) throws -> Bool = { _ in true }
    ) async throws {
        let events = events(of: pipeline)
        defer { _ = try? pipeline.begin(.null) }
        try pipeline.begin(.playing)
        for await event in events {
            try Interruption.check()
            switch event {
            case .tick:
                guard try tick() else { return }
            case .message(let message):
                switch message.kind {
                case .error(let error): throw error
                case .endOfStream: return
                default: guard try hear(message) else { return }
                }
            }
        }
    }

    private static func events(of pipeline: Pipeline) -> AsyncStream<Event> {
        let messages = pipeline.messages
        return AsyncStream { continuation in
            let forward = Task { for await message in messages { continuation.yield(.message(message)) } }
            let clock = Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(100))
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
