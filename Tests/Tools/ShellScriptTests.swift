import Foundation
import PluginSupport
import TestSupport
import Testing

/// The output of `hdr` for shells and for man.
@Suite struct ShellScriptTests {
    /// The completions that bash offers for the last of some words.
    private func completions(_ words: String...) throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script =
            "source <('\(HDRCommand.program)' completion bash); COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); "
            + "_hdr; [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\""
        let result = try GstTool.run("/bin/bash", ["-c", script])
        expectClean(result)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func bashCompletes() throws {
        #expect(try completions("hdr", "insp") == ["inspect"])
        #expect(try completions("hdr", "--v") == ["--version"])
        #expect(try completions("hdr", "inspect", "--j") == ["--json"])
        #expect(try completions("hdr", "rpu", "ex") == ["extract", "export"])
        #expect(try completions("hdr", "hdr10plus", "extract", "--dec") == ["--decoding-order"])
        #expect(try completions("hdr", "bench", "").sorted() == ["compose", "convert", "effects", "tap"])
        #expect(try completions("hdr", "help", "doc") == ["doctor"])
        #expect(try completions("hdr", "completion", "z") == ["zsh"])
        #expect(try completions("hdr", "doctor", "x") == [])
        let folder = try TemporaryFolder()
        try "".write(to: folder.url.appendingPathComponent("a clip.mov"), atomically: true, encoding: .utf8)
        #expect(try completions("hdr", "inspect", folder.path("a c")) == [folder.path("a clip.mov")])
        #expect(try completions("hdr", "rpu", "extract", folder.path("a c")) == [folder.path("a clip.mov")])
        // The values of an option are words, a file, or something else.
        #expect(try completions("hdr", "export", "a.mov", "--assume", "") == ["pq", "hlg"])
        #expect(try completions("hdr", "export", "--preset", "hevc-h") == ["hevc-highest-quality"])
        #expect(try completions("hdr", "convert", "a.mov", "--tone-mapping", "bt2446") == ["bt2446a", "bt2446c"])
        #expect(try completions("hdr", "play", "--tone-mapping", "r") == ["rolloff", "reference-white"])
        #expect(try completions("hdr", "rpu", "convert", "a.mkv", "--to", "") == ["8.1", "8.4", "7-mel"])
        #expect(try completions("hdr", "export", "--encoder", "x26") == ["x265enc", "x264enc"])
        #expect(try completions("hdr", "rpu", "edit", "--edits", folder.path("a c")) == [folder.path("a clip.mov")])
        #expect(try completions("hdr", "export", "--from", folder.path("a c")) == [])
    }

    /// A value behind = is completed, which bash makes a word of its own where COMP_WORDBREAKS has it.
    @Test func bashCompletesBehindEqualSigns() throws {
        #expect(try completions("hdr", "export", "--preset", "=", "hevc-h") == ["hevc-highest-quality"])
        #expect(try completions("hdr", "export", "--assume", "=") == ["pq", "hlg"])
        #expect(try completions("hdr", "export", "--preset=hevc-h") == ["--preset=hevc-highest-quality"])
        #expect(try completions("hdr", "rpu", "convert", "--to=8") == ["--to=8.1", "--to=8.4"])
        let folder = try TemporaryFolder()
        try folder.write("", to: "a clip.mov")
        #expect(
            try completions("hdr", "timeline", "wipe", "map", "=", folder.path("a c")) == [folder.path("a clip.mov")])
    }

    /// Behind a verb there are its own options, and no verbs.
    @Test func verbsHaveTheirOwnOptions() throws {
        #expect(try completions("hdr", "rpu", "info", "--f") == ["--frame"])
        #expect(try completions("hdr", "rpu", "--frame", "1", "info", "--ed") == [])
        #expect(try completions("hdr", "rpu", "extract", "--to") == [])
        #expect(try completions("hdr", "rpu", "--ed") == ["--edits"])
        #expect(try completions("hdr", "hdr10plus", "remove", "--dec") == [])
        #expect(try completions("hdr", "rpu", "extract", "ex") == [])
    }

    @Test(.enabled(if: Command.exists("fish"), "fish is not installed"))
    func fishKnowsVerbs() throws {
        func offered(_ line: String) throws -> [String] {
            let script = "\(HDRCommand.program) completion fish | source; complete -C '\(line)'"
            let result = try GstTool.run("/usr/bin/env", ["fish", "-c", script])
            return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        #expect(try offered("hdr rpu info --f") == ["--frame"])
        #expect(try offered("hdr rpu info --edi") == [])
        // Those of hdr convert are others. fish 4 goes on with words that hold the letters elsewhere.
        let convert = try offered("hdr rpu convert --t")
        #expect(convert.first == "--to" && !convert.contains("--tone-mapping"))
        #expect(try offered("hdr exp") == ["export"])
        #expect(try offered("hdr rpu --edi") == ["--edits"])
    }

    /// What shells offer for the properties of hdrconvert is what the element takes.
    @Test(
        arguments: [
            "--tone-mapping", "--domain", "--gamut-mapping", "--peak-detection", "--inverse-tone-mapping", "--dither",
            "--quality",
        ])
    func choicesAreTheElements(_ option: String) throws {
        let wrong = try HDRCommand.run(["convert", "a.mov", option, "?"])
        let list = try #require(wrong.errors.firstMatch(of: /there are (.*)\n/)?.1, "\(wrong)")
        let known = Set(list.split(separator: ", ").map(String.init))
        #expect(try Set(completions("hdr", "convert", "a.mov", option, "")) == known)
    }

    /// Every command, every option, each once for its command.
    @Test(arguments: ["bash", "zsh", "fish"])
    func everyShellKnowsAll(_ shell: String) throws {
        let script = try HDRCommand.run(["completion", shell])
        expectClean(script)
        for word in ["inspect", "displays", "tap", "doctor", "bench", "sweep", "json", "timeout", "tone"] {
            #expect(script.output.contains(word), "\(word)")
        }
        #expect(!script.output.contains("as-child"))
        let files = [
            "bash": "--preset-file) options= files=yes", "zsh": ":FILE:_files'", "fish": "-l preset-file -r -F",
        ]
        #expect(script.output.contains(files[shell] ?? "-"))
        guard Command.exists(shell) else { return }
        let folder = try TemporaryFolder()
        try script.output.write(to: folder.url.appendingPathComponent("script"), atomically: true, encoding: .utf8)
        expectClean(try GstTool.run("/usr/bin/env", [shell, "-n", folder.path("script")]))
    }

    @Test func theManualHasEveryCommand() throws {
        let page = try HDRCommand.run(["manual"])
        expectClean(page)
        #expect(page.output.hasPrefix(".TH HDR 1 "))
        for name in ["INSPECT", "DISPLAYS", "TAP", "DOCTOR", "BENCH"] {
            #expect(page.output.contains(".SH \"HDR \(name)\""))
        }
        #expect(page.output.contains(".B \\-\\-quiet, \\-q\n"))
        // No line is a request of roff's by accident.
        let requests: Set<Substring> = [".TH", ".SH", ".nf", ".fi", ".PP", ".TP", ".B"]
        for line in page.output.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }

    @Test func wrongWords() throws {
        for (words, says) in [
            (["completion"], "hdr completion: name one shell: bash, zsh or fish\n"),
            (["completion", "bsh"], "hdr completion: no shell is called bsh (did you mean bash?)"),
            (["manual", "inspect"], "hdr manual: it takes no 'inspect'\n"),
        ] {
            let result = try HDRCommand.run(words)
            #expect(result.status == 2 && result.errors.hasPrefix(says), "\(result)")
        }
    }
}
