import Foundation
import TestSupport
import Testing

/// The command `hdr`, as meson-wrap/build-plugin makes it.
package enum HDRCommand {
    package static let program = Repository.path("build/bin/hdr")

    package static func run(
        _ arguments: [String], environment: [String: String] = [:], timeout: Double = 60
    ) throws -> Command.Result {
        try #require(FileManager.default.isExecutableFile(atPath: program), "run meson-wrap/build-plugin")
        return try GstTool.run(program, arguments, environment: environment, timeout: timeout)
    }

    /// The output of `hdr inspect` for some files.
    package static func inspect(_ arguments: [String]) throws -> [[String: Any]] {
        // Damaged files cause criticals in GStreamer's own checks, which are no failure of the command.
        let outcome = try run(["inspect", "--json"] + arguments, environment: ["G_DEBUG": ""])
        return try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]],
            "\(outcome)")
    }

    /// The output of `hdr inspect` for a file, and for its first video stream.
    package static func inspect(_ path: String) throws -> (file: [String: Any], video: [String: Any]) {
        let file = try #require(try inspect([path]).first)
        let streams = try #require(file["video"] as? [[String: Any]], "\(file)")
        return (file, try #require(streams.first, "\(file)"))
    }
}
