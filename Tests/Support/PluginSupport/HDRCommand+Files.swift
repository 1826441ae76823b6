import Foundation
import TestSupport

extension HDRCommand {
    /// Runs the command in a folder, as an application or a person does, without the harness around GStreamer's tools.
    /// - Parameter words: behind `hdr`.
    package static func run(_ words: [String], in folder: TemporaryFolder) async throws -> Command.Result {
        try await command(words, in: folder).run()
    }

    /// The command in a folder, not started yet.
    package static func command(_ words: [String], in folder: TemporaryFolder) -> Command {
        var command = Command(program, words, directory: folder.url)
        command.limit = .seconds(300)
        return command
    }
}
