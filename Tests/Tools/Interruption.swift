import Foundation
import TestSupport
import Testing

extension Command {
    /// Interrupts the command in the middle of its work. It ends by the signal, without a traceback, and removes the
    /// file that it was writing.
    /// - Parameters:
    ///   - unfinished: How the name of the unfinished file begins.
    ///   - ending: How it ends.
    ///   - folder: The command's directory, with only its source.
    func expectNothingLeft(
        after signal: Int32, unfinished: String, ending: String = "", in folder: TemporaryFolder,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = folder.names
        let running = try start()
        let began = try await running.wait {
            folder.names.contains { $0.hasPrefix(unfinished) && $0.hasSuffix(ending) }
        }
        #expect(began, sourceLocation: sourceLocation)
        running.send(signal)
        let result = try await running.finish()
        #expect(result.status == 128 + signal, "\(result)", sourceLocation: sourceLocation)
        #expect(folder.names == before, sourceLocation: sourceLocation)
        #expect(!result.errors.contains("Traceback"), "\(result)", sourceLocation: sourceLocation)
    }
}
