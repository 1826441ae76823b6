import Foundation
import PluginSupport
import TestSupport
import Testing

/// The blocks of code in README.md and on all pages that are no commands: C compiles, Python runs, and Swift is
/// accepted by its compiler.
struct PageCodeTests {
    /// A block of another kind would be one that nothing checks.
    @Test func languagesAreKnown() {
        #expect(PageBlock.all.count > 60)
        for block in PageBlock.all {
            #expect(["", "sh", "text", "c", "python", "swift"].contains(block.language), "\(block)")
        }
    }

    // MARK: C

    /// A block as a file: functions and includes are as they are, and other lines become a function's.
    private static func program(_ text: String) -> String {
        var (outside, inside) = ("", "")
        var isFunction = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            isFunction = isFunction || line.hasPrefix("static ")
            if isFunction || line.hasPrefix("#include") || line.hasPrefix("/*") {
                outside += line + "\n"
            } else {
                inside += line + "\n"
            }
            if line == "}" { isFunction = false }
        }
        // What a fragment needs; a block that declares one of these itself hides it.
        return """
            #include <gst/hdr/hdr.h>
            \(outside)
            void page (GstElement *hdrtap, GstElement *film, GstElement *music, GstElement *timeline, GstBuffer *buffer,
                       GBytes *message, GstClock *clock, GError *error);
            void page (GstElement *hdrtap, GstElement *film, GstElement *music, GstElement *timeline, GstBuffer *buffer,
                       GBytes *message, GstClock *clock, GError *error)
            {
                {
            \(inside)
                }
            }
            """
    }

    /// With an installation's headers, and no warning but of what a fragment leaves unused.
    @Test(.enabled(if: Command.exists("meson") && Command.exists("g-ir-scanner"), "meson or g-ir-scanner is missing"))
    func cCompiles() throws {
        let library = try LibraryBuild.shared.get()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let blocks = PageBlock.of("c")
        #expect(blocks.count >= 9)
        for block in blocks {
            let file = try folder.write(Self.program(block.text), to: "page.c")
            let line =
                "gcc -fsyntax-only -Wall -Wextra -Werror -Wno-unused '\(file)' $(pkg-config --cflags gstreamer-hdr-1.0)"
            let outcome = try GstTool.run("/bin/sh", ["-c", line], environment: library.environment, timeout: 60)
            #expect(outcome.status == 0, "\(block): \(outcome)")
        }
    }

    // MARK: Python

    private static let pythonHead = """
        import array, gi
        gi.require_version("Gst", "1.0")
        from gi.repository import GLib, Gst
        Gst.init(None)
        """

    /// What is before and behind a fragment, which begins with the words.
    private static let surroundings: [(beginning: String, before: String, behind: String)] = [
        (
            "output = tap",
            """
            pipeline = Gst.parse_launch("videotestsrc num-buffers=2 ! hdrtap name=tap ! fakesink")
            tap = pipeline.get_by_name("tap")
            """, "assert output.get_property('format') == 'RGBA_F16LE'"
        ),
        (
            "def process(tap",
            """
            pipeline = Gst.parse_launch(
                "audiotestsrc num-buffers=9 wave=square volume=0.5 ! audio/x-raw,format=F32LE,layout=interleaved ! "
                "hdrtap name=tap ! level ! fakesink")
            tap = pipeline.get_by_name("tap")
            """,
            """
            pipeline.set_state(Gst.State.PLAYING)
            kinds = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
            message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, kinds)
            peak = message.get_structure().get_value("peak")[0]
            pipeline.set_state(Gst.State.NULL)
            assert abs(peak + 12.04) < 0.1, peak
            """
        ),
    ]

    @Test(
        .enabled(if: Command.exists("meson") && Command.exists("g-ir-scanner"), "meson or g-ir-scanner is missing"),
        .enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed"), arguments: PageBlock.of("python"))
    func pythonRuns(_ block: PageBlock) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let clip =
            "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=64,height=64 ! x264enc ! h264parse ! qtmux ! "
            + "filesink location=\(folder.path("clip.mov"))"
        if block.text.contains("clip.mov") { expectClean(try GstTool.launch(clip)) }
        var program = block.text
        if !program.contains("import gi\n") {
            let fragment = try #require(Self.surroundings.first { block.text.hasPrefix($0.beginning) }, "\(block)")
            program = [Self.pythonHead, fragment.before, block.text, fragment.behind, ""].joined(separator: "\n")
        }
        let display = try XServer()
        defer { withExtendedLifetime(display) {} }
        let environment = try LibraryBuild.shared.get().environment.merging(display.environment) { $1 }
        let outcome = try GstTool.run(
            "sh", ["-c", "cd '\(folder.url.path)' && exec /usr/bin/python3 -c \"$1\"", "sh", program],
            environment: environment, timeout: 60)
        #expect(outcome.status == 0 && outcome.errors == "", "\(block): \(outcome)")
    }

    // MARK: Swift

    /// What a fragment needs around it, by the words that it begins with; `CODE` is where it stands.
    private static let swiftSurroundings = [
        "import HDRPipeline": "CODE",
        "import HDRTap\n\nfinal class Doubler":
            "import CGStreamer\nnonisolated(unsafe) let element = gst_element_factory_make(nil, nil)!\nCODE",
        "// Package.swift": "import CGStreamer\nlet hdrtap = gst_element_factory_make(nil, nil)!\nCODE",
        "let others": "import HDRPipeline\nfunc page(_ buffer: Buffer) throws -> Buffer {\nCODE\nreturn plain\n}",
        "let output": """
        import CGStreamer
        import HDRTap
        func draw(_ bytes: UnsafeRawBufferPointer, at time: UInt64?) {}
        func page(_ tap: UnsafeMutablePointer<GstElement>, _ target: UInt64) throws {
        CODE
        }
        """,
        ".package(": "import PackageDescription\nlet dependencies: [Package.Dependency] = [\nCODE]",
    ]

    @Test(.swiftIsThere) func swiftIsAccepted() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        // The modules are made by the build of these tests, which depend on them.
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let modules = tests.appendingPathComponent("Modules").path
        let cFlags = try GstTool.build("pkg-config", ["--cflags", "gstreamer-video-1.0", "gstreamer-audio-1.0"]).output
            .split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
        let flags =
            ["-swift-version", "6", "-Onone", "-I", modules]
            + ["Sources/CHDRTap/include", "Sources/CGStreamer"].flatMap { ["-I", Repository.path($0)] } + cFlags
        let compiler = try GstTool.build("swiftc", ["-print-target-info"]).output
        let resources = try #require(compiler.firstMatch(of: /"runtimeResourcePath": "([^"]*)"/)).1
        for block in PageBlock.of("swift") {
            let around = try #require(
                Self.swiftSurroundings.first { block.text.hasPrefix($0.key) }?.value, "\(block)")
            // The lines of a list of dependencies have no commas.
            let code =
                block.text.hasPrefix(".package(") ? block.text.replacing(")\n", with: "),\n") : block.text
            try folder.write(around.replacing("CODE", with: code), to: "main.swift")
            let manifest = ["-I", "\(resources)/pm/ManifestAPI", "-package-description-version", "6.0"]
            let outcome = try Command("swiftc", flags + manifest + ["-typecheck", folder.path("main.swift")]).runToEnd()
            #expect(outcome.status == 0, "\(block): \(outcome)")
        }
    }
}
