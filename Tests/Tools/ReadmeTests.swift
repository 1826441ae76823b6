import Foundation
import TestSupport
import Testing

/// The first page that people read; `PageLinesTests` and `PageCodeTests` run what is on it.
struct ReadmeTests {
    @Test func readmeIsShort() throws {
        let text = try String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 154, "at most 153 lines")
    }
}
