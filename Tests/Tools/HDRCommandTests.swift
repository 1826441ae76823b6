import TestSupport
import PluginSupport
import Testing

/// The command `hdr` itself: what it has, and what it says of words that it does not know.
@Suite struct HDRCommandTests {
    /// The commands that process videos, sound and displays.
    static let names = [
        "convert", "export", "concat", "timeline", "snapshot", "retag", "sheet", "light", "compare", "inspect", "rpu",
        "hdr10plus", "play", "tap", "displays", "doctor", "bench",
    ]

    @Test func helpListsEveryCommand() throws {
        for words in [["--help"], ["help"], ["-h"]] {
            let help = try HDRCommand.run(words)
            expectClean(help)
            for name in Self.names {
                #expect(help.output.contains("\n  \(name) "))
            }
        }
        for name in Self.names {
            let help = try HDRCommand.run(["help", name])
            expectClean(help)
            #expect(help.output.hasPrefix("Usage: hdr \(name)") && help.output.contains("--json"))
            #expect(try HDRCommand.run([name, "--help"]).output == help.output)
            #expect(try HDRCommand.run([name, "-h", "more"]).output == help.output)
        }
    }

    /// The plugin and the command are one version.
    @Test func versionIsThePlugins() throws {
        let version = try HDRCommand.run(["--version"])
        expectClean(version)
        let plugin = try GstTool.run("gst-inspect-1.0", ["hdr"]).output
        let number = try #require(plugin.firstMatch(of: /Version +([0-9.]+)/)?.1)
        #expect(version.output == "hdr \(number)\n")
        #expect(try HDRCommand.run(["bench", "--version"]).output == version.output)
    }

    @Test(
        arguments: [
            ([], "hdr: name a command: \(names.joined(separator: ", ")), completion, manual"),
            (["inspct", "a.mov"], "hdr: no command is called inspct (did you mean inspect?): there are"),
            (["--quiet"], "hdr: no option is called --quiet: there are --help, --version"),
            (["hepl"], "hdr: no command is called hepl (did you mean help?): there are"),
            (["help", "benhc"], "hdr: no command is called benhc (did you mean bench?)"),
            (["bench"], "hdr bench: say what to measure: convert, tap, effects or compose"),
            (["x\u{1B}[31m"], "hdr: no command is called x\\x1b[31m: there are convert, export, concat"),
        ])
    func commandLinesThatAreWrong(_ words: [String], says: String) throws {
        let outcome = try HDRCommand.run(words)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.hasPrefix(says), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }

    /// Options stand before, between and after other words, and behind `--` there are none.
    @Test func optionsStandAnywhere() throws {
        let small = ["--size", "64x48", "--frames", "1", "--starts=1"]
        for words in [["--list", "convert"], ["convert", "--list"], small + ["convert", "--list", "pq-sdr"]] {
            let list = try HDRCommand.run(["bench"] + words)
            expectClean(list)
            #expect(list.output.contains("pq-sdr"))
        }
        let file = try HDRCommand.run(["inspect", "--", "--json"])
        #expect(file.status == 2 && file.errors.hasPrefix("hdr inspect: --json: no such file"))
    }
}
