import Foundation
import PluginSupport
import Testing
import TestSupport

/// What the programs on the page of `edrsink` print, and the properties that it lists.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct EDRSinkPageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static func page() throws -> String {
        try String(contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/edrsink.md"), encoding: .utf8)
    }

    func run(_ program: String, _ arguments: [String]) async throws -> Command.Result {
        if !folder.names.contains("clip.mov") {
            try await GstLaunch.make(
                "videotestsrc num-buffers=30 ! video/x-raw,width=320,height=180,framerate=30/1,format=I420 ! x264enc ! "
                    + "h264parse ! qtmux ! filesink location=\(folder.path("clip.mov"))")
        }
        var command = Command(program, arguments, directory: folder.url)
        command.environment = try GstTool.completeEnvironment.merging(Displays.none) { $1 }
        command.limit = .seconds(60)
        return try await command.run()
    }

    @Test func pythonRuns() async throws {
        let programs = PageBlock.of("python").filter { $0.page == "edrsink" }.map(\.text)
        try #require(programs.count == 2)
        let still = try await run("/usr/bin/python3", ["-c", programs[0]])
        #expect(still.status == 0 && still.output == "True\n", "\(still.output)\(still.errors)")
        #expect(folder.names.contains("first.png"))
        let frames = try await run("/usr/bin/python3", ["-c", programs[1]])
        #expect(frames.status == 0, "\(frames.errors)")
        let lines = frames.output.split(separator: "\n")
        // The program asks in real time: some frames are missed where the machine is busy.
        #expect(lines.count > 30 && lines.count <= 91, "\(frames.output)")
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
