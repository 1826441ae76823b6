import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr rpu`: Dolby Vision metadata out of videos, into videos, and in files.
@Suite(Samples.areThere) struct RPUToolTests {
    static let film = Samples.path("dolby-vision-8.1-hdr10.mkv")
    static let phone = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
    static let hasReader = Command.exists("ffprobe")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    func run(_ words: [String], status: Int32 = 0) async throws -> Command.Result {
        let result = try await HDRCommand.run(["rpu"] + words, in: folder)
        #expect(result.status == status, "\(words): \(result)")
        if status == 0 { #expect(result.errors.isEmpty, "\(words): \(result)") }
        return result
    }

    /// The first object that a verb prints with `--json`.
    func object(_ words: [String]) async throws -> [String: Any] {
        let result = try await run(words + ["--json"])
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        return try #require(list?.first, "\(result)")
    }

    /// The profile and the compatibility in the header's record, by ffprobe; empty where there is none.
    func record(_ name: String) async throws -> String {
        try await Command(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries",
                "stream_side_data=dv_profile,dv_bl_signal_compatibility_id", "-of", "default=nk=1:nw=1",
                folder.path(name),
            ]
        ).run().output.split(separator: "\n").joined(separator: ".")
    }

    // MARK: Extract and info

    /// dovi_tool has extracted the same bytes from the film, whose pictures are not in the order of presentation.
    @Test func rpusAreExtracted() async throws {
        let said = try await run(["extract", Self.film])
        #expect(said.output == "Wrote dolby-vision-8.1-hdr10-rpu.bin: 259 RPUs, profile 8.1\n")
        let bytes = try folder.data("dolby-vision-8.1-hdr10-rpu.bin")
        #expect(bytes.starts(with: [0, 0, 0, 1, 25, 8, 9]))
        let again = try await run(["extract", Self.film], status: 1)
        #expect(again.errors.contains("exists already"))
        try await run(["extract", Self.film, Self.phone, "-o", folder.url.path, "--force", "--quiet"])
        #expect(folder.names == ["dolby-vision-8.1-hdr10-rpu.bin", "iphone-dolby-vision-8.4-hlg-rpu.bin"])
    }

    @Test func whatRPUsSay() async throws {
        let phone = try await object(["info", Self.phone])
        #expect(phone["rpus"] as? Int == 5 && phone["profiles"] as? [String] == ["8.4"])
        #expect(phone["source-pq"] as? [[Int]] == [[62, 3079]] && phone["reshaped-rpus"] as? Int == 5)
        #expect(phone["largest-level1-pq"] as? [Int] == [0, 3044, 2077], "\(phone)")
        let full = try await run(["info", Samples.path("rpu/cmv40_full_rpu.bin"), Samples.path("rpu/fel_orig.bin")])
        #expect(full.output.contains("7 FEL") && full.output.contains("top 280, bottom 280"), "\(full.output)")
        let one = try await run(["info", Self.phone, "--frame", "4"])
        let json = try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any]
        let management = json?["vdr_dm_data"] as? [String: Any]
        #expect(json?["dovi_profile"] as? Int == 8 && management?["source_max_pq"] as? Int == 3079)
        let wrong = try await run(["info", Self.phone, "--frame", "5"], status: 1)
        #expect(wrong.errors.contains("has 5 RPUs: --frame is at most 4"), "\(wrong)")
    }

    /// A file without metadata keeps no other file from its report.
    @Test(arguments: ["rpu", "hdr10plus"]) func severalInputsAreEachReported(_ command: String) async throws {
        let full = command == "rpu" ? Self.phone : Samples.path("hdr10-plus.mkv")
        let inputs = [Samples.path("hlg10.mp4"), "nothing.mkv", full]
        let said = try await HDRCommand.run([command, "info"] + inputs, in: folder)
        #expect(said.status == 1 && said.output.hasPrefix(full), "\(said)")
        #expect(said.errors.contains("there is no file nothing.mkv") && said.errors.contains("2 of 3 files failed"))
        let json = try await HDRCommand.run([command, "info", "--json"] + inputs, in: folder)
        let list = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(list?.map { $0["error"] != nil } == [true, true, false] && json.status == 1, "\(json)")
    }

    // MARK: Inject and remove

    /// What is removed, injected and extracted again is the same, and each header says what the stream has.
    @Test(
        .enabled(if: hasReader, "ffmpeg is not installed"), arguments: [film, phone],
        ["out.mkv", "out.mp4", "out.mov", "out.hevc"])
    func thereAndBack(_ source: String, _ name: String) async throws {
        try await run(["extract", source, "-o", "first.bin", "-q"])
        try await run(["remove", source, "-o", "plain-\(name)", "-q"])
        #expect(try await record("plain-\(name)") == "")
        let none = try await run(["extract", "plain-\(name)", "-o", "none.bin"], status: 1)
        #expect(none.errors.contains("has no Dolby Vision metadata"), "\(none)")
        try await run(["inject", "plain-\(name)", "--rpu", "first.bin", "-o", name, "-q"])
        if name != "out.hevc" { #expect(try await record(name) == (source == Self.film ? "8.1" : "8.4")) }
        try await run(["extract", name, "-o", "second.bin", "-q"])
        #expect(try folder.data("first.bin") == folder.data("second.bin"))
        let (_, video) = try HDRCommand.inspect(folder.path(name))
        #expect((video["dolby-vision"] as? [String: Any])?["name"] as? String == (source == Self.film ? "8.1" : "8.4"))
    }

    /// A bare stream that gets back what was taken from it is the same stream.
    @Test(.enabled(if: hasReader, "ffmpeg is not installed")) func bareStreams() async throws {
        let made = try await Command(
            "ffmpeg",
            ["-v", "error", "-i", Self.film, "-c", "copy", "-bsf:v", "hevc_mp4toannexb", folder.path("a.hevc")]
        ).run()
        #expect(made.status == 0, "\(made)")
        try await run(["extract", "a.hevc", "-o", "a.bin", "-q"])
        try await run(["extract", Self.film, "-o", "film.bin", "-q"])
        #expect(try folder.data("a.bin") == folder.data("film.bin"), "the order of pictures without times")
        try await run(["remove", "a.hevc", "-o", "b.hevc", "-q"])
        try await run(["inject", "b.hevc", "--rpu", "a.bin", "-o", "c.hevc", "-q"])
        let (before, after) = (try folder.data("a.hevc"), try folder.data("c.hevc"))
        #expect(after.suffix(before.count) == before)
        // parsebin of GStreamer 1.28 writes the parameter sets once more in front.
        let more = Array(after.prefix(max(after.count - before.count, 0)))
        let types = more.indices.dropFirst(4).filter { more[($0 - 4)..<$0] == [0, 0, 0, 1] }.map { more[$0] >> 1 & 63 }
        #expect(more.count < 1000 && types.allSatisfy { (32...34).contains($0) })
        #expect(more.isEmpty == types.isEmpty)
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed")) func transportStreams() async throws {
        let made = try await Command(
            "ffmpeg", ["-v", "error", "-i", Self.film, "-c", "copy", folder.path("a.ts")]
        ).run()
        #expect(made.status == 0, "\(made)")
        try await run(["extract", "a.ts", "-o", "a.bin", "-q"])
        try await run(["extract", Self.film, "-o", "film.bin", "-q"])
        #expect(try folder.data("a.bin") == folder.data("film.bin"))
        try await run(["remove", "a.ts", "-q"])
        #expect(folder.names.contains("a-without-rpu.ts"))
    }

    /// What a copy leaves out is said.
    @Test func notesOfCopies() async throws {
        let copy = try await HDRCommand.run(["rpu", "remove", Self.phone, "-o", "a.mkv"], in: folder)
        #expect(copy.status == 0 && copy.errors.contains("note: tracks of subtitles, data"), "\(copy)")
        let bare = try await HDRCommand.run(["rpu", "remove", Self.phone, "-o", "a.hevc"], in: folder)
        #expect(bare.status == 0 && bare.errors.contains("note: a bare stream has no sound"), "\(bare)")
    }

    @Test func av1() async throws {
        try await run(["extract", Self.film, "-o", "film.bin", "-q"])
        let source = Samples.path("hdr10-av1.mp4")
        try await run(["inject", source, "--rpu", "film.bin", "--fit", "-o", "out.mkv", "-q"])
        try await run(["extract", "out.mkv", "-o", "out.bin", "-q"])
        let (film, out) = (try folder.data("film.bin"), try folder.data("out.bin"))
        #expect(film.starts(with: out) && out.count > film.count / 3)
        let (_, video) = try HDRCommand.inspect(folder.path("out.mkv"))
        let vision = video["dolby-vision"] as? [String: Any]
        #expect(vision?["profile"] as? Int == 10 && vision?["announced-by-container"] as? Bool == true, "\(video)")
        let bare = try await run(["inject", source, "--rpu", "film.bin", "--fit", "-o", "out.hevc"], status: 1)
        #expect(bare.errors.contains("name a .mkv file") && !folder.names.contains("out.hevc"), "\(bare)")
    }

    // MARK: What goes wrong

    @Test func wrongWordsAndFiles() async throws {
        try folder.write("{}", to: "edits.json")
        for (words, says) in [
            ([], "say what to do: extract"), (["extrct", "a"], "did you mean extract?"),
            (["inject", Self.film], "say which RPUs"), (["extract"], "name the file to be read"),
            (["info", "a.mkv", "--rpu", "x"], "no option of hdr rpu info is called --rpu"),
            (["remove", Self.film, "-o", "a.avi"], "should end in .mov"),
            (["edit", Samples.path("rpu/profile8.bin"), "--edits", "edits.json", "-o", "a.mkv"], "should end in .bin"),
        ] {
            let result = try await run(words, status: 2)
            #expect(result.errors.contains(says), "\(result)")
        }
        for (words, says) in [
            (["extract", "nothing.mkv"], "there is no file nothing.mkv"),
            (["extract", Samples.path("hlg10.mp4")], "has no Dolby Vision metadata"),
            (["inject", Self.phone, "--rpu", Self.film, "-o", "a.mov"], "is no file of RPUs"),
            (["inject", Self.film, "--rpu", Samples.path("rpu/profile8.bin"), "-o", "a.mkv"], "1 RPUs for 259"),
        ] {
            let result = try await run(words, status: 1)
            #expect(result.errors.contains(says) && result.output.isEmpty, "\(result)")
        }
        var damaged = [UInt8](try Samples.bytes("rpu/profile84.bin"))
        damaged[40] ^= 1
        try Data(damaged).write(to: folder.url("damaged.bin"))
        let result = try await run(["inject", Self.phone, "--rpu", "damaged.bin", "-o", "a.mov"], status: 1)
        #expect(result.errors.contains("RPU 0") && result.errors.contains("CRC"), "\(result)")
        #expect(folder.names == ["damaged.bin", "edits.json"], "something is left behind")
    }

    @Test func whatWouldBeDone() async throws {
        let dry = try await run(["extract", Self.film, "--dry-run"])
        #expect(dry.output.hasSuffix("to dolby-vision-8.1-hdr10-rpu.bin\n") && folder.names.isEmpty)
    }

    /// The plan refuses whatever the work would refuse, with the same line.
    @Test func thePlanRefusesToo() async throws {
        let (plain, rpus) = (Samples.path("hdr10-plus.mkv"), Samples.path("rpu/profile8.bin"))
        try folder.write(#"{"profile": "8.1"}"#, to: "config.json")
        for (words, says) in [
            (["extract", plain], "has no Dolby Vision metadata"), (["remove", plain], "has no Dolby Vision metadata"),
            (["info", plain], "has no Dolby Vision metadata"), (["plot", plain], "has no Dolby Vision metadata"),
            (["export", plain], "has no Dolby Vision metadata"),
            (["convert", "--to", "8.1", plain], "has no Dolby Vision metadata"),
            (["inject", Self.film, "--rpu", plain], "is no file of RPUs"),
            (["inject", Samples.path("cosmos-laundromat-p3-pq.y4m"), "--rpu", rpus], "dynamic metadata are in HEVC"),
            (["generate", "config.json"], "there is no level6"),
        ] {
            let (plan, work) = (try await run(words + ["--dry-run"], status: 1), try await run(words, status: 1))
            #expect(plan.errors == work.errors && plan.errors.contains(says) && plan.output.isEmpty, "\(plan)\(work)")
        }
        #expect(folder.names == ["config.json"])
    }
}
