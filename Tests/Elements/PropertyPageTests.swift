import Foundation
import PluginSupport
import TestSupport
import Testing

/// The page of all properties.
@Suite struct PropertyPageTests {
    /// Other versions of GStreamer describe the properties of base classes in other words.
    private static let isDebians: Bool = {
        let outcome = try? GstTool.run("gst-inspect-1.0", ["--version"])
        return outcome?.output.contains(" 1.22.") ?? false
    }()

    @Test(.enabled(if: isDebians, "GStreamer is not 1.22"))
    func itIsWhatTheElementsSay() throws {
        let made = try GstTool.run(Repository.path("meson-wrap/property-tables"), [])
        try #require(made.status == 0, "\(made)")
        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/properties.md"), encoding: .utf8)
        let (lines, kept) = (made.output.split(separator: "\n"), page.split(separator: "\n"))
        #expect(lines.count > 120)
        for line in Set(lines).symmetricDifference(kept) {
            Issue.record("meson-wrap/property-tables > Sources/GstHDR/GstHDR.docc/properties.md: \(line)")
        }
        #expect(lines == kept)
    }
}
