import Foundation
import PluginSupport
import Testing
import TestSupport

/// The scripts of pipelines that are launch lines with effects on video.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct EffectScriptTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ script: String, _ arguments: [String]) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/\(script)"), arguments, directory: folder.url)
        command.limit = .seconds(900)
        return try await command.run()
    }

    /// A white ball before a green screen, and bars.
    private func makeClips() async throws {
        for (name, pattern) in [("fore ground.mkv", "ball background-color=0xff00c000"), ("bars.mkv", "smpte75")] {
            try await GstLaunch.make(
                "videotestsrc num-buffers=8 pattern=\(pattern) ! "
                    + "video/x-raw,format=I420,width=320,height=180,framerate=25/1,colorimetry=bt709 ! x264enc ! "
                    + "h264parse ! matroskamux ! filesink location=\"\(folder.path(name))\"")
        }
    }

    @Test func eachWritesAVideoAndAPicture() async throws {
        try await makeClips()
        for (script, inputs) in [
            ("sepia", ["bars.mkv"]), ("highlight", ["bars.mkv"]), ("chroma-key", ["fore ground.mkv", "bars.mkv"]),
        ] {
            let result = try await run(script, inputs + ["\(script) out.mov", "\(script).png"])
            #expect(result.status == 0 && result.errors.isEmpty, "\(script): \(result.errors)")
            for name in ["\(script) out.mov", "\(script).png"] {
                let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name))
                #expect(bytes.count > 1000, "\(name)")
            }
        }
    }

    @Test(arguments: ["sepia", "highlight", "chroma-key"])
    func wrongCommandLines(_ script: String) async throws {
        let help = try await run(script, ["--help"])
        #expect(help.status == 0 && help.output.contains("pipelines/\(script) "))
        let result = try await run(script, ["one"])
        #expect(result.status == 2 && result.errors.contains("was given 1: --help says which"))
    }
}
