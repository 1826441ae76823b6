import Foundation
import TestSupport
import PluginSupport
import Testing

/// README's launch lines, in their order and as they are written, in an empty folder.
struct ReadmeTests {
    static let lines = ((try? String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)) ?? "")
        .split(separator: "\n").map(String.init).filter { $0.hasPrefix("gst-launch-1.0 ") }

    @Test(
        .timeLimit(.minutes(10)),
        .enabled(if: InspectToolTests.hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
    func launchLinesRun() throws {
        let scratch = try TemporaryFolder()
        #expect(Self.lines.count >= 12)
        // Lines that need a display have tests of their own.
        for line in Self.lines where !line.contains("edrsink") {
            let outcome = try GstTool.run(
                "bash", ["-c", "cd '\(scratch.url.path)' && set -o pipefail && \(line)"], timeout: 240)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(!outcome.errors.contains("ERROR"), "\(outcome)")
            guard let name = line.firstMatch(of: /location=([a-z.-]+)$/)?.1 else { continue }
            #expect(try scratch.data(String(name)).count > 1000, "\(line)")
        }
    }

    @Test func readmeIsShort() throws {
        let text = try String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 154, "at most 153 lines")
    }
}
