import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr inspect` on what would end it, steer the terminal, or mislead about the picture.
@Suite struct InspectHostileTests {
    private let tool = InspectToolTests()

    /// Ends the process that opens a file with "crash" in its name, as a demuxer does on damaged bytes.
    private static let shim = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <string.h>
        static void look(const char *path) { if (strstr(path, "crash")) raise(SIGSEGV); }
        #define OPEN(name) int name(const char *path, int flags, ...) { \\
            va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list); look(path); \\
            return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); }
        OPEN(open)
        OPEN(open64)
        """

    private func video(_ name: String, in scratch: TemporaryFolder) throws -> String {
        let path = scratch.path(name)
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! vp9enc \
                deadline=1 \
                ! webmmux ! filesink location=\(path)
                """))
        return path
    }

    @Test func aCrashOnOneFileOfManyIsReported() throws {
        let scratch = try TemporaryFolder()
        let good = try video("good.webm", in: scratch)
        let bad = scratch.path("crash.webm")
        try FileManager.default.copyItem(atPath: good, toPath: bad)
        let source = try scratch.write(Self.shim, to: "shim.c")
        _ = try GstTool.build("cc", ["-shared", "-fPIC", "-o", scratch.path("shim.so"), source, "-ldl"])
        let environment = ["LD_PRELOAD": scratch.path("shim.so")]
        let outcome = try tool.inspect([good, bad, good], environment: environment)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.output.split(separator: "good.webm: SDR", omittingEmptySubsequences: false).count == 3)
        #expect(outcome.errors.contains("crash.webm: GStreamer's demuxer crashed with signal 11 on it"))
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
        let json = try tool.inspect(["--json", bad, good], environment: environment)
        let files = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        #expect(files.map { $0["error"] != nil } == [true, false] && files.first?["file"] as? String == bad)
    }

    @Test func namesDoNotSteerTheTerminal() throws {
        let scratch = try TemporaryFolder()
        let name = "a\nb\u{1B}[31m\u{9B}2J\u{202E}.webm"
        let path = scratch.path(name)
        try FileManager.default.moveItem(atPath: try video("plain.webm", in: scratch), toPath: path)
        let table = try tool.inspect([path])
        expectNothingSteers(table.output)
        #expect(table.output.contains("a\\nb\\x1b[31m\\x9b2J\\u202e.webm: SDR"), "\(table)")
        let missing = try tool.inspect([path + "x"])
        expectNothingSteers(missing.errors)
        #expect(missing.errors.contains("\\x1b[31m") && missing.errors.split(separator: "\n").count == 1)
        let json = try tool.inspect(["--json", path])
        expectNothingSteers(json.output)
        #expect(try tool.files([path]).first?["file"] as? String == path)
    }

    private func expectNothingSteers(_ text: String) {
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control }, "\(text)")
        #expect(!text.unicodeScalars.contains("\u{202E}"))
    }

    /// Two tracks, the first of them disabled and the second mirrored.
    @Test func theFirstEnabledTrackAndItsOrientation() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("two.mov")
        let source = "videotestsrc num-buffers=6 ! video/x-raw,width=64,height=48,framerate=24/1 ! jpegenc ! mux."
        expectClean(try GstTool.launch("qtmux name=mux ! filesink location=\(path) \(source) \(source)"))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let headers = bytes.indices.dropLast(80).filter { bytes[$0..<$0 + 4].elementsEqual("tkhd".utf8) }
        try #require(headers.count == 2)
        bytes[headers[0] + 7] &= 0xFE
        bytes.replaceSubrange(headers[1] + 44..<headers[1] + 48, with: [0xFF, 0xFF, 0, 0])
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try #require(try tool.files([path]).first)
        let videos = try #require(file["video"] as? [[String: Any]])
        #expect(videos.map { $0["main"] as? Bool } == [false, true])
        #expect(videos.map { $0["enabled"] as? Bool } == [false, true])
        #expect(videos.map { $0["mirrored"] as? Bool } == [false, true])
        #expect(videos.map { $0["rotation-degrees"] as? Int } == [0, 0])
        #expect(videos.allSatisfy { $0["frames-per-second"] as? Double == 24 })
        #expect(tool.codes(file).contains("several-video-streams"))
        let table = try tool.inspect([path])
        #expect(table.output.contains("64x48, mirrored, 24 fps") && table.output.contains(", disabled"))
    }
}
