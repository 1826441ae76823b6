import Foundation
import PluginSupport
import TestSupport
import Testing

/// The lines for pasting in README.md and on all pages: each page's in their order and as they are written, in a folder
/// with small files of the names that they have.
@Suite(
    .enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed"),
    .enabled(if: InspectToolTests.hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
struct PageLinesTests {
    /// Pages that have commands.
    static let pages = Set(PageBlock.all.filter(\.isOfCommands).map(\.page)).sorted()

    /// Beginnings of lines that do not run here, and why.
    static let leftOut = [
        ("export GST_PLUGIN_PATH=", "the tests have the plugin in GST_PLUGIN_PATH"),
        ("meson-wrap/build-plugin", "it builds what is tested"),
        ("meson setup build/meson", "it installs for the whole system: MesonTests installs into a folder"),
        ("packaging/debian-packages", "it builds everything anew: Tests/packages runs it"),
        ("pipelines/hdr-to-sdr", "it fetches a photograph: HDRToSDRTests runs it on clips"),
        ("pipelines/bandpass-sweep", "it fetches music: BandpassSweepTests runs it on sounds"),
        ("pipelines/edr-frames", "it builds a program for minutes: EffectScriptTests"),
        ("pipelines/texture-atlas", "it builds a program for minutes: EffectScriptTests"),
        ("hdr play --variant hdr https:", "it needs that server: PlayTrackTests has one"),
        ("Tests/Look/look", "it renders for minutes: LookTests runs its program on a scene"),
        ("cc Sources/Examples/", "EmbeddingExampleTests"),
        ("cc player.c", "the program is the reader's own: LibraryBuild compiles with the same flags"),
        ("Sources/Examples/", "EmbeddingExampleTests"),
        ("rustc -O", "EmbeddingExampleTests"),
        ("./start_together", "EmbeddingExampleTests"),
        ("swift run --package-path Sources/Examples/BandpassApp", "it builds for minutes: BandpassAppTests"),
        ("GST_PLUGIN_FEATURE_RANK=hdrcompositor:300 ges-launch-1.0 …", "the rest is the reader's: GESTimelineTests"),
    ]

    /// Beginnings of lines that take long, or last until they are interrupted, which they are after a second at most.
    static let long = [
        "hdr bench ", "build/bin/hdr bench ", "hdr play ", "hdr tap --from 1:00 --to 1:30 --play ",
        "hdr timeline film.edl", "hdr timeline film.otio",
    ]

    @Test func whatIsLeftOutIsOnAPage() {
        let lines = PageBlock.all.filter(\.isOfCommands).flatMap(\.commands)
        for prefix in Self.leftOut.map(\.0) + Self.long {
            #expect(lines.contains { $0.hasPrefix(prefix) }, "\(prefix)")
        }
    }

    /// Files that are as the set-up makes them at the beginning of each page.
    private static let clips = Result {
        let folder = try TemporaryFolder()
        let program = Repository.path("Tests/Tools/Programs/page_clips.sh")
        let outcome = try GstTool.run(
            "bash", ["-c", "cd '\(folder.url.path)' && '\(program)'"], environment: ["PATH": path], timeout: 300)
        guard outcome.status == 0 else { throw TestFailure("\(outcome)") }
        let list = PageBlock.all.first { $0.text.hasPrefix("# film.edl\n") }
        try folder.write(list?.text ?? "", to: "film.edl")
        return folder
    }

    private static let path =
        "\(Repository.path("build/bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"

    private func folder() throws -> TemporaryFolder {
        let (folder, made) = (try TemporaryFolder(), try Self.clips.get())
        for name in made.names {
            try FileManager.default.copyItem(atPath: made.path(name), toPath: folder.path(name))
        }
        for name in ["build", "pipelines"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(name), withDestinationPath: Repository.path(name))
        }
        return folder
    }

    @Test(.timeLimit(.minutes(10)), arguments: pages) func linesRun(_ page: String) throws {
        let folder = try folder()
        let display = try XServer()
        defer { withExtendedLifetime(display) {} }
        // Sound is played without a device.
        let rank = "GST_PLUGIN_FEATURE_RANK"
        let environment = display.environment.merging(["PATH": Self.path, rank: "fakeaudiosink:MAX"]) { $1 }
        var exported = ""
        for line in PageBlock.all.filter({ $0.page == page && $0.isOfCommands }).flatMap(\.commands) {
            if Self.leftOut.contains(where: { line.hasPrefix($0.0) }) { continue }
            if line.hasPrefix("export \(rank)=") {
                exported = "\(line),fakeaudiosink:MAX; "
                continue
            }
            if line.hasPrefix("gst-play-1.0 "), !Command.exists("gst-play-1.0") { continue }
            // Lines that are examples of one output's name each stand for themselves.
            let output = line.firstMatch(of: /\s-o (\S+)/).map { String($0.1) } ?? ""
            if output != "" { try? FileManager.default.removeItem(atPath: folder.path(output)) }
            let isLong = output == "" && Self.long.contains(where: line.hasPrefix)
            // A filter's status is not that of hdr, which tells what a file has.
            let options = line.contains("| jq") ? [] : ["-o", "pipefail"]
            let words = exported + line.replacing("/home/me/", with: "\(folder.url.path)/")
            let outcome = try GstTool.run(
                "timeout",
                ["--signal=INT", "--kill-after=60", isLong ? (line.contains("bench") ? "0.5" : "1") : "240", "bash"]
                    + options
                    + ["-c", "cd '\(folder.url.path)' && \(isLong ? "exec " : "")\(words)"],
                environment: environment, timeout: 300)
            // The exit status says that no display here can show HDR.
            let isRefused = line == "hdr displays" || line == "pipelines/edr-info"
            let isEnded = outcome.status == (isRefused ? 1 : 0) || isLong && outcome.status == 124
            #expect(isEnded && !outcome.errors.contains(/ERROR|WARNING/), "\(page): \(outcome)")
            let file = line.firstMatch(of: /filesink location=([A-Za-z0-9.-]+)/).map { String($0.1) } ?? ""
            for name in [output, file] where name != "" && outcome.status == 0 {
                let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(name))
                #expect((attributes?[.size] as? Int ?? 0) > 100, "\(page): \(line)")
            }
        }
    }
}
