import Foundation
import PluginSupport
import Testing
import TestSupport

/// The programs in Sources/Examples that compose pictures: they build as they say, and do what they say.
@Suite struct CompositorExampleTests {
    private static let folder = Repository.root.appendingPathComponent("Sources/Examples")
    private static let flags = ["-Werror", "-I", Repository.path("Sources/CHDRTap/include")]
    private static let packages = ["gstreamer-audio-1.0", "gstreamer-video-1.0"]

    @Test func theCExample() throws {
        let scratch = try TemporaryFolder()
        let source = try String(contentsOf: Self.folder.appendingPathComponent("hdrcompositor.c"), encoding: .utf8)
        let program = try scratch.compile(source, as: "curtain", packages: Self.packages, flags: Self.flags)
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        // White of SDR is 1.0; that of PQ is 10 000 cd/m² over 203.
        #expect(outcome.output == "50 pictures, light of 1.00 on the left and 49.26 on the right\n")
    }

    @Test func thePythonExample() throws {
        let script = Self.folder.appendingPathComponent("hdrcompositor.py").path
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        // The instruction leaves the last ten of fifty pictures to the element.
        #expect(outcome.output == "the canvas is 64x48 pixels of GRAY8\n26 composed, 14 passed\n")
    }

    /// The C code of the element's page compiles.
    @Test func theCodeOfThePageCompiles() throws {
        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/custom-compositor.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```c\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 1)
        for block in blocks {
            let scratch = try TemporaryFolder()
            let source = block + "\nint main (void) { return attach (NULL, NULL, NULL); }\n"
            let program = try scratch.compile(source, as: "page", packages: Self.packages, flags: Self.flags)
            // Without an element, attaching fails.
            #expect(try GstTool.run(program).status == 0)
        }
    }

    /// The element shows what it has for compositors.
    @Test func theElementShowsItsSignals() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdrcompositor"])
        for name in [
            "set-compositor-callbacks", "add-instruction", "clear-instructions", "compose", "render-context-changed",
            "request-timeout", "compose-sources",
        ] { #expect(outcome.output.contains(name), "\(name)") }
    }
}
