import Foundation
import TestSupport
import Testing

extension HDRCommand {
    /// Runs the command in a folder, as an application or a person does, without the harness around GStreamer's tools.
    /// - Parameter words: behind `hdr`.
    package static func run(_ words: [String], in folder: TemporaryFolder) async throws -> Command.Result {
        try await command(words, in: folder).run()
    }

    /// The objects in what a command prints with `--json`.
    package static func objects(_ words: [String], in folder: TemporaryFolder) async throws -> [[String: Any]] {
        let result = try await run(words + ["--json"], in: folder)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        return try #require(list, "\(result)")
    }

    /// The command in a folder, not started yet.
    package static func command(_ words: [String], in folder: TemporaryFolder) -> Command {
        var command = Command(program, words, directory: folder.url)
        command.limit = .seconds(300)
        return command
    }
}
