import Foundation
import PluginSupport
import Testing
import TestSupport

/// The lines for pasting on the page of `edrsink` run as they are.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct EDRSinkPageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static func page() throws -> String {
        try String(contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/edrsink.md"), encoding: .utf8)
    }

    /// The blocks of code of a language; of none for launch lines.
    static func blocks(_ language: String) throws -> [String] {
        try page().components(separatedBy: "\n```").enumerated().compactMap { index, text in
            guard index % 2 == 1, let end = text.firstIndex(of: "\n"), text[..<end] == language else { return nil }
            return String(text[text.index(after: end)...])
        }
    }

    func run(_ program: String, _ arguments: [String], on display: [String: String] = Displays.none) async throws
        -> Command.Result
    {
        if !folder.names.contains("clip.mov") {
            try await GstLaunch.make(
                "videotestsrc num-buffers=30 ! video/x-raw,width=320,height=180,framerate=30/1,format=I420 ! x264enc ! "
                    + "h264parse ! qtmux ! filesink location=\(folder.path("clip.mov"))")
        }
        var command = Command(program, arguments, directory: folder.url)
        command.environment = try GstTool.completeEnvironment.merging(display) { $1 }
        command.limit = .seconds(60)
        return try await command.run()
    }

    @Test(.enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed")) func launchLinesRun() async throws {
        let display = try XServer()
        let lines = try Self.blocks("").flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("gst-launch-1.0 ") }
        try #require(lines.count >= 5)
        for line in lines {
            let result = try await run("bash", ["-o", "pipefail", "-c", String(line)], on: display.environment)
            #expect(result.status == 0 && !result.timedOut, "\(line)\n\(result.errors)")
            if line.contains("grep") { #expect(result.output.contains("color-space="), "\(line)") }
        }
    }

    @Test func pythonRuns() async throws {
        let programs = try Self.blocks("python")
        try #require(programs.count == 2)
        let still = try await run("/usr/bin/python3", ["-c", programs[0]])
        #expect(still.status == 0 && still.output == "True\n", "\(still.output)\(still.errors)")
        #expect(folder.names.contains("first.png"))
        let frames = try await run("/usr/bin/python3", ["-c", programs[1]])
        #expect(frames.status == 0, "\(frames.errors)")
        let lines = frames.output.split(separator: "\n")
        // A frame or two may be missed where the machine is busy.
        #expect(lines.count > 60 && lines.count <= 91, "\(frames.output)")
        #expect(lines.last?.hasPrefix("{'presented': ") == true)
    }

    @Test func everyPropertyIsDescribed() async throws {
        let page = try Self.page()
        let result = try GstTool.run("gst-inspect-1.0", ["edrsink"])
        let inherited = try GstTool.run("gst-inspect-1.0", ["fakevideosink"])
        let pattern = #/\n  ([a-z-]+) *: /#
        let others = Set(inherited.output.matches(of: pattern).map(\.1))
        let own = result.output.matches(of: pattern).map(\.1).filter { !others.contains($0) }
        #expect(own.count >= 14, "\(own)")
        for name in own { #expect(page.contains("`\(name)`"), "\(name)") }
    }
}
