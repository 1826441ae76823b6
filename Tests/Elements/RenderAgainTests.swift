import Foundation
import PluginSupport
import TestSupport
import Testing

/// Frames of a pause that `hdrtap` processes again, for a program in Python.
@Suite struct RenderAgainTests {
    @Test(arguments: [
        "direct", "queued", "at-a-frames-time", "at-the-end", "left-playing", "not-kept", "swapped", "unasked",
        "not-only-shown", "edrsink",
        "copied", "stepped", "stepped-queued", "storm",
    ])
    func framesOfAPause(_ check: String) throws {
        let path = Repository.path("Tests/Elements/Programs/render_again.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", path, check], timeout: 60)
        expectClean(outcome)
        #expect(outcome.output == "\(check) ok\n", "\(outcome)")
    }
}
