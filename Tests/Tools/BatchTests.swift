import Foundation
import PluginSupport
import TestSupport
import Testing

/// Common functions of the commands that write files: several inputs, folders, parts, plans, JSON and the user's own
/// presets.
@Suite(.timeLimit(.minutes(10))) struct BatchTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String...) async throws -> Command.Result {
        try await HDRCommand.run(words, in: folder)
    }

    @Test func foldersAndSeveralInputs() async throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path("clips"), withIntermediateDirectories: false)
        try manager.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: false)
        for name in ["a", "b"] {
            try await TestClip(color: "bt2100-hlg", frames: 5).make("\(name).mkv", in: folder)
            try manager.moveItem(atPath: folder.path("\(name).mkv"), toPath: folder.path("clips/\(name).mkv"))
        }
        try Data("no video".utf8).write(to: folder.url.appendingPathComponent("clips/notes.txt"))
        let both = try await run("export", "clips", "--preset", "passthrough", "-o", "out", "--json")
        #expect(both.status == 0 && both.errors.isEmpty, "\(both)")
        let objects = try #require(
            JSONSerialization.jsonObject(with: Data(both.output.utf8)) as? [[String: Any]], "\(both)")
        #expect(objects.map { $0["output"] as? String } == ["out/a-passthrough.mkv", "out/b-passthrough.mkv"])
        #expect(objects.allSatisfy { $0["frames"] as? Int == 5 && ($0["sound"] as? [String]) == ["copied"] })
        #expect(try manager.contentsOfDirectory(atPath: folder.path("out")).sorted().count == 2)
        // One that fails does not stop the others.
        try Data("This is not a video at all.\n".utf8).write(to: folder.url.appendingPathComponent("clips/aa.mkv"))
        let some = try await run("convert", "clips", "-o", "out/", "--no-picture", "--quiet")
        #expect(some.status == 1 && some.errors.contains("clips/aa.mkv is not a video"), "\(some)")
        #expect(some.errors.contains("1 of 3 files failed") && some.errorLines.count == 2, "\(some)")
        #expect(try manager.contentsOfDirectory(atPath: folder.path("out")).contains("b-sdr.mp4"))
        // Two inputs of one name would overwrite each other.
        try manager.copyItem(atPath: folder.path("clips/a.mkv"), toPath: folder.path("a.mkv"))
        let twice = try await run("convert", "a.mkv", "clips/a.mkv")
        #expect(twice.status == 1 && twice.errors.contains("would both become a-sdr.mp4"), "\(twice)")
    }

    @Test func aPlanWritesNothing() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        for words in [
            ["export", "clip.mkv"], ["convert", "clip.mkv"], ["snapshot", "clip.mkv"], ["sheet", "clip.mkv"],
        ] {
            let plan = try await HDRCommand.run(words + ["--dry-run"], in: folder)
            #expect(plan.status == 0 && plan.output.contains("clip.mkv") && plan.errors.isEmpty, "\(plan)")
            #expect(folder.names == ["clip.mkv"])
        }
        for words in [
            ["snapshot", "clip.mkv"], ["light", "clip.mkv"], ["compare", "clip.mkv", "clip.mkv"],
        ] {
            let plan = try await HDRCommand.run(words + ["--dry-run", "--json"], in: folder)
            let list = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [[String: Any]]
            let lines = try #require(list?.first?["plan"] as? [String], "\(plan)")
            #expect(plan.status == 0 && lines.first?.contains("clip.mkv") == true, "\(plan)")
            #expect(folder.names == ["clip.mkv"])
        }
    }

    /// Sound and pictures of a part begin and end together, to the frame and the sample.
    @Test func aPart() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 60).make("clip.mkv", in: folder)
        let result = try await run(
            "export", "clip.mkv", "--from", "0.5", "--to", "1.5", "--preset", "prores-422", "-o", "part.mov", "-q")
        #expect(result.status == 0, "\(result)")
        let movie = try MovieFile(contentsOf: folder.url.appendingPathComponent("part.mov"))
        #expect(movie.track("vide")?.times.count == 30, "\(movie.track("vide")?.times ?? [])")
        let text = try await Command(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "stream=duration", "-of", "csv=p=0",
                folder.path("part.mov"),
            ]
        ).run().output
        // Matroska counts milliseconds.
        #expect(abs((Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) - 1) < 0.001, "\(text)")
        for (from, to) in [("1", "1"), ("x", "2"), ("2", "1")] {
            let wrong = try await run("export", "clip.mkv", "--from", from, "--to", to)
            #expect(wrong.status == 2 && wrong.errorLines.count == 1, "\(wrong)")
        }
    }

    /// `--from` and `--to` mean the same as in other commands; `--to hlg` is understood as `--range hlg`.
    @Test func aPartIsConverted() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 60).make("clip.mkv", in: folder)
        let part = ["clip.mkv", "--speed", "ultrafast", "-q"]
        for (words, output) in [
            (["--from", "0.5", "--to", "1.5", "-o", "part.mp4"], "part.mp4"),
            (["--range", "pq", "--to", "1", "--no-picture", "-o", "pq.mov"], "pq.mov"),
            (["--to", "pq", "--from", "1", "--no-picture", "-o", "rest.mov"], "rest.mov"),
        ] {
            let result = try await HDRCommand.run(["convert"] + part + words, in: folder)
            #expect(result.status == 0, "\(result)")
            let movie = try MovieFile(contentsOf: folder.url.appendingPathComponent(output))
            #expect(movie.track("vide")?.times.count == 30, "\(output): \(movie.track("vide")?.times ?? [])")
        }
        #expect(folder.names.contains("part.png"))
        for (words, says) in [
            (["--to", "hdr"], "no value of --to is called hdr"), (["--from", "1", "--to", "1"], "must be later"),
            (["--to", "pq", "--range", "sdr"], "--range says otherwise"), (["--to", ""], "--to is no time"),
            (["-o", ""], "--output has no name"),
        ] {
            let wrong = try await HDRCommand.run(["convert", "clip.mkv"] + words, in: folder)
            #expect(wrong.status == 2 && wrong.errors.contains(says) && wrong.errorLines.count == 1, "\(wrong)")
        }
        let before = folder.names
        for words in [["convert"], ["export"], ["export", "--preset", "passthrough"]] {
            let empty = try await HDRCommand.run(
                words + ["clip.mkv", "--from", "9", "-o", "empty.mp4"], in: folder)
            #expect(empty.status == 1 && empty.errors.contains("no frame of clip.mkv"), "\(empty)")
            #expect(empty.errorLines.count == 1 && folder.names == before, "\(empty)")
        }
    }

    @Test func presetsOfOnesOwn() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        try Data("# mine\nweb, preset=hevc-1920x1080, speed=ultrafast, width=160, height=90\n".utf8)
            .write(to: folder.url.appendingPathComponent("presets"))
        let list = try await run("export", "--list", "--preset-file", "presets")
        #expect(list.output.contains("\nweb "), "\(list)")
        let result = try await run("export", "clip.mkv", "--preset-file", "presets", "--preset", "web", "-q")
        #expect(result.status == 0 && folder.names == ["clip-web.mkv", "clip.mkv", "presets"], "\(result)")
        #expect(try await TestClip.packets("video_0", of: folder.path("clip-web.mkv")).contains("width=(int)160"))
        try Data("web preset\n".utf8).write(to: folder.url.appendingPathComponent("presets"))
        let wrong = try await run("export", "clip.mkv", "--preset-file", "presets", "--preset", "web")
        #expect(wrong.status == 1 && wrong.errors.contains("presets, line 1 cannot be read"), "\(wrong)")
    }

    /// An error in a file of presets names the line, and affects only those who ask for a preset.
    @Test(
        arguments: [
            (
                "web, preset=hevc-1920x1800",
                "presets, line 2: no preset is called hevc-1920x1800 (did you mean hevc-1920x"
            ),
            ("web, speed=slwo", "presets, line 2: no speed is called slwo (did you mean slow?)"),
            ("web, widht=320", "the preset web of presets, line 2: There is no setting \"widht\""),
            ("web, (", "presets, line 2 cannot be read: write it like"),
            ("web\nweb, speed=slow", "presets, line 3: the preset web is there already, in presets, line 2: name it"),
            ("web\nhevc-1920x1080", "presets, line 3: hdr export has a preset hevc-1920x1080 of its own: name yours"),
        ])
    func presetsThatAreWrong(_ line: String, says: String) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 2, hasSound: false).make("clip.mkv", in: folder)
        try Data("# mine\n\(line)\n".utf8).write(to: folder.url.appendingPathComponent("presets"))
        let wrong = try await run("export", "clip.mkv", "--preset-file", "presets", "--preset", "web", "-o", "o.mov")
        #expect(wrong.status == 1 && wrong.errors.contains(says) && wrong.errorLines.count == 1, "\(wrong)")
        try FileManager.default.createDirectory(atPath: folder.path("hdr"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: folder.path("presets"), toPath: folder.path("hdr/presets"))
        var command = Command(
            HDRCommand.program, ["retag", "clip.mkv", "--light-levels", "10:5", "--quiet"], directory: folder.url)
        command.environment = GstTool.environment.merging(["XDG_CONFIG_HOME": folder.url.path]) { $1 }
        let other = try await command.run()
        #expect(other.status == 0 && folder.names == ["clip-retagged.mkv", "clip.mkv", "hdr"], "\(other)")
    }

    /// The output for one input must not replace another input, which is read later.
    @Test func anOutputIsNoOtherInput() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("a.mkv", in: folder)
        try await TestClip(color: "bt2100-pq", frames: 4, hasSound: false).make("a-passthrough.mkv", in: folder)
        let place = folder.url.appendingPathComponent("a-passthrough.mkv")
        let before = try Data(contentsOf: place)
        let result = try await run(
            "export", "a.mkv", "a-passthrough.mkv", "--preset", "passthrough", "--force")
        #expect(result.status == 1 && result.errorLines.count == 1, "\(result)")
        #expect(result.errors.contains("would replace the input a-passthrough.mkv"), "\(result)")
        #expect(try Data(contentsOf: place) == before && folder.names == ["a-passthrough.mkv", "a.mkv"])
    }

    /// A name that the system has no room for is refused before the work, and not behind it.
    @Test func aNameThatIsTooLong() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
        let name = String(repeating: "x", count: 256) + ".png"
        for command in ["light", "sheet", "snapshot"] {
            let plan = try await run(command, "clip.mkv", "--dry-run", "-o", name)
            #expect(plan.status == 1 && plan.errors.contains("is too long for a file's name"), "\(plan)")
        }
        #expect(folder.names == ["clip.mkv"])
    }

    /// An error in an input or an output is reported in one line, and nothing is left behind.
    @Test func hostileNames() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
        let clip = try Data(contentsOf: folder.url.appendingPathComponent("clip.mkv"))
        for name in ["with space.mkv", "quo'te\".mkv", ";semi.mkv", "new\nline.mkv", "-dash.mkv", "$(x).mkv"] {
            try clip.write(to: folder.url.appendingPathComponent(name))
            let copy = try await HDRCommand.run(
                ["export", "--preset", "passthrough", "-q", "-o", "out \(name)", "--", name], in: folder)
            #expect(copy.status == 0 && copy.errors.isEmpty, "\(copy)")
            #expect(folder.names.contains("out \(name)"), "\(folder.names)")
        }
        try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: false)
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let before = folder.names
        for (words, says) in [
            (["pipe"], "is not a regular file"), (["/dev/null"], "is not a regular file"),
            (["sub"], "is a folder without videos"), (["https://example.com/a.mov"], "is an address"),
            (["clip.mkv", "-o", "clip.mkv"], "the input itself"), (["clip.mkv", "-o", "none/o.mkv"], "no folder none"),
            (["clip.mkv", "-o", "ftp://x/o.mkv"], "is an address"),
            (["clip.mkv", "-o", "sub/"], ""),
        ] {
            let result = try await HDRCommand.run(["export", "--preset", "passthrough"] + words, in: folder)
            guard !says.isEmpty else {
                #expect(result.status == 0, "\(result)")
                continue
            }
            #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains(says), "\(result)")
            #expect(folder.names == before, "\(words)")
        }
    }

    /// Bytes that are not UTF-8 come through as they are.
    @Test func namesThatAreNotText() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
        let script = """
            cp clip.mkv $'bad\\xff.mkv' && "$0" export --preset passthrough $'bad\\xff.mkv' -o $'out\\xfe.mkv' &&
            test -s $'out\\xfe.mkv' && ! "$0" export $'none\\xff.mkv'
            """
        let result = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
        #expect(result.status == 0 && result.output.hasPrefix("Wrote out\\xfe.mkv: "), "\(result)")
        #expect(result.errors == "hdr export: there is no file none\\xff.mkv: check the spelling and the folder\n")
    }
}
