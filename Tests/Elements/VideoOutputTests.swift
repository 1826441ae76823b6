import Foundation
import PluginSupport
import TestSupport
import Testing

/// Frames by time of `hdrtap` for a program in Python, in pipelines that play.
@Suite struct VideoOutputTests {
    @Test(arguments: ["rates", "no-queue", "flushed", "paused", "notification", "light", "settings", "instant-rate"])
    func framesByTime(_ check: String) throws {
        let path = Repository.path("Tests/Elements/Programs/video_output.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", path, check], timeout: 60)
        expectClean(outcome)
        #expect(outcome.output == "\(check) ok\n", "\(outcome)")
    }

    /// The blocks of code of a language on the page.
    private static func blocks(_ language: String) throws -> [String] {
        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/video-output.md"), encoding: .utf8)
        return page.components(separatedBy: "\n```").enumerated().compactMap { index, text in
            guard index % 2 == 1, let end = text.firstIndex(of: "\n"), text[..<end] == language else { return nil }
            return String(text[text.index(after: end)...])
        }
    }

    @Test func thePagesPythonRuns() throws {
        let program = try #require(try Self.blocks("python").first)
        let outcome = try GstTool.run("/usr/bin/python3", ["-c", program], timeout: 60)
        expectClean(outcome)
        let lines = outcome.output.split(separator: "\n")
        // A frame or two may be missed where the machine is busy.
        #expect(lines.count > 30 && lines.count <= 50, "\(outcome)")
        #expect(lines.allSatisfy { $0.hasSuffix(" s: 614400 bytes") }, "\(outcome)")
    }
}
