import Foundation
import PluginSupport
import Testing
import TestSupport

/// The Python programs that play to `edrsink`, in Programs/edrsink: each has checks, which the command line names.
enum EDRSinkProgram {
    /// An environment without the user's display.
    static let noDisplay = ["DISPLAY": "", "WAYLAND_DISPLAY": ""]

    /// Runs a check, which says "ok" where all holds and raises where it does not.
    static func check(
        _ program: String, _ name: String, environment: [String: String] = [:], timeout: Double = 60,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = Repository.path("Tests/Elements/Programs/edrsink/\(program).py")
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", path, name], environment: noDisplay.merging(environment) { $1 }, timeout: timeout
        )
        expectClean(outcome, sourceLocation: sourceLocation)
        #expect(outcome.output == "\(name) ok\n", "\(outcome)", sourceLocation: sourceLocation)
    }
}
