import Foundation
import TestSupport

/// A small program that plays a launch line to its end and prints what the bus said, a message a line. Of elements with
/// these names it prints more: of a sink `counted` the number of frames, of an element `convert` the caps of its pads.
///
/// gst-launch-1.0 is no judge of errors: it may wait for ever where an element fails while it prerolls.
package enum Player {
    /// The environment in which GStreamer's tracer warns of objects that are alive at the end, and warnings are fatal.
    package static let leakTracing = ["GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "G_DEBUG": "fatal-warnings"]

    /// Plays a line, whose words are separated by spaces.
    /// - Parameter leaks: Caps that the program itself forgets to free.
    package static func play(_ line: String, leaks: Int = 0, environment: [String: String] = [:]) throws
        -> Command.Result
    {
        let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return try GstTool.run(try program.get(), [words, String(leaks)], environment: environment)
    }

    private static let scratch = Result { try TemporaryFolder() }
    private static let program = Result {
        try scratch.get().compile(
            String(contentsOfFile: Repository.path("Tests/Support/Programs/player.c"), encoding: .utf8), as: "player",
            packages: ["gstreamer-1.0"])
    }
}
