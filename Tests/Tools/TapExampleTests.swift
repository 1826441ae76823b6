import Foundation
import PluginSupport
import Testing
import TestSupport

/// The programs in Sources/Examples: they build as they say, do what they say, and end by themselves.
@Suite struct TapExampleTests {
    static let folder = Repository.root.appendingPathComponent("Sources/Examples")

    @Test func theCExample() throws {
        let scratch = try TemporaryFolder()
        let program = try compileC(scratch)
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        #expect(
            lines(outcome)
                == [
                    "ring modulator: prepared for 2048 frames of 2 channels at 48000 Hz", "ring modulator: finalized",
                    "ring modulator: peak 0.50", "ring modulator: peak 0.50",
                    "soft clipper: prepared for 2048 frames of 2 channels at 48000 Hz", "soft clipper: finalized",
                    "soft clipper: peak 0.48", "soft clipper: peak 0.48",
                    "ring modulator: 33 calls, soft clipper: 33 calls",
                ].sorted(), "\(outcome)")
        try expectFiles(program, [], says: "ring modulator: 16 calls, soft clipper: 15 calls")
    }

    @Test func thePythonExample() throws {
        let script = Self.folder.appendingPathComponent("hdrtap.py").path
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        let words = outcome.output.split(separator: "\n").map(String.init)
        try #require(words.count == 6, "\(outcome)")
        #expect(words[0...1] == ["prepared for 2048 frames at 48000 Hz", "start of stream"])
        for line in words[2...4] {
            let match = try #require(line.firstMatch(of: /^left (-[\d.]+) dB, right (-[\d.]+) dB$/), "\(line)")
            // A sine of amplitude 0.5 is at -9.03 dB; the left channel has half of that.
            #expect(abs(try #require(Double(match.1)) + 15.05) < 0.2)
            #expect(abs(try #require(Double(match.2)) + 9.03) < 0.2)
        }
        #expect(words[5] == "unprepared")
        try expectFiles("/usr/bin/python3", ["-B", script], says: "unprepared")
    }

    @Test func theCExampleForVideo() throws {
        let scratch = try TemporaryFolder()
        let program = try compileC(scratch, "hdrtap_video")
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        // White is 235 in limited range; the observer sees it as it was.
        #expect(lines(outcome) == ["darkened: average 117.0", "seen: average 235.0"], "\(outcome)")
    }

    @Test func thePythonExampleForVideo() throws {
        let script = Self.folder.appendingPathComponent("hdrtap_video.py").path
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        let words = outcome.output.split(separator: "\n").map(String.init)
        try #require(words.count == 5, "\(outcome)")
        #expect(words[0...1] == ["prepared for 320x240 pixels of I420", "start of stream"])
        #expect(words[2...3].allSatisfy { $0.hasPrefix("average luma ") })
        #expect(words[4] == "unprepared")
    }

    /// The frame that the element gets back from the Python example: half a second is half a bar.
    @Test func thePythonExampleDrawsItsBar() throws {
        let program = """
            import sys
            sys.path.insert(0, sys.argv[1])
            import hdrtap_video
            from gi.repository import GLib, Gst
            Gst.init(None)
            bar = hdrtap_video.Bar()
            bar.prepare(None, 1, Gst.Caps.from_string("video/x-raw,format=I420,width=40,height=40,framerate=25/1"))
            answer = bar.process(None, GLib.Bytes.new(bytes(2400)), 1, 0, Gst.SECOND // 2).get_data()
            print(len(answer), [(i % 40, i // 40) for i in range(2400) if answer[i]] ==
                  [(x, y) for y in (38, 39) for x in range(20)])
            """
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", "-c", program, Self.folder.path])
        expectClean(outcome)
        #expect(outcome.output.hasSuffix("2400 True\n"), "\(outcome)")
    }

    /// The C code of the element's page compiles.
    @Test func theCodeOfThePageCompiles() throws {
        let page = try String(contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/hdrtap.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```c\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 1)
        for block in blocks {
            let scratch = try TemporaryFolder()
            let source = block + "\nint main (void) { return attach (NULL, NULL, NULL); }\n"
            let program = try scratch.compile(
                source, as: "page", packages: ["gstreamer-audio-1.0", "gstreamer-video-1.0"],
                flags: ["-Werror", "-I", Repository.path("Sources/CHDRTap/include")])
            // Without an element, attaching fails.
            #expect(try GstTool.run(program).status == 0)
        }
    }

    /// The output of the element with the Python example.
    @Test func thePythonExampleSwapsChannels() throws {
        let program = """
            import struct, sys
            sys.path.insert(0, sys.argv[1])
            import hdrtap
            from gi.repository import GLib
            swapper = hdrtap.Swapper()
            swapper.rate, swapper.squares, swapper.frames = 48000, [0.0, 0.0], 0
            data = GLib.Bytes.new(struct.pack("6f", 1, 2, 3, 4, 5, 6))
            print(struct.unpack("6f", swapper.process(None, data, 3, 0, 0).get_data()))
            """
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", "-c", program, Self.folder.path])
        expectClean(outcome)
        #expect(outcome.output == "(2.0, 1.0, 4.0, 3.0, 6.0, 5.0)\n")
    }

    @Test func theSwiftExample() throws {
        // SwiftPM puts the program beside that of the tests.
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("HDRTapExample").path
        try #require(FileManager.default.isExecutableFile(atPath: program), "swift build --product HDRTapExample")
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        #expect(
            lines(outcome)
                == [
                    "prepared for 2048 frames of 2 channels at 48000 Hz, F32LE", "released",
                    "66 calls, peak from 0.15 to 0.5",
                ].sorted(), "\(outcome)")
        try expectFiles(program, [], says: "31 calls, peak from")
    }

    /// Without the plugin, the programs say what is missing.
    @Test func withoutThePluginTheyFailWithAWord() throws {
        let scratch = try TemporaryFolder()
        let environment = [
            "GST_PLUGIN_PATH": scratch.url.path, "GST_REGISTRY": scratch.path("registry.bin"),
            "GST_REGISTRY_UPDATE": "yes",
        ]
        let outcome = try GstTool.run(try compileC(scratch), environment: environment)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("hdrtap"))
    }

    /// Compiles an example with the flags that its first lines state.
    func compileC(_ scratch: TemporaryFolder, _ name: String = "hdrtap") throws -> String {
        let source = try String(contentsOf: Self.folder.appendingPathComponent("\(name).c"), encoding: .utf8)
        return try scratch.compile(
            source, as: name, packages: ["gstreamer-audio-1.0"] + (name == "hdrtap" ? [] : ["gstreamer-video-1.0"]),
            flags: ["-Werror", "-lm", "-I", Repository.path("Sources/CHDRTap/include")])
    }

    /// The example plays a file, and says so where there is none.
    func expectFiles(_ program: String, _ arguments: [String], says text: String) throws {
        let scratch = try TemporaryFolder()
        // A place that an URI and a launch line have to quote.
        let file = scratch.path("a tone, 1.4 s.wav")
        _ = try GstTool.run(
            "gst-launch-1.0",
            ["-q", "audiotestsrc", "num-buffers=61", "!", "audio/x-raw,rate=44100", "!", "wavenc", "!", "filesink"]
                + ["location=\(file)"])
        let outcome = try GstTool.run(program, arguments + [file])
        expectClean(outcome)
        #expect(outcome.output.contains(text), "\(outcome)")
        let failure = try GstTool.run(program, arguments + [scratch.path("missing.wav")])
        #expect(failure.status == 1, "\(failure)")
        #expect((failure.output + failure.errors).contains("Resource not found."), "\(failure)")
    }

    /// In alphabetical order: threads print in any.
    func lines(_ outcome: Command.Result) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).sorted()
    }
}
