import Foundation
import PluginSupport
import TestSupport
import Testing

/// Words of the command line: options that are the same everywhere, letters that stand together, and what is too much.
@Suite(.timeLimit(.minutes(10))) struct OptionWordTests {
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
    }

    private func run(_ line: String) async throws -> Command.Result {
        try await HDRCommand.run(line.split(separator: " ").map(String.init), in: folder)
    }

    /// Letters in one word, the last with its value: guidelines 5 and 6 of POSIX's utility syntax.
    @Test(
        arguments: [
            ("-qv -o a.png", "a.png"), ("-oa.png -q", "a.png"), ("-qfoa.png", "a.png"), ("-qo=a.png", "a.png"),
            ("-qo a.png", "a.png"), ("-o=a=b.png -q", "a=b.png"),
        ])
    func lettersTogether(_ options: String, output: String) async throws {
        let result = try await run("snapshot clip.mkv \(options)")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        #expect(folder.names == [output, "clip.mkv"].sorted(), "\(result)")
    }

    /// A value's bytes that are not UTF-8 come through as they are.
    @Test func aValueThatIsNoText() async throws {
        let script = "\"$0\" snapshot clip.mkv $'-qoout\\xfe.png' && test -s $'out\\xfe.png'"
        let result = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    }

    @Test(
        arguments: [
            ("snapshot -qx clip.mkv", "hdr snapshot: no option is called -qx: there are"),
            ("snapshot -json clip.mkv", "hdr snapshot: no option is called -json (did you mean --json?)"),
            ("snapshot clip.mkv -qo", "hdr snapshot: --output wants a value"),
            ("snapshot -q=1 clip.mkv", "hdr snapshot: --quiet takes no value"),
            ("help export extra", "hdr: there is no use for 'extra': hdr help takes one command"),
            ("help rpu extract more", "hdr: there is no use for 'more': hdr help takes one command"),
            ("export clip.mkv --encoder x265en", "hdr export: no encoder is called x265en (did you mean x265enc?)"),
            ("concat clip.mkv --encoder nosuch -o a.mov", "hdr concat: no encoder is called nosuch: there are"),
            (
                "export clip.mkv --file-type mkv",
                "hdr export: no value of --file-type is called mkv (did you mean matroska?)"
            ),
            (
                "export --list --file-type .m2ts",
                "hdr export: no value of --file-type is called .m2ts (did you mean mpegts?)"
            ),
            ("rpu remove clip.mkv --file-type qt", "hdr rpu: no value of --file-type is called qt (did you mean mov?)"),
            (
                "concat clip.mkv clip.mkv all.mov",
                "hdr concat: name the file to write: -o OUTPUT; to write it: -o all.mov"
            ),
            (
                "compare clip.mkv clip.mkv a.png",
                "hdr compare: name two videos: hdr compare A B, not 3; to write it: -o a.png"
            ),
        ])
    func wrongWords(_ line: String, says: String) async throws {
        let result = try await run(line)
        #expect(result.status == 2 && result.errors.hasPrefix(says) && result.errorLines.count == 1, "\(result)")
        #expect(folder.names == ["clip.mkv"])
    }

    /// A word that names no file may be an output or a value whose option was forgotten.
    @Test(
        arguments: [
            ("export clip.mkv a.mov", 1, "check the spelling and the folder; to write it: -o a.mov"),
            ("rpu extract clip.mkv a.bin", 1, "; to write it: -o a.bin"),
            ("convert clip.mkv hlg", 1, "check the spelling and the folder; to convert to HLG: --range hlg"),
            ("convert clip.mkv pq -o a.mov", 2, "-o FOLDER/, not a.mov; to convert to PQ: --range pq"),
            ("snapshot clip.mkv 1.5", 1, "; for the frame of that time: --at 1.5"),
            ("snapshot clip.mkv 1.5 -o a.png", 2, "; for the frame of that time: --at 1.5"),
            ("export clip.mkv absent.mkv -o .", 1, "absent.mkv: check the spelling and the folder\n"),
        ] as [(String, Int32, String)])
    func forgottenOptions(_ line: String, status: Int32, says: String) async throws {
        let result = try await run(line)
        #expect(result.status == status && result.errors.contains(says) && result.errorLines.count == 1, "\(result)")
        #expect(folder.names == ["clip.mkv"])
    }

    /// An ending that an output may not have is an error of the command line.
    @Test(
        arguments: [
            "export clip.mkv -o a.avi", "export clip.mkv -o a", "convert clip.mkv -o a.mov",
            "snapshot clip.mkv -o a.jpg",
            "retag clip.mkv --color bt709 -o a.avi", "sheet clip.mkv -o a.jpg", "light clip.mkv -o a.jpg",
            "compare clip.mkv clip.mkv -o a.jpg", "concat clip.mkv clip.mkv -o a.avi", "timeline clip.mkv -o a.avi",
            "rpu plot clip.mkv -o a.jpg", "hdr10plus remove clip.mkv -o a.avi",
        ])
    func wrongEndings(_ line: String) async throws {
        for more in ["", " --dry-run"] {
            let result = try await run(line + more)
            #expect(result.status == 2 && result.errors.contains(" should end in "), "\(result)")
            #expect(result.errorLines.count == 1 && folder.names == ["clip.mkv"], "\(result)")
        }
    }

    /// Other programs mean standard output by it.
    @Test(
        arguments: [
            "export clip.mkv -o -", "export clip.mkv clip.mkv -o -", "export clip.mkv --file-type mov -o -",
            "convert clip.mkv -o -", "snapshot clip.mkv -o -", "retag clip.mkv --color bt709 -o -",
            "sheet clip.mkv -o -", "light clip.mkv --output=-", "compare clip.mkv clip.mkv -o-",
            "concat clip.mkv clip.mkv -o -", "timeline clip.mkv -o -", "inspect clip.mkv --plot -",
            "rpu extract clip.mkv -o -", "rpu plot clip.mkv -o -", "hdr10plus extract clip.mkv -o -",
            "tap clip.mkv -o -",
        ])
    func standardOutputIsNoPlace(_ line: String) async throws {
        let result = try await run(line)
        #expect(result.status == 2 && result.errors.contains("standard output (-) is no place for"), "\(result)")
        #expect(result.errorLines.count == 1 && folder.names == ["clip.mkv"], "\(result)")
    }

    @Test func theHelpOfAVerb() async throws {
        let help = try await run("help rpu extract")
        #expect(help.status == 0 && help.output.hasPrefix("Usage: hdr rpu extract"), "\(help)")
    }

    /// What a file is for, is said of a folder in its place.
    @Test(
        arguments: [
            ("export clip.mkv --preset x --preset-file .", "a file of presets"),
            ("rpu inject clip.mkv --rpu .", "a file of RPUs"), ("rpu edit clip.mkv --edits .", "a file of edits"),
            ("hdr10plus inject clip.mkv --metadata .", "a document of HDR10+ metadata"),
        ])
    func aFolderInPlaceOfAFile(_ line: String, wanted: String) async throws {
        let result = try await run(line)
        #expect(result.status == 1 && result.errors.hasSuffix(": . is a folder: give the name of \(wanted)\n"))
    }

    /// `--verbose` says what the command runs on; packages are never installed.
    @Test(
        arguments: [
            "inspect clip.mkv", "inspect clip.mkv --dry-run", "doctor", "displays", "rpu info clip.mkv --dry-run",
            "hdr10plus info clip.mkv --dry-run",
        ])
    func commandsThatOnlyRead(_ line: String) async throws {
        var command = HDRCommand.command(
            line.split(separator: " ").map(String.init) + ["-v", "--no-install"], in: folder)
        command.environment = GstTool.environment
        let result = try await command.run()
        #expect(result.status <= 1, "\(result)")
        #expect(
            result.errors.contains(": GStreamer ")
                && result.errors.contains("plugin \(GstTool.pluginFolder.path)/libgsthdr.so, version"), "\(result)")
    }

    @Test func whatWouldBeInspected() async throws {
        let plan = try await run("inspect . clip.mkv --dry-run --plot a.png")
        #expect(plan.status == 2 && plan.errors.contains("--plot takes one file"), "\(plan)")
        let one = try await run("inspect . --dry-run --plot a.png")
        #expect(one.status == 0 && one.output == "./clip.mkv, and a plot in a.png\n", "\(one)")
        let two = try await run("inspect clip.mkv absent.mkv --dry-run --json")
        let list = try JSONSerialization.jsonObject(with: Data(two.output.utf8)) as? [[String: Any]]
        #expect(two.status == 2 && two.errors == "hdr inspect: absent.mkv: no such file: check the name\n", "\(two)")
        #expect(list?.first?["plan"] as? [String] == ["clip.mkv"] && list?.last?["error"] is String, "\(two)")
        #expect(folder.names == ["clip.mkv"])
    }

    @Test func anEmptyWord() async throws {
        for command in ["inspect", "snapshot"] {
            let result = try await HDRCommand.run([command, ""], in: folder)
            let says = "hdr \(command): an input has no name, it is an empty word: name a file\n"
            #expect(result.status == (command == "inspect" ? 2 : 1) && result.errors == says, "\(result)")
        }
    }

    /// What is closed is said to be closed, whatever takes its place, and no file gets what is printed.
    @Test(arguments: [("--help", 1), ("snapshot clip.mkv -o a.png", 1), ("inspect clip.mkv", 2)])
    func standardOutputIsClosed(_ line: String, status: Int32) async throws {
        let result = try await Command(
            "/bin/sh", ["-c", "exec \"$0\" \(line) <&- >&-", HDRCommand.program], directory: folder.url
        ).run()
        #expect(
            result.status == status && result.errors == "hdr: cannot write to standard output: it is closed\n",
            "\(result)")
    }

    /// Full disks are errors, and no wrong command lines; the status is what the command calls an error.
    @Test(arguments: [("--help", 1), ("snapshot --help", 1), ("inspect clip.mkv", 2)])
    func standardOutputIsFull(_ line: String, status: Int32) async throws {
        let result = try await Command(
            "/bin/sh", ["-c", "exec \"$0\" \(line) >/dev/full", HDRCommand.program], directory: folder.url
        ).run()
        #expect(result.status == status && result.errors.contains("cannot write to standard output"), "\(result)")
    }
}
